package kotlin

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"overlap/pkg/sched"
	"overlap/pkg/sched/internal/engine"
	"overlap/pkg/sched/internal/osthreads"
)

// A View is a way to use the workers of [Dispatchers]: [Dispatchers.Default] or [Dispatchers.IO]. It is a
// [sched.Scheduler], and a place to which [Switch] moves a task.
//
// All runs of a view share its bound, also at the same time, unlike those of the other schedulers: a run
// can have to wait until tasks of an earlier one have ended. Runs get workers in the order in which they
// were begun. The workers are not a run's: they are there when it is over.
//
// A task may call Run on a view of its own dispatchers. While it waits it gives back what it holds, takes
// a slot of that view as [Switch] does, and runs tasks of the new run itself, beside other workers. So
// such a run always ends, even if every worker has a task that does the same. As with [sched.Sequential],
// a runtime.Goexit in a task that another runs itself ends both.
//
// Run does not know a task by its context but by its thread, so it must be called by the task itself. A
// goroutine that the task has started, also through [sched.Goroutines], is somebody else, while the task
// keeps its slot and may wait for it. Two tasks whose goroutines each want the other's slot would wait for
// ever, and so would one alone on a full view. So Run, Switch and Then return an error there, also if a
// slot is free: with the context of a task that is not over, only that task itself can use the views of
// its dispatchers. A task of other dispatchers, run by this task, counts as one of its goroutines.
//
// Three things are not noticed: a goroutine with a context that is not the task's; any goroutine where
// threads have no ids, outside of Linux, as the context has to tell the task there; and tasks of two
// Dispatchers that each wait for tasks of the other.
//
// A task that calls runtime.Goexit ends its worker. Another takes its place.
type View struct {
	d        *Dispatchers
	name     string
	limit    int
	blocking bool // its tasks wait, and need no CPU permit

	wanted atomic.Int64 // workers that wait for a slot

	// d.mu guards what follows.
	stats   ViewStats
	queue   engine.Queue[*batch]
	waiting []*worker
}

// Name returns "default" or "io".
func (v *View) Name() string {
	if v == nil || v.d == nil {
		return "no view"
	}
	return v.name
}

// Limit returns how many tasks of the view can run at once, those of all runs taken together.
func (v *View) Limit() int {
	if v == nil {
		return 1
	}
	return max(1, v.limit)
}

// Facts returns the view's kind and its bound, with how that comes about.
func (v *View) Facts() sched.Facts {
	f := sched.Facts{Limit: v.Limit(), Of: v}
	switch {
	case v.check() != nil:
	case v.blocking:
		f.Kind = sched.KindIO
		f.Rule = fmt.Sprintf("at most %d tasks at once, beside those of default; "+
			"max(64, CPUs) where nothing else is set, as Kotlin's Dispatchers.IO", v.limit)
	default:
		f.Kind = sched.KindDefault
		f.Rule = fmt.Sprintf("at most %d tasks at once; "+
			"max(2, CPUs) where nothing else is set, as Kotlin's Dispatchers.Default", v.limit)
	}
	return f
}

// Run runs the tasks on the view's workers: see [sched.Scheduler] and [View].
func (v *View) Run(ctx context.Context, tasks []sched.Task) error {
	return engine.Execute(ctx, tasks, strategy{v})
}

// A strategy is how a view gives tasks their turns.
type strategy struct{ *View }

func (s strategy) Exec(r *engine.Run, lo, hi int) {
	v := s.View
	if err := v.check(); err != nil {
		r.Abort(err)
		return
	}
	d := v.d
	d.mu.Lock()
	defer d.mu.Unlock()
	b := &batch{v: v, r: r, hi: int64(hi), done: make(chan struct{})}
	b.next.Store(int64(lo))
	w := d.here(r.Parent)
	switch {
	case w != nil && lo < hi:
		b.under = w.place
		w.help(b)
		return
	case w != nil:
		return
	case d.closed:
		r.Abort(ErrClosed)
		return
	case lo == hi:
		return
	}
	if err := foreign(r.Parent, v); err != nil {
		r.Abort(err)
		return
	}
	b.under = placeOf(r.Parent)
	d.runs++
	d.enqueue(b)
	d.signal()
	if d.alive == 0 {
		r.Abort(osthreads.NoRoom())
		b.withdraw()
	}
	d.mu.Unlock()
	b.wait()
	d.mu.Lock()
	d.runs--
	d.over.Broadcast()
}

// errNoView is what a View that is nil or zero returns.
var errNoView = errors.New("sched: a view that no dispatchers have made; use those of kotlin.New")

// check returns what is wrong with the view's parameters.
func (v *View) check() error {
	if v == nil || v.d == nil {
		return errNoView
	}
	return v.d.err
}

// free reports whether a slot is free. mu is held, as for all that follows.
func (v *View) free() bool { return v.stats.Running < v.limit }

// head returns the first batch in the queue that has a task to start, or nil.
func (v *View) head() *batch {
	for v.queue.Len() > 0 {
		if b := v.queue.Peek(); !b.exhausted() {
			return b
		}
		v.queue.Pop()
	}
	return nil
}
