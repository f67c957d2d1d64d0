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
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// Lanes draws when the tasks of a variant ran in the first measured round: a
// lane for each worker, a bar for each task. Where the scheduler has no
// workers, a task is in the lowest lane that is free when it starts, so that
// there are as many lanes as tasks were in flight at once.
//
// Of a trial with more than [lab.MaxSpans] tasks, the beginning is drawn.
// Bars that meet within half a point are drawn as one, and where there are
// more lanes than the figure has room for, every second, third and so on; the
// caption says so.
func Lanes(r *lab.Result, variant string, size int) *Figure {
	f := newFigure("Lanes", fmt.Sprintf("%s %d", variant, size))
	return guarded(f, func() {
		t, err := spanned(r, variant, size)
		if err != nil {
			f.fail("%v", err)
			return
		}
		f.source = r.Files()
		f.slug = slug(joined(r.Name, variantSlug(r, variant), sizesSlug([]int{size}, r.Unit)), "lanes", "")
		f.title = fmt.Sprintf("%s: %s, %s", ink.Printable(r.Name), ink.Printable(variant), sized(r, size))
		lanesFigure(f, t, looksOf(r, r.Variants)[variant])
		f.caption = strings.TrimSpace(f.caption + "\n" + trialConditions(r, t))
	})
}

// laneHeight is the least height of a lane that can be told from its
// neighbours.
const laneHeight = vg.Length(3.5)

// laneRoom is what lanes can have of a figure's height.
const laneRoom = wideHeight - 120

func lanesFigure(f *Figure, t lab.Trial, look ink.Look) {
	spans := tidySpans(t)
	lane, n, ids := lanes(spans)
	what := "lane"
	if ids != nil {
		what = "worker"
	}
	if n > 24 {
		f.width, f.height = wideWidth, wideHeight
	}
	if n <= 4 {
		f.height = flatHeight
	}
	// Every second, fifth, tenth: the numbers of those left are round.
	every := roundUp(float64(n) / float64(laneRoom/laneHeight))
	shown := n / every

	cut := len(spans) < t.Tasks
	end := 0.0
	for _, s := range spans {
		end = max(end, s.End.Seconds())
	}
	if !cut {
		end = max(end, t.Wall.Seconds())
	}
	if end <= 0 {
		end = 1e-9
	}
	u := unitFor(end)
	c := &laneChart{
		x:     scale{min: 0, max: end, kind: linear},
		u:     u,
		look:  look,
		bars:  make([][]bar, shown),
		what:  what,
		every: every,
		ids:   ids,
	}
	for i, s := range spans {
		if (lane[i]+1)%every == 0 {
			l := lane[i] / every
			c.bars[l] = append(c.bars[l], bar{s.Start.Seconds(), s.End.Seconds(), len(c.bars[l])})
		}
	}
	c.thin(f.width)

	f.subtitle = "When each task ran: a row for each " + what + ", a bar for each task."
	if what == "lane" {
		f.subtitle = "When each task ran: a bar in the lowest row that was free then, so as many rows as tasks at once."
	}
	var notes []string
	if cut {
		notes = append(notes, fmt.Sprintf("only the first %s of %s are drawn, which is %s", count(len(spans), "task", "tasks"), decimal(float64(t.Tasks), 0), part(end, t)))
	}
	if every > 1 {
		notes = append(notes, fmt.Sprintf("one in %d of the %s %ss is shown", every, decimal(float64(n), 0), what))
	}
	if c.merged {
		notes = append(notes, "bars too narrow to be told apart are drawn as one, in a lighter tone")
	}
	f.caption = evidence(t)
	if len(notes) > 0 {
		f.caption += "\n" + text.Capital(strings.Join(notes, "; ")) + "."
	}
	f.alt = fmt.Sprintf("Lane chart of %s: bars for %s in %s over %s. %s.", f.title, count(len(spans), "task", "tasks"), count(n, what, what+"s"), u.String(end), evidence(t))
	f.body = func(d draw.Canvas, k *ink.Kit) { c.draw(d, k) }
}

type laneChart struct {
	x      scale
	u      unit
	look   ink.Look
	bars   [][]bar
	what   string
	every  int
	ids    []int
	merged bool
}

// A bar is one task, or several: place is -1 for those.
type bar struct {
	start, end float64
	place      int // in its lane
}

const finest = vg.Length(0.5)

// thin draws bars as one that are too narrow to be told apart at a width, or are
// too many.
func (l *laneChart) thin(width vg.Length) {
	all := 0
	for _, lane := range l.bars {
		all += len(lane)
	}
	for step := finest; ; step *= 1.1 {
		merged := make([][]bar, len(l.bars))
		n := 0
		for i, lane := range l.bars {
			merged[i] = merge(lane, float64(step/width)*l.x.max)
			n += len(merged[i])
		}
		if n <= mostBoxes || step > width {
			l.bars, l.merged = merged, n < all
			return
		}
	}
}

// merge joins neighbours of which one is narrower than step and that lie no
// further apart. Bars are by start.
func merge(bars []bar, step float64) []bar {
	var out []bar
	for _, b := range bars {
		if n := len(out); n > 0 {
			last := &out[n-1]
			narrow := b.end-b.start < step || last.place < 0 || last.end-last.start < step
			if narrow && b.start-last.end < step && (b.end-b.start < 4*step || b.start < last.end) {
				last.end, last.place = max(last.end, b.end), -1
				continue
			}
		}
		out = append(out, b)
	}
	return out
}

func (l *laneChart) draw(c draw.Canvas, k *ink.Kit) {
	p, axis, put := along(k, &c, l.x, "time since the start, "+l.u.name, l.u.seconds)

	name := k.Tick
	name.XAlign, name.YAlign = draw.XRight, draw.YCenter
	names := l.names()
	var left vg.Length
	for _, n := range names {
		left = max(left, name.Width(n.text))
	}
	const gap = 6
	p.Add(plotFunc(func(c draw.Canvas, p *plot.Plot) {
		grid(c, p, k, true, false)
		axis(c)
		x, _ := p.Transforms(&c)
		h := min((c.Max.Y-c.Min.Y)/vg.Length(len(l.bars)), 34)
		top := c.Max.Y - (c.Max.Y-c.Min.Y-h*vg.Length(len(l.bars)))/2
		pad := max(0.4, min(h*0.14, 3))
		shade := k.Color(l.look)
		tones := []color.NRGBA{shade, k.Fade(shade, 0.68)}
		var filled boxes
		for i, lane := range l.bars {
			y := top - h*vg.Length(i)
			for _, b := range lane {
				tone := k.Fade(shade, 0.84)
				if b.place >= 0 {
					tone = tones[b.place%2]
				}
				from, to := x(b.start), x(b.end)
				filled.add(tone, from, y-h+pad, max(to, from+finest), y-pad)
			}
		}
		filled.fill(c)
		last := vg.Length(math.Inf(1))
		for _, n := range names {
			y := top - h*(vg.Length(n.row)+0.5)
			if y > last-ink.Leading(name) {
				continue // no room for its name
			}
			last = y
			c.FillText(name, vg.Point{X: c.Min.X - gap, Y: y}, n.text)
		}
	}))
	put(draw.Crop(c, left+gap, 0, 0, 0))
}

type rowName struct {
	row  int
	text string
}

// names returns the rows that have a name, from the top: all of a few, those
// with round numbers of many.
func (l *laneChart) names() []rowName {
	n := len(l.bars)
	round := 1
	if n > 20 {
		round = roundUp(float64(n*l.every) / 12)
	}
	var out []rowName
	for i := range n {
		id := (i + 1) * l.every
		if l.ids != nil {
			id = l.ids[id-1]
		}
		if i > 0 && id%round != 0 {
			continue
		}
		text := decimal(float64(id), 0)
		if i == 0 || n <= 8 {
			text = l.what + " " + text
		}
		out = append(out, rowName{i, text})
	}
	return out
}

// roundUp returns the least of 1, 2, 5, 10, 20, 50 … that is not below v.
func roundUp(v float64) int {
	for e := 1; ; e *= 10 {
		for _, m := range []int{1, 2, 5} {
			if float64(m*e) >= v {
				return m * e
			}
		}
	}
}
