// Package engine is what the schedulers of packages sched and kotlin have in common: a run with its
// first failure, its stop and its errors, and the worker that a task is on. A scheduler adds how tasks
// get their turns: a [Strategy].
package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"overlap/pkg/internal/guard"
)

// A Task is sched.Task.
type Task func(ctx context.Context) error

// A Strategy is what differs between schedulers.
type Strategy interface {
	// Exec gives the tasks lo to hi-1 of a run their turns. It returns when all that it started have
	// returned. AwaitEach uses it task by task within one run.
	Exec(r *Run, lo, hi int)

	Name() string

	// Limit returns how many tasks run at once at most, 0 for no bound and where there is nothing to
	// be said of it.
	Limit() int
}

// Execute is the Run method of every strategy.
func Execute(ctx context.Context, tasks []Task, s Strategy) error {
	if ctx == nil {
		return ErrNilContext
	}
	r := &Run{Parent: ctx, Tasks: tasks, canEnd: ctx.Done() != nil}
	r.Ctx, r.cancel = context.WithCancelCause(OffLoop(ctx))
	// Deferred, because a task of Sequential can end this goroutine.
	defer r.cancel(nil)
	s.Exec(r, 0, len(tasks))
	err := r.result()
	if stopped, ok := err.(*StoppedError); ok && stopped.Held == "" {
		stopped.Held = r.fullBound(s, stopped.Of-stopped.Left)
	}
	return err
}

// ErrNilContext is the error for a context that is nil.
var ErrNilContext = errors.New("sched: the context is nil; give context.Background() if there is none")

// fullBound says that the bound of s kept further tasks from starting: that is so if just as many had
// been started as it allows at once, as none of them then made room for another. Most often that only
// means that the run was stopped early. Who waited until a deadline may wonder whether it would ever
// have ended, and only then that is said, too. Of one at a time there is nothing to say otherwise.
func (r *Run) fullBound(s Strategy, started int) string {
	if started == 0 || started != s.Limit() || started == 1 && !r.Late() {
		return ""
	}
	they, wait := fmt.Sprintf("%d were", started), " (if they wait for one that is not started, they wait for ever)"
	if started == 1 {
		they, wait = "1 was", " (if it waits for one that is not started, it waits for ever)"
	}
	if !r.Late() {
		wait = ""
	}
	return fmt.Sprintf("%s running, as many as %s runs at once%s", they, s.Name(), wait)
}

// A Run is the state of one call of a scheduler's Run that its tasks share.
type Run struct {
	Ctx    context.Context // what the tasks get; done once the run has failed
	Parent context.Context // what Run got
	Tasks  []Task

	// WG counts the goroutines of the strategy. One serves a whole run: calls of Exec follow one
	// another.
	WG sync.WaitGroup

	// Held says what kept tasks from starting, if something did. Only Exec's goroutine uses it.
	Held string

	cancel    context.CancelCauseFunc
	canEnd    bool // the parent can be done
	failed    atomic.Bool
	unstarted atomic.Int64 // tasks that did not get their turn

	mu      sync.Mutex
	failure error // the first one
	after   bool  // it came when the parent was done already
}

// Late reports whether the run was stopped by a deadline.
func (r *Run) Late() bool { return errors.Is(r.Parent.Err(), context.DeadlineExceeded) }

// Stopped reports whether no further task may start. It asks the parent, not the run's own context,
// because a context that is not one of package context's own reaches its children only some time after
// it is done.
func (r *Run) Stopped() bool {
	return r.failed.Load() || r.canEnd && r.Parent.Err() != nil
}

// Skip counts n tasks as not started.
func (r *Run) Skip(n int) { r.unstarted.Add(int64(n)) }

// Fail records that task i failed with err.
func (r *Run) Fail(i int, err error) { r.Abort(&TaskError{Task: i, Err: err}) }

// Abort ends the run with err, unless it has failed before.
func (r *Run) Abort(err error) {
	r.mu.Lock()
	if r.failure == nil {
		r.failure = err
		r.after = r.Parent.Err() != nil
		r.failed.Store(true)
	}
	err = r.failure
	r.mu.Unlock()
	r.cancel(err)
}

// ErrNilTask is the failure of a nil Task.
var ErrNilTask = errors.New("task is nil")

// Do runs task i with ctx and reports whether it has returned nil. If not, that has ended the run.
func (r *Run) Do(i int, ctx context.Context) bool {
	task, err := r.Tasks[i], ErrNilTask
	if task != nil {
		err = task(ctx)
	}
	if err != nil {
		r.Fail(i, err)
	}
	return err == nil
}

// Guard is deferred around calls of tasks and turns a panic or a runtime.Goexit of the task *i into its
// failure. *returned says that neither happened. A failure ends the run, so that one guard can serve
// all tasks that a goroutine runs.
func (r *Run) Guard(i *int, returned *bool) {
	if !*returned {
		r.Fail(*i, guard.Ended(recover()))
	}
}

// Spawned is the body of a goroutine that runs task i alone. WG counts it.
func (r *Run) Spawned(i int) {
	returned := false
	defer r.WG.Done()
	defer r.Guard(&i, &returned)
	if r.Stopped() {
		r.Skip(1)
	} else {
		r.Do(i, r.Ctx)
	}
	returned = true
}

// InTurn runs the tasks lo to hi-1, one after another, on the caller's goroutine, until one fails or
// the parent is done.
func (r *Run) InTurn(lo, hi int) {
	i, returned := lo, false
	defer r.Guard(&i, &returned)
	defer func() {
		if i < hi { // all after the one that it ended at
			r.Skip(hi - i - 1)
		}
	}()
	r.loop(&i, hi)
	returned = true
}

// loop leaves the index that it came to in *i. It is apart from InTurn because a loop in a function
// with defers is slower.
func (r *Run) loop(i *int, hi int) {
	ctx, parent := r.Ctx, r.Parent
	for _, task := range r.Tasks[*i:hi] {
		// A failure ends the loop by itself: only the parent has to be asked.
		if parent.Err() != nil {
			r.Skip(1)
			return
		}
		if task == nil {
			r.Fail(*i, ErrNilTask)
			return
		}
		if err := task(ctx); err != nil {
			r.Fail(*i, err)
			return
		}
		*i++
	}
}

// result is what Run returns. No task is running any more.
func (r *Run) result() error {
	left := int(r.unstarted.Load())
	if left == 0 && len(r.Tasks) > 0 || r.Parent.Err() == nil || r.failure != nil && !r.after {
		return r.failure
	}
	return &StoppedError{
		Left: left, Of: len(r.Tasks), Held: r.Held,
		err: r.Parent.Err(), cause: context.Cause(r.Parent), failure: r.failure,
	}
}
