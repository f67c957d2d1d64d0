package kotlin

import (
	"time"

	"overlap/pkg/sched/internal/osthreads"
)

// What is in this file needs mu held.

// enqueue puts b at the end of its view's queue.
func (d *Dispatchers) enqueue(b *batch) {
	d.arrivals++
	b.seq = d.arrivals
	b.v.queue.Push(b)
}

// startable returns the batch, of those for whose tasks there is a slot, that has waited longest, or nil.
func (d *Dispatchers) startable() *batch {
	var first *batch
	for _, v := range d.views {
		b := v.head()
		if b == nil || !v.free() {
			continue
		}
		// Some workers are always left to Default, but not kept from steps: those that are away can be
		// waiting for them.
		if v.blocking && b.step == nil && d.away+min(d.core, d.max/2) >= d.max {
			continue
		}
		if first == nil || b.seq < first.seq {
			first = b
		}
	}
	return first
}

// next gives w a batch with a task to start, and the slot for it, or nil.
func (d *Dispatchers) next(w *worker) *batch {
	for b := d.startable(); b != nil; b = d.startable() {
		if b.step != nil {
			b.v.queue.Pop() // one worker is enough
		} else if i, ok := b.take(); ok {
			// Taken now, so that nobody holds a slot who finds no task.
			w.first = i
		} else {
			continue
		}
		b.workers++
		w.hold(b.v)
		return b
	}
	return nil
}

// signal finds a worker for what can start now. It wakes or makes one: that one calls signal in turn.
func (d *Dispatchers) signal() {
	away := d.away
	if b := d.startable(); b != nil && !d.wake() {
		if b.v.blocking {
			away++ // the worker that will run it
		}
		if d.alive-away < d.core && d.alive < d.max {
			_ = d.create()
		}
	}
	// While some are away the next task of Default shall find a worker.
	for away > 0 && d.alive-away < d.core && d.alive < d.max && d.create() {
	}
}

// wake wakes the worker that parked last, and reports false if there is none.
func (d *Dispatchers) wake() bool {
	n := len(d.parked)
	if n == 0 {
		return false
	}
	w := d.parked[n-1]
	d.parked = d.parked[:n-1]
	w.parked = false
	w.wake <- struct{}{}
	return true
}

// create makes a worker with the lowest number that is free, and reports false if there is no room for its
// thread. Those that there are then have to do, and it is tried again some time later.
func (d *Dispatchers) create() bool {
	if !osthreads.StartWorker(d.alive) {
		d.max = max(1, d.alive)
		if !d.waits {
			d.waits = true
			time.AfterFunc(osthreads.TimePerLook, d.tryAgain)
		}
		return false
	}
	i := 0
	for i < len(d.workers) && d.workers[i] != nil {
		i++
	}
	if i == len(d.workers) {
		d.workers = append(d.workers, nil)
	}
	w := newWorker(d, i+1)
	d.workers[i] = w
	d.alive++
	d.stats.Created++
	d.stats.MostAlive = max(d.stats.MostAlive, d.alive)
	d.ended.Add(1)
	go w.run()
	return true
}

// tryAgain makes more workers if there is room for them now and work.
func (d *Dispatchers) tryAgain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waits = false
	d.max = mostWorkers
	d.signal()
}

// admit gives free slots to the workers that wait for one, those that have waited longest first. It is
// called when a slot was given back, before anybody else can take it.
func (d *Dispatchers) admit() {
	for _, v := range d.views {
		for len(v.waiting) > 0 && v.free() {
			w := v.waiting[0]
			v.waiting = v.waiting[1:]
			w.granted()
			w.hold(v)
			w.wake <- struct{}{}
		}
	}
}
