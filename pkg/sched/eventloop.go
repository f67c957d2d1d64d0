package sched

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"

	"overlap/pkg/internal/guard"
	"overlap/pkg/sched/internal/engine"
)

// EventLoop returns the scheduler that runs tasks as coroutines which take turns on one goroutine, as
// asyncio's event loop and Kotlin's runBlocking do on one thread. A task keeps its turn until it calls
// [Yield] or [Await] or returns. Turns come in the order in which they were asked for, first in, first
// out; all tasks have asked at the start, and the coroutine of a task is made when its first turn comes.
//
// A task that blocks in any other way, on a channel, a lock, a sleep or a read, stops the whole loop.
//
// There is one worker, the loop. At each moment it is on one thread, but the Go runtime may move it, as
// any goroutine: on a locked thread each wake-up after an Await costs 50 us, and 0.3 us so. A task that
// has locked itself to its thread (runtime.LockOSThread) is unlocked when it yields, awaits or returns: a
// coroutine cannot keep a thread, and the runtime ends the process of one that tries. More than four
// locks of one task are not undone.
//
// When the run stops, tasks that wait for a turn get it, and Yield tells them. There is no bound: every
// task that has begun and not returned is in memory.
func EventLoop() Scheduler { return eventLoop{} }

// Yield gives the turn of the calling task to the others of its [EventLoop] and returns when the task's
// next turn comes, with ctx's error if there is one. ctx is the context that the task got, or one made
// from it, and the caller the task itself: a goroutine that it has started has no turn to give, and must
// not call Yield or Await with the task's context.
//
// Under any other scheduler, and under none, it is runtime.Gosched.
func Yield(ctx context.Context) error {
	if ctx == nil {
		return engine.ErrNilContext
	}
	if l := loopOf(ctx); l != nil {
		l.requeue()
	} else {
		runtime.Gosched()
	}
	return ctx.Err()
}

// Await runs op(ctx) on another goroutine, while the other tasks of the [EventLoop] have their turns, and
// returns what op returned in the next turn after that. A panic or runtime.Goexit in op goes on in the
// task. ctx is the context that the task got, or one made from it. If it is done, Await returns its error
// and does not call op. If that happens later it still waits for op, which should then return early. As
// with [Yield], only the task itself may call it.
//
// Under any other scheduler, and under none, it only calls op.
func Await(ctx context.Context, op func(context.Context) error) error {
	switch {
	case ctx == nil:
		return engine.ErrNilContext
	case op == nil:
		return errors.New("sched: Await: the function is nil")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if l := loopOf(ctx); l != nil {
		return l.await(ctx, op)
	}
	return op(ctx)
}

type eventLoop struct{}

func (eventLoop) Name() string { return "event loop" }

func (eventLoop) Facts() Facts { return Facts{Kind: KindEventLoop} }

func (eventLoop) Limit() int { return 0 }

func (s eventLoop) Run(ctx context.Context, tasks []Task) error { return engine.Execute(ctx, tasks, s) }

func (eventLoop) Exec(r *engine.Run, lo, hi int) {
	if lo == hi {
		return
	}
	l := &loop{r: r, lo: lo, next: lo, hi: hi, wake: make(chan struct{}, 1), done: make(chan struct{})}
	l.ctx = context.WithValue(engine.WithWorker(r.Ctx, WorkerInfo{ID: 1}), engine.LoopKey{}, l)
	go l.run()
	<-l.done
}

// A loop is one run on an event loop. Only its goroutine and the coroutine that has the turn use it,
// except for the fields named at the end.
type loop struct {
	r   *engine.Run
	ctx context.Context // what the tasks get

	next, hi int // tasks that wait for their first turn
	lo       int // the first of all
	ready    engine.Queue[coroutine]
	current  coroutine // has the turn
	alive    int       // coroutines that have begun and not ended
	done     chan struct{}

	// Goroutines that ran an op of Await leave the coroutine here.
	mu         sync.Mutex
	arrived    []coroutine
	hasArrived atomic.Bool
	wake       chan struct{} // of capacity 1
}

// loopOf returns the loop that the task with this context is on, or nil.
func loopOf(ctx context.Context) *loop {
	l, _ := ctx.Value(engine.LoopKey{}).(*loop)
	return l
}

// A coroutine is a task that has begun.
type coroutine struct {
	resume func() (struct{}, bool)
	yield  func(struct{}) bool
}

// run gives turns until no coroutine is left.
func (l *loop) run() {
	over := false
	defer func() {
		if over {
			close(l.done)
			return
		}
		// A task called runtime.Goexit, and iter.Pull passes that on to here. The coroutines that are
		// left still have to end.
		go l.run()
	}()
	for {
		if l.hasArrived.Load() {
			l.collect()
		}
		switch {
		case l.next < l.hi:
			// These asked first.
			if l.r.Stopped() {
				if l.next > l.lo && l.r.Late() {
					l.r.Held = fmt.Sprintf("task %d had the turn on the event loop, "+
						"and keeps it until it returns, yields or awaits", l.next-1)
				}
				l.r.Skip(l.hi - l.next)
				l.next = l.hi
				continue
			}
			task := l.next
			l.next++
			l.alive++
			l.current.resume, _ = iter.Pull(func(yield func(struct{}) bool) { l.begin(task, yield) })
			l.current.resume()
		case l.ready.Len() > 0:
			l.current = l.ready.Pop()
			l.current.resume()
		case l.alive > 0:
			<-l.wake // all wait for an op
		default:
			over = true
			return
		}
	}
}

// begin runs a task. It is the body of its coroutine.
func (l *loop) begin(task int, yield func(struct{}) bool) {
	l.current.yield = yield
	returned := false
	defer func() {
		unlockThread()
		l.alive--
	}()
	defer l.r.Guard(&task, &returned)
	l.r.Do(task, l.ctx)
	returned = true
}

// requeue ends the turn of the current coroutine and asks for another.
func (l *loop) requeue() {
	l.ready.Push(l.current)
	unlockThread()
	l.current.yield(struct{}{})
}

// unlockThread undoes the calls of runtime.LockOSThread that a task has not undone. How many there are
// cannot be asked, but one too many does nothing and costs 2 ns.
func unlockThread() {
	for range 4 {
		runtime.UnlockOSThread()
	}
}

// await ends the turn of the current coroutine, which asks for another when op has returned.
func (l *loop) await(ctx context.Context, op func(context.Context) error) error {
	co := l.current
	var err, panicked error
	returned := false
	go func() {
		defer l.arrive(co)
		panicked = guard.Call(func() error {
			err = op(engine.OffLoop(ctx))
			returned = true
			return nil
		})
	}()
	unlockThread()
	co.yield(struct{}{})
	switch {
	case panicked != nil:
		panic(panicked)
	case !returned:
		runtime.Goexit()
	}
	return err
}

// arrive is called on any goroutine when co can have another turn.
func (l *loop) arrive(co coroutine) {
	l.mu.Lock()
	l.arrived = append(l.arrived, co)
	l.hasArrived.Store(true)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default: // it is woken already
	}
}

// collect moves what has arrived to the ready ones.
func (l *loop) collect() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, co := range l.arrived {
		l.ready.Push(co)
	}
	clear(l.arrived)
	l.arrived = l.arrived[:0]
	l.hasArrived.Store(false)
}
