package sched

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"overlap/pkg/internal/guard"
	"overlap/pkg/sched/internal/engine"
)

// A TaskPool is an opened pool of another library, for [Adapt].
type TaskPool struct {
	// Submit hands a function to the pool, which calls it once, on any goroutine. It may wait until
	// there is room. Where it returns an error the function is not called. Run waits for every function
	// for which it returned nil: for ever, where the pool drops one.
	Submit func(func()) error
	// Close takes the pool down. It is called when all functions have returned, and may be nil.
	Close func()
}

// Adapt returns the scheduler that runs tasks on somebody else's pool, which open makes for every Run
// that has tasks. limit is how many functions the pool runs at once; below 1 is an error that Run
// returns.
//
// The pool only calls functions: errors, panics and cancellation, which every library treats in its own
// way, are seen to here, so that all that [Scheduler] promises holds for any pool. An error of open or
// Submit is one of Run, and a panic of them or of Close, too, which then holds a [*PanicError]. A
// function that the pool calls once more, or after Submit failed, does nothing.
func Adapt(name string, limit int, open func() (TaskPool, error)) Scheduler {
	return &adapted{name, limit, open}
}

type adapted struct {
	name  string
	limit int
	open  func() (TaskPool, error)
}

func (a *adapted) Name() string { return a.name }

func (a *adapted) Limit() int { return max(1, a.limit) }

func (a *adapted) Facts() Facts { return Facts{Kind: KindAdapted, Limit: a.Limit()} }

func (a *adapted) Run(ctx context.Context, tasks []Task) error { return engine.Execute(ctx, tasks, a) }

func (a *adapted) Exec(r *engine.Run, lo, hi int) {
	if a.limit < 1 {
		r.Abort(fmt.Errorf("sched: %s: needs at least 1 worker", a.name))
		return
	}
	if lo == hi || r.Stopped() {
		r.Skip(hi - lo)
		return
	}
	pool, err := TaskPool{}, errors.New("there is no function that opens it")
	if a.open != nil {
		err = call("open", func() (err error) {
			pool, err = a.open()
			return err
		})
	}
	if err == nil && pool.Submit == nil {
		err = errors.New("the opened pool has no function Submit")
	}
	if err != nil {
		r.Abort(fmt.Errorf("sched: %s: %w", a.name, err))
		return
	}
	a.submit(r, pool, lo, hi)
	r.WG.Wait()
	if pool.Close == nil {
		return
	}
	if err := call("Close", func() error { pool.Close(); return nil }); err != nil {
		r.Abort(fmt.Errorf("sched: %s: all tasks have ended, but %w", a.name, err))
	}
}

// submit hands the tasks to the pool.
func (a *adapted) submit(r *engine.Run, pool TaskPool, lo, hi int) {
	r.Ctx = engine.WithoutWorker(r.Ctx)
	// Whether a task has been begun, or was taken back.
	gone := make([]atomic.Bool, hi-lo)
	for i := lo; i < hi; i++ {
		if r.Stopped() {
			r.Skip(hi - i)
			return
		}
		r.WG.Add(1)
		err := call("Submit", func() error {
			return pool.Submit(func() {
				if !gone[i-lo].Swap(true) {
					r.Spawned(i)
				}
			})
		})
		if err != nil {
			left := hi - i - 1
			if !gone[i-lo].Swap(true) { // a panic can come when the task has been begun
				r.WG.Done()
				left++
			}
			r.Skip(left)
			r.Abort(fmt.Errorf("sched: %s: task %d not taken: %w", a.name, i, err))
			return
		}
	}
}

// call calls a function of the pool and returns its panic as an error.
func call(what string, f func() error) error {
	err := guard.Call(f)
	if panicked, ok := err.(*PanicError); ok {
		return fmt.Errorf("%s of the pool: %w", what, panicked)
	}
	return err
}
