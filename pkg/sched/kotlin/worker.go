package kotlin

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"overlap/pkg/sched"
	"overlap/pkg/sched/internal/engine"
	"overlap/pkg/sched/internal/osthreads"
)

// A worker is a goroutine that is locked to its thread.
type worker struct {
	d    *Dispatchers
	info sched.WorkerInfo
	wake chan struct{} // of capacity 1: it was woken, or given the slot it waits for

	// place is where it runs a task. Only its own goroutine uses it.
	place *place
	first int // the task that it has taken with the slot, or -1; as place

	// d.mu guards what follows.
	parked bool
	isAway bool
	view   *View  // whose slot it holds, or nil
	wants  *View  // whose slot it waits for, or nil
	own    *batch // what it does next, with the slot for it: Kotlin's local queue
}

func newWorker(d *Dispatchers, id int) *worker {
	return &worker{d: d, info: sched.WorkerInfo{ID: id}, wake: make(chan struct{}, 1), first: -1}
}

// context returns ctx for a function that the worker calls: [sched.Worker] finds the worker also where ctx
// comes from elsewhere.
func (w *worker) context(ctx context.Context) context.Context {
	if info, ok := sched.Worker(ctx); ok && info == w.info {
		return ctx
	}
	return engine.WithWorker(ctx, w.info)
}

// A place is a stretch of a task on one worker and view.
type place struct {
	w     *worker
	view  *View
	under *place      // see batch; for a Switch, where it was called
	inner bool        // not the task of the worker's own loop, but inside of one
	then  *batch      // where the task goes on
	over  atomic.Bool // the stretch
}

type placeKey struct{}

// placeOf returns the place of the task with this context, or nil.
func placeOf(ctx context.Context) *place {
	p, _ := ctx.Value(placeKey{}).(*place)
	return p
}

// run is the body of a worker's goroutine.
func (w *worker) run() {
	// Never unlocked: so the thread ends with the goroutine.
	runtime.LockOSThread()
	d := w.d
	defer d.ended.Done()
	osthreads.Has()
	w.info.Thread = osthreads.ID()
	d.mu.Lock()
	d.byThread[w.info.Thread] = w
	idle := false
	defer func() {
		// mu is held, also when a task called runtime.Goexit.
		delete(d.byThread, w.info.Thread)
		d.workers[w.info.ID-1] = nil
		d.alive--
		osthreads.EndWorker()
		if !idle {
			d.signal()
		}
		d.mu.Unlock()
	}()
	for {
		b := w.own
		if w.own = nil; b == nil {
			b = d.next(w)
		}
		switch {
		case b != nil:
			w.serve(b, false)
		case !w.park():
			idle = true
			return
		}
	}
}

// serve runs tasks of b until none is left, or another worker wants the slot. mu is held at the start and
// at the end, and free meanwhile. The worker is counted in b and holds the slot, and neither at the end. A
// helper runs b's tasks for a task of its own.
func (w *worker) serve(b *batch, helper bool) {
	d, r := w.d, b.r
	p := &place{w: w, view: b.v, under: b.under, inner: helper}
	outside := w.place
	w.place = p
	if b.step != nil && !r.Stopped() {
		if b.from == w {
			d.stats.Kept++
		} else {
			d.stats.Moved++
		}
	}
	d.signal()
	d.mu.Unlock()

	ctx := context.WithValue(engine.WithWorker(r.Ctx, w.info), placeKey{}, p)
	i, returned := int(b.hi)-1, false
	defer func() {
		w.place = outside
		p.over.Store(true)
		d.mu.Lock()
		if !returned {
			p.then = nil
		}
		w.leave(b, i, p.then)
	}()
	defer r.Guard(&i, &returned)
	next, taken := w.first, w.first >= 0
	w.first = -1
	for ; ; taken = false {
		if r.Stopped() {
			if taken {
				r.Skip(1)
			}
			break
		}
		if !taken {
			if next, taken = b.take(); !taken {
				break
			}
		}
		i = next
		if !w.do(b, i, ctx) {
			p.then = nil
			break
		}
		if p.then != nil || b.v.wanted.Load() > 0 {
			break
		}
	}
	returned = true
}

// do runs task i of b, or the step that is its rest, and reports whether it has returned nil.
func (w *worker) do(b *batch, i int, ctx context.Context) bool {
	if b.step == nil {
		return b.r.Do(i, ctx)
	}
	err := b.step(ctx)
	if err != nil {
		b.r.Fail(i, err)
	}
	return err == nil
}

// leave gives the slot back. If then is not nil, it is the rest of task i.
func (w *worker) leave(b *batch, i int, then *batch) {
	d := w.d
	w.release()
	d.admit()
	stopped := b.r.Stopped()
	if then != nil && stopped {
		// The withdrawal, which takes place once, may be over.
		b.r.Skip(1)
		then = nil
	}
	if then != nil {
		b.addRest(then, i)
		if then.v.free() && then.v.head() == nil {
			then.workers++
			w.hold(then.v)
			w.own = then
		} else {
			d.enqueue(then)
		}
	}
	b.workers--
	if stopped {
		b.withdraw()
	}
	b.settle()
}

// hold takes a slot of v, of which there is one, for the worker.
func (w *worker) hold(v *View) {
	v.stats.Running++
	v.stats.Most = max(v.stats.Most, v.stats.Running)
	w.view = v
	w.setAway(v.blocking)
}

// release gives the worker's slot back.
func (w *worker) release() {
	if w.view != nil {
		w.view.stats.Running--
		w.view = nil
	}
	w.setAway(false)
}

// setAway says whether the worker is lost for Default.
func (w *worker) setAway(away bool) {
	if away != w.isAway {
		w.isAway = away
		if away {
			w.d.away++
		} else {
			w.d.away--
		}
	}
}

// park waits until there may be work, and reports false if the worker shall end. mu is held, but not while
// it waits.
func (w *worker) park() bool {
	d := w.d
	if d.ending {
		return false
	}
	w.parked = true
	d.parked = append(d.parked, w)
	idle := time.NewTimer(d.keepAlive)
	defer idle.Stop()
	d.mu.Unlock()
	select {
	case <-w.wake:
		d.mu.Lock()
		return true
	case <-idle.C:
	}
	d.mu.Lock()
	if !w.parked { // woken at the last moment
		<-w.wake
		return true
	}
	w.parked = false
	d.parked = without(d.parked, w)
	return d.alive <= d.core
}

// without returns workers without w.
func without(workers []*worker, w *worker) []*worker {
	return slices.DeleteFunc(workers, func(u *worker) bool { return u == w })
}
