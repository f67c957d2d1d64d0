package sched

import (
	"context"
	"errors"
	"fmt"
	"overlap/pkg/internal/guard"
	"sync/atomic"
)

// A TaskPool is an opened pool of another library, for [Adapt].
type TaskPool struct {
	// Submit hands a function to the pool, which calls it once, on any
	// goroutine. It may wait until there is room. Where it returns an error the
	// function is not called. Run waits for every function for which it returned
	// nil: for ever, where the pool drops one.
	Submit func(func()) error
	// Close takes the pool down. It is called when all functions have returned,
	// and may be nil.
	Close func()
}

// Adapt returns the scheduler that runs tasks on somebody else's pool, which
// open makes for every Run that has tasks. limit is how many functions the pool
// runs at once; below 1 is an error that Run returns.
//
// The pool only calls functions: errors, panics and cancellation, which every
// library treats in its own way, are seen to here, so that all that [Scheduler]
// promises holds for any pool. An error of open or Submit is one of Run, and a
// panic of them or of Close, too, which then holds a [*PanicError]. A function
// that the pool calls once more, or after Submit failed, does nothing.
func Adapt(name string, limit int, open func() (TaskPool, error)) Scheduler {
	return &adapted{name, limit, open}
}

type adapted struct {
	name  string
	limit int
	open  func() (TaskPool, error)
}

func (a *adapted) Name() string { return a.name }

func (a *adapted) Facts() Facts { return Facts{Kind: KindAdapted, Limit: max(1, a.limit)} }

func (a *adapted) Run(ctx context.Context, tasks []Task) error { return execute(ctx, tasks, a) }

func (a *adapted) exec(r *run, lo, hi int) {
	if a.limit < 1 {
		r.abort(fmt.Errorf("sched: %s: needs at least 1 worker", a.name))
		return
	}
	if lo == hi || r.stopped() {
		r.skip(hi - lo)
		return
	}
	pool, err := TaskPool{}, errors.New("there is no function that opens it")
	if a.open != nil {
		err = a.call("open", func() (err error) {
			pool, err = a.open()
			return err
		})
	}
	if err == nil && pool.Submit == nil {
		err = errors.New("the opened pool has no function Submit")
	}
	if err != nil {
		r.abort(fmt.Errorf("sched: %s: %w", a.name, err))
		return
	}
	r.ctx = withoutWorker(r.ctx)
	// Whether a task has been begun, or was taken back.
	gone := make([]atomic.Bool, hi-lo)
	for i := lo; i < hi; i++ {
		if r.stopped() {
			r.skip(hi - i)
			break
		}
		r.wg.Add(1)
		err := a.call("Submit", func() error {
			return pool.Submit(func() {
				if !gone[i-lo].Swap(true) {
					r.spawned(i)
				}
			})
		})
		if err != nil {
			left := hi - i - 1
			if !gone[i-lo].Swap(true) { // a panic can come when the task has been begun
				r.wg.Done()
				left++
			}
			r.skip(left)
			r.abort(fmt.Errorf("sched: %s: task %d not taken: %w", a.name, i, err))
			break
		}
	}
	r.wg.Wait()
	if pool.Close == nil {
		return
	}
	if err := a.call("Close", func() error { pool.Close(); return nil }); err != nil {
		r.abort(fmt.Errorf("sched: %s: all tasks have ended, but %w", a.name, err))
	}
}

// call calls a function of the pool and returns its panic as an error.
func (a *adapted) call(what string, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s of the pool: %w", what, guard.Panicked(v))
		}
	}()
	return f()
}
