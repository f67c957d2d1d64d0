package sched

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"overlap/pkg/sched/internal/engine"
)

// AwaitEach returns the scheduler that starts each task on inner and waits for its result before it
// starts the next. It looks concurrent, as inner is, and never has two tasks running: it can only lose
// against [Sequential].
//
// This is the mistake of the second published experiment, where each coroutine started a virtual thread
// and blocked on its result at once.
//
// A nil inner is an error that Run returns.
func AwaitEach(inner Scheduler) Scheduler { return awaitEach{inner} }

type awaitEach struct{ inner Scheduler }

func (a awaitEach) Name() string {
	if a.inner == nil {
		return "await each nil"
	}
	return "await each " + a.inner.Name()
}

func (awaitEach) Limit() int { return 1 }

func (awaitEach) Facts() Facts { return Facts{Kind: KindAwaitEach, Serial: true, Limit: 1} }

func (a awaitEach) Run(ctx context.Context, tasks []Task) error { return engine.Execute(ctx, tasks, a) }

func (a awaitEach) Exec(r *engine.Run, lo, hi int) {
	if a.inner == nil {
		r.Abort(errors.New("sched: await each: the inner scheduler is nil"))
		return
	}
	one := a.runOne
	if s, ok := a.inner.(engine.Strategy); ok {
		// The same without a new context for every task, which costs more than the goroutine that is to
		// be shown.
		one = func(r *engine.Run, i int) { s.Exec(r, i, i+1) }
	}
	for i := lo; i < hi; i++ {
		if r.Stopped() {
			r.Skip(hi - i)
			return
		}
		one(r, i)
	}
}

// runOne gives task i to an inner scheduler of any kind.
func (a awaitEach) runOne(r *engine.Run, i int) {
	var started atomic.Bool
	task := func(ctx context.Context) error {
		started.Store(true)
		return r.Tasks[i](ctx)
	}
	if r.Tasks[i] == nil {
		task = nil
	}
	err := a.inner.Run(r.Ctx, []Task{task})
	// Not errors.As: the cause of ctx can be the failure of another task.
	te, failed := err.(*TaskError)
	switch {
	case failed:
		r.Fail(i, te.Err)
	case err != nil && started.Load():
		r.Fail(i, err)
	case err != nil && r.Parent.Err() != nil:
		r.Skip(1)
	case err != nil:
		r.Abort(fmt.Errorf("sched: %s: task %d not started: %w", a.Name(), i, err))
	}
}
