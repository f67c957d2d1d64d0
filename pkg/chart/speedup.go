package chart

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// Speedup draws how many times as fast as the baseline each variant was: the
// median of the ratios within a round, with its 95 % confidence interval,
// against the size, or in rows where there is one size: see
// [lab.Result.Only]. Two lines are marked: 1, the baseline's speed, and the number of usable CPUs. Work that only
// computes cannot gain more than that by overlapping; work that waits can.
//
// The axis begins at 0. Where the ratios lie far apart it is logarithmic, its
// ticks at powers of two or of ten.
func Speedup(r *lab.Result) *Figure {
	f := newFigure("Speedup", nameOf(r))
	return guarded(f, func() {
		if v := viewOf(f, r); v != nil {
			speedupFigure(f, v)
		}
	})
}

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
		f.fail("no variant was measured in the same round as the baseline %q; measure at least two variants for a whole round", v.Baseline)
		return
	}
	base := ink.Printable(v.Baseline)
	cpus := v.cpus()
	refs := []reference{{value: 1, label: "1 = " + base, solid: true}}
	if cpus > 0 && cpus != 1 {
		refs = append(refs, reference{value: cpus, label: cpusText(cpus)})
	}
	var show []float64
	for _, r := range refs {
		show = append(show, r.value)
	}
	y := ratioScale(spans(all), show...)
	statistic := strings.Replace(statistic(used), "median of", "median ratio of", 1)
	f.subtitle = text.Capital(statistic) + "." + v.noise() + " More is better."
	f.caption = strings.TrimSpace(v.conditions() + "\n" + zeros)
	label := fmt.Sprintf("times as fast as %s%s", base, y.note())

	if len(v.sizes) == 1 {
		f.title = fmt.Sprintf("%s: speedup over %s, %s", v.name(), base, v.sized(v.sizes[0]))
		c := &rows{x: y, xLabel: label, xUnit: 1, from: 1, refs: refs}
		var said []string
		for _, s := range all {
			e := s.points[0]
			c.rows = append(c.rows, row{name: s.name, look: s.look, est: e, value: times(e.mid)})
			said = append(said, s.name+" "+ratioSaid(e, v.Compare(s.variant, int(e.at)).Difference))
		}
		f.fit(len(c.rows), rowHeight)
		f.alt = fmt.Sprintf("Dot chart of the speedup over %s for %s, %s%s: %s.", base, v.sized(v.sizes[0]), statistic, usable(cpus), enumerate(said))
		f.body = func(d draw.Canvas, k *ink.Kit) { c.draw(d, k) }
		return
	}
	f.title = fmt.Sprintf("%s: speedup over %s, %s", v.name(), base, v.sizeRange())
	f.subtitle = text.Capital(statistic) + "." + sideBySide(all) + v.noise() + " More is better."
	x := sizeScale(floats(v.sizes))
	c := &lines{x: x, y: y, xLabel: unitOf(v.Result) + x.note(), yLabel: label, yUnit: 1, sizes: floats(v.sizes), series: all, refs: refs}
	var said []string
	for _, s := range all {
		e := s.points[len(s.points)-1]
		said = append(said, fmt.Sprintf("%s %s at %s", s.name, ratioSaid(e, v.Compare(s.variant, int(e.at)).Difference), v.sized(int(e.at))))
	}
	f.fit(len(all)+len(refs), leadingOfText)
	f.alt = fmt.Sprintf("Line chart of the speedup over %s for %s, %s%s: %s.", base, v.sizeRange(), statistic, usable(cpus), enumerate(said))
	f.body = func(d draw.Canvas, k *ink.Kit) { c.draw(d, k) }
}

// ratioSaid describes a ratio to the baseline with its interval, and says so
// where that shows no difference.
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

// usable is the part of a text alternative that says how many CPUs there
// were, if that is known.
func usable(cpus float64) string {
	if cpus == 0 {
		return ""
	}
	return ", with " + cpusText(cpus) + " usable"
}
