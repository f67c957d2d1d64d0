package notebook

import (
	"context"
	"errors"
	"fmt"
	"html"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"overlap/pkg/internal/guard"
	"overlap/pkg/lab"
)

// Live shows what draw returns, and in a notebook that is open in Jupyter
// controls above it: when one of them moves, draw is called again and what it
// returns takes the place of what was there. The context of a call is cancelled
// when a newer position comes; calls never overlap, and the last position is
// the one that stays.
//
//	notebook.Live(notebook.Context(), func(ctx context.Context, v notebook.Values) []any {
//		result, err := experiment(v.Int("workers")).Run(ctx, notebook.Progress())
//		return []any{chart.Speedup(result), err}
//	}, notebook.Slider("workers", 1, 16, 2), notebook.Button("run again"))
//
// What draw returns is shown as [Show] does. Draw should not call Show or Text
// itself: what they show would stay. [Progress] is fine, and keeps to one line.
//
// The cell runs, and other cells wait, until the button Done is pressed, the
// kernel is interrupted, or nothing is moved for ten minutes. Then one line
// with the last position takes the place of the controls.
//
// Where nobody could move a control (a terminal, a log, nbconvert, a page that
// cannot connect to the kernel) draw is called once, with the values that the
// controls begin with, and a line says them.
func Live(ctx context.Context, draw func(ctx context.Context, v Values) []any, controls ...Control) {
	l := newLive(out(), draw, controls)
	defer guard.Stops(background)()
	if err := checkControls(controls); err != nil {
		exit(err)
	}
	switch where := front(); where {
	case nowhere, unknownPage:
		exit(l.once(ctx, where))
	default:
		current.Store(l)
		err := l.run(ctx)
		current.Store(nil)
		exit(err)
	}
}

// current is the Live that runs, if one does: its progress has one place.
var current atomic.Pointer[live]

// A live is one call of [Live].
type live struct {
	to     output
	draw   func(context.Context, Values) []any
	id     string
	values Values
	events *mailbox

	connect func(id string, events *mailbox) // begins to listen to the page
	answer  time.Duration                    // how long the page may take to answer at first
	idle    time.Duration                    // how long nothing may be moved

	shown    int         // blocks in place
	progress atomic.Bool // draw shows its own

	mu      sync.Mutex
	drawing bool
}

func newLive(to output, draw func(context.Context, Values) []any, controls []Control) *live {
	return &live{
		to: to, draw: draw, id: "live-" + gonbui.UniqueId(), values: startValues(controls),
		events: newMailbox(), connect: listen, answer: 4 * time.Second, idle: 10 * time.Minute,
	}
}

// statusID is the display in which Live and the progress of its draws tell what
// goes on.
func (l *live) statusID() string { return l.id + "-status" }

// once draws with the first values and waits for nobody.
func (l *live) once(ctx context.Context, where place) error {
	line := l.values.line()
	if where == unknownPage {
		line += unconnected
	}
	if err := l.to.show(noteBlock(line)); err != nil {
		return err
	}
	return show(l.to, append(l.draw(ctx, l.values), *l.values.wrong)...)
}

// unconnected says why there are no controls.
const unconnected = " This page cannot connect its controls to the kernel; change the numbers in the cell and run it again."

// run draws, and draws again when something moves, until somebody or something
// ends it.
func (l *live) run(ctx context.Context) error {
	// All of it stands in one place. The line is also what is left where the
	// page that showed the controls is closed.
	place := func(html string) error { return l.to.show(block{id: l.id, text: l.values.line(), html: html}) }
	if err := place(html.EscapeString(l.values.line())); err != nil {
		return err
	}
	things := l.drawAt(ctx, l.values)
	if err := ctx.Err(); err != nil {
		return l.end(things, l.values.line(), err)
	}
	if err := place(l.opening()); err != nil {
		return err
	}
	l.connect(l.id, l.events)
	if err := place(l.controls()); err != nil {
		return err
	}
	first, late, answered := time.After(l.answer), time.NewTimer(l.idle), false
	defer late.Stop()
	for at := l.values; ; {
		select {
		case <-ctx.Done():
			return l.end(things, at.line(), ctx.Err())
		case <-first:
			if !answered {
				return l.end(things, at.line()+unconnected, nil)
			}
		case <-late.C:
			return l.end(things, at.line(), nil)
		case <-l.events.arrived:
			answered = true
			if next := l.values.moved(l.events.newest().At); !slices.Equal(next.at, at.at) {
				things, at = l.follow(ctx, next)
			}
			if l.events.newest().Done {
				return l.end(things, at.line(), ctx.Err())
			}
			late.Reset(l.idle)
		}
	}
}

// follow draws at a position, and if it moves while that goes on gives it up
// for the newer one. It returns what the last draw returned, and where it was.
func (l *live) follow(ctx context.Context, at Values) ([]any, Values) {
	for {
		drawing, cancel := context.WithCancelCause(ctx)
		drawn := make(chan []any, 1)
		go func() { drawn <- l.drawAt(drawing, at) }()
		var things []any
		next := at
	wait:
		for {
			select {
			case things = <-drawn:
				break wait
			case <-l.events.arrived:
				if next = l.values.moved(l.events.newest().At); !slices.Equal(next.at, at.at) {
					cancel(lab.ErrGivenUp) // nothing of it is stored: most positions are only passed
					// It has to end before the next begins: draws share what is shown.
					<-drawn
					break wait
				}
			}
		}
		cancel(nil)
		if slices.Equal(next.at, at.at) {
			return things, at
		}
		at = next
	}
}

// drawAt draws and, where that was not given up, shows what came of it.
func (l *live) drawAt(ctx context.Context, at Values) []any {
	begin := time.Now()
	l.progress.Store(false)
	l.drawingIs(true, "")
	slow := time.AfterFunc(silentFor/3, func() { l.status("Drawing with " + at.String() + " …") })
	things := l.draw(ctx, at)
	slow.Stop()
	if ctx.Err() != nil && !interrupted() {
		l.drawingIs(false, "")
		return things // given up
	}
	things = append(things, *at.wrong)
	if l.progress.Load() {
		l.drawingIs(false, "")
	} else {
		l.drawingIs(false, fmt.Sprintf("Drawn in %s.", roughly(time.Since(begin))))
	}
	l.put(things)
	return things
}

// status says, while something is drawn, what it is.
func (l *live) status(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.drawing && !l.progress.Load() {
		l.say(text)
	}
}

// drawingIs notes whether something is drawn, and says text, if there is one.
func (l *live) drawingIs(drawing bool, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drawing = drawing
	if text != "" {
		l.say(text)
	}
}

// say shows a line in the place for it.
func (l *live) say(text string) {
	// What cannot be shown is told by what is shown next.
	_ = l.to.show(block{id: l.statusID(), text: text, html: html.EscapeString(text)})
}

// put shows things where those of an earlier draw were. Nothing is saved yet:
// most positions are only passed.
func (l *live) put(things []any) {
	n := 0
	place := func(b block) {
		b.id = l.id + "-" + strconv.Itoa(n)
		n++
		_ = l.to.show(b)
	}
	for _, thing := range spread(things) {
		if err, ok := thing.(error); ok {
			if !errors.Is(err, context.Canceled) {
				place(textBlock(err.Error()))
			}
			continue
		}
		blocks, err := blocksOf(thing, unsaved)
		if err != nil {
			blocks = append(blocks, textBlock(err.Error()))
		}
		for _, b := range blocks {
			place(b)
		}
	}
	now := n
	for n < l.shown {
		place(block{html: "<span></span>"})
	}
	l.shown = now
}

// end takes the controls away, saves the figures that are there, and returns
// the errors of the last draw.
func (l *live) end(things []any, line string, stopped error) error {
	left := []any{l.to.show(block{id: l.id, text: line, html: html.EscapeString(line)}), stopped}
	for _, thing := range spread(things) {
		switch t := thing.(type) {
		case error:
			left = append(left, t)
		case figure:
			if _, err := saveFigure(t); err != nil && !interrupted() {
				left = append(left, err)
			}
		}
	}
	return show(l.to, left...)
}

// observer returns what shows the progress of a draw, in Live's own line.
func (l *live) observer() func(lab.Progress) {
	l.progress.Store(true)
	b := newBar(l.to, l.statusID())
	b.line = true
	return b.observe
}
