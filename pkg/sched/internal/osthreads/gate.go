// Package osthreads keeps the threads that the schedulers start within what the process and the system
// allow: those of all tasks of sched.Threads and of the workers of all kotlin.Dispatchers. They share
// the process's limits, and Go ends a process that is refused a thread.
package osthreads

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

var (
	alive atomic.Int64 // goroutines that have their thread

	mu      sync.Mutex
	ended   = sync.NewCond(&mu) // a thread has ended, or a run that waits for one is over
	tasks   int                 // threads of tasks, also those being started
	workers int                 // of dispatchers, too
	room    int                 // how many of both there may be
	narrow  limit               // that leaves the least room
	looked  time.Time           // when room was found
	starts  int                 // since then
)

// Reading the limits costs as much as starting a few threads, so it is done after so many starts or so
// much time.
const (
	startsPerLook = 256
	TimePerLook   = 100 * time.Millisecond
)

// look finds out how many threads there may be now. mu is held.
func look() {
	room, starts, looked = mostTogether, 0, time.Now()
	narrow = limit{
		name: "the most that is safe on this system", max: mostTogether, used: tasks + workers,
		remedy: "wait for others to end",
	}
	ours := int(alive.Load())
	for _, l := range limits() {
		// What is in use includes our own.
		left := func() int { return l.usable() - max(0, l.used-ours) }
		if l.count != nil && left() <= tasks+workers+startsPerLook {
			l.used = l.count()
		}
		if n := left(); n < room {
			room, narrow = n, l
		}
	}
}

// lookAgain looks if the last look is too old. mu is held.
func lookAgain() {
	age := time.Since(looked) // negative if that was in a test with another clock
	if starts >= startsPerLook || age > TimePerLook || age < 0 {
		look()
	}
}

// Has notes that the calling goroutine, for which there was room, has a thread of its own.
func Has() { alive.Add(1) }

// A Run is a run of tasks with a thread each.
type Run struct {
	Ctx    context.Context
	Held   *string // gets what kept a thread from starting
	Nested bool    // a task of another such run waits for it

	running atomic.Int64 // threads of this run
}

// fits reports whether there is room for one more thread of a task. mu is held.
func fits() bool { return tasks < Most && tasks+workers < room }

// Start waits until one more thread of a task may start and counts it.
func (r *Run) Start() error {
	mu.Lock()
	defer mu.Unlock()
	lookAgain()
	waits := false
	for !fits() {
		if tasks == 0 || r.Nested && r.running.Load() == 0 {
			if look(); fits() {
				break
			}
			return full("threads")
		}
		if !waits {
			waits = true
			defer context.AfterFunc(r.Ctx, func() {
				mu.Lock()
				defer mu.Unlock()
				ended.Broadcast()
			})()
		}
		*r.Held = "no more " + bound()
		if err := r.Ctx.Err(); err != nil {
			return err
		}
		ended.Wait()
		lookAgain()
	}
	tasks++
	starts++
	r.running.Add(1)
	return nil
}

// End says that a thread that [Run.Start] has counted is about to end.
func (r *Run) End() {
	r.running.Add(-1)
	end(&tasks)
}

func end(counted *int) {
	alive.Add(-1)
	mu.Lock()
	*counted--
	mu.Unlock()
	ended.Broadcast()
}

// A dispatcher with this few workers may have some of the threads that are left to others: without one
// it could not do anything.
const (
	fewWorkers = 3
	fewMore    = 8
)

// StartWorker counts one more worker of dispatchers that have so many, if there is room for it.
func StartWorker(have int) bool {
	mu.Lock()
	defer mu.Unlock()
	lookAgain()
	most := room
	if have < fewWorkers {
		most += fewMore
	}
	if tasks+workers >= most {
		return false
	}
	workers++
	starts++
	return true
}

// EndWorker says that a worker that [StartWorker] has counted is about to end.
func EndWorker() { end(&workers) }

// NoRoom is the error for dispatchers without room for their first worker.
func NoRoom() error {
	mu.Lock()
	defer mu.Unlock()
	return full("dispatchers")
}

// bound says what bounds the threads now: "than 8000 threads of tasks run at once, as Go ends a process
// with 10,000". mu is held.
func bound() string {
	if tasks >= Most {
		return fmt.Sprintf("than %d threads of tasks run at once, as Go ends a process with 10,000", Most)
	}
	return fmt.Sprintf("than %d threads have room: %s is %d, and the others are in use or left to the rest of the process",
		tasks+workers, narrow.name, narrow.max)
}

// full is the error for no room. mu is held.
func full(who string) error {
	if who == "threads" && tasks >= Most {
		return fmt.Errorf("sched: threads: all %d threads are taken by runs that wait for this one; "+
			"use Goroutines or Pool inside of tasks", tasks)
	}
	l, ours := narrow, ""
	if workers > 0 {
		ours = fmt.Sprintf(" (%d by workers of Dispatchers, which Close ends)", workers)
	}
	return fmt.Errorf("sched: %s: no room for one more thread: %s is %d, "+
		"%d are in use%s and %d are left to others; %s, or use Goroutines",
		who, l.name, l.max, l.used, ours, min(l.max, l.max-l.usable()), l.remedy)
}

// A limit is something that limits how many threads there can be.
type limit struct {
	name   string
	max    int
	used   int // threads that count against it now
	remedy string
	count  func() int // finds the exact number, at a price, where used is only the most there can be
}

// usable returns max without what is left to others: to the Go runtime, to other goroutines that block
// in the system, and to threads on their way out.
func (l limit) usable() int { return l.max - 32 - l.max/16 }

// Limit returns how many threads of tasks there can be at most, at least 1.
func Limit() int {
	most := Most
	for _, l := range limits() {
		most = min(most, l.usable())
	}
	return max(1, most)
}

// limits returns the limits that are known.
func limits() []limit {
	limits, used := systemLimits()
	goMax.Lock()
	n := debug.SetMaxThreads(math.MaxInt32) // higher, so that it cannot be passed meanwhile
	debug.SetMaxThreads(n)
	goMax.Unlock()
	return append(limits, limit{name: "Go's debug.SetMaxThreads", max: n, used: used, remedy: "raise it"})
}

var goMax sync.Mutex
