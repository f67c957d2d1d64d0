package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/verdict"
)

// RunningOver draws what the goroutines of watched work did over time: above a line those that were on
// a CPU, below it those that waited, by what they waited for. The CPUs that were there are marked: what
// stays free below that mark was not used, and what hangs below the line says why.
//
// Several verdicts are drawn in a strip for each, on one axis of time. All strips have the same axis
// above the line. Below it each has its own, since two goroutines may wait in one and a million in the
// next.
func RunningOver(vs ...verdict.Verdict) *Figure {
	f := newFigure("RunningOver", "")
	return guarded(f, func() {
		if len(vs) == 0 {
			f.fail("there is no verdict; give it what verdict.Watch or Verdicts of a result returned")
			return
		}
		runningFigure(f, vs)
	})
}

func runningFigure(f *Figure, vs []verdict.Verdict) {
	r := &runningOver{}
	several := len(vs) > 1
	var said, cut, ready []string
	var shown [len(activities)]bool
	most := 0.0
	for i, v := range vs {
		f.title = ink.Printable(v.Called())
		s, err := runningStripOf(v)
		if err != nil {
			f.fail("%v", err)
			return
		}
		if s.name == "" && several {
			s.name = fmt.Sprintf("no. %d", i+1)
		}
		r.strips = append(r.strips, s)
		r.up = max(r.up, s.cpus, s.procs, s.most[0])
		most = max(most, s.end)
		said = append(said, s.said(several))
		if c := tracedCut(v); c != "" {
			cut = append(cut, s.named(several, c))
		}
		if c := tracedReady(v); c != "" {
			ready = append(ready, s.named(several, c))
		}
		for i, is := range s.shown {
			shown[i] = shown[i] || is
		}
	}
	r.key = keyOf(shown, onWord(vs...))
	r.timeline = timelineOf(most)
	r.up *= 1.04

	f.title = headline(vs[0], "Goroutines over time")
	f.slug = slug(verdictSlug(vs[0]), "running", codeSlug(vs...))
	f.caption = tracedFacts(vs[0])
	f.subtitle = "Above the line: how many goroutines were " + r.key.on + ". Below it: how many waited, and for what. " +
		"Dashed: the CPUs that were there. Figures at the side: means."
	if several {
		f.title = "Who was " + r.key.on + ", and what the others waited for"
		var names []string
		for _, v := range vs {
			names = append(names, verdictSlug(v))
		}
		f.slug = slug(strings.Join(names, " and "), "running", codeSlug(vs...))
		f.subtitle = strings.Replace(f.subtitle, "for what.", "for what, on an axis of its own in each strip.", 1)
		f.caption = "Each strip is one run under a trace: what it did can be compared, how long it took says little."
		if len(ready) > 0 {
			f.caption = "Each strip is one run under a trace, and not all had the CPUs to themselves: " +
				"how long they took cannot be compared."
		}
		f.width = wideWidth
		f.need = vg.Length(len(vs))*runningHeight + 160
		f.height = max(normalHeight, f.need)
	}
	if notes := slices.Concat(cut, shortly(ready)); len(notes) > 0 {
		f.caption = strings.TrimSpace(f.caption + "\n" + text.Capital(strings.Join(notes, "; ")) + ".")
		for _, c := range cut {
			f.warnings = append(f.warnings, cutWarning(f.slug, c))
		}
	}
	f.alt = fmt.Sprintf("Area chart of goroutines %s and waiting over time: %s.", r.key.on, enumerate(said))
	f.body = r.draw
}

// shortly returns what is said of strips, and of more than two only of how many it is true.
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
	timeline
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

// named puts the strip's name before what is said of it, where there are others.
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
	name, kind := k.Text, k.Small
	name.XAlign, name.YAlign = draw.XRight, draw.YCenter
	kind.XAlign, kind.YAlign = draw.XRight, draw.YCenter
	width := (c.Max.X - c.Min.X) * 0.24
	full := make([]string, len(r.strips))
	for i, s := range r.strips {
		full[i] = s.name
	}
	names := ink.WrapNames(name, full, width, 2)
	strips := make([]strip, len(r.strips))
	for i, s := range r.strips {
		var head []styledLine
		if len(r.strips) > 1 {
			head = append(linesOf(name, names[i]), linesOf(kind, ink.Wrap(kind, s.judged, width, 3))...)
		}
		var beside []string
		for _, l := range s.besides(0, func(float64) vg.Length { return 0 }, 0) {
			beside = append(beside, l.text)
		}
		strips[i] = strip{head, []string{about(s.most[1]), about(r.up)}, beside, func(p stripPlace) {
			r.strip(p, k, s)
			column(p.Canvas, p.head-4, (p.top+p.bottom)/2, head)
			r.writeBesides(p, k, s)
		}}
	}
	r.drawStrips(c, k, strips, func(vg.Length) (above, below vg.Length) { return 6, 7 })
}

// upShare is the share of a strip's height that is above its line.
const upShare = 0.55

// axes returns where the line of a strip is, and where numbers above it and below it are.
func (r *runningOver) axes(p stripPlace, s runningStrip) (zero vg.Length, above, below func(float64) vg.Length) {
	zero = p.bottom + (p.top-p.bottom)*(1-upShare)
	// Below the line, as far as it goes, the same scale as above.
	down := max(r.up*float64((zero-p.bottom)/(p.top-zero)), s.most[1])
	axis := func(length vg.Length, end float64) func(float64) vg.Length {
		if !(end > 0) {
			return func(float64) vg.Length { return zero }
		}
		return func(v float64) vg.Length { return zero + length*vg.Length(min(v, end)/end) }
	}
	return zero, axis(p.top-zero, r.up), axis(p.bottom-zero, down)
}

// strip draws one verdict's goroutines.
func (r *runningOver) strip(p stripPlace, k *ink.Kit, s runningStrip) {
	zero, above, below := r.axes(p, s)
	area(p, k.Activities[onCPU], s.steps, zero, above, func(a activityStep) float64 { return a.counts[onCPU] })
	// From the last to the first, each as far as all before it together, so that no gaps show between
	// neighbours.
	for i := len(activities) - 1; i > onCPU; i-- {
		if s.shown[i] {
			area(p, k.Activities[i], s.steps, zero, below, func(a activityStep) float64 {
				sum := 0.0
				for _, n := range a.counts[onCPU+1 : i+1] {
					sum += n
				}
				return sum
			})
		}
	}
	p.StrokeLine2(draw.LineStyle{Color: k.Grid, Width: ink.Hairline}, p.x(s.end), zero, p.Max.X, zero)
	p.StrokeLine2(draw.LineStyle{Color: k.Ink, Width: ink.Hairline}, p.Min.X, zero, p.x(s.end), zero)
	for _, n := range []float64{s.cpus, s.procs} {
		if n > 0 {
			p.mark(k, above(n))
		}
	}
	// Numbers at the axis: the line, the most above and the most below.
	p.number(k, zero, "0")
	up := max(s.cpus, s.most[0])
	for _, t := range []placedText{{above(up), about(up)}, {below(s.most[1]), about(s.most[1])}} {
		if d := t.at - zero; d > ink.Leading(k.Small)*0.8 || -d > ink.Leading(k.Small)*0.8 {
			p.number(k, t.at, t.text)
		}
	}
}

type placedText struct {
	at   vg.Length
	text string
}

// besides returns what stands at the right of a strip, and where it would like to.
func (s runningStrip) besides(zero vg.Length, above func(float64) vg.Length, bottom vg.Length) []placedText {
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

// writeBesides writes it, moved apart.
func (r *runningOver) writeBesides(p stripPlace, k *ink.Kit, s runningStrip) {
	sty := k.Small
	sty.XAlign, sty.YAlign = draw.XLeft, draw.YCenter
	zero, above, _ := r.axes(p, s)
	labels := s.besides(zero, above, p.bottom)
	want, size := make([]vg.Length, len(labels)), make([]vg.Length, len(labels))
	for i, l := range labels {
		want[i], size[i] = l.at, ink.Leading(sty)
	}
	for i, at := range spread(want, size, p.bottom, p.top+ink.Leading(sty)) {
		p.FillText(sty, vg.Point{X: p.Max.X + 6, Y: at}, labels[i].text)
	}
}

// about writes how many there were: three digits are as many as can be read from a figure.
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
func area(p stripPlace, tone color.Color, steps []activityStep, zero vg.Length, y func(float64) vg.Length,
	value func(activityStep) float64) {
	pts := []vg.Point{{X: p.x(steps[0].start), Y: zero}}
	for i, s := range steps {
		if i > 0 && s.start > steps[i-1].end {
			pts = append(pts, vg.Point{X: p.x(steps[i-1].end), Y: zero}, vg.Point{X: p.x(s.start), Y: zero})
		}
		at := y(value(s))
		pts = append(pts, vg.Point{X: p.x(s.start), Y: at}, vg.Point{X: p.x(s.end), Y: at})
	}
	pts = append(pts, vg.Point{X: pts[len(pts)-1].X, Y: zero})
	p.FillPolygon(tone, pts)
}
