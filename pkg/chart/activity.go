package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/probe/trace"
)

// An activity is a group of states that figures of goroutines tell apart.
type activity struct {
	name   string
	states []trace.State
}

// activities are all groups, by place. Those that wait come in the order in which they lie below the
// line of [RunningOver].
var activities = [...]activity{
	onCPU:     {"on a CPU", []trace.State{trace.Running, trace.Native}},
	outside:   {"waiting outside: sleep, network, files", []trace.State{trace.Sleep, trace.Network, trace.Syscall}},
	eachOther: {"waiting for each other: lock, channel", []trace.State{trace.Lock, trace.Channel, trace.Cond}},
	aTurn:     {"waiting for a turn on a CPU", []trace.State{trace.Queued, trace.Runnable}},
	allOther:  {"garbage collection and other", []trace.State{trace.Garbage, trace.Other}},
	toEnd:     {"waiting for others to end", []trace.State{trace.Join}},
}

// activityOf returns the place in activities of each state.
var activityOf = func() map[trace.State]int {
	of := map[trace.State]int{}
	for i, a := range activities {
		for _, s := range a.states {
			of[s] = i
		}
	}
	return of
}()

// The places in activities.
const (
	onCPU = iota
	outside
	eachOther
	aTurn
	allOther // what has no place of its own
	toEnd
)

// placeOf returns the place in activities of a state, known or not.
func placeOf(s trace.State) int {
	if i, ok := activityOf[s]; ok {
		return i
	}
	return allOther
}

// counts are a number for each of the activities.
type counts [len(activities)]float64

// countsOf adds up the states of a step. What is no number counts as none.
func countsOf(mean map[trace.State]float64) (c counts) {
	for s, n := range mean {
		if text.Finite(n) && n > 0 {
			c[placeOf(s)] = min(c[placeOf(s)]+n, math.MaxInt32)
		}
	}
	return c
}

// onThread is what being on a CPU is called where a good part of it was the thread's own wait for one:
// see [tracedReady].
const onThread = "on a thread"

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

// key is the explanation of the colours of those activities that a figure shows.
type key struct {
	places []int
	on     string // what being on a CPU is called
}

// keyOf returns the key of the activities that a figure shows.
func keyOf(shown [len(activities)]bool, on string) key {
	e := key{on: on}
	for i, is := range shown {
		if is {
			e.places = append(e.places, i)
		}
	}
	return e
}

// name returns what the activity of a place is called.
func (e key) name(place int) string {
	if place == onCPU {
		return e.on
	}
	return activities[place].name
}

const (
	swatch    = vg.Length(9)
	swatchGap = vg.Length(4)
	keyGap    = vg.Length(14)
)

// lines breaks the key into lines no wider than width.
func (e key) lines(k *ink.Kit, width vg.Length) [][]int {
	var out [][]int
	room := vg.Length(0)
	for _, p := range e.places {
		w := swatch + swatchGap + k.Tick.Width(e.name(p)) + keyGap
		if len(out) == 0 || w-keyGap > room {
			out, room = append(out, nil), width
		}
		out[len(out)-1] = append(out[len(out)-1], p)
		room -= w
	}
	return out
}

// draw writes the key at the top of c and takes its room from it.
func (e key) draw(c *draw.Canvas, k *ink.Kit) {
	sty := k.Tick
	sty.YAlign = draw.YCenter
	for _, line := range e.lines(k, c.Max.X-c.Min.X) {
		x, y := c.Min.X, c.Max.Y-ink.Leading(sty)/2
		for _, p := range line {
			fillBox(*c, k.Activities[p], x, y-swatch/2, x+swatch, y+swatch/2)
			x += swatch + swatchGap
			c.FillText(sty, vg.Point{X: x, Y: y}, e.name(p))
			x += sty.Width(e.name(p)) + keyGap
		}
		c.Max.Y -= ink.Leading(sty) + 2
	}
	c.Max.Y -= 6
}
