package schedtest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Promises about contexts that are done, and about when Run returns.

// cancelledWith is an error if err does not say that the context was done.
func cancelledWith(err, cause error) error {
	if err == nil {
		return errors.New("the context was done with tasks not started, and Run returned nil")
	}
	if !errors.Is(err, cause) {
		return fmt.Errorf("the context was done, and errors.Is does not find its cause %q in Run's %q", cause, err)
	}
	return nil
}

var errStopped = errors.New("stopped by the test")

func cancelledBefore(k *kit) error {
	cancelled, cancel := context.WithCancelCause(context.Background())
	cancel(errStopped)
	past, cancelPast := context.WithDeadline(context.Background(), time.Now().Add(-time.Hour))
	defer cancelPast()
	for _, ctx := range []context.Context{cancelled, past} {
		c := make(tally, 50)
		err := k.s.Run(ctx, c.tasks(nil))
		if n := c.total(); n > 0 {
			return fmt.Errorf("the context was done before Run was called, and %d of 50 tasks were started", n)
		}
		if err := cancelledWith(err, context.Cause(ctx)); err != nil {
			return err
		}
	}
	return nil
}

func cancelledInTheMiddle(k *kit) error {
	const n, at = 2000, 10
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var started, late, notDone atomic.Int32
	c := make(tally, n)
	err := k.s.Run(ctx, c.tasks(func(ctx context.Context, _ int) error {
		if ctx.Err() != nil {
			late.Add(1)
			return nil
		}
		if started.Add(1) == at {
			cancel(errStopped)
			if !within(ctx.Done(), k.patience/4) {
				notDone.Add(1)
			}
		}
		return nil
	}))
	if notDone.Load() > 0 {
		return errors.New("the context given to Run was done, and that of a task was not")
	}
	if err := c.atMostOnce(); err != nil {
		return err
	}
	if err := k.lateStarts("the context was done", int(late.Load()), n-int(started.Load())); err != nil {
		return err
	}
	if c.total() == n {
		return nil
	}
	return cancelledWith(err, errStopped)
}

func doneBeforeCancelled(k *kit) error {
	for _, n := range []int{1, 20} {
		ctx, cancel := context.WithCancel(context.Background())
		var done atomic.Int32
		err := k.s.Run(ctx, make(tally, n).tasks(func(context.Context, int) error {
			if int(done.Add(1)) == n {
				cancel()
			}
			return nil
		}))
		cancel()
		if err != nil {
			return fmt.Errorf("the context was done when all %d tasks had started, all returned nil, and Run returned %q",
				n, err)
		}
	}
	return nil
}

func returnsAfterTasks(k *kit) error {
	for _, how := range []string{"all returned nil", "one failed", "the context was done"} {
		ctx, cancel := context.WithCancel(context.Background())
		var started, ended atomic.Int32
		two := make(chan struct{})
		_ = k.s.Run(ctx, make(tally, 8).tasks(func(context.Context, int) error {
			n := started.Add(1)
			defer ended.Add(1)
			if n == 2 {
				close(two)
			}
			if n > 1 || how == "all returned nil" {
				time.Sleep(soon / 2) // without a look at its context, as in a long computation
				return nil
			}
			within(two, soon)
			if how == "one failed" {
				return errBoom
			}
			cancel()
			return nil
		}))
		// In this order: a task that starts after Run returned is counted too.
		e, s := ended.Load(), started.Load()
		cancel()
		if s > e {
			return fmt.Errorf("Run returned when %d tasks that had started had not returned (%s)", s-e, how)
		}
		time.Sleep(soon / 4)
		if later := started.Load(); later > s {
			return fmt.Errorf("%d tasks were started after Run had returned (%s)", later-s, how)
		}
	}
	return nil
}

// waitsEnd has tasks that wait until one fails that may never be started, as those that wait keep their
// places.
func waitsEnd(k *kit) error {
	const n, task = 90, 20
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	w := k.newWaiters()
	defer w.timer.Stop()
	err := k.s.Run(ctx, make(tally, n).tasks(func(ctx context.Context, i int) error {
		if i == task {
			return errBoom
		}
		w.wait(ctx)
		return nil
	}))
	if d := w.notDone.Load(); d > 0 {
		return fmt.Errorf("the context given to Run was done, and those of %d tasks that waited for it were not", d)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil // before the one that fails, or where that had no turn
	}
	return failedWith(err, task, errBoom)
}
