package chart

import (
	"fmt"
	"math"
	"strings"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// Times draws how long each variant took, against the size: the median of the rounds with its 95 %
// confidence interval. A result with one size gets a row for each variant instead of a line: see
// [lab.Result.Only].
//
// The axis of time begins at 0. Where the longest time is more than 20 times the shortest it is
// logarithmic and says so.
func Times(r *lab.Result) *Figure { return ofResult("Times", r, timesFigure) }

func timesFigure(f *Figure, v *view) {
	v.slug(f, "")
	v.limit()
	all, used := v.collect(v.Time)
	if len(used) == 0 {
		f.fail("no trial has a time that can be drawn; measure again")
		return
	}
	y := timeScale(spans(all))
	u, time, statistic := y.unit(), y.times(), statistic(used)
	label := fmt.Sprintf("time, %s%s", u.name, y.note())
	f.caption = v.conditions()
	f.title = fmt.Sprintf("%s: time for %s", v.name(), v.sizeRange())

	var said []string
	if len(v.sizes) == 1 {
		f.subtitle = text.Capital(statistic) + ". Less is better."
		c := &rows{x: y, xLabel: label, xUnit: u.seconds, from: y.origin(0)}
		for _, s := range all {
			e := s.points[0]
			c.rows = append(c.rows, row{name: s.name, look: s.look, est: e, value: time(e.mid)})
			said = append(said, s.name+" "+e.said(time))
		}
		f.fit(len(c.rows), rowHeight)
		f.alt = fmt.Sprintf("Dot chart of the time for %s by variant, %s: %s.", v.sizeRange(), statistic, enumerate(said))
		f.body = c.draw
		return
	}
	f.subtitle = text.Capital(statistic) + "." + sideBySide(all) + " Less is better."
	last := v.sizes[len(v.sizes)-1]
	for _, s := range all {
		e := s.points[len(s.points)-1]
		say := s.name + " " + e.said(time)
		if int(e.at) != last {
			say += " at " + v.sized(int(e.at))
		}
		said = append(said, say)
	}
	f.fit(len(all), leadingOfText)
	f.alt = fmt.Sprintf("Line chart of the time for %s by variant, %s. At %s: %s.",
		v.sizeRange(), statistic, v.sized(last), enumerate(said))
	f.body = v.overSizes(all, nil, y, label, u.seconds).draw
}

// overSizes returns a chart of values against the view's sizes.
func (v *view) overSizes(all []series, refs []reference, y scale, label string, unit float64) *lines {
	sizes := floats(v.sizes)
	x := sizeScale(sizes)
	return &lines{x: x, y: y, xLabel: unitOf(v.Result) + x.note(), yLabel: label, yUnit: unit,
		sizes: sizes, series: all, refs: refs}
}

// collect gathers every variant's estimates at the view's sizes, leaving out what cannot be drawn.
func (v *view) collect(get func(string, int) lab.Estimate) (all []series, used []lab.Estimate) {
	for _, name := range v.variants {
		s := series{variant: name, name: ink.Printable(name), look: v.looks[name]}
		for _, size := range v.sizes {
			e := get(name, size)
			if e.N == 0 || !text.Finite(e.Median) {
				continue
			}
			used = append(used, e)
			s.points = append(s.points, estimateOf(e, float64(size)))
		}
		if len(s.points) > 0 {
			all = append(all, s)
		}
	}
	return all, used
}

// estimateOf returns what is drawn of an estimate at a place of the other axis.
func estimateOf(e lab.Estimate, at float64) estimate {
	out := estimate{at: at, mid: e.Median, lo: math.NaN(), hi: math.NaN()}
	if e.Interval() {
		out.lo, out.hi = e.Lo, e.Hi
	}
	return out
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

// unit returns the unit that a scale of seconds is read in: on a logarithmic one that of the middle.
func (s scale) unit() unit {
	if s.kind == logarithmic {
		return unitFor(math.Sqrt(s.min * s.max))
	}
	return unitFor(s.max / 1.05)
}

// times returns how times on a scale are written: all in its unit, or, where that would take more
// digits than can be read, each in its own.
func (s scale) times() func(seconds float64) string {
	if s.kind == logarithmic && s.max > 1000*s.min {
		return func(seconds float64) string { return unitFor(seconds).String(seconds) }
	}
	return s.unit().String
}

// said writes an estimate with its interval, where it has one that can be told from it.
func (e estimate) said(format func(float64) string) string {
	mid, lo, hi := format(e.mid), format(e.lo), format(e.hi)
	if !text.Finite(e.lo) || !text.Finite(e.hi) || lo == mid && hi == mid {
		return mid
	}
	return fmt.Sprintf("%s (%s to %s)", mid, lo, hi)
}

// leadingOfText is how much room a line's name needs, a little more than a line of text.
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
