package chart

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
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
	v.limit()
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
	time := y.times()

	if len(v.sizes) == 1 {
		f.title = fmt.Sprintf("%s: time for %s", v.name(), v.sized(v.sizes[0]))
		f.subtitle = text.Capital(statistic) + ". Less is better."
		c := &rows{x: y, xLabel: fmt.Sprintf("time, %s%s", u.name, y.note()), xUnit: u.seconds, from: y.origin(0)}
		var said []string
		for _, s := range all {
			e := s.points[0]
			c.rows = append(c.rows, row{name: s.name, look: s.look, est: e, value: time(e.mid)})
			said = append(said, s.name+" "+e.said(time))
		}
		f.fit(len(c.rows), rowHeight)
		f.alt = fmt.Sprintf("Dot chart of the time for %s by variant, %s: %s.", v.sized(v.sizes[0]), statistic, enumerate(said))
		f.body = func(d draw.Canvas, k *ink.Kit) { c.draw(d, k) }
		return
	}

	f.title = fmt.Sprintf("%s: time for %s", v.name(), v.sizeRange())
	f.subtitle = text.Capital(statistic) + "." + sideBySide(all) + " Less is better."
	x := sizeScale(floats(v.sizes))
	c := &lines{x: x, y: y, xLabel: unitOf(v.Result) + x.note(), yLabel: fmt.Sprintf("time, %s%s", u.name, y.note()), yUnit: u.seconds, sizes: floats(v.sizes), series: all}
	var said []string
	for _, s := range all {
		e := s.points[len(s.points)-1]
		said = append(said, s.name+" "+e.said(time))
		if int(e.at) != v.sizes[len(v.sizes)-1] {
			said[len(said)-1] += " at " + v.sized(int(e.at))
		}
	}
	f.fit(len(all), leadingOfText)
	f.alt = fmt.Sprintf("Line chart of the time for %s by variant, %s. At %s: %s.", v.sizeRange(), statistic, v.sized(v.sizes[len(v.sizes)-1]), enumerate(said))
	f.body = func(d draw.Canvas, k *ink.Kit) { c.draw(d, k) }
}

// collect gathers every variant's estimates at the view's sizes, leaving out
// what cannot be drawn.
func (v *view) collect(get func(string, int) lab.Estimate) (all []series, used []lab.Estimate) {
	for _, name := range v.variants {
		s := series{variant: name, name: ink.Printable(name), look: v.looks[name]}
		for _, size := range v.sizes {
			e := get(name, size)
			if e.N == 0 || !text.Finite(e.Median) {
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

// times returns how times on a scale are written: all in its unit, or, where
// that would take more digits than can be read, each in its own.
func (s scale) times() func(seconds float64) string {
	if s.kind == logarithmic && s.max > 1000*s.min {
		return func(seconds float64) string { return unitFor(seconds).String(seconds) }
	}
	return s.unit().String
}

// said writes an estimate with its interval, where it has one that can be told
// from it.
func (e estimate) said(format func(float64) string) string {
	mid, lo, hi := format(e.mid), format(e.lo), format(e.hi)
	if !text.Finite(e.lo) || !text.Finite(e.hi) || lo == mid && hi == mid {
		return mid
	}
	return fmt.Sprintf("%s (%s to %s)", mid, lo, hi)
}

// leadingOfText is how much room a line's name needs, a little more than a
// line of text.
const leadingOfText = ink.TextSize * 1.3

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
