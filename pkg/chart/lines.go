package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
)

// lines is a chart of values against sizes: a line for each variant, its name at the line's end.
type lines struct {
	x, y   scale
	xLabel string
	yLabel string
	yUnit  float64 // what ticks of y are counted in
	sizes  []float64
	series []series
	refs   []reference
}

type series struct {
	variant string // of the result, if it is one
	name    string
	look    ink.Look
	points  []estimate
	curve   bool // not measured: a dashed line without marks
}

// An estimate is a value with its interval at a place of the other axis.
type estimate struct {
	at, mid float64
	lo, hi  float64 // not finite where there is no interval
}

// A reference is a value marked across the chart.
type reference struct {
	value float64
	label string
	solid bool
}

func (l *lines) draw(c draw.Canvas, k *ink.Kit) {
	p := k.Plot()
	axis := labelBelow(k, &c, l.xLabel)

	// Y's label stands above the axis, where it is read first.
	c.FillText(k.Small, vg.Point{X: c.Min.X, Y: c.Max.Y}, ink.OneLine(k.Small, l.yLabel, c.Max.X-c.Min.X))
	c.Max.Y -= ink.Leading(k.Small) + 4

	// The names' column, at most a third of the room.
	name := k.Text
	name.YAlign = draw.YCenter
	labels := l.labels(k, name, (c.Max.X-c.Min.X)/3, c.Max.Y-c.Min.Y)
	var column vg.Length
	for _, lb := range labels {
		column = max(column, ink.Widest(name, lb.lines))
	}
	const gap = 14
	area := c
	area.Max.X -= column + gap

	l.y.on(&p.Y, l.y.ticks(l.yUnit, maxTicks))
	l.x.on(&p.X, l.sizeTicks(k, area.Max.X-area.Min.X))
	p.Add(plotFunc(func(c draw.Canvas, p *plot.Plot) {
		grid(c, p, k, false, true)
		x, y := p.Transforms(&c)
		l.references(c, k, y)
		aside := l.dodge(c, x)
		// Bars over all lines, and marks over all bars, so that none is hidden by what is drawn of another
		// variant.
		type layer func(c draw.Canvas, k *ink.Kit, s series, x, y func(float64) vg.Length)
		for _, draw := range []layer{l.line, l.bars, l.marks} {
			for i, s := range l.series {
				draw(c, k, s, func(v float64) vg.Length { return x(v) + aside[i] }, y)
			}
		}
		for i := range l.series {
			labels[i].aside = aside[i]
		}
		axis(c)
		l.names(c, k, name, labels, gap, x, y)
	}))
	p.Draw(area)
}

// sizeTicks labels the sizes themselves if they are few, and leaves out those that would run into their
// neighbour.
func (l *lines) sizeTicks(k *ink.Kit, width vg.Length) []plot.Tick {
	if len(l.sizes) > 12 {
		return ticksOf(k, l.x, 1, width)
	}
	var norm plot.Axis
	l.x.on(&norm, nil)
	var out []plot.Tick
	free := vg.Length(math.Inf(1))
	for _, s := range slices.Backward(l.sizes) {
		t := plot.Tick{Value: s, Label: decimal(s, 0)}
		at := vg.Length(norm.Norm(s)) * width * 0.9
		half := k.Tick.Width(t.Label) / 2
		if at+half+4 > free {
			t.Label = ""
		} else {
			free = at - half
		}
		out = append(out, t)
	}
	slices.Reverse(out)
	return out
}

// Marks of one size stand side by side: as far apart as can be told, but a whole group takes at most a
// third of the way to the next.
const (
	dodgeStep   = vg.Length(4.5)
	dodgeShare  = 1. / 3
	markRadius  = vg.Length(3.2)
	crowdRadius = vg.Length(2.6)       // where there are more than three
	markRoom    = markRadius*1.5 + 0.8 // from a mark's centre to the end of its rim, in any shape
)

// dodge returns how far each series is moved along the X axis, so that marks and bars of one size do
// not cover one another and none leaves the axis.
func (l *lines) dodge(c draw.Canvas, x func(float64) vg.Length) []vg.Length {
	out := make([]vg.Length, len(l.series))
	measured := 0
	for _, s := range l.series {
		if !s.curve {
			measured++
		}
	}
	if measured < 2 || len(l.sizes) == 0 {
		return out
	}
	first, last := x(l.sizes[0]), x(l.sizes[len(l.sizes)-1])
	group := vg.Length(len(l.series)-1) * dodgeStep
	for i := range l.sizes[1:] {
		group = min(group, dodgeShare*(x(l.sizes[i+1])-x(l.sizes[i])))
	}
	group = max(0, min(group, 2*(first-c.Min.X-markRoom), 2*(c.Max.X-markRoom-last)))
	for i := range out {
		out[i] = group * (vg.Length(i)/vg.Length(len(l.series)-1) - 0.5)
	}
	return out
}

// sideBySide is the part of a caption that says so.
func sideBySide(all []series) string {
	if len(all) < 2 {
		return ""
	}
	return " Marks of one size stand side by side."
}

// references draws the marked values. Their names are in the names' column.
func (l *lines) references(c draw.Canvas, k *ink.Kit, y func(float64) vg.Length) {
	for _, r := range l.refs {
		c.StrokeLine2(r.style(k), c.Min.X, y(r.value), c.Max.X, y(r.value))
	}
}

func (r reference) style(k *ink.Kit) draw.LineStyle {
	s := draw.LineStyle{Color: k.Muted, Width: 1}
	if !r.solid {
		s.Dashes = []vg.Length{4, 3}
	}
	return s
}

func (l *lines) bars(c draw.Canvas, k *ink.Kit, s series, x, y func(float64) vg.Length) {
	sty := draw.LineStyle{Color: k.Fade(k.Color(s.look), 0.75), Width: 1.2}
	const cap = 2
	for _, e := range s.thin(x) {
		if !text.Finite(e.lo) || !text.Finite(e.hi) {
			continue
		}
		at := x(e.at)
		lo, hi := c.Min.Y, y(min(e.hi, l.y.max))
		if l.y.has(e.lo) {
			lo = y(max(e.lo, l.y.min))
			c.StrokeLine2(sty, at-cap, lo, at+cap, lo)
		}
		c.StrokeLine2(sty, at, lo, at, hi)
		c.StrokeLine2(sty, at-cap, hi, at+cap, hi)
	}
}

// places returns where the points of a series are.
func (s series) places(x, y func(float64) vg.Length) []vg.Point {
	var pts []vg.Point
	for _, e := range s.thin(x) {
		pts = append(pts, vg.Point{X: x(e.at), Y: y(e.mid)})
	}
	return pts
}

// thin returns the points, which are by place, and of those that lie closer together than can be drawn
// only the first, the lowest, the highest and the last.
func (s series) thin(x func(float64) vg.Length) []estimate {
	var out []estimate
	for i := 0; i < len(s.points); {
		first, lowest, highest, last := i, i, i, i
		for ; i < len(s.points) && x(s.points[i].at) <= x(s.points[first].at)+finest; i++ {
			if s.points[i].mid < s.points[lowest].mid {
				lowest = i
			}
			if s.points[i].mid > s.points[highest].mid {
				highest = i
			}
			last = i
		}
		kept := []int{first, lowest, highest, last}
		slices.Sort(kept)
		for _, j := range slices.Compact(kept) {
			out = append(out, s.points[j])
		}
	}
	return out
}

func (l *lines) line(c draw.Canvas, k *ink.Kit, s series, x, y func(float64) vg.Length) {
	sty := k.Line(s.look)
	if s.curve {
		sty = reference{}.style(k)
	}
	if pts := s.places(x, y); len(pts) > 1 {
		c.StrokeLines(sty, pts)
	}
}

func (l *lines) marks(c draw.Canvas, k *ink.Kit, s series, x, y func(float64) vg.Length) {
	radius := markRadius
	if len(l.series) > 3 {
		radius = crowdRadius
	}
	pts := s.places(x, y)
	if s.curve {
		return
	}
	if len(pts) > 40 { // a marker each would be a smear
		pts = pts[len(pts)-1:]
	}
	for _, p := range pts {
		k.Point(c, p, s.look.Marker, radius, k.Color(s.look))
	}
}

// A label is a name at the end of a line.
type label struct {
	lines []string
	value float64 // y that it names
	from  float64 // x where its line ends, NaN for a reference
	aside vg.Length
	style draw.TextStyle
	line  draw.LineStyle
}

// labels breaks the names into lines: one each if there are many, two if those fit.
func (l *lines) labels(k *ink.Kit, sty draw.TextStyle, width, height vg.Length) []label {
	thin := func(c color.NRGBA) draw.LineStyle { return draw.LineStyle{Color: k.Fade(c, 0.55), Width: ink.Hairline} }
	for _, most := range []int{3, 2, 1} {
		out := make([]label, 0, len(l.series)+len(l.refs)) // the series' first
		full := make([]string, len(l.series))
		for i, s := range l.series {
			full[i] = s.name
		}
		names := ink.WrapNames(sty, full, width, most)
		var total vg.Length
		add := func(lines []string, lb label) {
			lb.lines = lines
			total += vg.Length(len(lb.lines)) * ink.Leading(lb.style)
			out = append(out, lb)
		}
		for i, s := range l.series {
			last := s.points[len(s.points)-1]
			lb := label{value: last.mid, from: last.at, style: sty, line: thin(k.Color(s.look))}
			lb.style.Color = k.ForText(k.Color(s.look))
			if s.curve {
				lb.style.Font.Size, lb.style.Color, lb.line.Color = ink.SmallSize, k.Muted, k.Fade(k.Muted, 0.55)
			}
			add(names[i], lb)
		}
		for _, r := range l.refs {
			lb := label{value: r.value, from: math.NaN(), style: sty, line: thin(k.Muted)}
			lb.style.Font.Size = ink.SmallSize
			lb.style.Color = k.Muted
			add(ink.WrapName(lb.style, r.label, width, most), lb)
		}
		if total < height*0.85 || most == 1 {
			return out
		}
	}
	return nil
}

// names writes the labels beside the data, moved apart, each with a thin line to what it names.
func (l *lines) names(c draw.Canvas, k *ink.Kit, sty draw.TextStyle, labels []label, gap vg.Length,
	x, y func(float64) vg.Length) {
	want := make([]vg.Length, len(labels))
	size := make([]vg.Length, len(labels))
	for i, lb := range labels {
		want[i] = y(lb.value)
		size[i] = vg.Length(len(lb.lines))*ink.Leading(lb.style) + 1
	}
	for i, at := range spread(want, size, c.Min.Y-12, c.Max.Y+8) {
		lb := labels[i]
		start := c.Max.X
		if !math.IsNaN(lb.from) {
			start = x(lb.from) + lb.aside + 5
		}
		if d := at - want[i]; d > 1 || d < -1 || start < c.Max.X-12 {
			if start < c.Max.X-40 { // a line that ends early: no data, so not solid
				lb.line.Dashes = []vg.Length{1, 3}
			}
			c.StrokeLines(lb.line, []vg.Point{{X: start, Y: want[i]}, {X: c.Max.X + 2, Y: want[i]},
				{X: c.Max.X + gap - 3, Y: at}})
		}
		top := at + vg.Length(len(lb.lines)-1)*ink.Leading(lb.style)/2
		for _, line := range lb.lines {
			c.FillText(lb.style, vg.Point{X: c.Max.X + gap, Y: top}, line)
			top -= ink.Leading(lb.style)
		}
	}
}

// grid draws lines at the ticks' places.
func grid(c draw.Canvas, p *plot.Plot, k *ink.Kit, vertical, horizontal bool) {
	sty := draw.LineStyle{Color: k.Grid, Width: ink.Hairline}
	x, y := p.Transforms(&c)
	if vertical {
		for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
			if at := x(t.Value); c.ContainsX(at) {
				c.StrokeLine2(sty, at, c.Min.Y, at, c.Max.Y)
			}
		}
	}
	if horizontal {
		for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
			if at := y(t.Value); c.ContainsY(at) {
				c.StrokeLine2(sty, c.Min.X, at, c.Max.X, at)
			}
		}
	}
}

// plotFunc is a plotter made of a function.
type plotFunc func(draw.Canvas, *plot.Plot)

// Plot implements plot.Plotter.
func (f plotFunc) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }
