package kotlin

import (
	"fmt"
	"sync/atomic"

	"overlap/pkg/sched"
	"overlap/pkg/sched/internal/engine"
)

// A batch is what waits in a view's queue: the tasks of a run that have not been started, or the rest of
// one task, left by [Then].
type batch struct {
	v     *View
	r     *engine.Run
	under *place // of the task, if any, that has called Run
	hi    int64

	step  sched.Task // the rest of task hi-1, or nil
	owner *batch     // the batch of that task
	from  *worker    // that left it

	_    [64]byte     // every task writes next: it gets a cache line for itself
	next atomic.Int64 // the index of the task that nobody has taken yet
	_    [64]byte

	// d.mu guards what follows.
	seq     uint64          // in the order of arrival
	workers int             // that are at it
	rests   map[*batch]bool // of its tasks, that are not over
	over    bool
	done    chan struct{} // closed when it is over
}

// exhausted reports whether no task is left to start.
func (b *batch) exhausted() bool { return b.next.Load() >= b.hi }

// take returns the index of the next task, or false.
func (b *batch) take() (int, bool) {
	if b.exhausted() { // so that next cannot run away
		return 0, false
	}
	i := b.next.Add(1) - 1
	return int(i), i < b.hi
}

// withdraw takes back the tasks that have not been started. mu is held.
func (b *batch) withdraw() {
	if n := b.next.Swap(b.hi); n < b.hi {
		b.r.Skip(int(b.hi - n))
	}
	for rest := range b.rests {
		rest.withdraw()
	}
	b.settle()
}

// addRest takes in the rest of task i. mu is held.
func (b *batch) addRest(rest *batch, i int) {
	rest.r, rest.owner, rest.under = b.r, b, b.under
	if b.owner != nil {
		rest.owner = b.owner
	}
	rest.hi = int64(i) + 1
	rest.next.Store(int64(i))
	if rest.owner.rests == nil {
		rest.owner.rests = map[*batch]bool{}
	}
	rest.owner.rests[rest] = true
}

// settle ends the batch if nothing of it is left. mu is held.
func (b *batch) settle() {
	if b.over || b.workers > 0 || len(b.rests) > 0 || !b.exhausted() {
		return
	}
	b.over = true
	if b.owner != nil {
		delete(b.owner.rests, b)
		b.owner.settle()
		return
	}
	close(b.done)
}

// wait returns when all tasks that were started have returned and no more will be. If the run's context is
// done it withdraws the others.
func (b *batch) wait() {
	select {
	case <-b.done:
	case <-b.r.Ctx.Done():
		d := b.v.d
		d.mu.Lock()
		if d.alive >= d.max {
			b.r.Held = fmt.Sprintf("the dispatchers had %d workers, and there was no room for the threads of more", d.alive)
		}
		b.withdraw()
		d.mu.Unlock()
		<-b.done
	}
}
