package lab

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"time"

	"overlap/pkg/internal/text"
	"overlap/pkg/probe"
)

// CSV returns one row a trial under a row of column names. Times are in
// seconds, memory in bytes; a figure that the system did not give, or that is no
// finite number, is empty. What is the same for all trials (machine, versions,
// seed) stands in every row, so that tables of several results can be put
// together. Parameters of the workload are columns "param_NAME".
func (r *Result) CSV() ([]byte, error) {
	var params []string
	for _, s := range r.Specs {
		for name := range s.Params {
			if !slices.Contains(params, name) {
				params = append(params, name)
			}
		}
	}
	slices.Sort(params)

	head := []string{"experiment", "variant", "scheduler", "kind"}
	for _, p := range params {
		head = append(head, "param_"+p)
	}
	head = append(head, "unit", "size", "round", "warm_up", "control", "order",
		"wall_s", "user_s", "system_s", "children_s", "run_delay_s", "utilisation", "demand",
		"voluntary_switches", "involuntary_switches", "minor_faults", "major_faults", "peak_memory_bytes",
		"steal_s", "host_busy_s", "throttled_s", "suspended_s", "tasks", "in_flight_max", "in_flight_mean", "workers", "answer",
		"baseline", "cpus", "cpu_bound", "online_cpus", "gomaxprocs", "cpu", "memory_bytes", "os", "kernel", "arch", "go", "versions", "seed", "repeats", "interrupted", "quick", "started")

	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Write(head)
	for _, t := range r.Trials {
		spec := r.spec(t.Variant)
		row := []string{r.Name, t.Variant, spec.Scheduler, spec.Kind}
		for _, p := range params {
			row = append(row, spec.Params[p])
		}
		row = append(row, r.Unit, itoa(t.Size), itoa(t.Round), strconv.FormatBool(t.Round == 0), strconv.FormatBool(t.Control), itoa(t.Order),
			seconds(t.Wall), ifHas(t, seconds(t.User), probe.CPUTime), ifHas(t, seconds(t.System), probe.CPUTime), ifHas(t, seconds(t.Children), probe.CPUTime), ifHas(t, seconds(t.RunDelay), probe.RunDelay),
			ifHas(t, float(t.Utilisation()), probe.CPUTime), ifHas(t, float(t.Demand()), probe.CPUTime, probe.RunDelay),
			ifHas(t, itoa(t.Voluntary), probe.CPUTime), ifHas(t, itoa(t.Involuntary), probe.CPUTime),
			ifHas(t, itoa(t.MinorFaults), probe.CPUTime), ifHas(t, itoa(t.MajorFaults), probe.CPUTime), ifHas(t, itoa(t.PeakMemory), probe.PeakMemory),
			ifHas(t, seconds(t.Steal), probe.HostLoad), ifHas(t, seconds(t.HostBusy), probe.HostLoad), ifHas(t, seconds(t.Throttled), probe.Throttling), ifHas(t, seconds(t.Suspended), probe.Suspension), itoa(t.Tasks), itoa(t.InFlightMax), float(t.InFlightMean), itoa(t.Workers), t.Answer,
			r.Baseline, float(t.CPUs), r.Machine.Usable.Bound, itoa(r.Machine.Logical), itoa(cmp.Or(t.GOMAXPROCS, r.Machine.GOMAXPROCS)), r.Machine.CPU, itoa(r.Machine.Memory), r.Machine.OS, r.Machine.Kernel, r.Machine.Arch, r.Machine.Go,
			versions(r.Machine.Versions), strconv.FormatUint(r.Seed, 10), itoa(r.Repeats), strconv.FormatBool(r.Interrupted), strconv.FormatBool(r.Quick), r.Started.Format(time.RFC3339))
		w.Write(row)
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return nil, fmt.Errorf("lab: write %q as CSV: %w", r.Name, err)
	}
	return out.Bytes(), nil
}

// spec returns what a variant runs, the zero Spec for one that is not known.
func (r *Result) spec(variant string) Spec {
	if i := slices.Index(r.Variants, variant); i >= 0 && i < len(r.Specs) {
		return r.Specs[i]
	}
	return Spec{}
}

// ifHas returns the text where the trial has the figures that it needs.
func ifHas(t Trial, text string, needs ...string) string {
	for _, figure := range needs {
		if !t.Has(figure) {
			return ""
		}
	}
	return text
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
