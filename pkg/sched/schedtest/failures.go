package schedtest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"overlap/pkg/sched"
	"overlap/pkg/sched/internal/osthreads"
)

// Promises about tasks that fail.

func failureIsReturned(k *kit) error {
	for _, task := range []int{0, 13, 29} {
		c := make(tally, 30)
		err := k.s.Run(context.Background(), c.tasks(failing(task, errBoom)))
		if err := failedWith(err, task, errBoom); err != nil {
			return err
		}
		if err := c.atMostOnce(); err != nil {
			return err
		}
	}
	return nil
}

// cancelledByItself has a task fail with the error that contexts have, while the run's is not done: that is a
// failure as any other.
func cancelledByItself(k *kit) error {
	for _, cause := range []error{context.Canceled, fmt.Errorf("read: %w", context.DeadlineExceeded)} {
		if err := failedWith(k.run(5, failing(2, cause)), 2, cause); err != nil {
			return err
		}
	}
	return nil
}

func failureCancels(k *kit) error {
	const task = 2
	reached := make(chan struct{})
	reach := sync.OnceFunc(func() { close(reached) })
	w := k.newWaiters()
	defer w.timer.Stop()
	var others atomic.Int32
	err := k.run(12, func(ctx context.Context, i int) error {
		if i == task {
			reach()
			time.Sleep(soon / 4) // others shall be waiting by now
			return errBoom
		}
		if within(reached, soon) { // else it comes later, as tasks run one at a time
			others.Add(1)
			w.wait(ctx)
		}
		return ctx.Err() // not the first failure
	})
	if n := w.notDone.Load(); n > 0 {
		return fmt.Errorf("task %d failed, and the contexts of %d of %d tasks that were running were not done",
			task, n, others.Load())
	}
	return failedWith(err, task, errBoom)
}

// slack is how many tasks more than its limit a scheduler may start too late: one that was about to start may
// do so, in every place that starts tasks, and some may have been handed out already.
const slack = 8

// lateStarts is an error if too many of the tasks that were left at some moment started after it. late counts
// the tasks that found their own context done already, so that it does not matter how long a task or a
// scheduler takes to get on a CPU.
func (k *kit) lateStarts(what string, late, left int) error {
	allowed := left / 2
	if limit := k.limit(); limit > 0 {
		allowed = min(allowed, limit+slack)
	}
	if late > allowed {
		return fmt.Errorf("%d of %d tasks were started after %s", late, left, what)
	}
	return nil
}

func noStartAfterFailure(k *kit) error {
	const n = 200
	w := k.newWaiters()
	defer w.timer.Stop()
	var started, first, late atomic.Int32
	err := k.run(n, func(ctx context.Context, i int) error {
		if ctx.Err() != nil {
			late.Add(1)
			return nil
		}
		if started.Add(1) == 1 {
			first.Store(int32(i))
			return errBoom // others keep their places until this has cancelled them
		}
		w.wait(ctx)
		return nil
	})
	task := int(first.Load())
	if err := failedWith(err, task, errBoom); err != nil {
		return err
	}
	what := fmt.Sprintf("task %d failed", task)
	if d := w.notDone.Load(); d > 0 {
		return fmt.Errorf("%s, and %d of %d tasks were running or were started after it with contexts that were not done",
			what, d, n-1)
	}
	if limit := k.limit(); limit == 0 || limit > 50 {
		return nil // all may have been started at once
	}
	return k.lateStarts(what, int(late.Load()), n-int(started.Load()))
}

// panicOnPurpose is looked for in stacks.
//
//go:noinline
func panicOnPurpose(v any) { panic(v) }

func panicIsReturned(k *kit) error {
	const task = 5
	cause := errors.New("schedtest: this panic of a task tests the promise \"panic is returned\"; " +
		"the scheduler did not recover it")
	panicked, err := k.runAndRecover(make(tally, 10).tasks(func(_ context.Context, i int) error {
		if i == task {
			panicOnPurpose(cause)
		}
		return nil
	}))
	if panicked != nil {
		return errors.New("a task panicked, and Run panicked too")
	}
	if err := failedWith(err, task, cause); err != nil {
		return err
	}
	var pe *sched.PanicError
	switch {
	case !errors.As(err, &pe):
		return fmt.Errorf("a task panicked, and Run returned %q, which holds no *sched.PanicError", err)
	case pe.Value != any(cause):
		return fmt.Errorf("a task panicked with %q, and the *sched.PanicError's Value is %q", cause, pe.Value)
	case !strings.Contains(string(pe.Stack), "panicOnPurpose"):
		return fmt.Errorf("the stack of the panic is lost: the function that panicked is not in the %d bytes of "+
			"the *sched.PanicError's Stack", len(pe.Stack))
	}
	return nil
}

// runAndRecover calls Run and returns its panic, or its error.
func (k *kit) runAndRecover(tasks []sched.Task) (panicked any, err error) {
	defer func() { panicked = recover() }()
	return nil, k.s.Run(context.Background(), tasks)
}

func runtimeErrorIsReturned(k *kit) error {
	var (
		table   map[string]int
		list    []int
		nothing any
	)
	for what, do := range map[string]func(){
		"wrote to a nil map":           func() { table["key"] = 1 },
		"indexed a slice out of range": func() { list[len(list)+3]++ },
		"panicked with nil":            func() { panic(nothing) },
	} {
		panicked, err := k.runAndRecover(make(tally, 4).tasks(func(_ context.Context, i int) error {
			if i == 3 {
				do()
			}
			return nil
		}))
		if panicked != nil {
			return fmt.Errorf("a task %s, and Run panicked", what)
		}
		var pe *sched.PanicError
		var re runtime.Error
		if !errors.As(err, &pe) || !errors.As(err, &re) {
			return fmt.Errorf("a task %s, and Run returned %v, which holds no *sched.PanicError with a runtime.Error", what, err)
		}
	}
	return nil
}

func goexitIsReturned(k *kit) error {
	const task = 3
	var caller, thread atomic.Int64 // the threads that they are on
	var err error
	returned := false
	var wg sync.WaitGroup
	wg.Go(func() {
		runtime.LockOSThread() // so that nobody else is on this thread
		caller.Store(int64(osthreads.ID()))
		err = k.run(10, func(_ context.Context, i int) error {
			if i == task {
				thread.Store(int64(osthreads.ID()))
				runtime.Goexit()
			}
			return nil
		})
		returned = true
	})
	wg.Wait()
	if returned {
		return failedWith(err, task, sched.ErrGoexit)
	}
	// Where tasks run on the caller's goroutine it cannot be otherwise.
	if caller.Load() == thread.Load() {
		return nil
	}
	return errors.New("a task called runtime.Goexit on another goroutine, and that ended the one that called Run")
}

func nilTask(k *kit) error {
	for _, at := range []int{0, 2} {
		tasks := make(tally, 3).tasks(nil)
		tasks[at] = nil
		panicked, err := k.runAndRecover(tasks)
		var te *sched.TaskError
		switch {
		case panicked != nil:
			return fmt.Errorf("task %d is nil, and Run panicked", at)
		case !errors.As(err, &te) || te.Task != at:
			return fmt.Errorf("task %d is nil, and Run returned %v, which is no *sched.TaskError of it", at, err)
		}
	}
	return nil
}
