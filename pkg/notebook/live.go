package notebook

import (
	"context"
	"errors"
	"fmt"
	"html"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"overlap/pkg/internal/guard"
	"overlap/pkg/lab"
)

// Live shows what draw returns, and in a notebook that is open in Jupyter controls above it: when one
// of them moves, draw is called again and what it returns takes the place of what was there. The
// context of a call is cancelled when a newer position comes; calls never overlap, and the last
// position is the one that stays.
//
//	notebook.Live(notebook.Context(), func(ctx context.Context, v notebook.Values) []any {
//		result, err := experiment(v.Int("workers")).Run(ctx, notebook.Progress())
//		return []any{chart.Speedup(result), err}
//	}, notebook.Slider("workers", 1, 16, 2), notebook.Button("run again"))
//
// What draw returns is shown as [Show] does. Draw should not call Show or Text itself: what they show
// would stay. [Progress] is fine, and keeps to one line.
//
// The cell runs, and other cells wait, until the button Done is pressed, the kernel is interrupted, or
// nothing is moved for ten minutes. Then one line with the last position takes the place of the
// controls.
//
// Where nobody could move a control (a terminal, a log, nbconvert, a page that cannot connect to the
// kernel) draw is called once, with the values that the controls begin with, and a line says them.
func Live(ctx context.Context, draw func(ctx context.Context, v Values) []any, controls ...Control) {
	l := newLive(out(), draw, controls)
	defer guard.Stops(background)()
	if err := checkControls(controls); err != nil {
		exit(err)
	}
	where := front()
	if where != jupyterPage {
		exit(l.once(ctx, where))
		return
	}
	current.Store(l)
	err := l.run(ctx)
	current.Store(nil)
	exit(err)
}

// current is the Live that runs, if one does: its progress has one place.
var current atomic.Pointer[live]

// A live is one call of [Live].
type live struct {
	to     output
	draw   func(context.Context, Values) []any
	id     string
	values Values
	events *events

	connect func(id string, events *events) // begins to listen to the page
	answer  time.Duration                   // how long the page may take to answer at first
	idle    time.Duration                   // how long nothing may be moved

	shown int // blocks in place

	mu       sync.Mutex
	drawing  bool
	progress bool // draw shows its own
}

func newLive(to output, draw func(context.Context, Values) []any, controls []Control) *live {
	return &live{
		to: to, draw: draw, id: "live-" + gonbui.UniqueId(), values: startValues(controls),
		events: &events{newest: make(chan event, 1)}, connect: listen, answer: 4 * time.Second, idle: 10 * time.Minute,
	}
}

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
const unconnected = " This page cannot connect its controls to the kernel; " +
	"change the numbers in the cell and run it again."

// run draws, and draws again when something moves, until somebody or something ends it.
func (l *live) run(ctx context.Context) error {
	// All of it stands in one place. The line is also what is left where the page that showed the
	// controls is closed.
	inPlace := func(html string) error { return l.to.show(block{id: l.id, text: l.values.line(), html: html}) }
	if err := inPlace(html.EscapeString(l.values.line())); err != nil {
		return err
	}
	things := l.drawAt(ctx, l.values)
	if err := ctx.Err(); err != nil {
		return l.end(things, l.values.line(), err)
	}
	if err := inPlace(l.opening()); err != nil {
		return err
	}
	l.connect(l.id, l.events)
	if err := inPlace(l.controls()); err != nil {
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
		case e := <-l.events.newest:
			answered = true
			if !l.at(e).equal(at) {
				things, e = l.follow(ctx, e)
				at = l.at(e)
			}
			if e.Done {
				return l.end(things, at.line(), ctx.Err())
			}
			late.Reset(l.idle)
		}
	}
}

// at returns the values of an event.
func (l *live) at(e event) Values { return l.values.moved(e.At) }

// follow draws where an event says, and where a newer one moves on while that goes on gives it up for
// that one. It returns what the last draw returned, and the last event.
func (l *live) follow(ctx context.Context, e event) (things []any, last event) {
	for {
		at := l.at(e)
		drawing, cancel := context.WithCancelCause(ctx)
		drawn := make(chan []any, 1)
		go func() { drawn <- l.drawAt(drawing, at) }()
		for moved := false; !moved; {
			select {
			case things = <-drawn:
				cancel(nil)
				return things, e
			case e = <-l.events.newest:
				moved = !l.at(e).equal(at)
			}
		}
		cancel(lab.ErrGivenUp) // nothing of it is stored: most positions are only passed
		<-drawn                // before the next begins: draws share what is shown
	}
}

// drawAt draws and, where that was not given up, shows what came of it.
func (l *live) drawAt(ctx context.Context, at Values) []any {
	begin := time.Now()
	l.mu.Lock()
	l.drawing, l.progress = true, false
	l.mu.Unlock()
	slow := time.AfterFunc(silentFor/3, func() { l.status(true, "Drawing with "+at.String()+" …") })
	things := l.draw(ctx, at)
	slow.Stop()
	l.mu.Lock()
	l.drawing = false
	l.mu.Unlock()
	if ctx.Err() != nil && !interrupted() {
		return things // given up
	}
	l.status(false, fmt.Sprintf("Drawn in %s.", roughly(time.Since(begin))))
	things = append(things, *at.wrong)
	l.put(things)
	return things
}

// statusID is the display in which Live and the progress of its draws tell what goes on.
func (l *live) statusID() string { return l.id + "-status" }

// status says something that holds while something is drawn, or after it, unless draw shows its own
// progress.
func (l *live) status(drawing bool, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.drawing == drawing && !l.progress {
		// What cannot be shown is told by what is shown next.
		_ = l.to.show(block{id: l.statusID(), text: text, html: html.EscapeString(text)})
	}
}

// observer returns what shows the progress of a draw, in Live's own line: what stands below stays
// where it is.
func (l *live) observer() func(lab.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.progress = true
	return newBar(l.to, l.statusID(), false).observe
}

// Places are an output where blocks take the places of those of an earlier draw.
type places struct {
	*live
	n int
}

func (p *places) show(b block) error {
	b.id = p.id + "-" + strconv.Itoa(p.n)
	p.n++
	return p.to.show(b)
}

// put shows things where those of an earlier draw were. Nothing is saved yet: most positions are only
// passed.
func (l *live) put(things []any) {
	p := &places{live: l}
	for _, err := range showAll(p, unsaved, spread(things)) {
		if err != nil && !errors.Is(err, context.Canceled) {
			_ = p.show(textBlock(err.Error()))
		}
	}
	now := p.n
	for p.n < l.shown {
		_ = p.show(block{html: "<span></span>"})
	}
	l.shown = now
}

// end takes the controls away, saves the figures that are there, and returns the errors of the last
// draw.
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
