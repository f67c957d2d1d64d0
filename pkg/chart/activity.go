package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/probe"
)

// An activity is a group of states that figures of goroutines tell apart.
type activity struct {
	name   string
	color  int // in the theme's series, pale for a tone of its own
	states []probe.State
}

// activities are all groups. Those that wait come in the order in which they
// lie below the line of [RunningOver].
var activities = [...]activity{
	{"on a CPU", 1, []probe.State{probe.Running, probe.Native}},
	{"waiting outside: sleep, network, files", 6, []probe.State{probe.Sleep, probe.Network, probe.Syscall}},
	{"waiting for each other: lock, channel", 4, []probe.State{probe.Lock, probe.Channel, probe.Cond}},
	{"waiting for a turn on a CPU", 3, []probe.State{probe.Queued, probe.Runnable}},
	{"garbage collection and other", 0, []probe.State{probe.Garbage, probe.Other}},
	{"waiting for others to end", pale, []probe.State{probe.Join}},
}

// pale is the colour of waiting for others to end, which whoever starts work
// and waits for it does.
const pale = -1

// tone returns an activity's colour.
func (k *kit) tone(a activity) color.NRGBA {
	if a.color == pale {
		return k.fade(k.muted, 0.3)
	}
	return k.series[a.color]
}

// activityOf returns the place in activities of each state.
var activityOf = func() map[probe.State]int {
	of := map[probe.State]int{}
	for i, a := range activities {
		for _, s := range a.states {
			of[s] = i
		}
	}
	return of
}()

const (
	onCPU    = 0 // the place in activities of what uses a CPU
	allOther = 4 // and of what no other place has
)

// placeOf returns the place in activities of a state, known or not.
func placeOf(s probe.State) int {
	if i, ok := activityOf[s]; ok {
		return i
	}
	return allOther
}

// counts are a number for each of the activities.
type counts [len(activities)]float64

// countsOf adds up the states of a step. What is no number counts as none.
func countsOf(mean map[probe.State]float64) (c counts) {
	for s, n := range mean {
		if finite(n) && n > 0 {
			c[placeOf(s)] = min(c[placeOf(s)]+n, math.MaxInt32)
		}
	}
	return c
}

// waiting returns how many are not on a CPU.
func (c counts) waiting() float64 {
	sum := 0.0
	for i, n := range c {
		if i != onCPU {
			sum += n
		}
	}
	return sum
}

// key is the explanation of the colours of those activities that a figure
// shows.
type key []activity

// keyOf returns the key of activities that at least one of several parts of a
// figure shows: of those who wait, what takes up too little to be seen is left
// out.
func keyOf(parts ...counts) key {
	var shown [len(activities)]bool
	for _, p := range parts {
		for i, n := range p {
			shown[i] = shown[i] || n > 0 && (i == onCPU || n >= 0.004*p.waiting())
		}
	}
	var out key
	for i, a := range activities {
		if shown[i] {
			out = append(out, a)
		}
	}
	return out
}

const (
	swatch    = vg.Length(9)
	swatchGap = vg.Length(4)
	keyGap    = vg.Length(14)
)

// lines breaks the key into lines no wider than width.
func (e key) lines(k *kit, width vg.Length) [][]activity {
	var out [][]activity
	room := vg.Length(0)
	for _, a := range e {
		w := swatch + swatchGap + k.tick.Width(a.name) + keyGap
		if len(out) == 0 || w-keyGap > room {
			out, room = append(out, nil), width
		}
		out[len(out)-1] = append(out[len(out)-1], a)
		room -= w
	}
	return out
}

// draw writes the key at the top of c and takes its room from it.
func (e key) draw(c *draw.Canvas, k *kit) {
	sty := k.tick
	sty.YAlign = draw.YCenter
	for _, line := range e.lines(k, c.Max.X-c.Min.X) {
		x, y := c.Min.X, c.Max.Y-leading(sty)/2
		for _, a := range line {
			fillBox(*c, k.tone(a), x, y-swatch/2, x+swatch, y+swatch/2)
			x += swatch + swatchGap
			c.FillText(sty, vg.Point{X: x, Y: y}, a.name)
			x += sty.Width(a.name) + keyGap
		}
		c.Max.Y -= leading(sty) + 2
	}
	c.Max.Y -= 6
}

// fillBox fills the rectangle between two corners.
func fillBox(c draw.Canvas, tone color.Color, x0, y0, x1, y1 vg.Length) {
	c.FillPolygon(tone, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}
