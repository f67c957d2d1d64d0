package sched

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

// A View is a way to use the workers of [Dispatchers]: [Dispatchers.Default],
// [Dispatchers.IO], or one made with [View.Limited]. It is a [Scheduler], and
// a place to which [Switch] moves a task.
//
// All runs of a view share its bound, also at the same time, unlike those of
// the other schedulers: a run can have to wait until tasks of an earlier one
// have ended. Runs get workers in the order in which they were begun. The
// workers are not a run's: they are there when it is over.
//
// A task may call Run on a view of its own dispatchers. While it waits it
// gives back what it holds, takes a slot of that view as [Switch] does, and
// runs tasks of the new run itself, beside other workers. So such a run always
// ends, even if every worker has a task that does the same. As with
// [Sequential], a runtime.Goexit in a task that another runs itself ends both.
//
// Run does not know a task by its context but by its thread, so it must be
// called by the task itself. A goroutine that the task has started, also through
// [Goroutines], is somebody else, while the task keeps its slot and may wait for
// it. Two tasks whose goroutines each want the other's slot would wait for ever,
// and so would one alone on a full view. So Run, Switch and Then return an error
// there, also if a slot is free: with the context of a task that is not over,
// only that task itself can use the views of its dispatchers. On
// [Dispatchers.Unconfined], which has no slots, anybody can run tasks. A task of
// other dispatchers, run by this task, counts as one of its goroutines.
//
// Three things are not noticed: a goroutine with a context that is not the
// task's; any goroutine where threads have no ids, outside of Linux, as the
// context has to tell the task there; and tasks of two Dispatchers that each wait
// for tasks of the other.
//
// A task that calls runtime.Goexit ends its worker. Another takes its place.
type View struct {
	d        *Dispatchers
	name     string
	limit    int
	blocking bool  // its tasks wait, and need no CPU permit
	parent   *View // whose bound counts too
	err      error

	// wanted counts the workers that wait for a slot of this view or of one
	// that has it for a root.
	wanted atomic.Int64

	// d.mu guards what follows.
	running int // slots that are taken
	most    int // at once, so far
	queue   fifo[*batch]
	waiting []*worker
	users   int // of a limited view: it is in d.views if there are any
}

// Name returns "default", "io", "unconfined", or for a limited view a name
// like "io limited(100)".
func (v *View) Name() string {
	if v == nil || v.d == nil {
		return "no view"
	}
	return v.name
}

// Limit returns how many tasks of the view can run at once, those of all runs
// taken together.
func (v *View) Limit() int {
	if v == nil {
		return 1
	}
	if v.parent != nil {
		return max(1, min(v.limit, v.parent.Limit()))
	}
	return max(1, v.limit)
}

// Facts returns the view's bound and, for Default and IO, whose names give no number, how it comes
// about.
func (v *View) Facts() Facts {
	f := Facts{Limit: v.Limit(), Of: v}
	if v.check() != nil {
		return f
	}
	switch v {
	case v.d.defaultView:
		f.Kind, f.Rule = KindDefault, fmt.Sprintf("at most %d tasks at once; max(2, CPUs) where nothing else is set, as Kotlin's Dispatchers.Default", v.limit)
	case v.d.ioView:
		f.Kind, f.Rule = KindIO, fmt.Sprintf("at most %d tasks at once, beside those of default; max(64, CPUs) where nothing else is set, as Kotlin's Dispatchers.IO", v.limit)
	case v.d.unconfinedView:
		f.Kind, f.Serial = KindSequential, true
	}
	return f
}

// Limited returns a view of the same workers on which at most n tasks run at
// once, as Kotlin's limitedParallelism does. Every call makes a new view with
// a bound of its own.
//
// A limited view of Default also keeps within Default's bound, and with an n
// of that or more Limited returns Default itself. IO is different: a limited
// view of it does not count against IO's bound, so that Limited(100) beside IO
// can have 164 tasks running. A limited view can be limited further, within
// its bound.
//
// n below 1 is an error that Run returns, and so is a View that is no view of
// [NewDispatchers].
func (v *View) Limited(n int) *View {
	if v == nil || v.d == nil {
		return v
	}
	l := &View{d: v.d, name: fmt.Sprintf("%s limited(%d)", v.name, n), limit: n, blocking: v.blocking}
	if n < 1 {
		l.err = fmt.Errorf("sched: %s: the limit must be at least 1", l.name)
		return l
	}
	if v != v.d.ioView {
		if n >= v.limit {
			return v
		}
		l.parent = v
	}
	return l
}

// Run runs the tasks on the view's workers: see [Scheduler] and [View].
func (v *View) Run(ctx context.Context, tasks []Task) error { return execute(ctx, tasks, v) }

func (v *View) exec(r *run, lo, hi int) {
	if err := v.check(); err != nil {
		r.abort(err)
		return
	}
	d := v.d
	d.mu.Lock()
	w := d.here(r.parent)
	if w == nil && (v == d.unconfinedView || lo == hi) {
		d.mu.Unlock()
		if err := d.unconfined(func() error { sequential{}.exec(r, lo, hi); return nil }); err != nil {
			r.abort(err)
		}
		return
	}
	if v == d.unconfinedView || lo == hi {
		d.mu.Unlock()
		// Its tasks are not the worker's own: Then has to know that.
		defer func(p *place) { w.place = p }(w.place)
		w.place = &place{w: w, view: w.view, under: w.place, inner: true}
		r.ctx = w.context(r.ctx)
		sequential{}.exec(r, lo, hi)
		return
	}
	defer d.mu.Unlock()
	b := &batch{v: v, r: r, hi: int64(hi), done: make(chan struct{})}
	b.next.Store(int64(lo))
	if w != nil {
		b.under = w.place
		w.help(b)
		return
	}
	if d.closed {
		r.abort(ErrClosed)
		return
	}
	if err := foreign(r.parent, v); err != nil {
		r.abort(err)
		return
	}
	b.under = placeOf(r.parent)
	d.runs++
	d.use(v)
	d.enqueue(b)
	d.signal()
	if d.alive == 0 {
		r.abort(osThreads.noRoom())
		b.withdraw()
	}
	d.mu.Unlock()
	b.wait()
	d.mu.Lock()
	d.unuse(v)
	d.runs--
	d.over.Broadcast()
}

// errNoView is what a View that is nil or zero returns.
var errNoView = errors.New("sched: a view that no dispatchers have made; use those of NewDispatchers")

// check returns what is wrong with the view's parameters.
func (v *View) check() error {
	if v == nil || v.d == nil {
		return errNoView
	}
	if v.d.err != nil {
		return v.d.err
	}
	return v.err
}

// root returns the view whose bound the view has to keep within: Default for
// it and its limited views.
func (v *View) root() *View {
	for v.parent != nil {
		v = v.parent
	}
	return v
}

// free reports whether a slot is free. mu is held, as for all that follows.
func (v *View) free() bool {
	for ; v != nil; v = v.parent {
		if v.running >= v.limit {
			return false
		}
	}
	return true
}

func (v *View) take() {
	for ; v != nil; v = v.parent {
		v.running++
		v.most = max(v.most, v.running)
	}
}

func (v *View) release() {
	for ; v != nil; v = v.parent {
		v.running--
	}
}

// head returns the first batch in the queue that has a task to start, or nil.
func (v *View) head() *batch {
	for v.queue.len() > 0 {
		if b := v.queue.peek(); !b.exhausted() {
			return b
		}
		v.queue.pop()
	}
	return nil
}

// use and unuse are called around the use of a view that may be a limited one.
func (d *Dispatchers) use(v *View) {
	if v.users++; v.users == 1 && v != d.defaultView && v != d.ioView {
		d.views = append(d.views, v)
	}
}

func (d *Dispatchers) unuse(v *View) {
	if v.users--; v.users == 0 && v != d.defaultView && v != d.ioView {
		for i, u := range d.views {
			if u == v {
				d.views = append(d.views[:i:i], d.views[i+1:]...)
				return
			}
		}
	}
}
