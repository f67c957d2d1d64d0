package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// Trials draws every trial of every variant as a dot beside the median and its 95 % confidence
// interval, at the largest of the result's sizes; for another, see [lab.Result.Only]. The warm-up,
// which is not part of the median, is hollow. The baseline's second run of each round, the A/A control,
// has a row of its own: how far it is from the first is noise.
func Trials(r *lab.Result) *Figure {
	return ofResult("Trials", r, func(f *Figure, v *view) {
		if v.at(f, v.sizes[len(v.sizes)-1]) {
			trialsFigure(f, v)
		}
	})
}

func trialsFigure(f *Figure, v *view) {
	v.slug(f, "")
	v.limit()
	size := v.sizes[0]
	c := &rows{from: math.NaN()}
	var used []lab.Estimate
	var values []float64
	warm := false
	for _, name := range v.variants {
		w := row{name: ink.Printable(name), look: v.looks[name], est: nothing}
		control := row{name: w.name + ", second run", look: w.look, est: w.est}
		for _, t := range v.Trials {
			if t.Variant != name || t.Size != size {
				continue
			}
			s := t.Wall.Seconds()
			values = append(values, s)
			switch {
			case t.Control && t.Round > 0:
				control.dots = append(control.dots, s)
			case t.Round > 0:
				w.dots = append(w.dots, s)
			case !t.Control:
				w.hollow = append(w.hollow, s)
				warm = true
			}
		}
		if len(w.dots) == 0 {
			continue
		}
		e := v.Time(name, size)
		used = append(used, e)
		w.est = estimateOf(e, 0)
		values = append(values, w.est.lo, w.est.hi)
		c.rows = append(c.rows, w)
		if len(control.dots) > 0 {
			control.est.mid = lab.Median(control.dots)
			c.rows = append(c.rows, control)
		}
	}
	c.x = timeScale(values)
	u := c.x.unit()
	c.xUnit = u.seconds
	c.xLabel = fmt.Sprintf("time, %s%s", u.name, c.x.note())
	time := c.x.times()
	var said []string
	for i := range c.rows {
		w := &c.rows[i]
		w.value = time(w.est.mid)
		lo, hi := bounds(w.dots)
		said = append(said, fmt.Sprintf("%s median %s, from %s to %s", w.name, w.value, time(lo), time(hi)))
	}
	f.title = fmt.Sprintf("%s: every trial, %s", v.name(), v.sized(size))
	f.subtitle = "A dot is one run; the line and the figure are the median"
	if n := least(used); n >= lab.MinRepeats {
		f.subtitle += fmt.Sprintf(" of %s rounds; the band is its 95 %% confidence interval.", text.Count(n))
	} else {
		f.subtitle += fmt.Sprintf(". Fewer than %d rounds have no confidence interval.", lab.MinRepeats)
	}
	if slices.ContainsFunc(c.rows, row.crowded) {
		f.subtitle += fmt.Sprintf(" Of more than %s runs, the height at a time is how many took it.", text.Count(mostDots))
	}
	if warm {
		f.subtitle += " Hollow: warm-up, not counted."
	}
	f.caption = v.conditions()
	f.alt = fmt.Sprintf("Dots of every trial's time for %s by variant: %s.", v.sized(size), enumerate(said))
	f.fit(len(c.rows), rowHeight*1.2)
	f.body = c.draw
}

func least(es []lab.Estimate) int {
	if len(es) == 0 {
		return 0
	}
	return slices.MinFunc(es, func(a, b lab.Estimate) int { return cmp.Compare(a.N, b.N) }).N
}
