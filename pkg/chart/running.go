package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/verdict"
)

// RunningOver draws what the goroutines of watched work did over time: above a
// line those that were on a CPU, below it those that waited, by what they
// waited for. The CPUs that were there are marked: what stays free below that
// mark was not used, and what hangs below the line says why.
//
// Several verdicts are drawn in a strip for each, on one axis of time. All
// strips have the same axis above the line. Below it each has its own, since
// two goroutines may wait in one and a million in the next.
func RunningOver(vs ...verdict.Verdict) *Figure {
	f := newFigure("RunningOver", "")
	return guarded(f, func() {
		if len(vs) == 0 {
			f.fail("there is no verdict; give it what verdict.Watch or verdict.Of returned")
			return
		}
		r := &runningOver{}
		var said, cut, ready, facts []string
		most := 0.0
		for i, v := range vs {
			f.title = ink.Printable(v.Called())
			s, err := runningStripOf(v)
			if err != nil {
				f.fail("%v", err)
				return
			}
			if s.name == "" && len(vs) > 1 {
				s.name = fmt.Sprintf("no. %d", i+1)
			}
			r.strips = append(r.strips, s)
			r.up = max(r.up, s.cpus, s.procs, s.most[0])
			most = max(most, s.end)
			said = append(said, s.said(len(vs) > 1))
			facts = append(facts, tracedFacts(v))
			if c := tracedCut(v); c != "" {
				cut = append(cut, s.named(len(vs) > 1, c))
			}
			if c := tracedReady(v); c != "" {
				ready = append(ready, s.named(len(vs) > 1, c))
			}
		}
		var shown [len(activities)]bool
		for _, s := range r.strips {
			for i, is := range s.shown {
				shown[i] = shown[i] || is
			}
		}
		r.key = keyOf(shown, onWord(vs...))
		r.x = scale{min: 0, max: max(most, 1e-9), kind: linear}
		r.u = unitFor(r.x.max)
		r.up *= 1.04

		f.title = headline(vs[0], "Goroutines over time")
		f.slug = slug(verdictSlug(vs[0]), "running", codeSlug(vs...))
		f.subtitle = "Above the line: how many goroutines were " + r.key.on + ". Below it: how many waited, and for what. Dashed: the CPUs that were there. Figures at the side: means."
		if len(vs) > 1 {
			f.title = "Who was " + r.key.on + ", and what the others waited for"
			var names []string
			for _, v := range vs {
				names = append(names, verdictSlug(v))
			}
			f.slug = slug(strings.Join(names, " and "), "running", codeSlug(vs...))
			f.subtitle = strings.Replace(f.subtitle, "for what.", "for what, on an axis of its own in each strip.", 1)
			f.caption = "Each strip is one run under a trace: what it did can be compared, how long it took says little."
			if len(ready) > 0 {
				f.caption = "Each strip is one run under a trace, and not all had the CPUs to themselves: how long they took cannot be compared."
			}
		} else {
			f.caption = facts[0]
		}
		if notes := slices.Concat(cut, shortly(ready)); len(notes) > 0 {
			f.caption = strings.TrimSpace(f.caption + "\n" + text.Capital(strings.Join(notes, "; ")) + ".")
			for _, c := range cut {
				f.warnings = append(f.warnings, cutWarning(f.slug, c))
			}
		}
		f.alt = fmt.Sprintf("Area chart of goroutines %s and waiting over time: %s.", r.key.on, enumerate(said))
		if len(vs) > 1 {
			f.width = wideWidth
			f.need = vg.Length(len(vs))*runningHeight + 160
			f.height = max(normalHeight, f.need)
		}
		f.body = func(d draw.Canvas, k *ink.Kit) { r.draw(d, k) }
	})
}

// shortly returns what is said of strips, and of more than two only of how many
// it is true.
func shortly(of []string) []string {
	if len(of) <= 2 {
		return of
	}
	return []string{fmt.Sprintf("in %d of the strips a good part of the time on a thread was its own wait", len(of))}
}

// runningHeight is what a strip needs.
const runningHeight = vg.Length(72)

// runningOver is the drawing: strips on common axes.
type runningOver struct {
	x      scale
	u      unit
	up     float64 // the end of the axis above the line
	key    key
	strips []runningStrip
}

// A runningStrip is one verdict's goroutines over time.
type runningStrip struct {
	name, judged string
	steps        []activityStep
	end          float64
	cpus, procs  float64
	mean         counts
	shown        [len(activities)]bool // what can be seen of it
	most         [2]float64            // on a CPU, and waiting
	on           string                // what being on a CPU is called
}

// An activityStep is the mean numbers of a time in seconds.
type activityStep struct {
	start, end float64
	counts
}

func runningStripOf(v verdict.Verdict) (runningStrip, error) {
	steps, err := tracedSteps(v)
	if err != nil {
		return runningStrip{}, err
	}
	s := runningStrip{name: ink.Printable(v.Called()), judged: ink.Printable(v.Judged()), on: onWord(v)}
	s.cpus, s.procs = cpusOf(v)
	covered := 0.0
	for _, st := range steps {
		a := activityStep{st.Start.Seconds(), st.End.Seconds(), countsOf(st.Mean)}
		s.steps = append(s.steps, a)
		s.end = max(s.end, a.end)
		s.most[0], s.most[1] = max(s.most[0], a.counts[onCPU]), max(s.most[1], a.waiting())
		covered += a.end - a.start
		for i, n := range a.counts {
			s.mean[i] += n * (a.end - a.start)
		}
	}
	for i := range s.mean {
		s.mean[i] /= covered
	}
	for _, a := range s.steps {
		for i, n := range a.counts {
			s.shown[i] = s.shown[i] || n > 0 && (i == onCPU || n >= leastShown*s.most[1])
		}
	}
	return s, nil
}

// leastShown is the share of the axis below the line that can just be seen.
const leastShown = 0.01

// onWord is what being on a CPU is called in a figure of verdicts.
func onWord(vs ...verdict.Verdict) string {
	if slices.ContainsFunc(vs, func(v verdict.Verdict) bool { return tracedReady(v) != "" }) {
		return onThread
	}
	return activities[onCPU].name
}

// named puts the strip's name before what is said of it, where there are
// others.
func (s runningStrip) named(others bool, what string) string {
	if !others {
		return what
	}
	return s.name + ": " + what
}

// said describes the strip for those who do not see it.
func (s runningStrip) said(others bool) string {
	text := fmt.Sprintf("on average %s %s", mean(s.mean[onCPU]), s.on)
	if s.cpus > 0 {
		text += fmt.Sprintf(" (%s)", cpusText(s.cpus))
	}
	text += fmt.Sprintf(" and %s waiting", mean(s.mean.waiting()))
	if i, n := s.longest(); n > 0 {
		text += ", most of them " + activities[i].name
	}
	return s.named(others, text)
}

// longest returns the place of the activity that most of those who waited had.
func (s runningStrip) longest() (place int, n float64) {
	for i, m := range s.mean {
		if i != onCPU && m > n {
			place, n = i, m
		}
	}
	return place, n
}

func (r *runningOver) draw(c draw.Canvas, k *ink.Kit) {
	r.key.draw(&c, k)
	p, axis, put := along(k, &c, r.x, "time since the start, "+r.u.name, r.u.seconds)

	name, kind, value, tick := k.Text, k.Small, k.Small, k.Small
	name.XAlign, name.YAlign = draw.XRight, draw.YCenter
	kind.XAlign, kind.YAlign = draw.XRight, draw.YCenter
	value.XAlign, value.YAlign = draw.XLeft, draw.YCenter
	tick.XAlign, tick.YAlign = draw.XRight, draw.YCenter
	const gap = 8
	room := c.Max.X - c.Min.X
	var left, middle, right vg.Length
	heads := make([][]styledLine, len(r.strips))
	full := make([]string, len(r.strips))
	for i, s := range r.strips {
		full[i] = s.name
	}
	names := ink.WrapNames(name, full, room*0.24, 2)
	for i, s := range r.strips {
		if len(r.strips) > 1 {
			heads[i] = linesOf(name, names[i])
			heads[i] = append(heads[i], linesOf(kind, ink.Wrap(kind, s.judged, room*0.24, 3))...)
		}
		for _, l := range heads[i] {
			left = max(left, l.style.Width(l.text))
		}
		for _, l := range r.besides(s, 0, func(float64) vg.Length { return 0 }, 0) {
			right = max(right, value.Width(l.text))
		}
		middle = max(middle, tick.Width(about(s.most[1])), tick.Width(about(r.up)))
	}
	if left > 0 {
		left += gap
	}
	p.Add(plotFunc(func(c draw.Canvas, p *plot.Plot) {
		x, _ := p.Transforms(&c)
		h := (c.Max.Y - c.Min.Y) / vg.Length(len(r.strips))
		grid(c, p, k, true, false)
		axis(c)
		for i, s := range r.strips {
			top := c.Max.Y - h*vg.Length(i) - 6
			bottom := c.Max.Y - h*vg.Length(i+1) + 7
			if i == len(r.strips)-1 {
				bottom = c.Min.Y
			}
			r.strip(c, k, s, x, top, bottom, heads[i], c.Min.X-middle-gap-4, value, tick)
		}
	}))
	put(draw.Crop(c, left+middle+gap, -(right + gap), 0, 0))
}

// upShare is the share of a strip's height that is above its line.
const upShare = 0.55

// strip draws one verdict's goroutines between two heights.
func (r *runningOver) strip(c draw.Canvas, k *ink.Kit, s runningStrip, x func(float64) vg.Length, top, bottom vg.Length, head []styledLine, headX vg.Length, value, tick draw.TextStyle) {
	zero := bottom + (top-bottom)*(1-upShare)
	// Below the line, as far as it goes, the same scale as above.
	down := max(r.up*float64((zero-bottom)/(top-zero)), s.most[1])
	above := func(v float64) vg.Length { return zero + (top-zero)*vg.Length(min(v, r.up)/r.up) }
	below := func(v float64) vg.Length { return zero - (zero-bottom)*vg.Length(min(v, down)/down) }
	if !(r.up > 0) {
		above = func(float64) vg.Length { return zero }
	}
	if !(down > 0) {
		below = func(float64) vg.Length { return zero }
	}
	area(c, k.Activities[onCPU], s.steps, x, zero, above, func(a activityStep) float64 { return a.counts[onCPU] })
	// From the last to the first, each as far as all before it together, so
	// that no gaps show between neighbours.
	for i := len(activities) - 1; i > onCPU; i-- {
		if !s.shown[i] {
			continue
		}
		area(c, k.Activities[i], s.steps, x, zero, below, func(a activityStep) float64 {
			sum := 0.0
			for _, n := range a.counts[onCPU+1 : i+1] {
				sum += n
			}
			return sum
		})
	}
	c.StrokeLine2(draw.LineStyle{Color: k.Grid, Width: ink.Hairline}, x(s.end), zero, c.Max.X, zero)
	c.StrokeLine2(draw.LineStyle{Color: k.Ink, Width: ink.Hairline}, c.Min.X, zero, x(s.end), zero)
	for _, n := range []float64{s.cpus, s.procs} {
		if n > 0 {
			c.StrokeLine2(draw.LineStyle{Color: k.Ink, Width: 1, Dashes: []vg.Length{4, 3}}, c.Min.X, above(n), c.Max.X, above(n))
		}
	}

	// Numbers at the axis: the line, the most above and the most below.
	c.FillText(tick, vg.Point{X: c.Min.X - 4, Y: zero}, "0")
	for _, t := range []struct {
		at   vg.Length
		text string
	}{{above(max(s.cpus, s.most[0])), about(max(s.cpus, s.most[0]))}, {below(s.most[1]), about(s.most[1])}} {
		if d := t.at - zero; d > ink.Leading(tick)*0.8 || -d > ink.Leading(tick)*0.8 {
			c.FillText(tick, vg.Point{X: c.Min.X - 4, Y: t.at}, t.text)
		}
	}
	if len(head) > 0 {
		y := (top + bottom) / 2
		for _, l := range head {
			y += ink.Leading(l.style) / 2
		}
		for _, l := range head {
			y -= ink.Leading(l.style) / 2
			c.FillText(l.style, vg.Point{X: headX, Y: y}, l.text)
			y -= ink.Leading(l.style) / 2
		}
	}
	labels := r.besides(s, zero, above, bottom)
	want, size := make([]vg.Length, len(labels)), make([]vg.Length, len(labels))
	for i, l := range labels {
		want[i], size[i] = l.at, ink.Leading(value)
	}
	for i, at := range spread(want, size, bottom, top+ink.Leading(value)) {
		c.FillText(value, vg.Point{X: c.Max.X + 6, Y: at}, labels[i].text)
	}
}

// besides returns what stands at the right of a strip, and where it would
// like to.
func (r *runningOver) besides(s runningStrip, zero vg.Length, above func(float64) vg.Length, bottom vg.Length) []placedText {
	var out []placedText
	if s.cpus > 0 {
		out = append(out, placedText{above(s.cpus), cpusText(s.cpus)})
	}
	if s.procs > 0 {
		out = append(out, placedText{above(s.procs), fmt.Sprintf("GOMAXPROCS %.4g", s.procs)})
	}
	return append(out,
		placedText{zero + (above(max(s.cpus, s.most[0]))-zero)*0.4, mean(s.mean[onCPU]) + " " + s.on},
		placedText{(zero + bottom) / 2, mean(s.mean.waiting()) + " waiting"})
}

type placedText struct {
	at   vg.Length
	text string
}

type styledLine struct {
	style draw.TextStyle
	text  string
}

func linesOf(sty draw.TextStyle, lines []string) []styledLine {
	var out []styledLine
	for _, l := range lines {
		if l != "" {
			out = append(out, styledLine{sty, l})
		}
	}
	return out
}

// about writes how many there were: three digits are as many as can be read
// from a figure.
func about(v float64) string {
	switch {
	case v < 10:
		return tenths(v)
	case v < 1000 || !text.Finite(v):
		return decimal(v, 0)
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-2)
	return decimal(math.Round(v/unit)*unit, 0)
}

// mean writes an average.
func mean(v float64) string {
	switch {
	case v > 0 && v < 0.01:
		return "under 0.01"
	case v > 0 && v < 10:
		return decimal(v, 2)
	case v < 1000:
		return significant(v)
	}
	return about(v)
}

// area fills what lies between a line and the values of steps.
func area(c draw.Canvas, tone color.Color, steps []activityStep, x func(float64) vg.Length, zero vg.Length, y func(float64) vg.Length, value func(activityStep) float64) {
	pts := []vg.Point{{X: x(steps[0].start), Y: zero}}
	for i, s := range steps {
		if i > 0 && s.start > steps[i-1].end {
			pts = append(pts, vg.Point{X: x(steps[i-1].end), Y: zero}, vg.Point{X: x(s.start), Y: zero})
		}
		at := y(value(s))
		pts = append(pts, vg.Point{X: x(s.start), Y: at}, vg.Point{X: x(s.end), Y: at})
	}
	pts = append(pts, vg.Point{X: pts[len(pts)-1].X, Y: zero})
	c.FillPolygon(tone, pts)
}
