// Package peers makes schedulers of widely used pool libraries, so that they
// can be measured beside those of package sched on the same tasks:
//
//	Ants(n)  github.com/panjf2000/ants/v2
//	Conc(n)  github.com/sourcegraph/conc/pool
//	Pond(n)  github.com/alitto/pond/v2
//
// Each Run makes a pool of n workers and takes it down, and keeps all that
// [sched.Scheduler] promises. The libraries have queues and workers; panics,
// errors and cancellation each treats in its own way, or not at all: ants
// prints a panic, conc raises it again in Wait, pond makes an error of it. So
// the adapters hand them tasks that do that themselves, the same way for all.
//
// With empty tasks, 100,000 of them on two CPUs, that adds 0.1 µs a task to the
// 0.07 µs of a bare pool of pond, 0.04 µs to the 0.25 µs of conc, and nothing
// that shows to the 0.46 µs of ants, whose users need a sync.WaitGroup as well.
// See the rows "raw" of BenchmarkEmptyTask.
package peers

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"overlap/pkg/sched"
)

// An opened pool takes functions and is closed when all of them have returned.
type opened struct {
	submit func(func()) error
	close  func()
}

// A peer is a scheduler on a library's pool.
type peer struct {
	library string
	workers int
	open    func(workers int) (opened, error)
}

func (p *peer) Name() string { return fmt.Sprintf("%s(%d)", p.library, p.workers) }

func (p *peer) Limit() int { return max(1, p.workers) }

func (p *peer) Run(ctx context.Context, tasks []sched.Task) error {
	if p.workers < 1 {
		return fmt.Errorf("peers: %s: needs at least 1 worker", p.Name())
	}
	r := &run{parent: ctx, tasks: tasks}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	if len(tasks) > 0 {
		pool, err := p.open(p.workers)
		if err != nil {
			return fmt.Errorf("peers: %s: %w", p.Name(), err)
		}
		if err := r.submitAll(pool.submit); err != nil {
			r.fail(fmt.Errorf("peers: %s: %w", p.Name(), err))
		}
		r.wg.Wait()
		pool.close()
	}
	return r.result()
}

// A run is one call of Run.
type run struct {
	parent, ctx context.Context
	cancel      context.CancelCauseFunc
	tasks       []sched.Task

	wg        sync.WaitGroup
	failed    atomic.Bool
	unstarted atomic.Int64

	mu      sync.Mutex
	failure error // the first one
	late    bool  // it came when the parent was done already
}

func (r *run) stopped() bool { return r.failed.Load() || r.parent.Err() != nil }

// submitAll hands the tasks to a pool, until the run stops.
func (r *run) submitAll(submit func(func()) error) error {
	for i := range r.tasks {
		if r.stopped() {
			r.unstarted.Add(int64(len(r.tasks) - i))
			return nil
		}
		r.wg.Add(1)
		if err := submit(func() { r.task(i) }); err != nil {
			r.wg.Done()
			r.unstarted.Add(int64(len(r.tasks) - i))
			return fmt.Errorf("task %d not taken: %w", i, err)
		}
	}
	return nil
}

// task runs task i.
func (r *run) task(i int) {
	returned := false
	defer r.wg.Done()
	defer func() {
		if !returned {
			r.fail(&sched.TaskError{Task: i, Err: ended(r.tasks[i], recover())})
		}
	}()
	if r.stopped() {
		r.unstarted.Add(1)
	} else if err := r.tasks[i](r.ctx); err != nil {
		r.fail(&sched.TaskError{Task: i, Err: err})
	}
	returned = true
}

// ended is the failure of a task that did not return: it panicked with v, or
// called runtime.Goexit if v is nil.
func ended(task sched.Task, v any) error {
	switch {
	case task == nil:
		return errors.New("task is nil")
	case v == nil:
		return sched.ErrGoexit
	}
	return &sched.PanicError{Value: v, Stack: debug.Stack()}
}

func (r *run) fail(err error) {
	r.mu.Lock()
	if r.failure == nil {
		r.failure, r.late = err, r.parent.Err() != nil
	}
	err = r.failure
	r.mu.Unlock()
	r.failed.Store(true)
	r.cancel(err)
}

// result is what Run returns. No task is running any more.
func (r *run) result() error {
	left, n := r.unstarted.Load(), len(r.tasks)
	if r.parent.Err() == nil || left == 0 && n > 0 || r.failure != nil && !r.late {
		return r.failure
	}
	err := fmt.Errorf("peers: %d of %d tasks not started: %w", left, n, context.Cause(r.parent))
	return errors.Join(err, r.failure)
}
