// Package kotlin models the dispatchers of Kotlin's coroutines, kotlinx.coroutines: [Dispatchers] are one
// pool of numbered workers with two views, [Dispatchers.Default] for tasks that compute and
// [Dispatchers.IO] for tasks that wait. Each view is a [sched.Scheduler], and both use the same workers.
//
//	d := kotlin.New()
//	defer d.Close()
//	err := d.IO().Run(ctx, tasks)
//
// How it works, as in Kotlin:
//
//   - There are as many CPU permits as cores, max(2, CPUs) by default. A task of Default holds one while
//     it runs, so at most that many run at once.
//   - A task of IO holds one of IO's slots instead, max(64, CPUs) by default. It is taken to wait, so it
//     needs no permit, and tasks of Default run beside it: IO never takes anything from Default.
//   - A worker is made when there is work, no idle worker to wake, and fewer than cores workers besides
//     those that are away. Away are the ones that run a task of IO or wait in a [Switch]; while there
//     are any, workers are made until cores others are there. So 64 tasks on IO and some on Default have
//     64 + cores workers, and the number of a worker can pass 64.
//   - Idle workers are woken in the order last in, first out. One that was idle for the keep-alive, 60 s
//     by default, ends if there are more than cores.
//   - [Switch] moves a running task to the other view and back, as withContext does. [Then] does it for
//     the rest of a task.
//
// Every worker is an OS thread, locked to it from its first task to its end, and [sched.Worker] tells both
// numbers. The workers stay between runs. What is not as in Kotlin:
//
//   - A task is a Go function on its worker's stack, which cannot leave the thread. A Kotlin coroutine
//     that waits for a slot is an object in a queue; a task that waits in Switch holds its worker. Then
//     is the exact counterpart: the task's rest is a function in a queue. So a Switch always stays on
//     its thread, and where many tasks wait in one, there are more workers than in Kotlin.
//   - Tasks that wait in Switch go before tasks that have not started, as they hold a thread. Kotlin has
//     one queue, first in, first out; steps of Then are queued like that here too, behind the tasks that
//     came before.
//   - Switch returns what the function returned, also if its context was cancelled meanwhile. In Kotlin,
//     withContext then throws on its way back.
//   - There is one queue a view, and no queue a worker from which others steal. A worker goes on with
//     the run that it is on. Unconfined and limitedParallelism are not there.
//   - No more than GOMAXPROCS of the threads run Go code at the same moment, also if there are more
//     cores here, and the Go runtime takes the CPU from a task after 10 ms if others want it. In Kotlin
//     the system does that.
//   - A worker keeps its number, and a new one gets the lowest that is free. Kotlin gives the number of a
//     worker that has ended to the last one. Its threads have names like DefaultDispatcher-worker-3, of
//     which [sched.WorkerInfo] has the last part.
//   - Go ends the process at 10,000 threads, so there are at most 4,000 workers on Linux and 500
//     elsewhere, and fewer where the system has less room: see [sched.Threads]. At that bound tasks wait
//     for a worker, and if the run's context is done before that, its error names the bound. Where there
//     is no room for a single worker, Run returns an error.
//
// In Go, plain goroutines already are Default and IO in one, see [sched.Goroutines]. This is the model of
// how Kotlin does it, to look at and to measure.
//
// Where to look: worker.go has what a worker does, pool.go which work it gets and when workers are made,
// batch.go what waits in a queue, switch.go how a task changes its view.
package kotlin

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"overlap/pkg/sched/internal/osthreads"
)

// Dispatchers are a pool of workers with two views: see the package. [New] makes them.
type Dispatchers struct {
	core      int // CPU permits
	max       int // workers at the same time; what there are while there is no room for more
	keepAlive time.Duration
	err       error // of the options

	defaultView, ioView *View
	views               []*View // these two

	mu       sync.Mutex
	over     *sync.Cond // a run is over
	workers  []*worker  // worker-1 first; nil where one has ended
	byThread map[int]*worker
	parked   []*worker // the most recent one last
	alive    int       // workers that have not ended
	away     int       // of these, how many are lost for Default
	arrivals uint64    // batches so far
	runs     int       // of goroutines that are no workers
	closed   bool      // no further runs
	ending   bool      // workers shall end
	waits    bool      // for room for more workers
	ended    sync.WaitGroup
	stats    Stats
}

// mostWorkers is the greatest number of workers of one Dispatchers.
const mostWorkers = osthreads.Most / 2

// ErrClosed is what Run and [Switch] return after [Dispatchers.Close].
var ErrClosed = errors.New("sched: the dispatchers are closed; make new ones with kotlin.New")

// An Option changes a parameter of [New].
type Option func(*Dispatchers)

// WithCores sets how many tasks of Default can run at once. The default is max(2, CPUs), as in Kotlin.
// CPUs is runtime.GOMAXPROCS, which heeds the affinity mask and a container's quota.
func WithCores(n int) Option { return func(d *Dispatchers) { d.core = n } }

// WithIOLimit sets how many tasks of IO can run at once. The default is max(64, CPUs), as in Kotlin.
func WithIOLimit(n int) Option { return func(d *Dispatchers) { d.ioView.limit = n } }

// New returns dispatchers that have no worker yet. A parameter that is out of range, or an option that is
// nil, is an error that every Run returns. The zero Dispatchers have no views.
func New(opts ...Option) *Dispatchers {
	cpus := runtime.GOMAXPROCS(0)
	d := &Dispatchers{core: max(2, cpus), max: mostWorkers, keepAlive: time.Minute, byThread: map[int]*worker{}}
	d.over = sync.NewCond(&d.mu)
	d.defaultView = &View{d: d, name: "default"}
	d.ioView = &View{d: d, name: "io", limit: max(64, cpus), blocking: true}
	d.views = []*View{d.defaultView, d.ioView}
	for i, o := range opts {
		if o == nil {
			d.err = fmt.Errorf("sched: dispatchers: option %d is nil; leave it out", i)
			continue
		}
		o(d)
	}
	d.defaultView.limit = d.core
	switch {
	case d.core < 1:
		d.err = fmt.Errorf("sched: dispatchers: %d cores; at least 1 is needed", d.core)
	case d.ioView.limit < 1:
		d.err = fmt.Errorf("sched: dispatchers: an IO limit of %d; it must be at least 1", d.ioView.limit)
	case d.core >= mostWorkers && d.err == nil:
		d.err = fmt.Errorf("sched: dispatchers: %d cores; the most is %d, for Go ends the process at 10,000 threads",
			d.core, mostWorkers-1)
	}
	return d
}

// Default returns the view for tasks that compute. Its name is "default".
func (d *Dispatchers) Default() *View { return d.defaultView }

// IO returns the view for tasks that wait. Its name is "io".
func (d *Dispatchers) IO() *View { return d.ioView }

// Close waits until the runs that have begun are over, ends all workers and waits for that. Later calls of
// Run, [Switch] and [Then] return [ErrClosed], but for those in a task on a worker, whose run Close waits
// for. Close may be called more than once.
//
// Called by a task of these dispatchers, it returns an error and does nothing, as it would wait for
// itself. It does not notice a goroutine that a task has started, nor a task where threads have no ids,
// outside of Linux.
func (d *Dispatchers) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.here(context.Background()) != nil {
		return errors.New("sched: dispatchers: Close was called by one of their tasks, for which it would wait; " +
			"call it after Run")
	}
	d.closed = true
	for d.runs > 0 {
		d.over.Wait()
	}
	d.ending = true
	for d.wake() {
	}
	d.mu.Unlock()
	d.ended.Wait()
	d.mu.Lock()
	return nil
}

// here returns the worker whose goroutine the caller is, or nil. As workers are locked to their threads,
// the thread tells. Where threads have no ids, ctx has to. mu is held: the caller's thread, looked up
// before, could be the one of a new worker by then.
func (d *Dispatchers) here(ctx context.Context) *worker {
	if thread := osthreads.ID(); thread != 0 {
		return d.byThread[thread]
	}
	if p := placeOf(ctx); p != nil && p.w.d == d && !p.over.Load() {
		return p.w
	}
	return nil
}
