package kotlin

import (
	"context"
	"errors"
	"fmt"

	"overlap/pkg/sched"
	"overlap/pkg/sched/internal/engine"
)

// Switch runs fn(ctx) on the view v and returns what it returned: the counterpart of Kotlin's withContext.
// Called by a task of the other view of the same [Dispatchers], it gives back what the task holds, a CPU
// permit or a slot, takes a slot of v, calls fn, and does the reverse.
//
//	// on Default
//	err := kotlin.Switch(ctx, d.IO(), func(ctx context.Context) error {
//		page, err = fetch(ctx, url) // no CPU permit is held
//		return err
//	})
//	// on Default again
//
// fn is called on the same worker and OS thread. If v has no free slot the task waits for one, and so it
// does for the way back: first come, first served, and before tasks that have not started. While it waits
// it holds neither permit nor slot, but it does hold its worker, and another worker is made for the permit.
// Kotlin suspends the coroutine there, and what then takes it up again can be another thread; so it does on
// the way back. [Then] shows that. [Dispatchers.Stats] counts how many switches had to wait.
//
// If ctx is done before there is a slot, Switch returns its error and does not call fn. Else it returns
// what fn did, also if ctx is done by then. A panic or runtime.Goexit in fn goes on in the task, when that
// is back on its view. If the task is on v already, Switch only calls fn.
//
// Called by anybody but a task of the view's dispatchers, Switch runs fn as a task of v and waits for it; a
// panic is then a [*sched.PanicError]. A goroutine that such a task has started gets an error: see [View].
//
// ctx may be another one than the task's. [sched.Worker] finds the task's worker in what fn gets.
func Switch(ctx context.Context, v *View, fn func(context.Context) error) error {
	if err := usable(ctx, v, "Switch", fn); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	d := v.d
	d.mu.Lock()
	w := d.here(ctx)
	if w == nil {
		d.mu.Unlock()
		err := v.Run(ctx, []sched.Task{fn})
		// Not errors.As: the cause of ctx can be the failure of another task.
		if te, ok := err.(*sched.TaskError); ok {
			return te.Err
		}
		return err
	}
	ctx = w.context(ctx)
	if w.view == v {
		d.mu.Unlock()
		return fn(ctx)
	}
	defer d.mu.Unlock()
	from := w.place
	defer func() {
		w.place = from
		if !w.exchange(from.view, nil, nil) {
			d.stats.BackWaited++
		}
	}()
	switch atOnce := w.exchange(v, ctx.Done(), nil); {
	case w.view == nil:
		return ctx.Err()
	case atOnce:
		d.stats.Kept++
	default:
		d.stats.Waited++
	}
	p := &place{w: w, view: v, under: from, inner: true}
	w.place = p
	d.mu.Unlock()
	defer d.mu.Lock()
	defer p.over.Store(true)
	return fn(context.WithValue(ctx, placeKey{}, p))
}

// usable is an error for arguments with which who can do nothing.
func usable(ctx context.Context, v *View, who string, fn sched.Task) error {
	switch {
	case v == nil || fn == nil:
		return fmt.Errorf("sched: %s: it needs a view and a function, and one is nil", who)
	case ctx == nil:
		return engine.ErrNilContext
	}
	return v.check()
}

// Then says that the calling task goes on with step on the view v once it has returned nil. It returns nil
// itself, so it is the last line of a task:
//
//	page, err := fetch(ctx, url) // on IO
//	if err != nil {
//		return err
//	}
//	return kotlin.Then(ctx, d.Default(), func(context.Context) error {
//		return parse(page) // on Default
//	})
//
// The task is done when step is, which can call Then again. This is what Kotlin's compiler makes of a
// function with withContext in it: between two steps the task holds neither thread nor slot, and is an
// entry in v's queue. Like there, if v has a free slot for which nothing waits in a queue, the step is the
// next thing that the same worker does. Else it waits in the queue, and whichever worker is there first
// takes it. [Dispatchers.Stats] counts both.
//
// A task may call Then once, and if it fails after that the step is not run. If another task of its run
// fails, or the run's context is done, before the step has begun, it is not run either, and the task counts
// as one that was not started in what Run returns. Inside of [Switch], in a task that another one runs
// itself (see [View]), and where no task of v's dispatchers calls it, Then is Switch. In tasks that a task
// runs on [sched.Sequential], use Switch: the step would be the outer task's.
func Then(ctx context.Context, v *View, step func(context.Context) error) error {
	if err := usable(ctx, v, "Then", step); err != nil {
		return err
	}
	d := v.d
	d.mu.Lock()
	w := d.here(ctx)
	d.mu.Unlock()
	if w == nil || w.place.inner {
		return Switch(ctx, v, step)
	}
	if w.place.then != nil {
		return errors.New("sched: Then: it was called twice by one task; let the step call it again")
	}
	w.place.then = &batch{v: v, step: step, from: w}
	return nil
}

// exchange gives back what the worker holds and takes a slot of v. It reports whether that was free at
// once; else the worker has waited for it. If one of the channels is closed first, the worker holds
// nothing. mu is held, but not while it waits.
func (w *worker) exchange(v *View, stop, stop2 <-chan struct{}) bool {
	d := w.d
	w.release()
	d.admit()
	if v.free() {
		w.hold(v)
		d.signal()
		return true
	}
	w.setAway(true)
	w.wants = v
	v.waiting = append(v.waiting, w)
	v.wanted.Add(1)
	d.signal()
	d.mu.Unlock()
	select {
	case <-w.wake:
		d.mu.Lock()
		return false
	case <-stop:
	case <-stop2:
	}
	d.mu.Lock()
	if w.wants == nil { // given at the last moment
		<-w.wake
		return false
	}
	v.waiting = without(v.waiting, w)
	w.granted()
	return false
}

// granted says that the worker does not wait for a slot any more.
func (w *worker) granted() {
	w.wants.wanted.Add(-1)
	w.wants = nil
}

// help runs b for the worker's task, which waits for it: the worker takes tasks of it, and so do others. mu
// is held at the start and at the end.
func (w *worker) help(b *batch) {
	d, from := w.d, w.place
	d.enqueue(b)
	defer func() {
		// Also if a task of b has called runtime.Goexit.
		w.release()
		w.setAway(true)
		d.admit()
		d.signal()
		d.mu.Unlock()
		b.wait()
		d.mu.Lock()
		w.exchange(from.view, nil, nil)
	}()
	for !b.exhausted() {
		if w.view != b.v {
			w.exchange(b.v, b.r.Ctx.Done(), b.done)
		}
		if w.view == nil {
			b.withdraw()
			return
		}
		b.workers++
		w.serve(b, true)
	}
}

// foreign is an error if the caller, which is no worker of v's dispatchers, has the context of one of their
// tasks that is not over: of a task that it may be waited for by.
func foreign(ctx context.Context, v *View) error {
	for p := placeOf(ctx); p != nil; p = p.under {
		if p.w.d == v.d && !p.over.Load() {
			return fmt.Errorf("sched: %s: a goroutine that a task of %s has started uses it with the task's context, "+
				"so that tasks could wait for one another for ever; call Run or Switch in the task itself", v.name, p.view.name)
		}
	}
	return nil
}
