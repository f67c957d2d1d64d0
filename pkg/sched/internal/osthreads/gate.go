package sched

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// osThreads counts the threads that this package starts: those of all tasks of
// [Threads] and of the workers of all [Dispatchers]. They share the process's
// limits.
var osThreads = newThreadGate()

type threadGate struct {
	alive atomic.Int64 // goroutines that have their thread

	mu      sync.Mutex
	ended   *sync.Cond // a thread has ended, or a run that waits for one is over
	tasks   int        // threads of tasks, also those being started
	workers int        // of dispatchers, too
	room    int        // how many of both there may be
	narrow  threadLimit
	looked  time.Time // when room was found
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

// look finds out how many threads there may be now. mu is held.
func (g *threadGate) look() {
	g.room, g.starts, g.looked = mostTogether, 0, time.Now()
	g.narrow = threadLimit{name: "the most that is safe on this system", max: mostTogether, used: g.tasks + g.workers, remedy: "wait for others to end"}
	alive := int(g.alive.Load())
	for _, l := range threadLimits() {
		// What is in use includes our own.
		left := func() int { return l.usable() - max(0, l.used-alive) }
		if l.count != nil && left() <= g.tasks+g.workers+startsPerLook {
			l.used = l.count()
		}
		if n := left(); n < g.room {
			g.room, g.narrow = n, l
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

// taskFits reports whether there is room for one more thread of a task. mu is
// held.
func (g *threadGate) taskFits() bool { return g.tasks < mostThreads && g.tasks+g.workers < g.room }

// startTask waits until one more thread of a task may start and counts it.
func (g *threadGate) startTask(t *threadRun) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lookAgain()
	var wake func() bool
	for !g.taskFits() {
		if g.tasks == 0 || t.nested && t.running.Load() == 0 {
			if g.look(); g.taskFits() {
				break
			}
			return g.full("threads")
		}
		if wake == nil {
			wake = context.AfterFunc(t.r.ctx, func() {
				g.mu.Lock()
				defer g.mu.Unlock()
				g.ended.Broadcast()
			})
			defer wake()
		}
		t.r.held = "no more " + g.bound()
		if err := t.r.ctx.Err(); err != nil {
			return err
		}
		g.ended.Wait()
		g.lookAgain()
	}
	g.tasks++
	g.starts++
	t.running.Add(1)
	return nil
}

func (g *threadGate) endTask(t *threadRun) {
	g.alive.Add(-1)
	t.running.Add(-1)
	g.mu.Lock()
	g.tasks--
	g.mu.Unlock()
	g.ended.Broadcast()
}

// A dispatcher with this few workers may have some of the threads that are left
// to others: without one it could not do anything.
const (
	fewWorkers = 3
	fewMore    = 8
)

// startWorker counts one more worker of dispatchers that have so many, if there
// is room for it.
func (g *threadGate) startWorker(have int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lookAgain()
	room := g.room
	if have < fewWorkers {
		room += fewMore
	}
	if g.tasks+g.workers >= room {
		return false
	}
	g.workers++
	g.starts++
	return true
}

func (g *threadGate) endWorker() {
	g.alive.Add(-1)
	g.mu.Lock()
	g.workers--
	g.mu.Unlock()
	g.ended.Broadcast()
}

// noRoom is the error for dispatchers without room for their first worker.
func (g *threadGate) noRoom() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.full("dispatchers")
}

// bound says what bounds the threads now: "than 8000 threads of tasks run at
// once, as Go ends a process with 10,000". mu is held.
func (g *threadGate) bound() string {
	if g.tasks >= mostThreads {
		return fmt.Sprintf("than %d threads of tasks run at once, as Go ends a process with 10,000", mostThreads)
	}
	return fmt.Sprintf("than %d threads have room: %s is %d, and the others are in use or left to the rest of the process", g.tasks+g.workers, g.narrow.name, g.narrow.max)
}

// full is the error for no room. mu is held.
func (g *threadGate) full(who string) error {
	if who == "threads" && g.tasks >= mostThreads {
		return fmt.Errorf("sched: threads: all %d threads are taken by runs that wait for this one; use Goroutines or Pool inside of tasks", g.tasks)
	}
	l := g.narrow
	ours := ""
	if g.workers > 0 {
		ours = fmt.Sprintf(" (%d by workers of Dispatchers, which Close ends)", g.workers)
	}
	return fmt.Errorf("sched: %s: no room for one more thread: %s is %d, %d are in use%s and %d are left to others; %s, or use Goroutines",
		who, l.name, l.max, l.used, ours, min(l.max, l.max-l.usable()), l.remedy)
}

// A threadLimit is something that limits how many threads there can be.
type threadLimit struct {
	name   string
	max    int
	used   int // threads that count against it now
	remedy string
	count  func() int // finds the exact number, at a price, where used is only the most there can be
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
	return append(limits, threadLimit{name: "Go's debug.SetMaxThreads", max: n, used: used, remedy: "raise it"})
}

var goMax sync.Mutex
