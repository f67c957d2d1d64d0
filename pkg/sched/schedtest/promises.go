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

var promises = []promise{
	{"name", name},
	{"no tasks", noTasks},
	{"every task once", everyTaskOnce},
	{"many tasks", manyTasks},
	{"context of the caller", callersContext},
	{"failure is returned", failureIsReturned},
	{"failure cancels the others", failureCancels},
	{"no start after a failure", noStartAfterFailure},
	{"panic is returned", panicIsReturned},
	{"runtime error is returned", runtimeErrorIsReturned},
	{"Goexit is returned", goexitIsReturned},
	{"cancelled before", cancelledBefore},
	{"cancelled in the middle", cancelledInTheMiddle},
	{"done before cancelled", doneBeforeCancelled},
	{"bound", bound},
	{"returns after its tasks", returnsAfterTasks},
	{"nothing left behind", nothingLeftBehind},
	{"runs at once", runsAtOnce},
	{"runs share no bound", runsShareNoBound},
	{"runs share a bound", runsShareBound},
	{"usable after a failure", usableAfterFailure},
	{"nil task", nilTask},
	{"cancelled by itself", cancelledByItself},
	{"runs inside of tasks", runsInside},
	{"waits end with the context", waitsEnd},
	{"thread left locked", threadLeftLocked},
}

// A tally counts how often each task of a run ran.
type tally []atomic.Int32

// tasks returns a task for each count. then, if it is not nil, says what task
// i does after it has counted itself.
func (c tally) tasks(then func(ctx context.Context, i int) error) []sched.Task {
	tasks := make([]sched.Task, len(c))
	for i := range tasks {
		tasks[i] = func(ctx context.Context) error {
			c[i].Add(1)
			if then == nil {
				return nil
			}
			return then(ctx, i)
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

// most is an error if a task ran more than once.
func (c tally) most() error {
	for i := range c {
		if n := c[i].Load(); n > 1 {
			return fmt.Errorf("task %d of %d ran %d times", i, len(c), n)
		}
	}
	return nil
}

// once is an error if not all tasks ran exactly once.
func (c tally) once() error {
	if err := c.most(); err != nil {
		return err
	}
	var missing []int
	for i := range c {
		if c[i].Load() == 0 {
			missing = append(missing, i)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%d of %d tasks never ran, the first is task %d", len(missing), len(c), missing[0])
	}
	return nil
}

func name(k *kit) error {
	first := k.s.Name()
	if strings.TrimSpace(first) == "" {
		return errors.New("method Name returns no text")
	}
	if err := k.s.Run(context.Background(), make(tally, 3).tasks(nil)); err != nil {
		return fmt.Errorf("Run returned %q for tasks that return nil", err)
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
		c := make(tally, n)
		if err := k.s.Run(context.Background(), c.tasks(nil)); err != nil {
			return fmt.Errorf("Run returned %q for %d tasks that return nil", err, n)
		}
		if err := c.once(); err != nil {
			return err
		}
	}
	return nil
}

func manyTasks(k *kit) error {
	c := make(tally, k.many)
	if err := k.s.Run(context.Background(), c.tasks(nil)); err != nil {
		return fmt.Errorf("Run returned %q for %d tasks that return nil", err, k.many)
	}
	return c.once()
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
	if err != nil {
		return fmt.Errorf("Run returned %q for tasks that return nil", err)
	}
	return nil
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

func failureIsReturned(k *kit) error {
	for _, failing := range []int{0, 13, 29} {
		c, boom := make(tally, 30), errors.New("boom")
		err := k.s.Run(context.Background(), c.tasks(func(_ context.Context, i int) error {
			if i == failing {
				return boom
			}
			return nil
		}))
		if err := failedWith(err, failing, boom); err != nil {
			return err
		}
		if err := c.most(); err != nil {
			return err
		}
	}
	return nil
}

func failureCancels(k *kit) error {
	const failing = 2
	boom := errors.New("boom")
	reached := make(chan struct{})
	reach := sync.OnceFunc(func() { close(reached) })
	// Closed when a failure had time enough to cancel the context of others.
	late := make(chan struct{})
	giveUp := sync.OnceFunc(func() { close(late) })
	var others, deaf atomic.Int32
	err := k.s.Run(context.Background(), make(tally, 12).tasks(func(ctx context.Context, i int) error {
		if i == failing {
			reach()
			time.AfterFunc(k.patience/4, giveUp)
			time.Sleep(soon / 4) // others shall be waiting by now
			return boom
		}
		if !within(reached, soon) {
			return nil // it comes later, if tasks run one at a time
		}
		others.Add(1)
		select {
		case <-ctx.Done():
			return ctx.Err() // not the first failure
		case <-late:
			deaf.Add(1)
			return nil
		}
	}))
	if n := deaf.Load(); n > 0 {
		return fmt.Errorf("task %d failed, and the contexts of %d of %d tasks that were running were not done", failing, n, others.Load())
	}
	return failedWith(err, failing, boom)
}

// few is how many tasks more than its limit a scheduler may start too late:
// one that was about to start may do so, in every place that starts tasks, and
// some may have been handed out already.
const few = 8

// lateStarts is an error if too many of the tasks that were left at some moment
// started after it. late counts the tasks that found their own context done
// already, so that it does not matter how long a task or a scheduler takes to
// get on a CPU.
func (k *kit) lateStarts(what string, late, left int) error {
	allowed := left / 2
	if limit := k.limit(); limit > 0 {
		allowed = min(allowed, limit+few)
	}
	if late > allowed {
		return fmt.Errorf("%d of %d tasks were started after %s", late, left, what)
	}
	return nil
}

func noStartAfterFailure(k *kit) error {
	const n = 200
	boom := errors.New("boom")
	var started, failing, late, deaf atomic.Int32
	// Closed when the failure had time enough to cancel the context of others.
	giveUp := make(chan struct{})
	timer := time.AfterFunc(k.patience/4, func() { close(giveUp) })
	defer timer.Stop()
	c := make(tally, n)
	err := k.s.Run(context.Background(), c.tasks(func(ctx context.Context, i int) error {
		if ctx.Err() != nil {
			late.Add(1)
			return nil
		}
		if started.Add(1) == 1 {
			failing.Store(int32(i))
			return boom // others keep their places until this has cancelled them
		}
		select {
		case <-ctx.Done():
		case <-giveUp:
			deaf.Add(1)
		}
		return nil
	}))
	first := int(failing.Load())
	if err := failedWith(err, first, boom); err != nil {
		return err
	}
	what := fmt.Sprintf("task %d failed", first)
	if d := deaf.Load(); d > 0 {
		return fmt.Errorf("%s, and %d of %d tasks were running or were started after it with contexts that were not done", what, d, n-1)
	}
	if k.unbounded() {
		return nil // all may have been started at once
	}
	return k.lateStarts(what, int(late.Load()), n-int(started.Load()))
}

// limit returns how many tasks the scheduler says that it runs at once, 0 for no bound.
func (k *kit) limit() int {
	f := sched.FactsOf(k.s)
	if f.Serial {
		return 1
	}
	return f.Limit
}

// unbounded reports whether the scheduler may start all tasks at once.
func (k *kit) unbounded() bool {
	limit := k.limit()
	return limit == 0 || limit > 50
}

// panicOnPurpose is looked for in stacks.
//
//go:noinline
func panicOnPurpose(v any) { panic(v) }

func panicIsReturned(k *kit) error {
	cause := errors.New(`schedtest: this panic of a task tests the promise "panic is returned"; the scheduler did not recover it`)
	const failing = 5
	panicked, err := k.runAndRecover(make(tally, 10).tasks(func(_ context.Context, i int) error {
		if i == failing {
			panicOnPurpose(cause)
		}
		return nil
	}))
	if panicked != nil {
		return errors.New("a task panicked, and Run panicked too")
	}
	if err := failedWith(err, failing, cause); err != nil {
		return err
	}
	var pe *sched.PanicError
	switch {
	case !errors.As(err, &pe):
		return fmt.Errorf("a task panicked, and Run returned %q, which holds no *sched.PanicError", err)
	case pe.Value != any(cause):
		return fmt.Errorf("a task panicked with %q, and the *sched.PanicError's Value is %q", cause, pe.Value)
	case !strings.Contains(string(pe.Stack), "panicOnPurpose"):
		return fmt.Errorf("the stack of the panic is lost: the function that panicked is not in the %d bytes of the *sched.PanicError's Stack", len(pe.Stack))
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
	for _, c := range []struct {
		what string
		do   func()
	}{
		{"wrote to a nil map", func() { table["key"] = 1 }},
		{"indexed a slice out of range", func() { list[len(list)+3]++ }},
		{"panicked with nil", func() { panic(nothing) }},
	} {
		panicked, err := k.runAndRecover(make(tally, 4).tasks(func(_ context.Context, i int) error {
			if i == 3 {
				c.do()
			}
			return nil
		}))
		if panicked != nil {
			return fmt.Errorf("a task %s, and Run panicked", c.what)
		}
		var pe *sched.PanicError
		var re runtime.Error
		if !errors.As(err, &pe) || !errors.As(err, &re) {
			return fmt.Errorf("a task %s, and Run returned %v, which holds no *sched.PanicError with a runtime.Error", c.what, err)
		}
	}
	return nil
}

func goexitIsReturned(k *kit) error {
	const failing = 3
	var caller, task atomic.Value
	var err error
	returned := false
	var wg sync.WaitGroup
	wg.Go(func() {
		caller.Store(goroutineName())
		err = k.s.Run(context.Background(), make(tally, 10).tasks(func(_ context.Context, i int) error {
			if i == failing {
				task.Store(goroutineName())
				runtime.Goexit()
			}
			return nil
		}))
		returned = true
	})
	wg.Wait()
	if !returned {
		// Where tasks run on the caller's goroutine it cannot be otherwise.
		if caller.Load() == task.Load() {
			return nil
		}
		return errors.New("a task called runtime.Goexit on another goroutine, and that ended the one that called Run")
	}
	return failedWith(err, failing, sched.ErrGoexit)
}

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

func cancelledBefore(k *kit) error {
	cause := errors.New("stopped by the test")
	cancelled, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
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
	cause := errors.New("stopped by the test")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var started, late, deaf atomic.Int32
	c := make(tally, n)
	err := k.s.Run(ctx, c.tasks(func(ctx context.Context, _ int) error {
		if ctx.Err() != nil {
			late.Add(1)
			return nil
		}
		if started.Add(1) == at {
			cancel(cause)
			if !within(ctx.Done(), k.patience/4) {
				deaf.Add(1)
			}
		}
		return nil
	}))
	if deaf.Load() > 0 {
		return errors.New("the context given to Run was done, and that of a task was not")
	}
	if err := c.most(); err != nil {
		return err
	}
	if err := k.lateStarts("the context was done", int(late.Load()), n-int(started.Load())); err != nil {
		return err
	}
	if c.total() == n {
		return nil
	}
	return cancelledWith(err, cause)
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
			return fmt.Errorf("the context was done when all %d tasks had started, all returned nil, and Run returned %q", n, err)
		}
	}
	return nil
}

func bound(k *kit) error {
	limit := k.limit()
	if limit < 0 {
		return fmt.Errorf("the Limit of its Facts is %d, and must be at least 1, or 0 for none", limit)
	}
	if limit == 0 {
		return nil
	}
	// Threads and the like are not filled up to thousands.
	n := min(limit, 1000) + min(limit, 32) + 8
	var running, most atomic.Int32
	passed := make(chan struct{})
	pass := sync.OnceFunc(func() { close(passed) })
	err := k.s.Run(context.Background(), make(tally, n).tasks(func(context.Context, int) error {
		now := running.Add(1)
		defer running.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		if int(now) > limit {
			pass()
		}
		within(passed, soon/2) // for others to come
		return nil
	}))
	if m := int(most.Load()); m > limit {
		return fmt.Errorf("%d tasks were running at once, and its Facts say at most %d", m, limit)
	}
	if err != nil {
		return fmt.Errorf("Run returned %q for tasks that return nil", err)
	}
	return nil
}

func returnsAfterTasks(k *kit) error {
	boom := errors.New("boom")
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
				time.Sleep(soon / 2) // deaf to its context, as a long computation is
				return nil
			}
			within(two, soon)
			if how == "one failed" {
				return boom
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

func nothingLeftBehind(k *kit) error {
	const runs = 30
	boom := errors.New("boom")
	before := runtime.NumGoroutine()
	for i := range runs {
		ctx, cancel := context.WithCancel(context.Background())
		_ = k.s.Run(ctx, make(tally, 20).tasks(func(_ context.Context, task int) error {
			switch {
			case task == 7 && i%3 == 1:
				return boom
			case task == 7 && i%3 == 2:
				cancel()
			}
			return nil
		}))
		cancel()
	}
	// Other tests may start a few goroutines meanwhile; one a run, or one a
	// run that failed, is a leak.
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
	var wg sync.WaitGroup
	for caller := range callers {
		wg.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					errs[caller] = fmt.Errorf("Run panicked when other calls of Run were running: %v", v)
				}
			}()
			for run := range runs {
				c, boom := make(tally, n), fmt.Errorf("boom of caller %d, run %d", caller, run)
				fails := (caller+run)%2 == 1
				failing := (7*caller + run) % n
				err := k.s.Run(context.Background(), c.tasks(func(_ context.Context, i int) error {
					runtime.Gosched() // to mix the runs
					if fails && i == failing {
						return boom
					}
					return nil
				}))
				switch {
				case fails:
					err = failedWith(err, failing, boom)
				case err != nil:
					err = fmt.Errorf("Run returned %q for tasks that return nil", err)
				default:
					err = c.once()
				}
				if err != nil {
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

func runsShareNoBound(k *kit) error {
	if k.shared {
		return nil
	}
	n := 2
	if limit := k.limit(); limit > 0 && limit < 500 {
		n = limit
	}
	// The first run is kept full until the second has ended.
	begun, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	var first, second error
	var wg sync.WaitGroup
	wg.Go(func() {
		first = k.s.Run(context.Background(), make(tally, n).tasks(func(context.Context, int) error {
			begin()
			<-release
			return nil
		}))
	})
	ok := within(begun, k.patience/4)
	if ok {
		wg.Go(func() {
			defer close(ended)
			second = k.s.Run(context.Background(), make(tally, n).tasks(nil))
		})
		ok = within(ended, k.patience/4)
	}
	close(release)
	wg.Wait()
	if !ok {
		return fmt.Errorf("while the tasks of one run wait, another run of %d tasks does not end", n)
	}
	return errors.Join(first, second)
}

// runsShareBound is for a scheduler that is said to be like that.
func runsShareBound(k *kit) error {
	if !k.shared {
		return nil
	}
	n := k.limit()
	if n < 1 {
		return errors.New("it has no bound: its Facts have no Limit")
	}
	// The first run fills the scheduler until the second has had time to start.
	full, release := make(chan struct{}), make(chan struct{})
	var begun, early atomic.Int32
	var released atomic.Bool
	var first, second error
	var wg sync.WaitGroup
	wg.Go(func() {
		first = k.s.Run(context.Background(), make(tally, n).tasks(func(context.Context, int) error {
			if int(begun.Add(1)) == n {
				close(full)
			}
			<-release
			return nil
		}))
	})
	ok := within(full, k.patience/4)
	if ok {
		wg.Go(func() {
			second = k.s.Run(context.Background(), make(tally, n).tasks(func(context.Context, int) error {
				if !released.Load() {
					early.Add(1)
				}
				return nil
			}))
		})
		time.Sleep(soon)
	}
	released.Store(true)
	close(release)
	wg.Wait()
	switch {
	case !ok:
		return fmt.Errorf("%d of %d tasks were running at once, and the limit is %d", begun.Load(), n, n)
	case early.Load() > 0:
		return fmt.Errorf("%d tasks of a run were started while those of another took up the limit of %d", early.Load(), n)
	}
	return errors.Join(first, second)
}

func usableAfterFailure(k *kit) error {
	boom := errors.New("boom")
	for round := range 3 {
		_ = k.s.Run(context.Background(), make(tally, 10).tasks(func(_ context.Context, i int) error {
			if i == 4 {
				return boom
			}
			return nil
		}))
		c := make(tally, 40)
		if err := k.s.Run(context.Background(), c.tasks(nil)); err != nil {
			return fmt.Errorf("Run returned %q for tasks that return nil, after a run that failed (round %d)", err, round)
		}
		if err := c.once(); err != nil {
			return fmt.Errorf("after a run that failed: %w", err)
		}
	}
	return nil
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

// cancelledByItself has a task fail with the error that contexts have, while the
// run's is not done: that is a failure as any other.
func cancelledByItself(k *kit) error {
	const failing = 2
	for _, cause := range []error{context.Canceled, fmt.Errorf("read: %w", context.DeadlineExceeded)} {
		err := k.s.Run(context.Background(), make(tally, 5).tasks(func(_ context.Context, i int) error {
			if i == failing {
				return cause
			}
			return nil
		}))
		if err := failedWith(err, failing, cause); err != nil {
			return err
		}
	}
	return nil
}

// runsInside has tasks that run tasks on their scheduler, which do so again.
func runsInside(k *kit) error {
	const width, depth = 4, 3
	var leaves atomic.Int32
	var inside func(depth int) func(ctx context.Context, i int) error
	inside = func(depth int) func(ctx context.Context, i int) error {
		return func(ctx context.Context, _ int) error {
			if depth == 0 {
				leaves.Add(1)
				return nil
			}
			return k.s.Run(ctx, make(tally, width).tasks(inside(depth-1)))
		}
	}
	if err := k.s.Run(context.Background(), make(tally, width).tasks(inside(depth-1))); err != nil {
		return fmt.Errorf("tasks ran tasks on the scheduler that they were on, and Run returned %q", err)
	}
	if n := leaves.Load(); n != width*width*width {
		return fmt.Errorf("tasks ran tasks on the scheduler that they were on, and %d of %d ran", n, width*width*width)
	}
	boom := errors.New("boom")
	err := k.s.Run(context.Background(), make(tally, 3).tasks(func(ctx context.Context, i int) error {
		if i != 1 {
			return nil
		}
		return k.s.Run(ctx, make(tally, 3).tasks(func(_ context.Context, i int) error {
			if i == 2 {
				return boom
			}
			return nil
		}))
	}))
	return failedWith(err, 1, boom)
}

// waitsEnd has tasks that wait until one fails that may never be started, as
// those that wait keep their places.
func waitsEnd(k *kit) error {
	const n, failing = 90, 20
	boom := errors.New("boom")
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	giveUp := make(chan struct{})
	timer := time.AfterFunc(k.patience/4, func() { close(giveUp) })
	defer timer.Stop()
	var deaf atomic.Int32
	err := k.s.Run(ctx, make(tally, n).tasks(func(ctx context.Context, i int) error {
		if i == failing {
			return boom
		}
		select {
		case <-ctx.Done():
		case <-giveUp:
			deaf.Add(1)
		}
		return nil
	}))
	if d := deaf.Load(); d > 0 {
		return fmt.Errorf("the context given to Run was done, and those of %d tasks that waited for it were not", d)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil // before the one that fails, or where that had no turn
	}
	return failedWith(err, failing, boom)
}

// threadLeftLocked has tasks that lock their goroutine to its thread and leave
// it so.
func threadLeftLocked(k *kit) error {
	c := make(tally, 30)
	err := k.s.Run(context.Background(), c.tasks(func(_ context.Context, i int) error {
		if i%3 == 0 {
			runtime.LockOSThread()
		}
		return nil
	}))
	if err != nil {
		return fmt.Errorf("Run returned %q for tasks that return nil and leave their thread locked", err)
	}
	if err := c.once(); err != nil {
		return err
	}
	c = make(tally, 30)
	if err := k.s.Run(context.Background(), c.tasks(nil)); err != nil {
		return fmt.Errorf("Run returned %q for tasks that return nil, after a run that left threads locked", err)
	}
	return c.once()
}
