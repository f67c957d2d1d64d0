package chart

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// InFlight draws how many tasks of each of the variants were in flight over the time of the first
// measured round, in a strip for each, all on the same axes. Without variants, all are drawn. The
// number of CPUs that the process could use is marked: fewer tasks in flight leave CPUs idle.
//
// Of a trial with more than [lab.MaxSpans] tasks, the beginning is drawn, until the last of the tasks
// that the result keeps starts: up to there, all that were in flight are known. The most and the mean
// are always of the whole trial.
//
// The axis of tasks begins at 0. Where the numbers lie far apart it is logarithmic above the number of
// CPUs and says so.
func InFlight(r *lab.Result, size int, variants ...string) *Figure {
	f := newFigure("InFlight", fmt.Sprint(size))
	return guarded(f, func() {
		if r == nil {
			f.fail("%s", noResult)
			return
		}
		f.slug, f.source = inFlightSlug(r, size, variants), r.Files()
		f.title = fmt.Sprintf("%s: tasks in flight, %s", ink.Printable(r.Name), sized(r, size))
		if len(variants) == 0 {
			variants = r.Variants
		}
		var more int
		variants, more = firstFew(variants, mostVariants)
		var trials []lab.Trial
		for _, v := range variants {
			t, err := spanned(r, v, size)
			if err != nil {
				f.fail("%v", err)
				return
			}
			trials = append(trials, t)
		}
		inFlightFigure(f, trials, looksOf(r, r.Variants))
		if s := firstOf(len(variants), more, "variant"); s != "" {
			f.caption += "\n" + s
		}
		f.caption = strings.TrimSpace(f.caption + "\n" + trialConditions(r, trials...))
	})
}

// inFlightSlug names the variants where they are not all.
func inFlightSlug(r *lab.Result, size int, variants []string) string {
	about := []string{r.Name}
	if len(variants) > 0 && !slices.Equal(variants, r.Variants) {
		for i, v := range variants {
			if i > 0 {
				about = append(about, "and")
			}
			about = append(about, variantSlug(r, v))
		}
	}
	return slug(joined(append(about, sizesSlug([]int{size}, r.Unit))...), "in-flight", "")
}

// An inFlightStrip is what is drawn of a trial.
type inFlightStrip struct {
	name  string
	look  ink.Look
	steps []step
	end   float64
	peak  int // the most that is drawn
	most  int // of the whole trial, as is the mean
	mean  float64
}

// stripOf returns what is drawn of a trial, and a note where that is not all of it.
func stripOf(t lab.Trial) (s inFlightStrip, note string) {
	spans := tidySpans(t)
	s = inFlightStrip{name: ink.Printable(t.Variant), steps: inFlight(spans), most: t.InFlightMax, mean: t.InFlightMean}
	s.end = max(t.Wall.Seconds(), s.steps[len(s.steps)-1].at.Seconds())
	if len(spans) < t.Tasks {
		// Tasks that are not kept start after the last one that is, and from then on the count would be too
		// low.
		if last := spans[len(spans)-1].Start; last > 0 {
			s.steps = slices.DeleteFunc(s.steps, func(st step) bool { return st.at > last })
		}
		s.end = s.steps[len(s.steps)-1].at.Seconds()
		note = fmt.Sprintf("the first %s of %s, %s", text.Counted(len(spans), "tasks"), text.Count(t.Tasks),
			partOf(s.end, t.Wall.Seconds()))
	}
	for _, st := range s.steps {
		s.peak = max(s.peak, st.n)
	}
	return s, note
}

func inFlightFigure(f *Figure, trials []lab.Trial, looks map[string]ink.Look) {
	if len(trials) == 0 {
		f.fail("there are no variants")
		return
	}
	c := &inFlightChart{}
	var said, cut []string
	end, peak := 0.0, 0
	for _, t := range trials {
		s, note := stripOf(t)
		s.look = looks[t.Variant]
		if note != "" {
			cut = append(cut, s.name+": "+note)
		}
		c.strips = append(c.strips, s)
		c.cpus = max(c.cpus, plausible(t.CPUs))
		end, peak = max(end, s.end), max(peak, s.peak)
		said = append(said, fmt.Sprintf("%s at most %s, on average %s", s.name, text.Count(s.most), significant(s.mean)))
	}
	c.timeline = timelineOf(end)
	c.y = countScale(float64(peak), c.cpus)
	f.fit(len(c.strips), 46)
	of := "a trial"
	if len(trials) > 1 {
		of = "one trial each"
		f.caption = "How long one trial took says little: compare medians. "
	}
	f.subtitle = fmt.Sprintf("How many tasks were running at each moment of %s, the first that was measured%s.", of,
		c.y.note())
	if c.cpus > 0 {
		f.subtitle += fmt.Sprintf(" Dashed: %s usable.", cpusText(c.cpus))
	}
	if slices.ContainsFunc(c.strips, func(s inFlightStrip) bool {
		return len(average(s.steps, c.end*float64(finest/f.width))) < len(s.steps)
	}) {
		f.caption += "Where the number changes faster than can be drawn, its average is. "
	}
	switch {
	case len(cut) > 3:
		f.caption += fmt.Sprintf("Only the beginning is drawn of %d of them: their first %s tasks. "+
			"Most and mean are of the whole trials.", len(cut), text.Count(lab.MaxSpans))
	case len(cut) > 0:
		f.caption += "Only the beginning is drawn of " + strings.Join(cut, "; ") + ". Most and mean are of the whole trial."
	}
	f.alt = fmt.Sprintf("Step chart of tasks in flight over time%s: %s.", usable(c.cpus), enumerate(said))
	f.body = c.draw
}

type inFlightChart struct {
	timeline
	y      scale // of each strip
	cpus   float64
	strips []inFlightStrip
}

func (c *inFlightChart) draw(d draw.Canvas, k *ink.Kit) {
	name, value := k.Text, k.Small
	name.XAlign, name.YAlign = draw.XRight, draw.YCenter
	value.XAlign, value.YAlign = draw.XLeft, draw.YCenter
	full := make([]string, len(c.strips))
	for i, s := range c.strips {
		full[i] = s.name
	}
	names := ink.WrapNames(name, full, (d.Max.X-d.Min.X)*0.25, 2)
	strips := make([]strip, len(c.strips))
	for i, s := range c.strips {
		sty := name
		sty.Color = k.ForText(k.Color(s.look))
		beside := []string{"most " + text.Count(s.most), "mean " + significant(s.mean)}
		strips[i] = strip{linesOf(sty, names[i]), []string{text.Count(s.peak)}, beside, func(p stripPlace) {
			c.strip(p, k, s)
			column(p.Canvas, p.head-stripGap, (p.top+p.bottom)/2, linesOf(sty, names[i]))
			column(p.Canvas, p.Max.X+stripGap, (p.top+p.bottom)/2, linesOf(value, beside))
		}}
	}
	c.drawStrips(d, k, strips, func(h vg.Length) (above, below vg.Length) { return min(8, h*0.15), min(3, h*0.05) })
}

// strip draws one trial's tasks.
func (c *inFlightChart) strip(p stripPlace, k *ink.Kit, s inFlightStrip) {
	var axis plot.Axis
	c.y.on(&axis, nil)
	y := func(v float64) vg.Length { return p.bottom + vg.Length(axis.Norm(v))*(p.top-p.bottom) }
	c.steps(p, k, s, y)
	p.StrokeLine2(draw.LineStyle{Color: k.Muted, Width: ink.Hairline}, p.Min.X, y(0), p.Max.X, y(0))
	if c.cpus > 0 {
		p.mark(k, y(c.cpus))
	}
	// The strip's own greatest number, and 0 where there is room.
	at := y(float64(s.peak))
	p.number(k, at, text.Count(s.peak))
	for _, v := range []float64{c.cpus, 0} {
		if at-y(v) > ink.Leading(k.Small) {
			at = y(v)
			p.number(k, at, fmt.Sprintf("%.4g", v))
		}
	}
}

// steps draws a strip's area and line. Where the number changes more than once within half a point it
// draws the average over that time.
func (c *inFlightChart) steps(p stripPlace, k *ink.Kit, s inFlightStrip, y func(float64) vg.Length) {
	var pts []vg.Point
	for _, l := range average(s.steps, c.end*float64(finest/(p.Max.X-p.Min.X))) {
		x := min(p.x(l.at), p.Max.X)
		if n := len(pts); n > 0 {
			pts = append(pts, vg.Point{X: x, Y: pts[n-1].Y})
		}
		pts = append(pts, vg.Point{X: x, Y: y(l.n)})
	}
	if len(pts) == 0 {
		return
	}
	area := append([]vg.Point{{X: pts[0].X, Y: y(0)}}, pts...)
	area = append(area, vg.Point{X: pts[len(pts)-1].X, Y: y(0)})
	tone := k.Color(s.look)
	p.FillPolygon(k.Fade(tone, 0.25), area)
	p.StrokeLines(draw.LineStyle{Color: tone, Width: 1.2}, pts)
}

// A level is a number from a time on, in seconds.
type level struct {
	at, n float64
}

// average thins steps to the given width in seconds: where several are closer than that, it takes
// averages over it.
func average(steps []step, width float64) []level {
	if len(steps) == 0 {
		return nil
	}
	var out []level
	from, now := steps[0].at.Seconds(), 0.0
	for i := 0; i < len(steps); {
		to := from + width
		first, last, sum := i, from, 0.0
		for ; i < len(steps) && (steps[i].at.Seconds() < to || i == first); i++ {
			at := steps[i].at.Seconds()
			sum += now * (at - last)
			now, last = float64(steps[i].n), at
		}
		switch {
		case i == len(steps): // the end: up to the last step only
			if last > from {
				out = append(out, level{from, sum / (last - from)})
			}
			out = append(out, level{last, now})
		case i == first+1 && last == from: // alone
			out = append(out, level{from, now})
			from = steps[i].at.Seconds()
		default:
			sum += now * (to - last)
			out = append(out, level{from, sum / width})
			if next := steps[i].at.Seconds(); next >= to+width {
				out = append(out, level{to, now})
				from = next
			} else {
				from = to
			}
		}
	}
	return out
}
