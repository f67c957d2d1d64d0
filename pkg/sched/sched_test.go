package sched_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"overlap/pkg/sched"
	"overlap/pkg/sched/kotlin"
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
	func() sched.Scheduler { return sched.Adapt("goroutine pool", 3, goPool(3)) },
}

// goPool opens a pool that has a goroutine for each function, and n at once.
func goPool(n int) func() (sched.TaskPool, error) {
	return func() (sched.TaskPool, error) {
		slots := make(chan struct{}, n)
		return sched.TaskPool{
			Submit: func(f func()) error {
				slots <- struct{}{}
				go func() {
					defer func() { <-slots }()
					f()
				}()
				return nil
			},
			Close: func() {
				for range n {
					slots <- struct{}{}
				}
			},
		}, nil
	}
}

func TestPromises(t *testing.T) {
	for i, s := range schedulers {
		t.Run(fmt.Sprint(i, " ", s().Name()), func(t *testing.T) {
			// A machine may be slow; only what never ends is wrong.
			opts := []schedtest.Option{schedtest.Patience(5 * time.Minute)}
			name := s().Name()
			switch inner, each := strings.CutPrefix(name, "await each "); {
			case testing.Short(), name == "threads", // whose bound is 8,000
				each && inner != "goroutines": // one of this kind has all
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
		{sched.ExecutorOn(8), "executor(12)"},
		{sched.ExecutorOn(math.MaxInt), "executor(32)"},
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
		{sched.ExecutorOn(0), "sched: executor(0): needs at least 1 CPU, and 0 were given"},
		{sched.ExecutorOn(-3), "sched: executor(0): needs at least 1 CPU, and -3 were given"},
		{sched.AwaitEach(sched.ExecutorOn(0)), "sched: executor(0): needs at least 1 CPU, and 0 were given"},
		{sched.Adapt("mine", 0, goPool(1)), "sched: mine: needs at least 1 worker"},
		{sched.Adapt("mine", 1, nil), "sched: mine: there is no function that opens it"},
		{sched.Adapt("mine", 1, func() (sched.TaskPool, error) { return sched.TaskPool{}, nil }), "sched: mine: the opened pool has no function Submit"},
		{sched.Adapt("mine", 1, func() (sched.TaskPool, error) { return sched.TaskPool{}, errors.New("no licence") }), "sched: mine: no licence"},
		{sched.Adapt("mine", 1, func() (sched.TaskPool, error) { panic("no licence") }), "sched: mine: open of the pool: panic: no licence"},
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
			if f := sched.FactsOf(c.s); f.Kind == "" || f.Limit < 0 || f.Of != nil {
				t.Errorf("the facts are %+v", f)
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

// TestClearedTask has a task that clears its place in the slice, to free what
// it holds, before it fails: it was there all the same.
func TestClearedTask(t *testing.T) {
	for _, s := range schedulers {
		s := s()
		tasks := []sched.Task{ok, nil}
		tasks[1] = func(context.Context) error {
			tasks[1] = nil
			panic("boom")
		}
		var pe *sched.PanicError
		if err := s.Run(t.Context(), tasks); !errors.As(err, &pe) || pe.Value != "boom" {
			t.Errorf("%s: Run returned %v", s.Name(), err)
		}
	}
}

// TestRefusedTask has a pool that takes two tasks and no third.
func TestRefusedTask(t *testing.T) {
	full := errors.New("full")
	var taken, ran, closed atomic.Int32
	err := sched.Adapt("mine", 1, func() (sched.TaskPool, error) {
		return sched.TaskPool{
			Submit: func(f func()) error {
				if taken.Add(1) > 2 {
					return full
				}
				go f()
				return nil
			},
			Close: func() { closed.Add(ran.Load()) },
		}, nil
	}).Run(t.Context(), slices.Repeat([]sched.Task{func(context.Context) error { ran.Add(1); return nil }}, 5))
	if !errors.Is(err, full) || err.Error() != "sched: mine: task 2 not taken: full" {
		t.Errorf("Run returned %v", err)
	}
	if closed.Load() != ran.Load() || ran.Load() > 2 {
		t.Errorf("%d tasks had run when it was closed, and %d in all", closed.Load(), ran.Load())
	}
}

// TestPoolThatPanics has a pool that panics as it is given a task, before or
// after it has begun it, as it is closed, or that calls a function twice. Run
// returns that, with the stack, and not before what was begun has ended.
func TestPoolThatPanics(t *testing.T) {
	start := func(f func()) { // and have it under way
		begun := make(chan struct{})
		go func() { close(begun); f() }()
		<-begun
	}
	for _, c := range []struct {
		name   string
		submit func(n int, f func()) // n counts from 1
		close  func()
		ran    int32
		want   string // "" for no error
	}{
		{"before the third", func(n int, f func()) {
			if n == 3 {
				panic("full")
			}
			start(f)
		}, nil, 2, "sched: mine: task 2 not taken: Submit of the pool: panic: full"},
		{"with the third kept for later", func(n int, f func()) {
			if n == 3 {
				t.Cleanup(f) // which does nothing then
				panic("full")
			}
			start(f)
		}, nil, 2, "sched: mine: task 2 not taken: Submit of the pool: panic: full"},
		{"after the third", func(n int, f func()) {
			f()
			if n == 3 {
				panic("full")
			}
		}, nil, 3, "sched: mine: task 2 not taken: Submit of the pool: panic: full"},
		{"as it is closed", func(_ int, f func()) { start(f) }, func() { panic("not mine") }, 5,
			"sched: mine: all tasks have ended, but Close of the pool: panic: not mine"},
		{"calls twice", func(_ int, f func()) { f(); f() }, nil, 5, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var ran atomic.Int32
			submitted := 0
			err := sched.Adapt("mine", 1, func() (sched.TaskPool, error) {
				return sched.TaskPool{Submit: func(f func()) error { submitted++; c.submit(submitted, f); return nil }, Close: c.close}, nil
			}).Run(t.Context(), slices.Repeat([]sched.Task{func(context.Context) error {
				time.Sleep(time.Millisecond)
				ran.Add(1)
				return nil
			}}, 5))
			// A task that is begun late finds the run over.
			if n := ran.Load(); n > c.ran || c.want == "" && n != c.ran {
				t.Errorf("%d tasks ran, want %d", n, c.ran)
			}
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var pe *sched.PanicError
			if err == nil || err.Error() != c.want || !errors.As(err, &pe) || !strings.Contains(string(pe.Stack), "TestPoolThatPanics") {
				t.Errorf("Run returned %v, want %s", err, c.want)
			}
		})
	}
}

func TestNilContext(t *testing.T) {
	const want = "sched: the context is nil; give context.Background() if there is none"
	d := kotlin.New()
	defer d.Close()
	var none context.Context
	errs := map[string]error{
		"Yield":  sched.Yield(none),
		"Await":  sched.Await(none, ok),
		"Switch": kotlin.Switch(none, d.IO(), ok),
		"Then":   kotlin.Then(none, d.IO(), ok),
		"io":     d.IO().Run(none, []sched.Task{ok}),
	}
	for name, err := range errs {
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if w, ok := sched.Worker(none); ok {
		t.Errorf("there is a worker %v", w)
	}
}

// TestRules looks at what is said of sizes that nobody gave.
func TestRules(t *testing.T) {
	d := kotlin.New(kotlin.WithCores(3))
	defer d.Close()
	for _, c := range []struct {
		s    sched.Scheduler
		want string
	}{
		{sched.ExecutorOn(1), "min(32, CPUs + 4) workers, which is 5 on 1 CPU; asyncio's default executor has as many since Python 3.8, and had 5 a CPU before"},
		{sched.ExecutorOn(2), "min(32, CPUs + 4) workers, which is 6 on 2 CPUs; asyncio's default executor has as many since Python 3.8, and had 5 a CPU before"},
		{sched.ExecutorOn(64), "min(32, CPUs + 4) workers, which is 32 on 64 CPUs; asyncio's default executor has as many since Python 3.8, and had 5 a CPU before"},
		{d.Default(), "at most 3 tasks at once; max(2, CPUs) where nothing else is set, as Kotlin's Dispatchers.Default"},
		{d.IO(), fmt.Sprintf("at most %d tasks at once, beside those of default; max(64, CPUs) where nothing else is set, as Kotlin's Dispatchers.IO", d.IO().Limit())},
	} {
		if got := sched.FactsOf(c.s).Rule; got != c.want {
			t.Errorf("%s: %s\nwant %s", c.s.Name(), got, c.want)
		}
	}
	if got := sched.FactsOf(sched.Threads()).Rule; !strings.Contains(got, fmt.Sprintf("at most %d OS threads at once", sched.FactsOf(sched.Threads()).Limit)) {
		t.Errorf("threads: %s", got)
	}
}

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

// TestWaitForTaskNotStarted has tasks that wait until another one fails, which
// is not started before one of them has returned.
func TestWaitForTaskNotStarted(t *testing.T) {
	const n, failing = 90, 20
	boom := errors.New("number 20 fails")
	d := kotlin.New(kotlin.WithCores(2))
	defer d.Close()
	ten := kotlin.New(kotlin.WithIOLimit(10))
	defer ten.Close()
	tenAtOnce := sched.Adapt("ten", 10, goPool(10))
	const (
		they = " (if they wait for one that is not started, they wait for ever)"
		it   = " (if it waits for one that is not started, it waits for ever)"
	)
	for _, c := range []struct {
		s    sched.Scheduler
		want string // "" where the task that fails gets its turn
	}{
		{sched.Pool(10), "80 of 90; 10 were running, as many as pool(10) runs at once" + they},
		{sched.Pool(1), "89 of 90; 1 was running, as many as pool(1) runs at once" + it},
		{sched.ExecutorOn(2), "84 of 90; 6 were running, as many as executor(6) runs at once" + they},
		{sched.Sequential(), "89 of 90"},
		{sched.AwaitEach(sched.Goroutines()), "89 of 90; 1 was running, as many as await each goroutines runs at once" + it},
		{sched.AwaitEach(another{sched.Pool(3)}), "89 of 90; 1 was running, as many as await each pool(3) runs at once" + it},
		{sched.EventLoop(), "89 of 90; task 0 had the turn on the event loop, and keeps it until it returns, yields or awaits"},
		{d.Default(), "88 of 90; 2 were running, as many as default runs at once" + they},
		{ten.IO(), "80 of 90; 10 were running, as many as io runs at once" + they},
		{tenAtOnce, "80 of 90; 10 were running, as many as ten runs at once" + they},
		{sched.AwaitEach(d.IO()), "89 of 90; 1 was running, as many as await each io runs at once" + it},
		{sched.Goroutines(), ""},
		{sched.Pool(21), ""},
		{sched.Threads(), ""},
		{d.IO(), ""},
	} {
		t.Run(c.s.Name(), func(t *testing.T) {
			// The time limit passes when all have started that can.
			limit := newForeign(t.Context())
			most := int32(1)
			if limit := sched.FactsOf(c.s).Limit; limit > 0 {
				most = int32(limit)
			}
			var started atomic.Int32
			tasks := make([]sched.Task, n)
			for i := range tasks {
				tasks[i] = func(ctx context.Context) error {
					if i == failing {
						return boom
					}
					if started.Add(1) == most && c.want != "" {
						limit.end(context.DeadlineExceeded)
					}
					<-ctx.Done()
					return ctx.Err()
				}
			}
			err := c.s.Run(limit, tasks)
			if c.want == "" {
				var te *sched.TaskError
				if !errors.As(err, &te) || te.Task != failing || !errors.Is(err, boom) {
					t.Errorf("Run returned %v", err)
				}
				return
			}
			count, held, found := strings.Cut(c.want, "; ")
			want := "sched: " + count + " tasks not started: context deadline exceeded"
			if found {
				want += "; " + held
			}
			if !errors.Is(err, context.DeadlineExceeded) || err.Error() != want {
				t.Errorf("Run returned %v, want %s", err, want)
			}
		})
	}
}

// TestInterruptInTheFirstWave has tasks that heed their context and are stopped
// before one of them has ended: nothing hints at tasks that wait for each other.
func TestInterruptInTheFirstWave(t *testing.T) {
	d := kotlin.New(kotlin.WithCores(2))
	defer d.Close()
	for _, c := range []struct {
		s    sched.Scheduler
		want string // after "sched: "; "" where all have been started
	}{
		{sched.Pool(4), "96 of 100 tasks not started: context canceled; 4 were running, as many as pool(4) runs at once"},
		{d.Default(), "98 of 100 tasks not started: context canceled; 2 were running, as many as default runs at once"},
		{sched.Adapt("ten", 10, goPool(10)), "90 of 100 tasks not started: context canceled; 10 were running, as many as ten runs at once"},
		{sched.Pool(1), "99 of 100 tasks not started: context canceled"},
		{sched.Sequential(), "99 of 100 tasks not started: context canceled"},
		{sched.AwaitEach(sched.Goroutines()), "99 of 100 tasks not started: context canceled"},
		{sched.AwaitEach(another{sched.Pool(3)}), "99 of 100 tasks not started: context canceled"},
		{sched.EventLoop(), "99 of 100 tasks not started: context canceled"},
	} {
		t.Run(c.s.Name(), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			most := int32(1)
			if limit := sched.FactsOf(c.s).Limit; limit > 0 {
				most = int32(limit)
			}
			var started atomic.Int32
			err := c.s.Run(ctx, slices.Repeat([]sched.Task{func(ctx context.Context) error {
				if started.Add(1) == most {
					cancel()
				}
				<-ctx.Done()
				return ctx.Err()
			}}, 100))
			if err == nil || err.Error() != "sched: "+c.want {
				t.Errorf("Run returned %v, want sched: %s", err, c.want)
			}
		})
	}
}

// TestNoBoundToBlame has runs that are stopped while tasks come and go, so that
// no bound kept the others from starting.
func TestNoBoundToBlame(t *testing.T) {
	for _, s := range []sched.Scheduler{sched.Sequential(), sched.Pool(2), sched.AwaitEach(sched.Pool(2))} {
		ctx, cancel := context.WithCancel(t.Context())
		var started atomic.Int32
		err := s.Run(ctx, slices.Repeat([]sched.Task{func(context.Context) error {
			if started.Add(1) == 7 {
				cancel()
			}
			return nil
		}}, 100_000))
		if err == nil || strings.Contains(err.Error(), "at once") {
			t.Errorf("%s: Run returned %v", s.Name(), err)
		}
	}
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
	err  atomic.Value // of type error, once it is over
}

func newForeign(parent context.Context) *foreign {
	return &foreign{Context: parent, done: make(chan struct{})}
}

func (f *foreign) end(err error) {
	f.err.Store(err)
	close(f.done)
}

func (f *foreign) Done() <-chan struct{} { return f.done }

func (f *foreign) Err() error {
	err, _ := f.err.Load().(error)
	return err
}

func TestForeignContext(t *testing.T) {
	for _, s := range []sched.Scheduler{sched.Sequential(), sched.Pool(1), sched.EventLoop(), sched.AwaitEach(sched.Goroutines())} {
		ctx := newForeign(t.Context())
		ran := 0
		task := func(context.Context) error {
			if ran++; ran == 3 {
				ctx.end(context.Canceled)
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
		var g gauge
		var cancelled atomic.Int32
		tasks := make([]sched.Task, len(kinds))
		for i, kind := range kinds {
			tasks[i] = func(ctx context.Context) error {
				counts[i].Add(1)
				g.enter()
				defer g.leave()
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
		if g.now.Load() != 0 {
			t.Fatalf("%d tasks are running after Run", g.now.Load())
		}
		if limit := sched.FactsOf(s).Limit; limit > 0 && int(g.most.Load()) > limit {
			t.Fatalf("%d tasks were running at once, and the limit is %d", g.most.Load(), limit)
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

// embedding passes the methods of what it embeds on as its own.
type embedding struct{ *kotlin.View }

func (embedding) Run(ctx context.Context, tasks []sched.Task) error {
	return sched.Goroutines().Run(ctx, tasks)
}

// TestFacts looks at what schedulers say they are.
func TestFacts(t *testing.T) {
	d := kotlin.New(kotlin.WithCores(3))
	defer d.Close()
	for _, c := range []struct {
		s    sched.Scheduler
		want sched.Facts
	}{
		{sched.Sequential(), sched.Facts{Kind: sched.KindSequential, Serial: true, Limit: 1}},
		{sched.AwaitEach(sched.Pool(4)), sched.Facts{Kind: sched.KindAwaitEach, Serial: true, Limit: 1}},
		{sched.Pool(1), sched.Facts{Kind: sched.KindPool, Limit: 1}},
		{sched.Pool(7), sched.Facts{Kind: sched.KindPool, Limit: 7}},
		{sched.EventLoop(), sched.Facts{Kind: sched.KindEventLoop}},
		{sched.Goroutines(), sched.Facts{Kind: sched.KindGoroutines}},
		{sched.Adapt("pool(1)", 3, nil), sched.Facts{Kind: sched.KindAdapted, Limit: 3}},
		{embedding{d.IO()}, sched.Facts{}},
		{&embedding{d.IO()}, sched.Facts{}},
		{struct{ sched.Scheduler }{sched.Sequential()}, sched.Facts{}},
		{nil, sched.Facts{}},
	} {
		if got := sched.FactsOf(c.s); got != c.want {
			t.Errorf("%T: %+v, want %+v", c.s, got, c.want)
		}
	}
	for s, kind := range map[sched.Scheduler]sched.Kind{
		d.Default(): sched.KindDefault, d.IO(): sched.KindIO, sched.ExecutorOn(2): sched.KindExecutor, sched.Threads(): sched.KindThreads,
	} {
		if f := sched.FactsOf(s); f.Kind != kind || f.Serial || f.Limit < 2 || f.Rule == "" {
			t.Errorf("%s: %+v", s.Name(), f)
		}
	}
}

// A labelled is a scheduler of somebody's own that cannot be compared.
type labelled struct {
	sched.Scheduler
	labels []string
}

func (l labelled) Facts() sched.Facts { return sched.Facts{Kind: "mine", Of: l} }

func TestFactsOfWhatCannotBeCompared(t *testing.T) {
	if f := sched.FactsOf(labelled{sched.Sequential(), []string{"a"}}); f != (sched.Facts{}) {
		t.Errorf("%+v", f)
	}
}
