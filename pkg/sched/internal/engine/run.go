package sched

import (
	"context"
	"errors"
	"fmt"
	"overlap/pkg/internal/guard"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// A strategy is what differs between the schedulers of this package: how the
// tasks lo to hi-1 of a run get their turns. The rest is [run]'s. exec returns
// when all tasks that it started have returned. It is a method apart from Run
// so that AwaitEach can use a strategy task by task within one run.
type strategy interface {
	exec(r *run, lo, hi int)
}

// execute is the Run method of every strategy.
func execute(ctx context.Context, tasks []Task, s strategy) error {
	if ctx == nil {
		return errNilContext
	}
	r := newRun(ctx, tasks)
	// Deferred, because a task of Sequential can end this goroutine.
	defer r.cancel(nil)
	s.exec(r, 0, len(tasks))
	err := r.result()
	if stopped, ok := err.(*StoppedError); ok && stopped.Held == "" {
		stopped.Held = r.fullBound(s, stopped.Of-stopped.Left)
	}
	return err
}

// errNilContext is the error for a context that is nil.
var errNilContext = errors.New("sched: the context is nil; give context.Background() if there is none")

// fullBound says that the bound of s kept further tasks from starting: that is
// so if just as many had been started as it allows at once, as none of them
// then made room for another. Most often that only means that the run was
// stopped early. Who waited until a deadline may wonder whether it would ever
// have ended, and only then that is said, too. Of one at a time there is nothing
// to say otherwise, and of a plain loop never.
func (r *run) fullBound(s strategy, started int) string {
	b := s.(Scheduler)
	if _, loop := s.(sequential); loop || started == 0 || started != FactsOf(b).Limit {
		return ""
	}
	late := r.late()
	switch {
	case started == 1 && late:
		return fmt.Sprintf("1 was running, as many as %s runs at once (if it waits for one that is not started, it waits for ever)", b.Name())
	case started == 1:
		return ""
	}
	held := fmt.Sprintf("%d were running, as many as %s runs at once", started, b.Name())
	if late {
		held += " (if they wait for one that is not started, they wait for ever)"
	}
	return held
}

// late reports whether the run was stopped by a deadline.
func (r *run) late() bool { return errors.Is(r.parent.Err(), context.DeadlineExceeded) }

// A run is the state of one call of Run that its tasks share.
type run struct {
	ctx    context.Context // what the tasks get; done once the run has failed
	parent context.Context // what Run got
	cancel context.CancelCauseFunc
	tasks  []Task

	// canEnd is false where the parent can never be done.
	canEnd bool
	failed atomic.Bool
	// wg counts the goroutines of the strategy. One serves a whole run: exec
	// calls of a run follow one another.
	wg sync.WaitGroup
	// unstarted counts tasks that did not get their turn.
	unstarted atomic.Int64

	mu      sync.Mutex
	failure error // the first one
	after   bool  // it came when the parent was done already

	// held says what kept tasks from starting, if something did. Only exec's
	// goroutine uses it.
	held string
}

func newRun(ctx context.Context, tasks []Task) *run {
	r := &run{parent: ctx, tasks: tasks, canEnd: ctx.Done() != nil}
	r.ctx, r.cancel = context.WithCancelCause(offLoop(ctx))
	return r
}

// stopped reports whether no further task may start. It asks the parent, not
// the run's own context, because a context that is not one of package
// context's own reaches its children only some time after it is done.
func (r *run) stopped() bool {
	return r.failed.Load() || r.canEnd && r.parent.Err() != nil
}

// skip counts n tasks as not started.
func (r *run) skip(n int) { r.unstarted.Add(int64(n)) }

// fail records that task i failed with err.
func (r *run) fail(i int, err error) { r.abort(&TaskError{Task: i, Err: err}) }

// abort ends the run with err, unless it has failed before.
func (r *run) abort(err error) {
	r.mu.Lock()
	if r.failure == nil {
		r.failure = err
		r.after = r.parent.Err() != nil
		r.failed.Store(true)
	}
	err = r.failure
	r.mu.Unlock()
	r.cancel(err)
}

// errNilTask is the failure of a nil Task.
var errNilTask = errors.New("task is nil")

// guard is deferred around calls of tasks and turns a panic or a
// runtime.Goexit of the task *i into its failure. *returned says that neither
// happened. A failure ends the run, so that one guard can serve all tasks that
// a goroutine runs.
func (r *run) guard(i *int, returned *bool) {
	if !*returned {
		r.ended(*i, recover())
	}
}

// ended records that task i did not return: it panicked with v, or called
// runtime.Goexit if v is nil. It is called while the stack is still there.
func (r *run) ended(i int, v any) {
	switch e, ok := v.(*PanicError); {
	case r.tasks[i] == nil && isNilCall(v):
		r.fail(i, errNilTask)
	case v == nil:
		r.fail(i, ErrGoexit)
	case ok: // carried here from another goroutine, with that one's stack
		r.fail(i, e)
	default:
		r.fail(i, guard.Panicked(v))
	}
}

// isNilCall reports whether a nil function can have panicked with v. A task that
// panicked with anything else was there, though its slot in the slice may have
// been cleared since.
func isNilCall(v any) bool {
	err, ok := v.(runtime.Error)
	return ok && strings.HasSuffix(err.Error(), "nil pointer dereference")
}

// spawned is the body of a goroutine that runs task i alone. The run's wg
// counts it.
func (r *run) spawned(i int) {
	returned := false
	defer r.wg.Done()
	defer r.guard(&i, &returned)
	if r.stopped() {
		r.skip(1)
	} else if err := r.tasks[i](r.ctx); err != nil {
		r.fail(i, err)
	}
	returned = true
}

// result is what Run returns. No task is running any more.
func (r *run) result() error {
	left := int(r.unstarted.Load())
	if left == 0 && len(r.tasks) > 0 {
		return r.firstFailure()
	}
	if r.parent.Err() == nil || r.failure != nil && !r.after {
		return r.firstFailure()
	}
	return &StoppedError{
		Left: left, Of: len(r.tasks), Held: r.held,
		err:     r.parent.Err(),
		cause:   context.Cause(r.parent),
		failure: r.failure,
	}
}

func (r *run) firstFailure() error {
	if r.failure != nil {
		return r.failure
	}
	return nil
}
