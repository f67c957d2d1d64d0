package sched

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Threads returns the scheduler that gives each task an OS thread of its own,
// which no other task uses and which ends with the task: the counterpart of
// the JVM's platform threads. [Worker] tells a task its thread; its ID is the
// task's index and one. Still no more than GOMAXPROCS of the threads run Go
// code at the same moment.
//
// Go ends the process at the 10,000th thread (see [debug.SetMaxThreads]), and
// also when the system refuses it one. So there is a bound: 8,000 threads on
// Linux, 1,000 elsewhere, and less where debug.SetMaxThreads, RLIMIT_NPROC,
// the pids limit of a cgroup, kernel.threads-max or kernel.pid_max say so.
// Some threads are left to the rest of the process and of the system. At the
// bound a further task waits until a thread has ended. The bound that
// [Bounded] tells is the one for a run that has all these threads to itself;
// the threads of all runs in the process count together. Where there is no
// room for a single thread, Run returns an error that names the limit, and so
// it does where a task of a Threads run calls Run on Threads with its own
// context and the outer runs have taken all room, as waiting for them could last
// for ever. With any other context it waits.
//
// To learn the limit of debug.SetMaxThreads it has to be set for a moment: do
// not change it at the time of a run.
func Threads() Scheduler { return threads{} }

type threads struct{}

func (threads) Name() string { return "threads" }

func (threads) Limit() int {
	most := mostThreads
	for _, l := range threadLimits() {
		most = min(most, l.usable())
	}
	return max(1, most)
}

func (s threads) Run(ctx context.Context, tasks []Task) error { return execute(ctx, tasks, s) }

func (threads) exec(r *run, lo, hi int) {
	t := &threadRun{r: r, ctx: context.WithValue(r.ctx, onThreadKey{}, true)}
	t.nested = r.parent.Value(onThreadKey{}) != nil
	for i := lo; i < hi; i++ {
		if r.stopped() {
			r.skip(hi - i)
			break
		}
		if err := osThreads.acquire(t); err != nil {
			r.skip(hi - i)
			if r.ctx.Err() == nil {
				r.abort(err)
			}
			break
		}
		r.wg.Add(1)
		go t.task(i)
	}
	r.wg.Wait()
}

// A threadRun is a run on threads.
type threadRun struct {
	r      *run
	ctx    context.Context
	nested bool // a task of another such run called Run
	// running counts the threads of this run.
	running atomic.Int64
}

// onThreadKey marks contexts of tasks on threads.
type onThreadKey struct{}

func (t *threadRun) task(i int) {
	r := t.r
	// Never unlocked: so the thread ends with the goroutine.
	runtime.LockOSThread()
	osThreads.alive.Add(1)
	returned := false
	defer r.wg.Done()
	defer osThreads.release(t)
	defer r.guard(&i, &returned)
	if r.stopped() {
		r.skip(1)
	} else if err := r.tasks[i](withWorker(t.ctx, WorkerInfo{ID: i + 1, Thread: threadID()})); err != nil {
		r.fail(i, err)
	}
	returned = true
}

// osThreads counts the threads of all runs in the process, whose limits they
// share.
var osThreads = newThreadGate()

type threadGate struct {
	alive atomic.Int64 // goroutines that have their thread

	mu      sync.Mutex
	ended   *sync.Cond // a thread has ended, or a run that waits for one is over
	running int        // threads of tasks, also those being started
	budget  int        // how many there may be
	narrow  threadLimit
	looked  time.Time // when budget was found
	starts  int       // since then
}

func newThreadGate() *threadGate {
	g := &threadGate{}
	g.ended = sync.NewCond(&g.mu)
	return g
}

// Reading the limits costs as much as starting a few threads, so it is done
// after so many starts or so much time.
const (
	startsPerLook = 256
	timePerLook   = 100 * time.Millisecond
)

// look finds out how many threads of tasks there may be now. mu is held.
func (g *threadGate) look() {
	g.budget, g.starts, g.looked = mostThreads, 0, time.Now()
	alive := int(g.alive.Load())
	for _, l := range threadLimits() {
		// What is in use includes our own.
		if n := l.usable() - max(0, l.used-alive); n < g.budget {
			g.budget, g.narrow = n, l
		}
	}
}

// lookAgain looks if the last look is too old. mu is held.
func (g *threadGate) lookAgain() {
	age := time.Since(g.looked) // negative if that was in a test with another clock
	if g.starts >= startsPerLook || age > timePerLook || age < 0 {
		g.look()
	}
}

// acquire waits until one more thread may start and counts it.
func (g *threadGate) acquire(t *threadRun) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lookAgain()
	var wake func() bool
	for g.running >= g.budget {
		if g.running == 0 || t.nested && t.running.Load() == 0 {
			if g.look(); g.running < g.budget {
				break
			}
			return g.full()
		}
		if wake == nil {
			wake = context.AfterFunc(t.r.ctx, func() {
				g.mu.Lock()
				defer g.mu.Unlock()
				g.ended.Broadcast()
			})
			defer wake()
		}
		if err := t.r.ctx.Err(); err != nil {
			return err
		}
		g.ended.Wait()
		g.lookAgain()
	}
	g.running++
	g.starts++
	t.running.Add(1)
	return nil
}

// full is the error for no room. mu is held.
func (g *threadGate) full() error {
	if g.budget >= mostThreads {
		return fmt.Errorf("sched: threads: all %d threads are taken by runs that wait for this one; use Goroutines or Pool inside of tasks", g.budget)
	}
	l := g.narrow
	return fmt.Errorf("sched: threads: no room for one more thread: %s is %d, %d are in use and %d are left to others; %s, or use Goroutines",
		l.name, l.max, l.used, l.max-l.usable(), l.remedy)
}

func (g *threadGate) release(t *threadRun) {
	g.alive.Add(-1)
	t.running.Add(-1)
	g.mu.Lock()
	g.running--
	g.mu.Unlock()
	g.ended.Broadcast()
}

// A threadLimit is something that limits how many threads there can be.
type threadLimit struct {
	name   string
	max    int
	used   int // threads that count against it now
	remedy string
}

// usable returns max without what is left to others: to the Go runtime, to
// other goroutines that block in the system, and to threads on their way out.
func (l threadLimit) usable() int { return l.max - 32 - l.max/16 }

// threadLimits returns the limits that are known.
func threadLimits() []threadLimit {
	limits, used := systemThreadLimits()
	goMax.Lock()
	n := debug.SetMaxThreads(math.MaxInt32) // higher, so that it cannot be passed meanwhile
	debug.SetMaxThreads(n)
	goMax.Unlock()
	return append(limits, threadLimit{"Go's debug.SetMaxThreads", n, used, "raise it"})
}

var goMax sync.Mutex
