package chart

import (
	"fmt"
	"strings"
	"time"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/lab"
	"overlap/pkg/probe"
)

// machineLine is the part of a caption that says where and when something was measured: the processor,
// the CPUs, versions, the system and the day.
func machineLine(m probe.Machine, cpus float64, on time.Time) string {
	var where []string
	add := func(format string, args ...any) { where = append(where, fmt.Sprintf(format, args...)) }
	if m.CPU != "" {
		add("%s", strings.Join(strings.Fields(ink.Printable(m.CPU)), " "))
	}
	if cpus > 0 {
		bound := " usable"
		if m.Usable.Bound == "quota" {
			bound = " (quota)"
		}
		add("%s%s", cpusText(cpus), bound)
	}
	if m.Go != "" {
		add("%s", strings.Replace(ink.Printable(m.Go), "go1", "Go 1", 1))
	}
	for _, k := range sortedKeys(m.Versions) {
		add("%s %s", ink.Printable(k), ink.Printable(m.Versions[k]))
	}
	if m.OS != "" {
		add("%s", ink.Printable(m.OS))
	}
	if !on.IsZero() {
		add("%s", on.Format("2 January 2006"))
	}
	return strings.Join(where, " · ")
}

// trialConditions is the last part of the caption of a figure that shows single trials.
func trialConditions(r *lab.Result, trials ...lab.Trial) string {
	cpus := 0.0
	for _, t := range trials {
		cpus = max(cpus, plausible(t.CPUs))
	}
	return strings.TrimSpace(machineLine(r.Machine, cpus, r.Started) + "\n" + quick(r))
}
