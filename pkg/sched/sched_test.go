package sched_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"overlap/pkg/sched"
	"overlap/pkg/sched/schedtest"
)

func TestMain(m *testing.M) {
	if child := os.Getenv(childVariable); child != "" {
		os.Exit(children[child]())
	}
	goleak.VerifyTestMain(m)
}

// another hides what kind a scheduler is.
type another struct{ sched.Scheduler }

// schedulers are all kinds, with some parameters.
var schedulers = []func() sched.Scheduler{
	sched.Sequential,
	sched.Goroutines,
	func() sched.Scheduler { return sched.Pool(1) },
	func() sched.Scheduler { return sched.Pool(3) },
	func() sched.Scheduler { return sched.Pool(100) },
	sched.Executor,
	sched.Threads,
	sched.EventLoop,
	func() sched.Scheduler { return sched.AwaitEach(sched.Goroutines()) },
	func() sched.Scheduler { return sched.AwaitEach(sched.Sequential()) },
	func() sched.Scheduler { return sched.AwaitEach(sched.EventLoop()) },
	func() sched.Scheduler { return sched.AwaitEach(sched.AwaitEach(sched.Pool(2))) },
	func() sched.Scheduler { return sched.AwaitEach(another{sched.Pool(2)}) },
}

func TestPromises(t *testing.T) {
	for i, s := range schedulers {
		t.Run(fmt.Sprint(i, " ", s().Name()), func(t *testing.T) {
			// A machine may be slow; only what never ends is wrong.
			opts := []schedtest.Option{schedtest.Patience(5 * time.Minute)}
			if testing.Short() {
				opts = append(opts, schedtest.Many(10_000))
			}
			schedtest.Run(t, s, opts...)
		})
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		s    sched.Scheduler
		want string
	}{
		{sched.Sequential(), "sequential"},
		{sched.Goroutines(), "goroutines"},
		{sched.Pool(4), "pool(4)"},
		{sched.Executor(), fmt.Sprintf("executor(%d)", min(32, runtime.NumCPU()+4))},
		{sched.Threads(), "threads"},
		{sched.EventLoop(), "event loop"},
		{sched.AwaitEach(sched.Goroutines()), "await each goroutines"},
	} {
		if got := c.s.Name(); got != c.want {
			t.Errorf("name is %q, want %q", got, c.want)
		}
	}
}

func TestBadArguments(t *testing.T) {
	for _, c := range []struct {
		s    sched.Scheduler
		want string
	}{
		{sched.Pool(0), "sched: pool(0): needs at least 1 worker"},
		{sched.Pool(-1), "sched: pool(-1): needs at least 1 worker"},
		{sched.AwaitEach(nil), "sched: await each: the inner scheduler is nil"},
		{sched.AwaitEach(sched.Pool(0)), "sched: pool(0): needs at least 1 worker"},
		{sched.AwaitEach(another{sched.Pool(0)}), "sched: await each pool(0): task 0 not started: sched: pool(0): needs at least 1 worker"},
	} {
		t.Run(c.s.Name(), func(t *testing.T) {
			ran := false
			err := c.s.Run(t.Context(), []sched.Task{func(context.Context) error { ran = true; return nil }})
			if ran {
				t.Error("the task was started")
			}
			if err == nil || err.Error() != c.want {
				t.Errorf("Run returned %v, want %s", err, c.want)
			}
			if b, ok := c.s.(sched.Bounded); ok && b.Limit() < 1 {
				t.Errorf("Limit is %d", b.Limit())
			}
		})
	}
}

func TestNilTask(t *testing.T) {
	for _, s := range schedulers {
		s := s()
		err := s.Run(t.Context(), []sched.Task{0: ok, 1: nil, 2: ok})
		var te *sched.TaskError
		if !errors.As(err, &te) || te.Error() != "task 1: task is nil" {
			t.Errorf("%s: Run returned %v", s.Name(), err)
		}
	}
}

func ok(context.Context) error { return nil }

// TestStopped looks at the error of a run that was cancelled.
func TestStopped(t *testing.T) {
	cause := errors.New("the user had enough")
	boom := errors.New("boom")
	for _, c := range []struct {
		name string
		then error // what the task that is running at that time returns
		want string
		is   []error
	}{
		{"all well", nil, "sched: 2 of 5 tasks not started: the user had enough", []error{cause, context.Canceled}},
		{"passed on", context.Canceled, "sched: 2 of 5 tasks not started: the user had enough", []error{cause, context.Canceled}},
		{"failed too", boom, "sched: 2 of 5 tasks not started: the user had enough; then task 2: boom", []error{cause, context.Canceled, boom}},
	} {
		for _, s := range []sched.Scheduler{
			sched.Sequential(), sched.Pool(1), sched.EventLoop(), sched.AwaitEach(sched.Threads()), sched.AwaitEach(another{sched.Pool(2)}),
		} {
			t.Run(c.name+"/"+s.Name(), func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				err := s.Run(ctx, []sched.Task{ok, ok, func(context.Context) error { cancel(cause); return c.then }, ok, ok})
				if err == nil || err.Error() != c.want {
					t.Errorf("Run returned %v, want %s", err, c.want)
				}
				for _, want := range c.is {
					if !errors.Is(err, want) {
						t.Errorf("errors.Is does not find %v in %v", want, err)
					}
				}
			})
		}
	}

	t.Run("no tasks", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		for _, s := range schedulers {
			if err := s().Run(ctx, nil); !errors.Is(err, cause) {
				t.Errorf("%s: Run returned %v", s().Name(), err)
			}
		}
	})

	t.Run("panic after cancel", func(t *testing.T) {
		for _, s := range schedulers {
			ctx, cancel := context.WithCancelCause(t.Context())
			tasks := make([]sched.Task, 3000)
			for i := range tasks {
				tasks[i] = func(context.Context) error { return nil }
			}
			tasks[0] = func(context.Context) error { cancel(cause); panic(boom) }
			err := s().Run(ctx, tasks)
			if err == nil {
				t.Errorf("%s: Run returned nil", s().Name())
			}
			// Whatever was first, a panic is not lost.
			if !errors.Is(err, boom) {
				t.Errorf("%s: Run returned %v", s().Name(), err)
			}
		}
	})
}

// TestContextIsOver looks at the context of tasks after a run.
func TestContextIsOver(t *testing.T) {
	for _, s := range schedulers {
		s := s()
		var kept context.Context
		boom := errors.New("boom")
		_ = s.Run(t.Context(), []sched.Task{func(ctx context.Context) error { kept = ctx; return boom }})
		if kept.Err() == nil {
			t.Errorf("%s: the context is not done after the run", s.Name())
		}
		if !errors.Is(context.Cause(kept), boom) {
			t.Errorf("%s: its cause is %v", s.Name(), context.Cause(kept))
		}
	}
}

// foreign is a context that package context does not know how to follow
// without a goroutine.
type foreign struct {
	context.Context
	done chan struct{}
	over atomic.Bool
}

func (f *foreign) Done() <-chan struct{} { return f.done }

func (f *foreign) Err() error {
	if f.over.Load() {
		return context.Canceled
	}
	return nil
}

func TestForeignContext(t *testing.T) {
	for _, s := range []sched.Scheduler{sched.Sequential(), sched.Pool(1), sched.EventLoop(), sched.AwaitEach(sched.Goroutines())} {
		ctx := &foreign{Context: t.Context(), done: make(chan struct{})}
		ran := 0
		task := func(context.Context) error {
			if ran++; ran == 3 {
				ctx.over.Store(true)
				close(ctx.done)
			}
			return nil
		}
		err := s.Run(ctx, []sched.Task{task, task, task, task, task})
		if ran != 3 || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %d tasks were started, want 3; Run returned %v", s.Name(), ran, err)
		}
	}
}

func TestWorker(t *testing.T) {
	const n = 40
	for _, c := range []struct {
		s      sched.Scheduler
		is     bool
		most   int
		thread bool
	}{
		{sched.Sequential(), false, 0, false},
		{sched.Goroutines(), false, 0, false},
		{sched.Pool(3), true, 3, false},
		{sched.Pool(100), true, n, false},
		{sched.EventLoop(), true, 1, false},
		{sched.Threads(), true, n, runtime.GOOS == "linux"},
	} {
		tasks := make([]sched.Task, n)
		var highest atomic.Int32
		for i := range tasks {
			tasks[i] = func(ctx context.Context) error {
				w, ok := sched.Worker(ctx)
				if ok != c.is || (w.Thread != 0) != c.thread || ok && w.ID < 1 {
					return fmt.Errorf("worker is %+v, %v", w, ok)
				}
				if c.thread && w.ID != i+1 {
					return fmt.Errorf("worker is %v", w)
				}
				for old := highest.Load(); int32(w.ID) > old && !highest.CompareAndSwap(old, int32(w.ID)); old = highest.Load() {
				}
				return nil
			}
		}
		if err := c.s.Run(t.Context(), tasks); err != nil {
			t.Errorf("%s: %v", c.s.Name(), err)
		}
		if h := int(highest.Load()); h > c.most {
			t.Errorf("%s: a worker has the number %d, and the highest should be %d", c.s.Name(), h, c.most)
		}
	}
}

func TestPanicInsideKeepsItsError(t *testing.T) {
	boom := errors.New("boom")
	err := sched.Pool(2).Run(t.Context(), []sched.Task{func(context.Context) error { panic(boom) }})
	if !errors.Is(err, boom) || !strings.Contains(err.Error(), "task 0: panic: boom") {
		t.Errorf("Run returned %v", err)
	}
}

// TestMixtures runs random mixtures of tasks on all schedulers.
func TestMixtures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(schedulers).Draw(t, "scheduler")()
		kinds := rapid.SliceOfN(rapid.SampledFrom([]string{"ok", "ok", "ok", "ok", "yield", "await", "error", "panic", "cancel"}), 0, 60).Draw(t, "tasks")
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		boom := errors.New("boom")
		counts := make([]atomic.Int32, len(kinds))
		var running, most, cancelled atomic.Int32
		tasks := make([]sched.Task, len(kinds))
		for i, kind := range kinds {
			tasks[i] = func(ctx context.Context) error {
				counts[i].Add(1)
				now := running.Add(1)
				defer running.Add(-1)
				for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
				}
				switch kind {
				case "yield":
					_ = sched.Yield(ctx)
				case "await":
					_ = sched.Await(ctx, func(context.Context) error { runtime.Gosched(); return nil })
				case "error":
					return boom
				case "panic":
					panic(boom)
				case "cancel":
					cancelled.Add(1)
					cancel()
				}
				return nil
			}
		}
		err := s.Run(ctx, tasks)

		started, failures := 0, 0
		for i := range counts {
			n := int(counts[i].Load())
			if n > 1 {
				t.Fatalf("task %d ran %d times", i, n)
			}
			started += n
			if n == 1 && (kinds[i] == "error" || kinds[i] == "panic") {
				failures++
			}
		}
		if running.Load() != 0 {
			t.Fatalf("%d tasks are running after Run", running.Load())
		}
		if b, ok := s.(sched.Bounded); ok && int(most.Load()) > b.Limit() {
			t.Fatalf("%d tasks were running at once, and the limit is %d", most.Load(), b.Limit())
		}
		var te *sched.TaskError
		switch {
		case err == nil:
			if started != len(kinds) || failures > 0 {
				t.Fatalf("Run returned nil with %d of %d started and %d failed", started, len(kinds), failures)
			}
		case errors.As(err, &te):
			if k := kinds[te.Task]; k != "error" && k != "panic" {
				t.Fatalf("Run returned %v, and this task is %s", err, k)
			}
			if !errors.Is(err, boom) {
				t.Fatalf("Run returned %v", err)
			}
		default:
			if cancelled.Load() == 0 || !errors.Is(err, context.Canceled) || started == len(kinds) {
				t.Fatalf("Run returned %v with %d of %d started", err, started, len(kinds))
			}
		}
		if failures > 0 && te == nil {
			t.Fatalf("%d tasks failed, and Run returned %v", failures, err)
		}
	})
}
