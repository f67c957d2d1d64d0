package chart

import (
	"fmt"
	"slices"
	"strings"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// Speedup draws how many times as fast as the baseline each variant was: the median of the ratios
// within a round, with its 95 % confidence interval, against the size, or in rows where there is one
// size: see [lab.Result.Only]. Two lines are marked: 1, the baseline's speed, and the number of usable
// CPUs. Work that only computes cannot gain more than that by overlapping; work that waits can.
//
// The axis begins at 0. Where the ratios lie far apart it is logarithmic, its ticks at powers of two or
// of ten.
func Speedup(r *lab.Result) *Figure { return ofResult("Speedup", r, speedupFigure) }

func speedupFigure(f *Figure, v *view) {
	v.slug(f, against(v.Result))
	v.variants = slices.DeleteFunc(v.variants, func(name string) bool { return name == v.Baseline })
	v.limit()
	zeros := v.zeros()
	all, used := v.collect(func(name string, size int) lab.Estimate { return v.Compare(name, size).Speedup })
	if len(all) == 0 && zeros != "" {
		f.fail("a time of 0 has no ratio to another; give each trial more work than the clock's step")
		return
	}
	if len(all) == 0 {
		f.fail("no variant was measured in the same round as the baseline %q; "+
			"measure at least two variants for a whole round", v.Baseline)
		return
	}
	base := ink.Printable(v.Baseline)
	cpus := v.cpus()
	refs, show := []reference{{value: 1, label: "1 = " + base, solid: true}}, []float64{1}
	if cpus > 0 && cpus != 1 {
		refs, show = append(refs, reference{value: cpus, label: cpusText(cpus)}), append(show, cpus)
	}
	y := ratioScale(spans(all), show...)
	statistic := strings.Replace(statistic(used), "median of", "median ratio of", 1)
	f.caption = strings.TrimSpace(v.conditions() + "\n" + zeros)
	f.title = fmt.Sprintf("%s: speedup over %s, %s", v.name(), base, v.sizeRange())
	label := fmt.Sprintf("times as fast as %s%s", base, y.note())
	kind, beside := "Line", ""
	if len(v.sizes) == 1 {
		kind = "Dot"
	} else {
		beside = sideBySide(all)
	}
	f.subtitle = text.Capital(statistic) + "." + beside + v.noise() + " More is better."
	c := &rows{x: y, xLabel: label, xUnit: 1, from: 1, refs: refs}
	var said []string
	for _, s := range all {
		e := s.points[len(s.points)-1]
		c.rows = append(c.rows, row{name: s.name, look: s.look, est: e, value: times(e.mid)})
		say := s.name + " " + ratioSaid(e, v.Compare(s.variant, int(e.at)).Difference)
		if len(v.sizes) > 1 {
			say += " at " + v.sized(int(e.at))
		}
		said = append(said, say)
	}
	f.alt = fmt.Sprintf("%s chart of the speedup over %s for %s, %s%s: %s.",
		kind, base, v.sizeRange(), statistic, usable(cpus), enumerate(said))
	if len(v.sizes) == 1 {
		f.fit(len(c.rows), rowHeight)
		f.body = c.draw
		return
	}
	f.fit(len(all)+len(refs), leadingOfText)
	f.body = v.overSizes(all, refs, y, label, 1).draw
}

// ratioSaid describes a ratio to the baseline with its interval, and says so where that shows no
// difference.
func ratioSaid(e estimate, shows lab.Difference) string {
	said := e.said(times)
	if shows != lab.NoneShown {
		return said
	}
	if open, ok := strings.CutSuffix(said, ")"); ok {
		return fmt.Sprintf("%s; %s)", open, shows)
	}
	return fmt.Sprintf("%s (%s)", said, shows)
}

// usable is the part of a text alternative that says how many CPUs there were, if that is known.
func usable(cpus float64) string {
	if cpus == 0 {
		return ""
	}
	return ", with " + cpusText(cpus) + " usable"
}
