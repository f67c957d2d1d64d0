package chart

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/lab"
)

// Times draws how long each variant took, against the size: the median of
// the rounds with its 95 % confidence interval. A result with one size gets a
// row for each variant instead of a line: see [lab.Result.Only].
//
// The axis of time begins at 0. Where the longest time is more than 20 times
// the shortest it is logarithmic and says so.
func Times(r *lab.Result) *Figure {
	f := newFigure("Times", nameOf(r))
	return guarded(f, func() {
		if v := viewOf(f, r); v != nil {
			timesFigure(f, v)
		}
	})
}

func nameOf(r *lab.Result) string {
	if r == nil {
		return ""
	}
	return r.Name
}

func timesFigure(f *Figure, v *view) {
	v.slug(f, "")
	get := func(name string, size int) lab.Estimate { return v.Time(name, size) }
	all, used := v.collect(get)
	values := spans(all)
	y := timeScale(values)
	u := y.unit()
	if len(used) == 0 {
		f.fail("no trial has a time that can be drawn; measure again")
		return
	}
	statistic := statistic(used)
	f.caption = v.conditions()

	if len(v.sizes) == 1 {
		f.title = fmt.Sprintf("%s: time for %s", v.name(), v.sized(v.sizes[0]))
		f.subtitle = lab.Capital(statistic) + ". Less is better."
		c := &rows{x: y, xLabel: fmt.Sprintf("time, %s%s", u.name, y.note()), xUnit: u.seconds, from: y.origin(0)}
		var said []string
		for _, s := range all {
			e := s.points[0]
			c.rows = append(c.rows, row{name: s.name, look: s.look, est: e, value: u.String(e.mid)})
			said = append(said, fmt.Sprintf("%s %s", s.name, u.String(e.mid)))
		}
		f.fit(len(c.rows), rowHeight)
		f.alt = fmt.Sprintf("Dot chart of the time for %s by variant, %s: %s.", v.sized(v.sizes[0]), statistic, enumerate(said))
		f.body = func(d draw.Canvas, k *kit) { c.draw(d, k) }
		return
	}

	f.title = fmt.Sprintf("%s: time for %s", v.name(), v.sizeRange())
	f.subtitle = lab.Capital(statistic) + "." + sideBySide(all) + " Less is better."
	x := sizeScale(floats(v.sizes))
	c := &lines{x: x, y: y, xLabel: v.unit() + x.note(), yLabel: fmt.Sprintf("time, %s%s", u.name, y.note()), yUnit: u.seconds, sizes: floats(v.sizes), series: all}
	var said []string
	for _, s := range all {
		e := s.points[len(s.points)-1]
		said = append(said, fmt.Sprintf("%s %s", s.name, u.String(e.mid)))
		if int(e.at) != v.sizes[len(v.sizes)-1] {
			said[len(said)-1] += " at " + v.sized(int(e.at))
		}
	}
	f.fit(len(all), leadingOfText)
	f.alt = fmt.Sprintf("Line chart of the time for %s by variant, %s. At %s: %s.", v.sizeRange(), statistic, v.sized(v.sizes[len(v.sizes)-1]), enumerate(said))
	f.body = func(d draw.Canvas, k *kit) { c.draw(d, k) }
}

// collect gathers every variant's estimates at the view's sizes, leaving out
// what cannot be drawn.
func (v *view) collect(get func(string, int) lab.Estimate) (all []series, used []lab.Estimate) {
	for _, name := range v.variants {
		s := series{name: printable(name), look: v.looks[name]}
		for _, size := range v.sizes {
			e := get(name, size)
			if e.N == 0 || !finite(e.Median) {
				continue
			}
			p := estimate{at: float64(size), mid: e.Median, lo: math.NaN(), hi: math.NaN()}
			if e.Interval() {
				p.lo, p.hi = e.Lo, e.Hi
			}
			used = append(used, e)
			s.points = append(s.points, p)
		}
		if len(s.points) > 0 {
			all = append(all, s)
		}
	}
	return all, used
}

// spans returns all values and ends of intervals.
func spans(all []series) []float64 {
	var out []float64
	for _, s := range all {
		for _, p := range s.points {
			out = append(out, p.mid, p.lo, p.hi)
		}
	}
	return out
}

// unit returns the unit that a scale of seconds is read in: on a logarithmic
// one that of the middle.
func (s scale) unit() unit {
	if s.kind == logarithmic {
		return unitFor(math.Sqrt(s.min * s.max))
	}
	return unitFor(s.max / 1.05)
}

// leadingOfText is how much room a line's name needs, a little more than a
// line of text.
const leadingOfText = textSize * 1.3

func floats(ns []int) []float64 {
	out := make([]float64, len(ns))
	for i, n := range ns {
		out[i] = float64(n)
	}
	return out
}

// enumerate joins parts of a sentence, the first dozen of them.
func enumerate(parts []string) string {
	const most = 12
	if n := len(parts) - most; n > 0 {
		parts = append(parts[:most:most], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(parts, ", ")
}
