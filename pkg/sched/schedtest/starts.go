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
)

// Promises about which tasks are started, and about runs that follow or contain one another.

func name(k *kit) error {
	first := k.s.Name()
	if strings.TrimSpace(first) == "" {
		return errors.New("method Name returns no text")
	}
	if err := noError(k.run(3, nil), ""); err != nil {
		return err
	}
	if again := k.s.Name(); again != first {
		return fmt.Errorf("method Name returned %q, and %q after a run", first, again)
	}
	return nil
}

func noTasks(k *kit) error {
	for _, tasks := range [][]sched.Task{nil, {}} {
		if err := k.s.Run(context.Background(), tasks); err != nil {
			return fmt.Errorf("Run returned %q", err)
		}
	}
	return nil
}

func everyTaskOnce(k *kit) error {
	for _, n := range []int{1, 2, 3, 7, 100, 1000} {
		if err := k.runAll(n, nil, ""); err != nil {
			return err
		}
	}
	return nil
}

func callersContext(k *kit) error {
	type key struct{}
	ctx := context.WithValue(context.Background(), key{}, "value")
	var lost atomic.Int32
	err := k.s.Run(ctx, make(tally, 20).tasks(func(ctx context.Context, _ int) error {
		if ctx == nil || ctx.Value(key{}) != "value" {
			lost.Add(1)
		}
		return nil
	}))
	if n := lost.Load(); n > 0 {
		return fmt.Errorf("%d of 20 tasks did not find the value that the context given to Run carries", n)
	}
	return noError(err, "")
}

func nothingLeftBehind(k *kit) error {
	const runs = 30
	before := runtime.NumGoroutine()
	for i := range runs {
		ctx, cancel := context.WithCancel(context.Background())
		_ = k.s.Run(ctx, make(tally, 20).tasks(func(_ context.Context, task int) error {
			switch {
			case task == 7 && i%3 == 1:
				return errBoom
			case task == 7 && i%3 == 2:
				cancel()
			}
			return nil
		}))
		cancel()
	}
	// Other tests may start a few goroutines meanwhile; one a run, or one a run that failed, is a leak.
	limit := before + runs/3
	for wait := time.Millisecond; wait < k.patience/4 && runtime.NumGoroutine() >= limit; wait *= 2 {
		time.Sleep(wait)
	}
	if n := runtime.NumGoroutine(); n >= limit {
		return fmt.Errorf("there were %d goroutines before %d runs and %d some time after", before, runs, n)
	}
	return nil
}

func runsAtOnce(k *kit) error {
	const callers, runs, n = 8, 4, 60
	errs := make([]error, callers)
	one := func(caller, run int) error {
		boom, task := fmt.Errorf("boom of caller %d, run %d", caller, run), (7*caller+run)%n
		if (caller+run)%2 == 0 {
			return k.runAll(n, func(context.Context, int) error { runtime.Gosched(); return nil }, "")
		}
		return failedWith(k.run(n, func(ctx context.Context, i int) error {
			runtime.Gosched() // to mix the runs
			return failing(task, boom)(ctx, i)
		}), task, boom)
	}
	var wg sync.WaitGroup
	for caller := range callers {
		wg.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					errs[caller] = fmt.Errorf("Run panicked when other calls of Run were running: %v", v)
				}
			}()
			for run := range runs {
				if err := one(caller, run); err != nil {
					errs[caller] = fmt.Errorf("with other calls of Run at the same time: %w", err)
					return
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func usableAfterFailure(k *kit) error {
	for range 3 {
		_ = k.run(10, failing(4, errBoom))
		if err := k.runAll(40, nil, ", after a run that failed"); err != nil {
			return err
		}
	}
	return nil
}

// runsInside has tasks that run tasks on their scheduler, which do so again.
func runsInside(k *kit) error {
	const width, depth = 4, 3
	var leaves atomic.Int32
	var inside func(depth int) action
	inside = func(depth int) action {
		return func(ctx context.Context, _ int) error {
			if depth == 0 {
				leaves.Add(1)
				return nil
			}
			return k.s.Run(ctx, make(tally, width).tasks(inside(depth-1)))
		}
	}
	if err := k.run(width, inside(depth-1)); err != nil {
		return fmt.Errorf("tasks ran tasks on the scheduler that they were on, and Run returned %q", err)
	}
	if n := leaves.Load(); n != width*width*width {
		return fmt.Errorf("tasks ran tasks on the scheduler that they were on, and %d of %d ran", n, width*width*width)
	}
	err := k.run(3, func(ctx context.Context, i int) error {
		if i != 1 {
			return nil
		}
		return k.s.Run(ctx, make(tally, 3).tasks(failing(2, errBoom)))
	})
	return failedWith(err, 1, errBoom)
}

// threadLeftLocked has tasks that lock their goroutine to its thread and leave it so.
func threadLeftLocked(k *kit) error {
	if err := k.runAll(30, func(_ context.Context, i int) error {
		if i%3 == 0 {
			runtime.LockOSThread()
		}
		return nil
	}, " and leave their thread locked"); err != nil {
		return err
	}
	return k.runAll(30, nil, ", after a run that left threads locked")
}
