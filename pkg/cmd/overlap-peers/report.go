package main

import (
	"fmt"
	"slices"
	"strings"

	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
	"overlap/pkg/probe"
)

// table puts both results side by side. bytes is what all pixels take.
func (b *bench) table(first, second *lab.Result, list []way, bytes int64) lab.Table {
	size := len(b.files)
	t := lab.Table{
		Title: fmt.Sprintf("%s, %d files, %.0f MB of pixels, page cache warm", strings.TrimSuffix(first.Name,
			": first read"), size, float64(bytes)/1e6),
		Head: []string{"way", "leaves", "first read", "second read", "MB/s", "first against " + first.Baseline,
			"second against it",
			"CPU used", "CPU time", "page faults", "peak memory"},
		Notes: []string{
			"First and second: two reads in a new process each time; starting it and loading Python's modules is not " +
				"counted, except for gdal_translate, whose processes are all counted. The first read also registers GDAL's " +
				"drivers.",
			"Ratios are medians over rounds, with 95 % intervals: above 1 is faster. The columns from MB/s on are of the " +
				"second read, but for the first ratio.",
			"All ways gave the same number of pixels, minimum, maximum and sum in every trial.",
			fmt.Sprintf("%s; one more round before them is not counted.", second.Machine),
		},
	}
	for _, w := range list {
		one, two := first.Time(w.name, size), second.Time(w.name, size)
		if two.N == 0 {
			continue
		}
		median := func(figure func(lab.Trial) float64) float64 { return second.Estimate(w.name, size, figure).Median }
		t.Rows = append(t.Rows, []string{
			w.name, string(w.result), text.Duration(one.Median), text.Duration(two.Median),
			fmt.Sprintf("%.0f", float64(bytes)/1e6/two.Median),
			ratio(first, w.name, size), ratio(second, w.name, size),
			fmt.Sprintf("%.0f %%", 100*median(func(t lab.Trial) float64 { return t.Utilisation() })),
			text.Duration(median(func(t lab.Trial) float64 { return t.CPU().Seconds() })),
			text.Count(int(median(func(t lab.Trial) float64 { return float64(t.MinorFaults + t.MajorFaults) }))),
			memory(second, w.name, size, median),
		})
	}
	for _, r := range []*lab.Result{first, second} {
		if floor, ok := r.NoiseFloor(size); ok && r.Time(r.Baseline, size).N >= lab.MinRepeats {
			t.Notes = append(t.Notes, fmt.Sprintf("Noise floor of the %s: %.1f %% (between two trials of %s in the same round).",
				r.Name[strings.LastIndex(r.Name, ":")+2:], 100*floor, r.Baseline))
		}
	}
	for _, w := range second.Warnings() {
		if w.Kind != lab.WarnColdStart && w.Kind != lab.WarnSpread && w.Kind != lab.WarnTooShort {
			t.Notes = append(t.Notes, w.String())
		}
	}
	t.Notes = append(t.Notes, b.notMeasured...)
	return t
}

func memory(r *lab.Result, name string, size int, median func(func(lab.Trial) float64) float64) string {
	for _, t := range r.Of(name, size) {
		if !t.Has(probe.PeakMemory) {
			return "n/a"
		}
	}
	return fmt.Sprintf("%.0f MB", median(func(t lab.Trial) float64 { return float64(t.PeakMemory) })/1e6)
}

func ratio(r *lab.Result, name string, size int) string {
	if name == r.Baseline {
		return "1"
	}
	return r.Speedup(name, size).String()
}

// A target is a ratio of speeds that is aimed at.
type target struct {
	what, over string
	least      float64
}

// targets are what is aimed at: like results are compared, but for the published way, which keeps
// arrays. With predictors, reading is to be no slower than GDAL.
func targets(r *lab.Result, predictor int, list []way, size int) []target {
	all := []target{
		{oursPart, ceilingPart, 0.95},
		{oursFold, ceilingFold, 0.95},
		{oursWhole, ceilingWhole, 0.9},
		{oursBoth, ceilingBoth, 0.9},
	}
	if predictor != 1 {
		return append(all,
			target{oursFold, oursFold + ", by GDAL", 1},
			target{oursWhole, "godal NUM_THREADS, cache 16, huge pages", 1},
		)
	}
	all = append(all, target{oursPart, published, 4}, target{oursFold, published, 4}, target{oursWhole, published, 3})
	for _, ours := range []struct {
		name string
		kind result
	}{{oursPart, windows}, {oursFold, statistics}, {oursWhole, arrays}} {
		if best := bestTuned(r, list, size, ours.kind); best != "" {
			all = append(all, target{ours.name, best, 1.15})
		}
	}
	return all
}

// bestTuned returns the fastest way of Python that leaves the same behind, other than as published.
func bestTuned(r *lab.Result, list []way, size int, kind result) string {
	best := ""
	for _, w := range list {
		if w.program == "python" && w.result == kind && w.name != published && r.Time(w.name, size).N > 0 &&
			(best == "" || r.Time(w.name, size).Median < r.Time(best, size).Median) {
			best = w.name
		}
	}
	return best
}

// byCPU returns the result with CPU time in the place of time.
func byCPU(r *lab.Result) *lab.Result {
	other := *r
	other.Trials = slices.Clone(r.Trials)
	for i := range other.Trials {
		other.Trials[i].Wall = other.Trials[i].CPU()
	}
	return &other
}

// comparisons returns the table of what is aimed at.
func comparisons(results []*lab.Result, predictor int, list []way, size int) lab.Table {
	t := lab.Table{Title: "What is aimed at", Head: []string{"way", "against", "read", "speed", "at least", "result",
		"CPU time ratio"},
		Notes: []string{"CPU time ratio: how many times the CPU time the other takes. Neighbours on the machine change " +
			"it far less than they change speed."}}
	for i, r := range results {
		for _, goal := range targets(r, predictor, list, size) {
			e := r.Against(goal.over).Speedup(goal.what, size)
			if e.N == 0 {
				continue
			}
			says := "reached"
			switch {
			case e.Median < goal.least && e.Interval() && e.Hi >= goal.least:
				says = "not reached, but within the interval"
			case e.Median < goal.least:
				says = "not reached"
			case e.Interval() && e.Lo < goal.least:
				says = "reached, but not by all of the interval"
			}
			t.Rows = append(t.Rows, []string{goal.what, goal.over, []string{"first", "second"}[i], e.String(),
				fmt.Sprint(goal.least), says,
				byCPU(r).Against(goal.over).Speedup(goal.what, size).String()})
		}
	}
	return t
}
