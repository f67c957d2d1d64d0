package sched

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
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
	r := newRun(ctx, tasks)
	// Deferred, because a task of Sequential can end this goroutine.
	defer r.cancel(nil)
	s.exec(r, 0, len(tasks))
	return r.result()
}

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
	late    bool  // the failure came when the parent was done already
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
		r.late = r.parent.Err() != nil
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
	case r.tasks[i] == nil:
		r.fail(i, errNilTask)
	case v == nil:
		r.fail(i, ErrGoexit)
	case ok: // carried here from another goroutine, with that one's stack
		r.fail(i, e)
	default:
		r.fail(i, &PanicError{Value: v, Stack: debug.Stack()})
	}
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
	if r.parent.Err() == nil || r.failure != nil && !r.late {
		return r.firstFailure()
	}
	return &stoppedError{
		left: left, of: len(r.tasks),
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

// A stoppedError says that the context of a run was done before all of its
// tasks had started.
type stoppedError struct {
	left, of   int
	err, cause error // the context's
	failure    error // of a task that failed after that, or nil
}

func (e *stoppedError) Error() string {
	s := fmt.Sprintf("sched: %d of %d tasks not started: %v", e.left, e.of, e.cause)
	if e.of == 0 {
		s = fmt.Sprintf("sched: no tasks, and %v", e.cause)
	}
	// Tasks that only pass the context's error on tell nothing new.
	if e.failure != nil && !errors.Is(e.failure, e.err) && !errors.Is(e.failure, e.cause) {
		s += "; then " + e.failure.Error()
	}
	return s
}

// Unwrap returns the context's cause, its error, and the failure if there is
// one, so that errors.Is and errors.As find each.
func (e *stoppedError) Unwrap() []error {
	errs := []error{e.cause, e.err}
	if e.failure != nil {
		errs = append(errs, e.failure)
	}
	return errs
}
