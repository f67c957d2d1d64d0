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

// InFlight draws how many tasks of each of the variants were in flight over the
// time of the first measured round, in a strip for each, all on the same axes.
// Without variants, all are drawn. The number of CPUs that the
// process could use is marked: fewer tasks in flight leave CPUs idle.
//
// Of a trial with more than [lab.MaxSpans] tasks, the beginning is drawn, until
// the last of the tasks that the result keeps starts: up to there, all that
// were in flight are known. The most and the mean are always of the whole
// trial.
//
// The axis of tasks begins at 0. Where the numbers lie far apart it is
// logarithmic above the number of CPUs and says so.
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

type strip struct {
	name  string
	look  ink.Look
	steps []step
	end   float64
	peak  int // the most that is drawn
	most  int // of the whole trial, as is the mean
	mean  float64
}

// stripOf returns what is drawn of a trial, and a note where that is not all
// of it.
func stripOf(t lab.Trial) (s strip, note string) {
	spans := tidySpans(t)
	s = strip{name: ink.Printable(t.Variant), steps: inFlight(spans), most: t.InFlightMax, mean: t.InFlightMean}
	s.end = max(t.Wall.Seconds(), s.steps[len(s.steps)-1].at.Seconds())
	if len(spans) < t.Tasks {
		// Tasks that are not kept start after the last one that is, and from
		// then on the count would be too low.
		if last := spans[len(spans)-1].Start; last > 0 {
			s.steps = slices.DeleteFunc(s.steps, func(st step) bool { return st.at > last })
		}
		s.end = s.steps[len(s.steps)-1].at.Seconds()
		note = fmt.Sprintf("the first %s of %s, %s", count(len(spans), "task", "tasks"), decimal(float64(t.Tasks), 0), part(s.end, t))
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
	c := &strips{}
	var said []string
	var cut []string
	for _, t := range trials {
		s, note := stripOf(t)
		s.look = looks[t.Variant]
		if note != "" {
			cut = append(cut, s.name+": "+note)
		}
		c.strips = append(c.strips, s)
		c.cpus = max(c.cpus, plausible(t.CPUs))
		said = append(said, fmt.Sprintf("%s at most %s, on average %s", s.name, decimal(float64(s.most), 0), significant(s.mean)))
	}
	end, peak := 0.0, 0
	for _, s := range c.strips {
		end, peak = max(end, s.end), max(peak, s.peak)
	}
	c.x = scale{min: 0, max: max(end, 1e-9), kind: linear}
	c.u = unitFor(c.x.max)
	c.y = countScale(float64(peak), c.cpus)
	f.fit(len(c.strips), 46)
	f.subtitle = "How many tasks were running at each moment of a trial, the first that was measured" + c.y.note() + "."
	if len(trials) > 1 {
		f.subtitle = "How many tasks were running at each moment of one trial each, the first that was measured" + c.y.note() + "."
		f.caption = "How long one trial took says little: compare medians. "
	}
	if c.cpus > 0 {
		f.subtitle += fmt.Sprintf(" Dashed: %s usable.", cpusText(c.cpus))
	}
	for _, s := range c.strips {
		if len(average(s.steps, c.x.max*float64(finest/f.width))) < len(s.steps) {
			f.caption += "Where the number changes faster than can be drawn, its average is. "
			break
		}
	}
	switch {
	case len(cut) > 3:
		f.caption += fmt.Sprintf("Only the beginning is drawn of %d of them: their first %s tasks. Most and mean are of the whole trials.", len(cut), text.Count(lab.MaxSpans))
	case len(cut) > 0:
		f.caption += "Only the beginning is drawn of " + strings.Join(cut, "; ") + ". Most and mean are of the whole trial."
	}
	f.alt = fmt.Sprintf("Step chart of tasks in flight over time%s: %s.", usable(c.cpus), enumerate(said))
	f.body = func(d draw.Canvas, k *ink.Kit) { c.draw(d, k) }
}

type strips struct {
	x, y   scale
	u      unit
	cpus   float64
	strips []strip
}

func (s *strips) draw(c draw.Canvas, k *ink.Kit) {
	p, axis, put := along(k, &c, s.x, "time since the start, "+s.u.name, s.u.seconds)

	name, value, tick := k.Text, k.Small, k.Small
	name.XAlign, name.YAlign = draw.XRight, draw.YCenter
	value.XAlign, value.YAlign = draw.XLeft, draw.YCenter
	tick.XAlign, tick.YAlign = draw.XRight, draw.YCenter
	const gap = 8
	room := c.Max.X - c.Min.X
	full := make([]string, len(s.strips))
	for i, st := range s.strips {
		full[i] = st.name
	}
	names := ink.WrapNames(name, full, room*0.25, 2)
	var left, middle, right vg.Length
	for i, st := range s.strips {
		left = max(left, ink.Widest(name, names[i]))
		right = max(right, ink.Widest(value, st.said()))
		middle = max(middle, tick.Width(decimal(float64(st.peak), 0)))
	}
	p.Add(plotFunc(func(c draw.Canvas, p *plot.Plot) {
		x, _ := p.Transforms(&c)
		h := (c.Max.Y - c.Min.Y) / vg.Length(len(s.strips))
		grid(c, p, k, true, false)
		axis(c)
		for i, st := range s.strips {
			top := c.Max.Y - h*vg.Length(i) - min(8, h*0.15)
			bottom := c.Max.Y - h*vg.Length(i+1) + min(3, h*0.05)
			if i == len(s.strips)-1 {
				bottom = c.Min.Y
			}
			a := plot.Axis{}
			s.y.on(&a, nil)
			y := func(v float64) vg.Length { return bottom + vg.Length(a.Norm(v))*(top-bottom) }
			s.steps(c, k, st, x, y)
			c.StrokeLine2(draw.LineStyle{Color: k.Muted, Width: ink.Hairline}, c.Min.X, y(0), c.Max.X, y(0))
			if s.cpus > 0 {
				c.StrokeLine2(draw.LineStyle{Color: k.Ink, Width: 1, Dashes: []vg.Length{4, 3}}, c.Min.X, y(s.cpus), c.Max.X, y(s.cpus))
			}
			// The strip's own greatest number, and 0 where there is room.
			at := y(float64(st.peak))
			c.FillText(tick, vg.Point{X: c.Min.X - 4, Y: at}, decimal(float64(st.peak), 0))
			for _, v := range []float64{s.cpus, 0} {
				if at-y(v) > ink.Leading(tick) {
					at = y(v)
					c.FillText(tick, vg.Point{X: c.Min.X - 4, Y: at}, fmt.Sprintf("%.4g", v))
				}
			}
			sty := name
			sty.Color = k.ForText(k.Color(st.look))
			column(c, sty, c.Min.X-middle-2*gap, (top+bottom)/2, names[i])
			column(c, value, c.Max.X+gap, (top+bottom)/2, st.said())
		}
	}))
	put(draw.Crop(c, left+middle+2*gap, -(right + gap), 0, 0))
}

func (st strip) said() []string {
	return []string{"most " + decimal(float64(st.most), 0), "mean " + significant(st.mean)}
}

// column writes lines of text around a height.
func column(c draw.Canvas, sty draw.TextStyle, x, y vg.Length, lines []string) {
	y += vg.Length(len(lines)-1) * ink.Leading(sty) / 2
	for _, l := range lines {
		c.FillText(sty, vg.Point{X: x, Y: y}, l)
		y -= ink.Leading(sty)
	}
}

// steps draws a strip's area and line. Where the number changes more than
// once within half a point it draws the average over that time.
func (s *strips) steps(c draw.Canvas, k *ink.Kit, st strip, x, y func(float64) vg.Length) {
	width := (s.x.max - s.x.min) * float64(finest/(c.Max.X-c.Min.X))
	var pts []vg.Point
	for _, p := range average(st.steps, width) {
		px := min(x(p.at), c.Max.X)
		if n := len(pts); n > 0 {
			pts = append(pts, vg.Point{X: px, Y: pts[n-1].Y})
		}
		pts = append(pts, vg.Point{X: px, Y: y(p.n)})
	}
	if len(pts) == 0 {
		return
	}
	area := append([]vg.Point{{X: pts[0].X, Y: y(0)}}, pts...)
	area = append(area, vg.Point{X: pts[len(pts)-1].X, Y: y(0)})
	shade := k.Color(st.look)
	c.FillPolygon(k.Fade(shade, 0.25), area)
	c.StrokeLines(draw.LineStyle{Color: shade, Width: 1.2}, pts)
}

// A level is a number from a time on, in seconds.
type level struct {
	at, n float64
}

// average thins steps to the given width in seconds: where several are closer
// than that, it takes averages over it.
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
