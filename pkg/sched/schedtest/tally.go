package schedtest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"overlap/pkg/sched"
)

// A tally counts how often each task of a run ran.
type tally []atomic.Int32

// An action is what task i does.
type action func(ctx context.Context, i int) error

// failing is the action of tasks of which one fails.
func failing(task int, err error) action {
	return func(_ context.Context, i int) error {
		if i == task {
			return err
		}
		return nil
	}
}

// tasks returns a task for each count, which counts itself and then does do, if that is not nil.
func (c tally) tasks(do action) []sched.Task {
	tasks := make([]sched.Task, len(c))
	for i := range tasks {
		tasks[i] = func(ctx context.Context) error {
			c[i].Add(1)
			if do == nil {
				return nil
			}
			return do(ctx, i)
		}
	}
	return tasks
}

// total returns how many tasks ran.
func (c tally) total() (n int) {
	for i := range c {
		n += int(c[i].Load())
	}
	return n
}

// atMostOnce is an error if a task ran more than once.
func (c tally) atMostOnce() error {
	for i := range c {
		if n := c[i].Load(); n > 1 {
			return fmt.Errorf("task %d of %d ran %d times", i, len(c), n)
		}
	}
	return nil
}

// once is an error if not all tasks ran exactly once.
func (c tally) once() error {
	missing, first := 0, 0
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].Load() == 0 {
			missing, first = missing+1, i
		}
	}
	if err := c.atMostOnce(); err != nil || missing == 0 {
		return err
	}
	return fmt.Errorf("%d of %d tasks never ran, the first is task %d", missing, len(c), first)
}

// run runs n tasks on the scheduler, with a context that is never done.
func (k *kit) run(n int, do action) error {
	return k.s.Run(context.Background(), make(tally, n).tasks(do))
}

// runAll runs n tasks that do something and return nil, and is an error if Run or a count says anything else.
func (k *kit) runAll(n int, do action, when string) error {
	c := make(tally, n)
	if err := noError(k.s.Run(context.Background(), c.tasks(do)), when); err != nil {
		return err
	}
	if err := c.once(); err != nil {
		return fmt.Errorf("%w%s", err, when)
	}
	return nil
}

// noError is an error if Run returned err for tasks that return nil.
func noError(err error, when string) error {
	if err != nil {
		err = fmt.Errorf("Run returned %q for tasks that return nil%s", err, when)
	}
	return err
}

// failedWith is an error if err is not the failure of the task with cause want.
func failedWith(err error, task int, want error) error {
	var te *sched.TaskError
	switch {
	case err == nil:
		return fmt.Errorf("task %d failed with %q, and Run returned nil", task, want)
	case !errors.As(err, &te):
		return fmt.Errorf("task %d failed, and Run returned %q, which is no *sched.TaskError", task, err)
	case te.Task != task:
		return fmt.Errorf("task %d failed, and Run's *sched.TaskError says task %d", task, te.Task)
	case !errors.Is(err, want):
		return fmt.Errorf("task %d failed with %q, and errors.Is does not find that in Run's %q", task, want, err)
	}
	return nil
}

var errBoom = errors.New("boom")

// Waiters are tasks that wait for their contexts to be done, but not for ever.
type waiters struct {
	giveUp  chan struct{}
	timer   *time.Timer
	notDone atomic.Int32 // tasks whose contexts were not
}

func (k *kit) newWaiters() *waiters {
	w := &waiters{giveUp: make(chan struct{})}
	w.timer = time.AfterFunc(k.patience/4, func() { close(w.giveUp) })
	return w
}

// wait waits for ctx.
func (w *waiters) wait(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-w.giveUp:
		w.notDone.Add(1)
	}
}
