package lab

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"overlap/pkg/internal/text"
	"overlap/pkg/probe"
)

// A column is one of the CSV: what a trial has there, if it has the figures that this needs.
type column struct {
	name  string
	value func(csvRow) string
	needs []string
}

// A csvRow is a trial with what it is of.
type csvRow struct {
	Trial
	r    *Result
	spec Spec
}

// The columns of the CSV before those of the workload's parameters, and after.
var (
	columnsOfVariant = []column{
		{"experiment", func(t csvRow) string { return t.r.Name }, nil},
		{"variant", func(t csvRow) string { return t.Variant }, nil},
		{"scheduler", func(t csvRow) string { return t.spec.Scheduler }, nil},
		{"kind", func(t csvRow) string { return t.spec.Kind }, nil},
	}
	columnsOfTrial = []column{
		{"unit", func(t csvRow) string { return t.r.Unit }, nil},
		{"size", func(t csvRow) string { return itoa(t.Size) }, nil},
		{"round", func(t csvRow) string { return itoa(t.Round) }, nil},
		{"warm_up", func(t csvRow) string { return strconv.FormatBool(t.Round == 0) }, nil},
		{"control", func(t csvRow) string { return strconv.FormatBool(t.Control) }, nil},
		{"order", func(t csvRow) string { return itoa(t.Order) }, nil},
		{"wall_s", func(t csvRow) string { return seconds(t.Wall) }, nil},
		{"user_s", func(t csvRow) string { return seconds(t.User) }, cpuTime},
		{"system_s", func(t csvRow) string { return seconds(t.System) }, cpuTime},
		{"children_s", func(t csvRow) string { return seconds(t.Children) }, cpuTime},
		{"run_delay_s", func(t csvRow) string { return seconds(t.RunDelay) }, []string{probe.RunDelay}},
		{"utilisation", func(t csvRow) string { return float(t.Utilisation()) }, cpuTime},
		{"demand", func(t csvRow) string { return float(t.Demand()) }, []string{probe.CPUTime, probe.RunDelay}},
		{"voluntary_switches", func(t csvRow) string { return itoa(t.Voluntary) }, cpuTime},
		{"involuntary_switches", func(t csvRow) string { return itoa(t.Involuntary) }, cpuTime},
		{"minor_faults", func(t csvRow) string { return itoa(t.MinorFaults) }, cpuTime},
		{"major_faults", func(t csvRow) string { return itoa(t.MajorFaults) }, cpuTime},
		{"peak_memory_bytes", func(t csvRow) string { return itoa(t.PeakMemory) }, []string{probe.PeakMemory}},
		{"steal_s", func(t csvRow) string { return seconds(t.Steal) }, []string{probe.HostLoad}},
		{"host_busy_s", func(t csvRow) string { return seconds(t.HostBusy) }, []string{probe.HostLoad}},
		{"throttled_s", func(t csvRow) string { return seconds(t.Throttled) }, []string{probe.Throttling}},
		{"suspended_s", func(t csvRow) string { return seconds(t.Suspended) }, []string{probe.Suspension}},
		{"tasks", func(t csvRow) string { return itoa(t.Tasks) }, nil},
		{"in_flight_max", func(t csvRow) string { return itoa(t.InFlightMax) }, nil},
		{"in_flight_mean", func(t csvRow) string { return float(t.InFlightMean) }, nil},
		{"workers", func(t csvRow) string { return itoa(t.Workers) }, nil},
		{"answer", func(t csvRow) string { return t.Answer }, nil},

		{"baseline", func(t csvRow) string { return t.r.Baseline }, nil},
		{"cpus", func(t csvRow) string { return float(t.CPUs) }, nil},
		{"cpu_bound", func(t csvRow) string { return t.r.Machine.Usable.Bound }, nil},
		{"online_cpus", func(t csvRow) string { return itoa(t.r.Machine.Logical) }, nil},
		{"gomaxprocs", func(t csvRow) string { return itoa(cmp.Or(t.GOMAXPROCS, t.r.Machine.GOMAXPROCS)) }, nil},
		{"cpu", func(t csvRow) string { return t.r.Machine.CPU }, nil},
		{"memory_bytes", func(t csvRow) string { return itoa(t.r.Machine.Memory) }, nil},
		{"os", func(t csvRow) string { return t.r.Machine.OS }, nil},
		{"kernel", func(t csvRow) string { return t.r.Machine.Kernel }, nil},
		{"arch", func(t csvRow) string { return t.r.Machine.Arch }, nil},
		{"go", func(t csvRow) string { return t.r.Machine.Go }, nil},
		{"versions", func(t csvRow) string { return versions(t.r.Machine.Versions) }, nil},
		{"seed", func(t csvRow) string { return strconv.FormatUint(t.r.Seed, 10) }, nil},
		{"repeats", func(t csvRow) string { return itoa(t.r.Repeats) }, nil},
		{"interrupted", func(t csvRow) string { return strconv.FormatBool(t.r.Interrupted) }, nil},
		{"quick", func(t csvRow) string { return strconv.FormatBool(t.r.Quick) }, nil},
		{"started", func(t csvRow) string { return t.r.Started.Format(time.RFC3339) }, nil},
	}
	cpuTime = []string{probe.CPUTime}
)

// CSV returns one row a trial under a row of column names. Times are in seconds, memory in bytes; a
// figure that the system did not give, or that is no finite number, is empty. What is the same for
// all trials (machine, versions, seed) stands in every row, so that tables of several results can
// be put together. Parameters of the workload are columns "param_NAME".
func (r *Result) CSV() ([]byte, error) {
	params := map[string]bool{}
	for _, s := range r.Specs {
		for name := range s.Params {
			params[name] = true
		}
	}
	columns := slices.Clone(columnsOfVariant)
	for _, name := range slices.Sorted(maps.Keys(params)) {
		columns = append(columns, column{"param_" + name, func(t csvRow) string { return t.spec.Params[name] }, nil})
	}
	columns = append(columns, columnsOfTrial...)

	var out bytes.Buffer
	w := csv.NewWriter(&out)
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.name
	}
	w.Write(row)
	for _, t := range r.Trials {
		spec, _ := r.spec(t.Variant)
		of := csvRow{t, r, spec}
		for i, c := range columns {
			row[i] = ""
			if t.hasAll(c.needs) {
				row[i] = c.value(of)
			}
		}
		w.Write(row)
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return nil, fmt.Errorf("lab: write %q as CSV: %w", r.Name, err)
	}
	return out.Bytes(), nil
}

// hasAll reports whether the system gave all of the figures.
func (t Trial) hasAll(figures []string) bool {
	return !slices.ContainsFunc(figures, func(f string) bool { return !t.Has(f) })
}

// float writes nothing for what is no finite number.
func float(x float64) string {
	if !text.Finite(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

func itoa[T int | int64](n T) string { return strconv.FormatInt(int64(n), 10) }
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
