package chart

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/chart/internal/ink"
)

// A timeline is the layout that all drawings of what happened when share: time along the X axis, and
// above it rows of one's own, lanes ([laneChart]) or strips ([stripChart]), with their names at the
// left.
type timeline struct {
	end float64 // seconds from the start
	unit
}

// finest is how close together two things can be drawn and still be told apart.
const finest = vg.Length(0.5)

func timelineOf(end float64) timeline {
	end = max(end, 1e-9)
	return timeline{end, unitFor(end)}
}

// draw draws the axis and, with room at their left and right, what body draws of the rows, where x is
// the place of a time.
func (t timeline) draw(c draw.Canvas, k *ink.Kit, left, right vg.Length,
	body func(c draw.Canvas, x func(float64) vg.Length)) {
	x := scale{min: 0, max: t.end, kind: linear}
	overAxis(c, k, x, "time since the start, "+t.name, t.seconds, [3]vg.Length{left, right, 0}, body)
}

// partOf says how much of a time is drawn.
func partOf(drawn, of float64) string {
	u := unitFor(max(drawn, of))
	return fmt.Sprintf("%s of %s", strings.TrimSuffix(u.String(drawn), " "+u.name), u.String(of))
}

// overAxis draws an X axis with its label below, its ticks in a unit, and what body draws above it,
// with room at the left, at the right and at the top of that. x is the place of a value.
func overAxis(c draw.Canvas, k *ink.Kit, x scale, label string, unit float64, room [3]vg.Length,
	body func(c draw.Canvas, x func(float64) vg.Length)) {
	p := k.Plot()
	axis := labelBelow(k, &c, label)
	x.on(&p.X, nil)
	p.HideY()
	p.Y.Min, p.Y.Max = 0, 1
	p.Add(plotFunc(func(c draw.Canvas, p *plot.Plot) {
		grid(c, p, k, true, false)
		axis(c)
		at, _ := p.Transforms(&c)
		body(c, at)
	}))
	c = draw.Crop(c, room[0], -room[1], 0, -room[2])
	p.X.Tick.Marker = plot.ConstantTicks(ticksOf(k, x, unit, c.Max.X-c.Min.X))
	p.Draw(c)
}

// labelRoom is how much of the height the label of an X axis takes.
func labelRoom(k *ink.Kit) vg.Length { return ink.Leading(k.Small) + 3 }

// labelBelow takes room for the X axis's label from the bottom of c and returns a function that writes
// it below the data, within the width of c. plot.Axis takes a logarithmic axis for a linear one when it
// makes room for its label.
func labelBelow(k *ink.Kit, c *draw.Canvas, label string) func(data draw.Canvas) {
	bottom, left, right := c.Min.Y, c.Min.X, c.Max.X
	c.Min.Y += labelRoom(k)
	sty := k.Small
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YBottom
	label = ink.OneLine(sty, label, right-left)
	half := sty.Width(label) / 2
	return func(data draw.Canvas) {
		data.FillText(sty, vg.Point{X: min(max(data.Center().X, left+half), right-half), Y: bottom}, label)
	}
}

// ticksOf returns as many ticks of an X axis as have room for their labels.
func ticksOf(k *ink.Kit, x scale, unit float64, width vg.Length) []plot.Tick {
	var axis plot.Axis
	x.on(&axis, nil)
	fit := func(ticks []plot.Tick) bool {
		free := vg.Length(math.Inf(-1))
		for _, t := range ticks {
			at, half := vg.Length(axis.Norm(t.Value))*width*0.9, k.Tick.Width(t.Label)/2
			if at-half < free+4 {
				return false
			}
			free = at + half
		}
		return true
	}
	for most := maxTicks; most > 2; most-- {
		if ticks := x.ticks(unit, most); fit(ticks) {
			return ticks
		}
	}
	return x.ticks(unit, 2)
}

// A laneChart is a timeline with a lane for each worker or goroutine.
type laneChart struct {
	timeline
	lanes  [][]bar
	names  []string // beside the lanes, "" for none; those without room are left out
	tone   func(k *ink.Kit, b bar) color.NRGBA
	most   vg.Length // height of a lane
	rooted bool      // the first lane stands apart
	under  bool      // the names lie under the bars
}

// A bar is a time in seconds in which something was so.
type bar struct {
	start, end float64
	place      int // of a task in its lane, -1 for several; of a goroutine's activity
}

// laneGap is between the lanes and their names.
const laneGap = 6

func (l *laneChart) draw(c draw.Canvas, k *ink.Kit) {
	sty := k.Tick
	sty.XAlign, sty.YAlign = draw.XRight, draw.YCenter
	l.timeline.draw(c, k, ink.Widest(sty, l.names)+laneGap, 0, func(c draw.Canvas, x func(float64) vg.Length) {
		n := vg.Length(len(l.lanes))
		apart := vg.Length(0)
		if l.rooted && n > 1 {
			apart = 5
		}
		h := min((c.Max.Y-c.Min.Y-apart)/n, l.most)
		top := c.Max.Y - (c.Max.Y-c.Min.Y-apart-h*n)/2
		pad := max(0.4, min(h*0.14, 3))
		var filled boxes
		names := func() {
			last := vg.Length(math.Inf(1))
			for i, name := range l.names {
				y := top - h*(vg.Length(i)+0.5)
				if i > 0 {
					y -= apart
				}
				if i == 1 && apart > 0 {
					rule := top - h - apart/2
					c.StrokeLine2(draw.LineStyle{Color: k.Muted, Width: ink.Hairline}, c.Min.X, rule, c.Max.X, rule)
				}
				if name != "" && y <= last-ink.Leading(sty) {
					last = y
					c.FillText(sty, vg.Point{X: c.Min.X - laneGap, Y: y}, name)
				}
			}
		}
		for i, lane := range l.lanes {
			y := top - h*vg.Length(i)
			if i > 0 {
				y -= apart
			}
			for _, b := range lane {
				from := x(b.start)
				filled.add(l.tone(k, b), from, y-h+pad, max(x(b.end), from+finest), y-pad)
			}
		}
		if l.under {
			names()
		}
		filled.fill(c)
		if !l.under {
			names()
		}
	})
}

// fitLanes makes the figure large enough for n lanes.
func (f *Figure) fitLanes(n int) {
	if n <= 4 {
		f.height = flatHeight
	}
	if n > 24 {
		f.width, f.height = wideWidth, wideHeight
	}
}

// A strip is a row of a timeline that has an axis of its own, one of several of equal heights.
type strip struct {
	head   []styledLine // at the left
	ticks  []string     // numbers at the axis
	beside []string     // at the right
	draw   func(p stripPlace)
}

// A stripPlace is where a strip is drawn: what is at the left of its axis ends at head.
type stripPlace struct {
	draw.Canvas
	x                 func(seconds float64) vg.Length
	top, bottom, head vg.Length
}

// stripGap is between a strip and what stands beside it.
const stripGap = vg.Length(8)

// drawStrips draws strips one below the other. pad says how much of a strip's height stays free above
// it and below.
func (t timeline) drawStrips(c draw.Canvas, k *ink.Kit, strips []strip,
	pad func(h vg.Length) (above, below vg.Length)) {
	var left, middle, right vg.Length
	for _, s := range strips {
		for _, l := range s.head {
			left = max(left, l.style.Width(l.text)+stripGap)
		}
		middle, right = max(middle, ink.Widest(k.Small, s.ticks)), max(right, ink.Widest(k.Small, s.beside))
	}
	t.draw(c, k, left+middle+stripGap, right+stripGap, func(c draw.Canvas, x func(float64) vg.Length) {
		h := (c.Max.Y - c.Min.Y) / vg.Length(len(strips))
		above, below := pad(h)
		for i, s := range strips {
			p := stripPlace{c, x, c.Max.Y - h*vg.Length(i) - above, c.Max.Y - h*vg.Length(i+1) + below,
				c.Min.X - middle - stripGap}
			if i == len(strips)-1 {
				p.bottom = c.Min.Y
			}
			s.draw(p)
		}
	})
}

// mark draws a dashed line across the strip: what there was room for.
func (p stripPlace) mark(k *ink.Kit, y vg.Length) {
	p.StrokeLine2(draw.LineStyle{Color: k.Ink, Width: 1, Dashes: []vg.Length{4, 3}}, p.Min.X, y, p.Max.X, y)
}

// number writes a number at the strip's axis.
func (p stripPlace) number(k *ink.Kit, y vg.Length, text string) {
	sty := k.Small
	sty.XAlign, sty.YAlign = draw.XRight, draw.YCenter
	p.FillText(sty, vg.Point{X: p.Min.X - 4, Y: y}, text)
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

// column writes lines of text around a height.
func column(c draw.Canvas, x, y vg.Length, lines []styledLine) {
	for _, l := range lines {
		y += ink.Leading(l.style) / 2
	}
	for _, l := range lines {
		y -= ink.Leading(l.style) / 2
		c.FillText(l.style, vg.Point{X: x, Y: y}, l.text)
		y -= ink.Leading(l.style) / 2
	}
}

// fillBox fills the rectangle between two corners.
func fillBox(c draw.Canvas, tone color.Color, x0, y0, x1, y1 vg.Length) {
	var b boxes
	b.add(tone, x0, y0, x1, y1)
	b.fill(c)
}

// boxes are rectangles by their colours. Some of one colour are filled at once, which takes half the
// room in a file; to fill many more takes long in a PNG.
type boxes []struct {
	tone color.Color
	path vg.Path
}

// mostBoxes is how many boxes can be in a drawing without making its SVG larger than half a megabyte.
const mostBoxes = 8000

func (b *boxes) add(tone color.Color, x0, y0, x1, y1 vg.Length) {
	const together, corners = 32, 5
	i := len(*b) - 1 // the last of the colour, the only one with room
	for i >= 0 && (*b)[i].tone != tone {
		i--
	}
	if i < 0 || len((*b)[i].path) == together*corners {
		i = len(*b)
		*b = append(*b, boxes{{tone: tone}}...)
	}
	p := &(*b)[i].path
	p.Move(vg.Point{X: x0, Y: y0})
	p.Line(vg.Point{X: x1, Y: y0})
	p.Line(vg.Point{X: x1, Y: y1})
	p.Line(vg.Point{X: x0, Y: y1})
	p.Close()
}

func (b boxes) fill(c draw.Canvas) {
	for _, of := range b {
		c.SetColor(of.tone)
		c.Fill(of.path)
	}
}
