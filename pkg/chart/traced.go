package chart

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
	"overlap/pkg/verdict"
)

// tracedSteps returns a verdict's steps that can be drawn, by start.
func tracedSteps(v verdict.Verdict) ([]trace.Step, error) {
	t := v.Evidence.Trace
	if t == nil {
		return nil, errors.New(noTrace)
	}
	var out []trace.Step
	for _, s := range t.Steps {
		if s.Start >= 0 && s.End > s.Start {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("its execution trace has no times; give the work more to do, at least some milliseconds")
	}
	slices.SortStableFunc(out, func(a, b trace.Step) int { return int(min(max(a.Start-b.Start, -1), 1)) })
	return out, nil
}

const noTrace = "it has no execution trace; a watched function has one unless " +
	"another trace runs already (see the verdict's notes), and a lab's result where its experiment ran with lab.Traced()"

// headline is the title of a figure of one verdict.
func headline(v verdict.Verdict, otherwise string) string {
	parts := slices.DeleteFunc([]string{ink.Printable(v.Experiment), ink.Printable(v.Called()),
		ink.Printable(v.Judged())}, func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return otherwise
	}
	return text.Capital(strings.Join(parts, ": "))
}

// verdictSlug names a verdict in the name of a file.
func verdictSlug(v verdict.Verdict) string {
	s := ink.Printable(v.Called())
	if words(s) == "" {
		s = string(v.Kind)
	}
	return strings.TrimSpace(v.Experiment + " " + s)
}

// codeSlug tells figures of unnamed verdicts apart in the names of files: it is a hash of the functions
// that ran. Another run of the same code has the same, so that its figures replace the earlier ones.
func codeSlug(vs ...verdict.Verdict) string {
	h, unnamed := fnv.New32a(), false
	for _, v := range vs {
		if words(ink.Printable(v.Called())) != "" {
			continue
		}
		unnamed = true
		if t := v.Evidence.Trace; t != nil {
			var ran []string
			for _, l := range t.Lives {
				ran = append(ran, l.Func)
			}
			slices.Sort(ran)
			fmt.Fprint(h, slices.Compact(ran))
		}
	}
	if !unnamed {
		return ""
	}
	return fmt.Sprintf("%08x", h.Sum32())
}

// cpusOf returns how many CPUs there were for the work, and GOMAXPROCS where that allowed less.
func cpusOf(v verdict.Verdict) (cpus, procs float64) {
	cpus = plausible(v.Evidence.CPUs.Count)
	if cpus == 0 {
		cpus = plausible(v.Evidence.Usage.CPUs)
	}
	if p := plausible(float64(v.Evidence.Procs)); p > 0 && p < cpus {
		procs = p
	}
	return cpus, procs
}

// tracedFacts says in numbers what was watched, and on what: in a line of its own, where that is known.
func tracedFacts(v verdict.Verdict) string {
	t, u := v.Evidence.Trace, v.Evidence.Usage
	wall := max(t.Wall, t.Covered).Seconds()
	parts := []string{"the root alone in " + unitFor(wall).String(wall)}
	if t.Goroutines > 0 {
		parts[0] = fmt.Sprintf("the root and %s in %s", text.Counted(t.Goroutines, "goroutines"), unitFor(wall).String(wall))
	}
	if t.Peak > 0 {
		parts = append(parts, fmt.Sprintf("at most %s of them started and not ended", text.Count(t.Peak)))
	}
	cpus, procs := cpusOf(v)
	if n := u.Utilisation(); n > 0 && text.Finite(n) && cpus > 0 {
		parts = append(parts, fmt.Sprintf("%.0f %% of %s used", 100*n, cpusText(cpus)))
	} else if cpus > 0 {
		parts = append(parts, cpusText(cpus)+" usable")
	}
	if procs > 0 {
		parts = append(parts, fmt.Sprintf("GOMAXPROCS %.4g", procs))
	}
	facts := text.Capital(strings.Join(parts, " · "))
	if m := v.Evidence.Machine; m.CPU != "" || m.Go != "" {
		facts += "\n" + machineLine(m, cpus, time.Time{})
	}
	return facts
}

// tracedCut says that a trace does not cover all of the work, "" where it does.
func tracedCut(v verdict.Verdict) string {
	t := v.Evidence.Trace
	if !t.Truncated {
		return ""
	}
	how := "ended early"
	switch t.Ended {
	case trace.AtLimit:
		how = "met its limit of memory and ends"
	case trace.ByOthers:
		how = "was stopped by others, the work perhaps, and ends"
	case trace.Unread:
		how = "was not read to its end, and what was read ends"
	}
	return fmt.Sprintf("the trace %s after %s", how, partOf(t.Covered.Seconds(), t.Wall.Seconds()))
}

// cutWarning is the warning of a figure of such a trace.
func cutWarning(slug, cut string) string {
	return fmt.Sprintf("chart: figure %q: %s: it shows the beginning only; "+
		"to see more, watch less at once, or let nothing else stop the trace", slug, cut)
}

// tracedReady says that goroutines on a CPU were on a thread that itself waited, for a CPU or, in page
// faults, for memory or a disk, which a trace cannot tell apart; "" where that is too little to be
// told.
func tracedReady(v verdict.Verdict) string {
	t, u := v.Evidence.Trace, v.Evidence.Usage
	if t.Covered <= 0 || u.Wall <= 0 || t.Truncated {
		return ""
	}
	on := (t.Time[trace.Running] + t.Time[trace.Native]).Seconds() / t.Covered.Seconds()
	used := u.CPU().Seconds() / u.Wall.Seconds()
	if !(used > 0) || on < 1.25*used+0.1 {
		return ""
	}
	waited := fmt.Sprintf("about %.0f %% of the time on a thread was its own wait", 100*(1-used/on))
	if why := (u.RunDelay + u.Throttled).Seconds() / u.Wall.Seconds(); u.Has(probe.RunDelay) && why < (on-used)/2 {
		return waited + ", most likely for memory or a disk: hardly any of it was for a CPU"
	}
	return waited + " for a CPU, as threads of other programs or of its own had them"
}
