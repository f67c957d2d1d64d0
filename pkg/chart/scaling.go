package chart

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// Scaling draws how many times as fast the work became with more workers, at one size: the variants
// that are the same work on pools of several widths (sched.Pool), against the narrowest. Beside what
// was measured stand the line of as many times as there are workers, the usable CPUs, and the Universal
// Scalability Law, fitted where the points bear a fit: see [lab.Result.Scaling]; the caption
// says its coefficients, or why there is no fit.
func Scaling(r *lab.Result, size int) *Figure {
	return ofResult("Scaling", r, func(f *Figure, v *view) {
		if v.at(f, size) {
			scalingFigure(f, v, size)
		}
	})
}

func scalingFigure(f *Figure, v *view, size int) {
	pools := v.Result.Pools(size)
	if len(pools) < 2 {
		f.fail("at least two variants that are the same work on pools of different widths are needed, " +
			"such as sched.Pool(1), sched.Pool(2) and sched.Pool(4)")
		return
	}
	narrow := pools[0]
	against := v.Result.Against(narrow.Variant)
	one := float64(narrow.Width)
	measured := series{name: "measured", look: ink.Look{Color: 1}}
	var widths []float64
	var used []lab.Estimate
	var said []string
	highest := 1.0
	for _, p := range pools {
		e := against.Compare(p.Variant, size).Speedup
		if e.N == 0 {
			continue
		}
		used = append(used, e)
		x := estimate{at: float64(p.Width), mid: e.Median, lo: math.NaN(), hi: math.NaN()}
		if e.Interval() && p != narrow {
			x.lo, x.hi = e.Lo, e.Hi
			highest = max(highest, e.Hi)
		}
		highest = max(highest, e.Median)
		measured.points = append(measured.points, x)
		widths = append(widths, x.at)
		said = append(said, fmt.Sprintf("%s with %s", x.said(times), text.Counted(p.Width, "workers")))
	}
	if len(widths) < 2 {
		f.fail("fewer than two widths were measured in the same rounds; measure all for a whole round")
		return
	}
	most := widths[len(widths)-1]
	all := []series{measured}
	curve := func(name string, from, to float64, at func(float64) float64) {
		s := series{name: name, curve: true}
		const steps = 60
		for i := range steps + 1 {
			n := from * math.Pow(to/from, float64(i)/steps)
			s.points = append(s.points, estimate{at: n, mid: at(n), lo: math.NaN(), hi: math.NaN()})
		}
		all = append(all, s)
	}
	top := highest * 1.25
	curve("as many times as workers", one, min(most, one*top), func(n float64) float64 { return n / one })
	fit, err := v.Result.Scaling(size)
	law := ""
	if err == nil {
		curve("fitted law", one, most, func(n float64) float64 { return fit.Throughput(n) / fit.Throughput(one) })
		law = text.Capital(fit.String()) + "."
	} else {
		law = "No law is fitted: " + noFit(err) + "."
	}
	var refs []reference
	cpus := v.cpus()
	if cpus > one && cpus/one <= top {
		refs = append(refs, reference{value: cpus / one, label: cpusText(cpus)})
	}
	y := scale{min: 0, max: top, kind: linear}
	x := sizeScale(widths)
	c := &lines{x: x, y: y, xLabel: "workers" + x.note(), yLabel: "times as fast as with " +
		text.Counted(narrow.Width, "workers"), yUnit: 1, sizes: widths, series: all, refs: refs}
	v.slug(f, "")
	f.title = fmt.Sprintf("%s: scaling, %s", v.name(), v.sized(size))
	f.subtitle = text.Capital(statistic(used)) + ". More is better."
	f.caption = law + "\n" + v.conditions()
	f.fit(len(all)+len(refs), leadingOfText)
	f.alt = fmt.Sprintf("Line chart of the speedup over the number of workers for %s%s: %s. %s", v.sized(size),
		usable(cpus), enumerate(said), law)
	f.body = func(d draw.Canvas, k *ink.Kit) { c.draw(d, k) }
}

// noFit is the reason in an error of [lab.Result.Scaling].
func noFit(err error) string {
	if no := new(lab.NoFitError); errors.As(err, &no) {
		return no.Why
	}
	return err.Error()
}
