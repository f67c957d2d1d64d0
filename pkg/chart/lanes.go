package chart

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// Lanes draws when the tasks of a variant ran in the first measured round: a lane for each worker, a
// bar for each task. Where the scheduler has no workers, a task is in the lowest lane that is free when
// it starts, so that there are as many lanes as tasks were in flight at once.
//
// Of a trial with more than [lab.MaxSpans] tasks, the beginning is drawn. Bars that meet within half a
// point are drawn as one, and where there are more lanes than the figure has room for, every second,
// third and so on; the caption says so.
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

// laneHeight is the least height of a lane that can be told from its neighbours.
const laneHeight = vg.Length(3.5)

// laneRoom is what lanes can have of a figure's height.
const laneRoom = wideHeight - 120

func lanesFigure(f *Figure, t lab.Trial, look ink.Look) {
	spans := tidySpans(t)
	lane, n, ids := lanes(spans)
	what := "lane"
	f.subtitle = "When each task ran: a bar in the lowest row that was free then, so as many rows as tasks at once."
	if ids != nil {
		what = "worker"
		f.subtitle = "When each task ran: a row for each worker, a bar for each task."
	}
	// Every second, fifth, tenth: the numbers of those left are round.
	every := roundUp(float64(n) / float64(laneRoom/laneHeight))

	cut := len(spans) < t.Tasks
	end := 0.0
	for _, s := range spans {
		end = max(end, s.End.Seconds())
	}
	if !cut {
		end = max(end, t.Wall.Seconds())
	}
	l := &laneChart{timeline: timelineOf(end), lanes: make([][]bar, n/every), most: 34,
		tone: func(k *ink.Kit, b bar) color.NRGBA {
			full := k.Color(look)
			switch {
			case b.place < 0:
				return k.Fade(full, 0.84)
			case b.place%2 == 1:
				return k.Fade(full, 0.68)
			}
			return full
		}}
	for i, s := range spans {
		if (lane[i]+1)%every == 0 {
			row := &l.lanes[lane[i]/every]
			*row = append(*row, bar{s.Start.Seconds(), s.End.Seconds(), len(*row)})
		}
	}
	l.names = laneNames(len(l.lanes), every, what, ids)
	f.fitLanes(n)
	merged := l.thin(f.width)

	var notes []string
	if cut {
		notes = append(notes, fmt.Sprintf("only the first %s of %s are drawn, which is %s", text.Counted(len(spans), "tasks"),
			text.Count(t.Tasks), partOf(l.end, t.Wall.Seconds())))
	}
	if every > 1 {
		notes = append(notes, fmt.Sprintf("one in %d of the %s %ss is shown", every, text.Count(n), what))
	}
	if merged {
		notes = append(notes, "bars too narrow to be told apart are drawn as one, in a lighter tone")
	}
	f.caption = evidence(t)
	if len(notes) > 0 {
		f.caption += "\n" + text.Capital(strings.Join(notes, "; ")) + "."
	}
	f.alt = fmt.Sprintf("Lane chart of %s: bars for %s in %s over %s. %s.", f.title, text.Counted(len(spans), "tasks"),
		text.Counted(n, what+"s"), l.String(l.end), evidence(t))
	f.body = l.draw
}

// thin draws bars as one that are too narrow to be told apart at a width, or are too many, and reports
// whether there are any.
func (l *laneChart) thin(width vg.Length) (merged bool) {
	all := l.lanes
	for step := finest; ; step *= 1.1 {
		l.lanes = make([][]bar, len(all))
		n, was := 0, 0
		for i, lane := range all {
			l.lanes[i] = merge(lane, float64(step/width)*l.end)
			n, was = n+len(l.lanes[i]), was+len(lane)
		}
		if n <= mostBoxes || step > width {
			return n < was
		}
	}
}

// merge joins neighbours of which one is narrower than step and that lie no further apart. Bars are by
// start.
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

// laneNames returns the names of n lanes, each the last of every so many: all of a few, of many those
// with round numbers. ids holds the numbers of workers.
func laneNames(n, every int, what string, ids []int) []string {
	round := 1
	if n > 20 {
		round = roundUp(float64(n*every) / 12)
	}
	names := make([]string, n)
	for i := range n {
		id := (i + 1) * every
		if ids != nil {
			id = ids[id-1]
		}
		if i > 0 && id%round != 0 {
			continue
		}
		names[i] = text.Count(id)
		if i == 0 || n <= 8 {
			names[i] = what + " " + names[i]
		}
	}
	return names
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
