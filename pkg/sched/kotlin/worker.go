package sched

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// A worker is a goroutine that is locked to its thread.
type worker struct {
	d    *Dispatchers
	info WorkerInfo
	wake chan struct{} // of capacity 1: it was woken, or given the slot it waits for

	// place is where it runs a task. Only its own goroutine uses it.
	place *place
	first int // the task that it has taken with the slot, or -1; as place

	// d.mu guards what follows.
	parked bool
	isAway bool
	view   *View  // whose slot it holds, or nil
	wants  *View  // whose slot it waits for, or nil
	since  uint64 // in the order of arrival, if it waits for one
	own    *batch // what it does next, with the slot for it: Kotlin's local queue
}

// context returns ctx for a function that the worker calls: [Worker] finds the
// worker also where ctx comes from elsewhere.
func (w *worker) context(ctx context.Context) context.Context {
	if info, ok := Worker(ctx); ok && info == w.info {
		return ctx
	}
	return withWorker(ctx, w.info)
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
	osThreads.alive.Add(1)
	w.info.Thread = threadID()
	d.mu.Lock()
	d.byThread[w.info.Thread] = w
	idle := false
	defer func() {
		// mu is held, also when a task called runtime.Goexit.
		delete(d.byThread, w.info.Thread)
		d.workers[w.info.ID-1] = nil
		d.alive--
		osThreads.endWorker()
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

// serve runs tasks of b until none is left, or another worker wants the slot.
// mu is held at the start and at the end, and free meanwhile. The worker is
// counted in b and holds the slot, and neither at the end. A helper runs b's
// tasks for a task of its own.
func (w *worker) serve(b *batch, helper bool) {
	d, r := w.d, b.r
	p := &place{w: w, view: b.v, under: b.under, inner: helper}
	outside := w.place
	w.place = p
	if b.step != nil && !r.stopped() {
		d.stats.count(b.from == w)
	}
	d.signal()
	d.mu.Unlock()

	ctx := context.WithValue(withWorker(r.ctx, w.info), placeKey{}, p)
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
	defer r.guard(&i, &returned)
	next, taken := w.first, w.first >= 0
	w.first = -1
	for root := b.v.root(); ; taken = false {
		if r.stopped() {
			if taken {
				r.skip(1)
			}
			break
		}
		if !taken {
			if next, taken = b.take(); !taken {
				break
			}
		}
		i = next
		if err := b.task(i)(ctx); err != nil {
			r.fail(i, err)
			p.then = nil
			break
		}
		if p.then != nil || root.wanted.Load() > 0 {
			break
		}
	}
	returned = true
}

// leave gives the slot back. If then is not nil, it is the rest of task i.
func (w *worker) leave(b *batch, i int, then *batch) {
	d := w.d
	w.release()
	d.admit()
	stopped := b.r.stopped()
	if then != nil && stopped {
		// The withdrawal, which takes place once, may be over.
		b.r.skip(1)
		then = nil
	}
	if then != nil {
		b.addRest(then, i)
		if then.v.free() && !d.queued(then.v) {
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

// hold notes that the worker has the slot of v that was taken for it.
func (w *worker) hold(v *View) {
	v.take()
	w.view = v
	w.setAway(v.blocking)
}

// release gives the worker's slot back.
func (w *worker) release() {
	if w.view != nil {
		w.view.release()
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

// park waits until there may be work, and reports false if the worker shall
// end. mu is held, but not while it waits.
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
	for i, p := range d.parked {
		if p == w {
			d.parked = append(d.parked[:i], d.parked[i+1:]...)
			break
		}
	}
	return d.alive <= d.core
}
