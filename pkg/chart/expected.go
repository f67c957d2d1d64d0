package chart

import (
	"fmt"
	"math"
	"time"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// A Range is what a time is expected to be between.
type Range struct {
	Lo, Hi time.Duration
}

// Expected draws the measured times of the variants at a size, medians with their intervals, each on a
// band: the range in which a model expects it. A variant that expected does not name has no band.
// source says in a few words where the ranges come from; it may be empty.
func Expected(r *lab.Result, size int, expected map[string]Range, source string) *Figure {
	return ofResult("Expected", r, func(f *Figure, v *view) {
		if v.at(f, size) {
			expectedFigure(f, v, expected, source)
		}
	})
}

func expectedFigure(f *Figure, v *view, expected map[string]Range, source string) {
	v.slug(f, "")
	v.limit()
	all, used := v.collect(v.Time)
	if len(used) == 0 {
		f.fail("no trial has a time that can be drawn; measure again")
		return
	}
	for _, name := range sortedKeys(expected) {
		if e := expected[name]; e.Lo < 0 || e.Hi < e.Lo {
			f.fail("the range expected of %q is %v to %v; it must begin at 0 or more and not end before", name, e.Lo, e.Hi)
			return
		}
	}
	values := spans(all)
	for _, name := range v.variants {
		if e, ok := expected[name]; ok {
			values = append(values, e.Lo.Seconds(), e.Hi.Seconds())
		}
	}
	x := timeScale(values)
	u, time := x.unit(), x.times()
	c := &rows{x: x, xLabel: fmt.Sprintf("time, %s%s", u.name, x.note()), xUnit: u.seconds, from: math.NaN()}
	var said []string
	for _, s := range all {
		p := s.points[0]
		w := row{name: s.name, look: s.look, est: p, value: time(p.mid)}
		say := s.name + " " + p.said(time)
		if e, ok := expected[s.variant]; ok {
			w.expected = []float64{e.Lo.Seconds(), e.Hi.Seconds()}
			say += fmt.Sprintf(", expected %s to %s", time(e.Lo.Seconds()), time(e.Hi.Seconds()))
		}
		c.rows = append(c.rows, w)
		said = append(said, say)
	}
	size := v.sized(v.sizes[0])
	f.title = fmt.Sprintf("%s: expected and measured, %s", v.name(), size)
	if source != "" {
		source = " from " + ink.Printable(source)
	}
	f.subtitle = fmt.Sprintf("%s. Grey: the range expected%s.", text.Capital(statistic(used)), source)
	f.caption = v.conditions()
	f.fit(len(c.rows), rowHeight)
	f.alt = fmt.Sprintf("Dot chart of measured and expected times for %s: %s.", size, enumerate(said))
	f.body = c.draw
}
