package schedtest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"overlap/pkg/sched"
	"overlap/pkg/sched/schedtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A custom is a scheduler made from functions, as short as a wrong idea is.
type custom struct {
	name  func() string
	limit int
	run   func(ctx context.Context, tasks []sched.Task) error
}

func (c custom) Name() string                                      { return c.name() }
func (c custom) Run(ctx context.Context, tasks []sched.Task) error { return c.run(ctx, tasks) }

type customBounded struct{ custom }

func (c customBounded) Facts() sched.Facts { return sched.Facts{Limit: c.limit} }

type customSerial struct{ custom }

func (c customSerial) Facts() sched.Facts { return sched.Facts{Serial: true} }

// loop is a correct loop, to be broken in one place.
func loop(ctx context.Context, tasks []sched.Task) error {
	return sched.Sequential().Run(ctx, tasks)
}

// call runs one task and recovers its panics, correctly.
func call(ctx context.Context, i int, task sched.Task) (err error) {
	returned := false
	defer func() {
		if v := recover(); v != nil {
			err = &sched.TaskError{Task: i, Err: &sched.PanicError{Value: v, Stack: debug.Stack()}}
		} else if !returned {
			err = &sched.TaskError{Task: i, Err: sched.ErrGoexit}
		}
	}()
	if err := task(ctx); err != nil {
		returned = true
		return &sched.TaskError{Task: i, Err: err}
	}
	returned = true
	return nil
}

// TestBroken breaks each promise at least once and looks for its name, but for
// "thread left locked", which ends the process.
func TestBroken(t *testing.T) {
	// Schedulers that hang wait for this, so that they can end after all.
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	named := func() string { return "broken" }
	scheduler := func(run func(ctx context.Context, tasks []sched.Task) error) sched.Scheduler {
		return custom{name: named, run: run}
	}
	var names atomic.Int32
	// Where something must not come, the test waits for it in vain.
	waits := []schedtest.Option{schedtest.Patience(2 * time.Second)}
	many := []schedtest.Option{schedtest.Many(100_000)}
	shared := []schedtest.Option{schedtest.SharedBound()}

	for _, c := range []struct {
		name    string
		s       sched.Scheduler
		promise string
		says    string
		opts    []schedtest.Option
	}{
		{"unnamed", custom{name: func() string { return " " }, run: loop}, "name", "no text", nil},
		{"changes its name", custom{name: func() string { return fmt.Sprint("broken ", names.Add(1)) }, run: loop}, "name", "after a run", nil},
		{"drops the last task", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			return loop(ctx, tasks[:max(0, len(tasks)-1)])
		}), "every task once", "never ran", nil},
		{"runs one task twice", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			if len(tasks) > 2 {
				if err := call(ctx, 2, tasks[2]); err != nil {
					return err
				}
			}
			return loop(ctx, tasks)
		}), "every task once", "ran 2 times", nil},
		{"drops what is beyond 65536", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			return loop(ctx, tasks[:int(uint16(len(tasks)))])
		}), "many tasks", "never ran", many},
		{"hangs on no tasks", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			if len(tasks) == 0 {
				<-release
			}
			return loop(ctx, tasks)
		}), "no tasks", "hangs", waits},
		{"panics on no tasks", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			_ = tasks[0]
			return loop(ctx, tasks)
		}), "no tasks", "panicked", nil},
		{"swallows errors", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			_ = loop(ctx, tasks)
			return nil
		}), "failure is returned", "Run returned nil", nil},
		{"returns an error that is no TaskError", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			err := loop(ctx, tasks)
			var te *sched.TaskError
			if errors.As(err, &te) {
				return te.Err
			}
			return err
		}), "failure is returned", "no *sched.TaskError", nil},
		{"wrong index", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			err := loop(ctx, tasks)
			var te *sched.TaskError
			if errors.As(err, &te) {
				return &sched.TaskError{Task: te.Task + 1, Err: te.Err}
			}
			return err
		}), "failure is returned", "says task 1", nil},
		{"goes on after a failure", customBounded{custom{named, 1, func(ctx context.Context, tasks []sched.Task) (first error) {
			for i, task := range tasks {
				if err := ctx.Err(); err != nil {
					return errors.Join(first, context.Cause(ctx))
				}
				if err := call(ctx, i, task); err != nil && first == nil {
					first = err
				}
			}
			return first
		}}}, "no start after a failure", "were started after it with contexts that were not done", waits},
		{"cancels and goes on after a failure", customBounded{custom{named, 1, func(ctx context.Context, tasks []sched.Task) (first error) {
			inner, cancel := context.WithCancel(ctx)
			defer cancel()
			for i, task := range tasks {
				if err := ctx.Err(); err != nil {
					return errors.Join(first, context.Cause(ctx))
				}
				if err := call(inner, i, task); err != nil && first == nil {
					first = err
					cancel()
				}
			}
			return first
		}}}, "no start after a failure", "199 of 199 tasks were started after task 0 failed", nil},
		{"a failure cancels nothing", scheduler(func(ctx context.Context, tasks []sched.Task) (first error) {
			var mu sync.Mutex
			var wg sync.WaitGroup
			for i, task := range tasks {
				wg.Go(func() {
					if ctx.Err() != nil {
						return
					}
					if err := call(ctx, i, task); err != nil {
						mu.Lock()
						defer mu.Unlock()
						if first == nil {
							first = err
						}
					}
				})
			}
			wg.Wait()
			return errors.Join(first, context.Cause(ctx))
		}), "failure cancels the others", "were not done", waits},
		{"returns the last failure", scheduler(func(ctx context.Context, tasks []sched.Task) (last error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			var mu sync.Mutex
			var wg sync.WaitGroup
			for i, task := range tasks {
				wg.Go(func() {
					if err := call(ctx, i, task); err != nil {
						cancel()
						mu.Lock()
						defer mu.Unlock()
						last = err
					}
				})
			}
			wg.Wait()
			return last
		}), "failure cancels the others", "says task", nil},
		{"lets a panic through", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			for i, task := range tasks {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				if err := task(ctx); err != nil {
					return &sched.TaskError{Task: i, Err: err}
				}
			}
			return nil
		}), "panic is returned", "Run panicked too", nil},
		{"loses the stack", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			err := loop(ctx, tasks)
			var te *sched.TaskError
			var pe *sched.PanicError
			if errors.As(err, &te) && errors.As(err, &pe) {
				return &sched.TaskError{Task: te.Task, Err: &sched.PanicError{Value: pe.Value, Stack: debug.Stack()}}
			}
			return err
		}), "panic is returned", "stack of the panic is lost", nil},
		{"makes a panic a plain error", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			err := loop(ctx, tasks)
			var te *sched.TaskError
			var pe *sched.PanicError
			if errors.As(err, &te) && errors.As(err, &pe) {
				return &sched.TaskError{Task: te.Task, Err: fmt.Errorf("%v", pe.Value)}
			}
			return err
		}), "runtime error is returned", "nil map", nil},
		{"hangs on Goexit", scheduler(func(ctx context.Context, tasks []sched.Task) (first error) {
			for i, task := range tasks {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				done := make(chan error, 1)
				go func() {
					defer func() {
						if v := recover(); v != nil {
							done <- &sched.TaskError{Task: i, Err: &sched.PanicError{Value: v, Stack: debug.Stack()}}
						}
					}()
					err := task(ctx)
					if err != nil {
						err = &sched.TaskError{Task: i, Err: err}
					}
					done <- err
				}()
				select {
				case err := <-done:
					if err != nil {
						return err
					}
				case <-release:
				}
			}
			return nil
		}), "Goexit is returned", "hangs", waits},
		{"takes Goexit for success", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			err := sched.Pool(1).Run(ctx, tasks)
			if errors.Is(err, sched.ErrGoexit) {
				return nil
			}
			return err
		}), "Goexit is returned", "Run returned nil", nil},
		{"starts tasks of a cancelled run", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			if len(tasks) == 0 {
				return nil
			}
			if err := call(ctx, 0, tasks[0]); err != nil {
				return err
			}
			return loop(ctx, tasks[1:])
		}), "cancelled before", "1 of 50 tasks were started", nil},
		{"ignores cancellation", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			for i, task := range tasks {
				if err := call(ctx, i, task); err != nil {
					return err
				}
			}
			return nil
		}), "cancelled in the middle", "after the context was done", nil},
		{"tells nothing of cancellation", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			err := loop(ctx, tasks)
			var te *sched.TaskError
			if errors.As(err, &te) {
				return err
			}
			return nil
		}), "cancelled in the middle", "Run returned nil", nil},
		{"loses the cause of cancellation", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			err := loop(ctx, tasks)
			if errors.Is(err, context.Canceled) {
				return context.Canceled
			}
			return err
		}), "cancelled before", "cause", nil},
		{"has tasks deaf to the caller", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			return loop(context.Background(), tasks)
		}), "context of the caller", "did not find the value", waits},
		{"returns an error although all are done", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			if err := loop(ctx, tasks); err != nil {
				return err
			}
			return ctx.Err()
		}), "done before cancelled", "all returned nil", nil},
		{"passes its bound", customBounded{custom{named, 3, sched.Pool(4).Run}}, "bound", "4 tasks were running at once, and its Facts say at most 3", nil},
		{"is not serial", customSerial{custom{named, 0, sched.Pool(2).Run}}, "bound", "2 tasks were running at once, and its Facts say at most 1", nil},
		{"has a bound of less than nothing", customBounded{custom{named, -1, loop}}, "bound", "at least 1", waits},
		{"returns before its tasks", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			done := make(chan error, 1)
			go func() { done <- sched.Goroutines().Run(ctx, tasks) }()
			select {
			case err := <-done:
				return err
			case <-time.After(3 * time.Millisecond):
				return nil
			}
		}), "returns after its tasks", "had not returned", nil},
		{"returns at the first failure", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			first := make(chan error, 1)
			all := make(chan error, 1)
			watched := make([]sched.Task, len(tasks))
			for i, task := range tasks {
				watched[i] = func(ctx context.Context) error {
					err := task(ctx)
					if err != nil {
						select {
						case first <- &sched.TaskError{Task: i, Err: err}:
						default:
						}
					}
					return err
				}
			}
			go func() { all <- sched.Goroutines().Run(ctx, watched) }()
			select {
			case err := <-first:
				return err
			case err := <-all:
				return err
			}
		}), "returns after its tasks", "one failed", nil},
		{"leaks a goroutine", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			go func() { <-release }()
			return loop(ctx, tasks)
		}), "nothing left behind", "goroutines before", waits},
		{"leaks when a task fails", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			err := loop(ctx, tasks)
			if err != nil {
				go func() { <-release }()
			}
			return err
		}), "nothing left behind", "goroutines before", waits},
		{"keeps the state of a run in itself", scheduler(sharedState()), "runs at once", "other calls of Run", nil},
		{"should share its bound", sched.Pool(2), "runs share a bound", "of another took up the limit of 2", shared},
		{"should have one", sched.Goroutines(), "runs share a bound", "have no Limit", shared},
		{"shares its bound among runs", scheduler(func() func(context.Context, []sched.Task) error {
			slot := make(chan struct{}, 1)
			return func(ctx context.Context, tasks []sched.Task) error {
				select {
				case slot <- struct{}{}:
				case <-release: // a run inside of a run waits for ever
					return errors.New("released")
				}
				defer func() { <-slot }()
				return loop(ctx, tasks)
			}
		}()), "runs share no bound", "does not end", waits},
		{"remembers a failure", scheduler(func() func(context.Context, []sched.Task) error {
			var failed atomic.Pointer[error]
			return func(ctx context.Context, tasks []sched.Task) error {
				if err := failed.Load(); err != nil {
					return *err
				}
				err := loop(ctx, tasks)
				if err != nil {
					failed.Store(&err)
				}
				return err
			}
		}()), "usable after a failure", "after a run that failed", waits},
		{"leaves nil tasks out", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			return loop(ctx, slices.DeleteFunc(slices.Clone(tasks), func(t sched.Task) bool { return t == nil }))
		}), "nil task", "task 0 is nil, and Run returned <nil>", nil},
		{"takes a task's error for its own", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			err := loop(ctx, tasks)
			if errors.Is(err, context.Canceled) {
				return fmt.Errorf("stopped: %w", context.Cause(ctx))
			}
			return err
		}), "cancelled by itself", "no *sched.TaskError", nil},
		{"refuses a run inside of a run", scheduler(func() func(context.Context, []sched.Task) error {
			var busy atomic.Bool
			return func(ctx context.Context, tasks []sched.Task) error {
				if !busy.CompareAndSwap(false, true) {
					return errors.New("busy")
				}
				defer busy.Store(false)
				return loop(ctx, tasks)
			}
		}()), "runs inside of tasks", "busy", nil},
		{"has tasks that the caller's context does not end", scheduler(func(ctx context.Context, tasks []sched.Task) error {
			inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
			defer cancel()
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return sched.Pool(10).Run(inner, tasks)
		}), "waits end with the context", "tasks that waited for it were not", waits},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.promise != "nothing left behind" { // for which goroutines are counted
				t.Parallel()
			}
			opts := append([]schedtest.Option{schedtest.Patience(time.Minute), schedtest.Many(1000)}, c.opts...)
			// What is broken only sometimes may stay unseen once where the
			// machine is slow.
			var seen error
			for range 5 {
				seen = schedtest.HoldOne(c.s, c.promise, opts...)
				var b *schedtest.Broken
				if errors.As(seen, &b) && b.Promise == c.promise && strings.Contains(b.Seen, c.says) {
					return
				}
			}
			t.Errorf("promise %q should be broken with %q, and these are:\n%v", c.promise, c.says, seen)
		})
	}
}

// sharedState returns a Run that keeps its tasks where every call of Run finds
// them. Atomic, so that it is wrong without a data race.
func sharedState() func(context.Context, []sched.Task) error {
	var current atomic.Pointer[[]sched.Task]
	return func(ctx context.Context, tasks []sched.Task) error {
		current.Store(&tasks)
		runtime.Gosched()
		return loop(ctx, *current.Load())
	}
}

// TestAllThatIsBroken has a scheduler that breaks several promises: each is told,
// and those that it keeps are not.
func TestAllThatIsBroken(t *testing.T) {
	seen := schedtest.Test(unnamed{custom{name: func() string { return "x" }, run: func(ctx context.Context, tasks []sched.Task) error {
		_ = loop(ctx, tasks)
		return nil
	}}}, schedtest.Many(1000))
	broken := map[string]bool{}
	for _, e := range seen.(interface{ Unwrap() []error }).Unwrap() {
		var b *schedtest.Broken
		if !errors.As(e, &b) {
			t.Errorf("%T is no *Broken", e)
			continue
		}
		broken[b.Promise] = true
	}
	for promise, want := range map[string]bool{"name": true, "failure is returned": true, "nil task": true, "cancelled before": true, "every task once": false, "bound": false, "many tasks": false} {
		if broken[promise] != want {
			t.Errorf("promise %q broken: %v", promise, broken[promise])
		}
	}
}

func TestNil(t *testing.T) {
	if err := schedtest.Test(nil); err == nil {
		t.Error("nil passes for a scheduler")
	}
}

// TestPatient holds a correct scheduler to the promises, all at once.
func TestPatient(t *testing.T) {
	if err := schedtest.Test(sched.Pool(2), schedtest.Many(1000), schedtest.Patience(5*time.Minute)); err != nil {
		t.Error(err)
	}
}

func ExampleTest() {
	err := schedtest.Test(unnamed{sched.Pool(2)}, schedtest.Many(5000))
	fmt.Println(err)
	// Output:
	// promise "name" broken: method Name returns no text
}

// unnamed is a scheduler that has forgotten its name.
type unnamed struct{ sched.Scheduler }

func (unnamed) Name() string { return "" }
