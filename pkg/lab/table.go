package lab

import (
	"cmp"
	"fmt"
	"slices"

	"overlap/pkg/internal/text"
	"overlap/pkg/probe"
)

// A Table is text in rows and columns, such as [Result.Table] returns.
type Table = text.Table

// Table returns a row for each variant at each size: medians, what they show against the baseline,
// and what the machine did: "CPU used" is [probe.Usage.Utilisation], "CPU wanted"
// [probe.Usage.Demand], both not given for less than a millisecond. A single size stands in the
// title instead of a column.
func (r *Result) Table() Table {
	if r == nil {
		return Table{Notes: []string{"There is no result."}}
	}
	t := Table{
		Title: r.Name,
		Head: []string{r.Unit, "variant", "time", "95 % interval", "speed against " + r.Baseline, "shows",
			"in flight", "CPU used", "CPU wanted", "OS switches a task", "page faults", "peak memory"},
	}
	if len(r.Sizes) == 1 {
		t.Title += ", " + text.Counted(r.Sizes[0], r.Unit)
		t.Head = t.Head[1:]
	}
	if least, most := r.rounds(); least < most {
		t.Notes = append(t.Notes, fmt.Sprintf("Medians of %d to %d rounds on %s.", least, most, r.Machine))
	} else if most == 1 {
		t.Notes = append(t.Notes, fmt.Sprintf("One round on %s.", r.Machine))
	} else if most > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Medians of %d rounds on %s.", most, r.Machine))
	}
	for _, v := range r.Variants {
		if rule := r.Rules[v]; rule != "" {
			t.Notes = append(t.Notes, v+": "+rule+".")
		}
	}
	for _, size := range r.Sizes {
		for _, v := range r.Variants {
			if row := r.row(v, size); row != nil {
				t.Rows = append(t.Rows, row[len(row)-len(t.Head):])
			}
		}
		if floor, ok := r.NoiseFloor(size); ok && r.Time(r.Baseline, size).N >= MinRepeats {
			t.Notes = append(t.Notes, fmt.Sprintf("Noise floor at %s: %.1f %% "+
				"(between two runs of the baseline in the same round).", text.Counted(size, r.Unit), 100*floor))
		}
	}
	return t
}

// rounds returns how many rounds stand behind the figures, at least and at most.
func (r *Result) rounds() (least, most int) {
	for _, size := range r.Sizes {
		for _, v := range r.Variants {
			if n := len(r.Of(v, size)); n > 0 {
				least, most = min(cmp.Or(least, n), n), max(most, n)
			}
		}
	}
	return least, most
}

// leastForCPU is the shortest time, in seconds, of which the table says how much of the CPUs it
// used: to read that takes some 20 µs, in which the scheduler's other threads may still run.
const leastForCPU = 1e-3

func (r *Result) row(variant string, size int) []string {
	time := r.Time(variant, size)
	if time.N == 0 {
		return nil
	}
	median := func(figure func(Trial) float64) float64 { return r.Estimate(variant, size, figure).Median }
	c := r.Compare(variant, size)
	speed, shows := c.Speedup.String(), string(c.Difference)
	if variant == r.Baseline {
		speed, shows = "1", "baseline"
	}
	interval := "n/a"
	if time.Interval() {
		interval = text.Duration(time.Lo) + " – " + text.Duration(time.Hi)
	}
	// A figure that the system did not give is not 0.
	measured := func(text string, needs ...string) string {
		if slices.ContainsFunc(r.Of(variant, size), func(t Trial) bool { return !t.hasAll(needs) }) {
			return "n/a"
		}
		return text
	}
	ofCPUs := func(share func(Trial) float64, needs ...string) string {
		if time.Median < leastForCPU {
			return "n/a"
		}
		return measured(fmt.Sprintf("%.0f %%", 100*median(share)), needs...)
	}
	switches := func(t Trial) float64 { return float64(t.Voluntary+t.Involuntary) / float64(max(1, t.Tasks)) }
	faults := func(t Trial) float64 { return float64(t.MinorFaults + t.MajorFaults) }
	memory := func(t Trial) float64 { return float64(t.PeakMemory) }
	return []string{
		text.Count(size), variant, text.Duration(time.Median), interval, speed, shows,
		fmt.Sprintf("%.2f", median(func(t Trial) float64 { return t.InFlightMean })),
		ofCPUs(func(t Trial) float64 { return t.Utilisation() }, probe.CPUTime),
		ofCPUs(func(t Trial) float64 { return t.Demand() }, probe.CPUTime, probe.RunDelay),
		measured(fmt.Sprintf("%.2f", median(switches)), probe.CPUTime),
		measured(text.Count(int(median(faults))), probe.CPUTime),
		measured(fmt.Sprintf("%.0f MB", median(memory)/1e6), probe.PeakMemory),
	}
}
