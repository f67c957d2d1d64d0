package kotlin_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"overlap/pkg/sched"
	"overlap/pkg/sched/kotlin"
	"overlap/pkg/sched/schedtest"
)

// dispatchers returns dispatchers that are closed when the test ends.
func dispatchers(t testing.TB, opts ...kotlin.Option) *kotlin.Dispatchers {
	d := kotlin.New(opts...)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestViewsKeepPromises(t *testing.T) {
	for name, view := range map[string]func(*kotlin.Dispatchers) *kotlin.View{
		"default": (*kotlin.Dispatchers).Default,
		"io":      (*kotlin.Dispatchers).IO,
	} {
		t.Run(name, func(t *testing.T) {
			d := dispatchers(t)
			// Workers stay when a run is over: they shall all be there before
			// the test that looks for what is left behind.
			if err := view(d).Run(t.Context(), new(gauge).sleeps(300, time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			opts := []schedtest.Option{schedtest.Many(20_000), schedtest.SharedBound()}
			if err := schedtest.Test(view(d), opts...); err != nil {
				t.Error(err)
			}
			if s := d.Stats(); s.Default.Running != 0 || s.IO.Running != 0 {
				t.Errorf("after all runs: %+v", s)
			}
		})
	}
}

// TestViewsInAwaitEach uses views task by task.
func TestViewsInAwaitEach(t *testing.T) {
	d := dispatchers(t)
	schedtest.Run(t, func() sched.Scheduler { return sched.AwaitEach(d.IO()) }, schedtest.Many(2000))
}

func TestDispatcherParameters(t *testing.T) {
	cpus := runtime.GOMAXPROCS(0)
	d := dispatchers(t)
	for _, c := range []struct {
		v     *kotlin.View
		name  string
		limit int
	}{
		{d.Default(), "default", max(2, cpus)},
		{d.IO(), "io", max(64, cpus)},
	} {
		if c.v.Name() != c.name || c.v.Limit() != c.limit {
			t.Errorf("%q has the limit %d, want %q and %d", c.v.Name(), c.v.Limit(), c.name, c.limit)
		}
	}
	for _, c := range []struct {
		opt  kotlin.Option
		want string
	}{
		{kotlin.WithCores(0), "sched: dispatchers: 0 cores; at least 1 is needed"},
		{kotlin.WithCores(-3), "sched: dispatchers: -3 cores; at least 1 is needed"},
		{kotlin.WithCores(1 << 20), "sched: dispatchers: 1048576 cores; the most is 3999, for Go ends the process at 10,000 threads"},
		{kotlin.WithIOLimit(0), "sched: dispatchers: an IO limit of 0; it must be at least 1"},
		{nil, "sched: dispatchers: option 0 is nil; leave it out"},
	} {
		d := dispatchers(t, c.opt)
		for _, v := range []*kotlin.View{d.Default(), d.IO()} {
			if err := v.Run(t.Context(), []sched.Task{ok}); err == nil || err.Error() != c.want {
				t.Errorf("%s: Run returned %v, want %s", v.Name(), err, c.want)
			}
			if v.Limit() < 1 {
				t.Errorf("%s: Limit is %d", v.Name(), v.Limit())
			}
		}
	}

	for _, err := range []error{kotlin.Switch(t.Context(), nil, ok), kotlin.Switch(t.Context(), d.IO(), nil), kotlin.Then(t.Context(), nil, ok), kotlin.Then(t.Context(), d.IO(), nil)} {
		if err == nil || !strings.Contains(err.Error(), "needs a view and a function") {
			t.Errorf("returned %v", err)
		}
	}
}

func TestDispatchersClosed(t *testing.T) {
	d := kotlin.New()
	var inside, nested error
	started := make(chan struct{})
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := d.IO().Run(t.Context(), []sched.Task{func(ctx context.Context) error {
			inside = d.Close()
			close(started)
			time.Sleep(20 * time.Millisecond)
			nested = d.Default().Run(ctx, []sched.Task{ok, ok}) // of a run that had begun
			done.Store(true)
			return nil
		}}); err != nil {
			t.Error(err)
		}
	})
	<-started
	for range 2 {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if !done.Load() {
			t.Error("Close did not wait for the run")
		}
	}
	wg.Wait()
	if runtime.GOOS == "linux" && (inside == nil || !strings.Contains(inside.Error(), "called by one of their tasks")) {
		t.Errorf("Close in a task returned %v", inside)
	}
	if nested != nil {
		t.Error(nested)
	}
	for _, v := range []*kotlin.View{d.Default(), d.IO()} {
		if err := v.Run(t.Context(), []sched.Task{ok}); !errors.Is(err, kotlin.ErrClosed) {
			t.Errorf("%s: Run returned %v", v.Name(), err)
		}
	}
	if err := kotlin.Switch(t.Context(), d.IO(), ok); !errors.Is(err, kotlin.ErrClosed) {
		t.Errorf("Switch returned %v", err)
	}
	if s := d.Stats(); s.Alive != 0 {
		t.Errorf("%d workers are alive after Close", s.Alive)
	}
	unused := kotlin.New()
	if err := unused.Close(); err != nil {
		t.Error(err)
	}
}

// TestIOWidth is on real threads. See TestIOWaves for the time that waves take.
func TestIOWidth(t *testing.T) {
	d := dispatchers(t, kotlin.WithIOLimit(64), kotlin.WithCores(2))
	var g gauge
	if err := d.IO().Run(t.Context(), g.meets(200, 64)); err != nil {
		t.Fatal(err)
	}
	if most := g.most.Load(); most != 64 {
		t.Errorf("%d in flight at most, want 64", most)
	}
	var two gauge
	if err := d.Default().Run(t.Context(), two.meets(20, 2)); err != nil {
		t.Fatal(err)
	}
	if most := two.most.Load(); most != 2 {
		t.Errorf("%d in flight on Default at most, want 2", most)
	}
	if s := d.Stats(); s.IO.Most != int(g.most.Load()) || s.Default.Most != 2 || s.MostAlive > 66 {
		t.Errorf("%+v", s)
	}
}

func TestTenThousandOnIO(t *testing.T) {
	d := dispatchers(t)
	var g gauge
	var ran atomic.Int32
	tasks := make([]sched.Task, 10_000)
	for i := range tasks {
		tasks[i] = func(context.Context) error {
			g.enter()
			defer g.leave()
			ran.Add(1)
			time.Sleep(50 * time.Microsecond)
			return nil
		}
	}
	if err := d.IO().Run(t.Context(), tasks); err != nil {
		t.Fatal(err)
	}
	if ran.Load() != 10_000 || int(g.most.Load()) > d.IO().Limit() {
		t.Errorf("%d ran, %d at once", ran.Load(), g.most.Load())
	}
}

// TestMoreThanWorkers asks for more threads than there can be.
func TestMoreThanWorkers(t *testing.T) {
	d := dispatchers(t, kotlin.WithIOLimit(20_000))
	var g gauge
	if err := d.IO().Run(t.Context(), g.sleeps(6000, 300*time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	s := d.Stats()
	t.Logf("%d in flight; %v", g.most.Load(), s)
	if s.MostAlive > 4000 || g.most.Load() < 10 {
		t.Errorf("%d in flight with %d workers", g.most.Load(), s.MostAlive)
	}
}

// held fills v with n tasks and returns how to let them go.
func held(t *testing.T, v *kotlin.View, n int) (release func()) {
	t.Helper()
	let := make(chan struct{})
	var all, over sync.WaitGroup
	all.Add(n)
	over.Go(func() {
		if err := v.Run(context.Background(), slices.Repeat([]sched.Task{func(context.Context) error {
			all.Done()
			<-let
			return nil
		}}, n)); err != nil {
			t.Error(err)
		}
	})
	all.Wait()
	return func() { close(let); over.Wait() }
}

func TestDefaultBesideBlockedIO(t *testing.T) {
	d := dispatchers(t, kotlin.WithCores(2), kotlin.WithIOLimit(64))
	release := held(t, d.IO(), 64)
	defer release()
	// Would hang if it had to wait for IO.
	if err := d.Default().Run(t.Context(), slices.Repeat([]sched.Task{ok}, 100)); err != nil {
		t.Fatal(err)
	}
	if s := d.Stats(); s.IO.Running != 64 || s.MostAlive > 66 {
		t.Errorf("%+v", s)
	}
	// And no start for IO beyond its bound.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	ran := false
	err := d.IO().Run(ctx, []sched.Task{func(context.Context) error { ran = true; return nil }})
	if ran || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run beyond the bound returned %v", err)
	}
	if err := d.Default().Run(t.Context(), slices.Repeat([]sched.Task{ok}, 100)); err != nil {
		t.Fatal(err)
	}
}

// TestFailureInQueue fails a run whose other tasks wait for a slot that does
// not come.
func TestFailureInQueue(t *testing.T) {
	d := dispatchers(t, kotlin.WithIOLimit(2))
	release := held(t, d.IO(), 1)
	defer release()
	boom := errors.New("boom")
	err := d.IO().Run(t.Context(), []sched.Task{
		func(context.Context) error { return boom }, ok, ok})
	if !errors.Is(err, boom) {
		t.Error(err)
	}
}

func TestNestedRuns(t *testing.T) {
	for _, c := range []struct {
		name  string
		cores int
		views func(d *kotlin.Dispatchers) []*kotlin.View // one a level
		width []int
	}{
		{"default in default in default", 2, func(d *kotlin.Dispatchers) []*kotlin.View {
			return []*kotlin.View{d.Default(), d.Default(), d.Default()}
		}, []int{2, 10, 10}},
		{"one core", 1, func(d *kotlin.Dispatchers) []*kotlin.View {
			return []*kotlin.View{d.Default(), d.Default(), d.Default()}
		}, []int{10, 10, 10}},
		{"io in default", 2, func(d *kotlin.Dispatchers) []*kotlin.View {
			return []*kotlin.View{d.Default(), d.IO(), d.Default()}
		}, []int{10, 100, 3}},
		{"io in io", 2, func(d *kotlin.Dispatchers) []*kotlin.View {
			return []*kotlin.View{d.IO(), d.IO(), d.IO()}
		}, []int{100, 10, 3}},
		{"many that wait", 2, func(d *kotlin.Dispatchers) []*kotlin.View {
			return []*kotlin.View{d.Default(), d.IO()}
		}, []int{500, 2}},
	} {
		for _, background := range []bool{false, true} {
			if background && runtime.GOOS != "linux" {
				continue // only a thread's id tells there
			}
			t.Run(fmt.Sprintf("%s/%v", c.name, background), func(t *testing.T) {
				d := dispatchers(t, kotlin.WithCores(c.cores))
				views := c.views(d)
				var ran, total int64 = 0, 1
				for _, n := range c.width {
					total *= int64(n)
				}
				inFlight := make([]gauge, len(views))
				var tasks func(level int) []sched.Task
				tasks = func(level int) []sched.Task {
					return slices.Repeat([]sched.Task{func(ctx context.Context) error {
						if level == len(views)-1 {
							inFlight[level].enter()
							defer inFlight[level].leave()
							atomic.AddInt64(&ran, 1)
							runtime.Gosched()
							return nil
						}
						before, _ := sched.Worker(ctx)
						if background { // a context that knows nothing of the task
							ctx = context.Background()
						}
						return errors.Join(views[level+1].Run(ctx, tasks(level+1)), stillOn(before))
					}}, c.width[level])
				}
				if err := views[0].Run(t.Context(), tasks(0)); err != nil {
					t.Fatal(err)
				}
				if ran != total {
					t.Errorf("%d of %d ran", ran, total)
				}
				last := len(views) - 1
				if most := int(inFlight[last].most.Load()); most > views[last].Limit() {
					t.Errorf("%d in flight, and the limit is %d", most, views[last].Limit())
				}
				idle(t, d)
				t.Log(d.Stats())
			})
		}
	}
}

// stillOn is an error if the caller is on another thread than w's.
func stillOn(w sched.WorkerInfo) error {
	if w.Thread != 0 && w.Thread != kotlin.ThreadID() {
		return fmt.Errorf("on thread %d, and %v is on %d", kotlin.ThreadID(), w, w.Thread)
	}
	return nil
}

// idle checks that nothing is held after the runs.
func idle(t *testing.T, d *kotlin.Dispatchers) {
	t.Helper()
	if s := d.Stats(); s.Default.Running+s.IO.Running != 0 {
		t.Errorf("after all runs: %+v", s)
	}
	if err := d.CheckIdle(); err != nil {
		t.Error(err)
	}
}

func TestNestedFailures(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name string
		fail sched.Task
		is   error
	}{
		{"error", func(context.Context) error { return boom }, boom},
		{"panic", func(context.Context) error { panic(boom) }, boom},
		{"goexit", func(context.Context) error { runtime.Goexit(); return nil }, sched.ErrGoexit},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := dispatchers(t, kotlin.WithCores(2))
			for _, v := range []*kotlin.View{d.Default(), d.IO()} {
				for _, how := range []sched.Task{
					func(ctx context.Context) error { return v.Run(ctx, []sched.Task{ok, c.fail, ok}) },
					func(ctx context.Context) error { return kotlin.Switch(ctx, v, c.fail) },
					func(ctx context.Context) error { return kotlin.Then(ctx, v, c.fail) },
				} {
					err := d.Default().Run(t.Context(), []sched.Task{ok, how, ok, ok})
					if !errors.Is(err, c.is) {
						t.Errorf("%s: Run returned %v", v.Name(), err)
					}
					idle(t, d)
				}
			}
		})
	}
}

// TestForeignGoroutine has a task's goroutine use views with the task's
// context. Some of that could do, and some would wait for ever.
func TestForeignGoroutine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only a thread's id tells")
	}
	d := dispatchers(t, kotlin.WithCores(1), kotlin.WithIOLimit(1))
	for name, use := range map[string]sched.Task{
		"run on default": func(ctx context.Context) error { return d.Default().Run(ctx, []sched.Task{ok}) },
		"run on io":      func(ctx context.Context) error { return d.IO().Run(ctx, []sched.Task{ok}) },
		"switch to io":   func(ctx context.Context) error { return kotlin.Switch(ctx, d.IO(), ok) },
		"then io":        func(ctx context.Context) error { return kotlin.Then(ctx, d.IO(), ok) },
		"then back": func(ctx context.Context) error {
			return d.IO().Run(ctx, []sched.Task{func(ctx context.Context) error { return kotlin.Then(ctx, d.Default(), ok) }})
		},
	} {
		for _, from := range []*kotlin.View{d.Default(), d.IO()} {
			want := fmt.Sprintf(": a goroutine that a task of %s has started uses it with the task's context", from.Name())
			err := from.Run(t.Context(), []sched.Task{func(ctx context.Context) error {
				return sched.Goroutines().Run(ctx, []sched.Task{use})
			}})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s in a goroutine of a task of %s returned %v", name, from.Name(), err)
			}
			idle(t, d)
		}
	}

	// A task inside of a task is over, and the outer one waits for its goroutine.
	var late error
	err := d.Default().Run(t.Context(), []sched.Task{func(ctx context.Context) error {
		over := make(chan struct{})
		var wg sync.WaitGroup
		defer wg.Wait()
		defer close(over)
		return d.IO().Run(ctx, []sched.Task{func(ctx context.Context) error {
			wg.Go(func() {
				<-over
				late = d.Default().Run(context.WithoutCancel(ctx), []sched.Task{ok})
			})
			return nil
		}})
	}})
	if err != nil || late == nil {
		t.Errorf("Run returned %v, and that of the goroutine %v", err, late)
	}
	// All is over: the context is like any other.
	var old context.Context
	err = d.Default().Run(t.Context(), []sched.Task{func(ctx context.Context) error {
		old = context.WithoutCancel(ctx)
		return nil
	}})
	if err = errors.Join(err, d.IO().Run(old, []sched.Task{ok})); err != nil {
		t.Error(err)
	}
	idle(t, d)
}

// TestForeignABBA: two tasks hold what the goroutine of the other one wants.
func TestForeignABBA(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only a thread's id tells")
	}
	d := dispatchers(t, kotlin.WithCores(1), kotlin.WithIOLimit(1))
	var both, over sync.WaitGroup
	both.Add(2)
	cross := func(from, to *kotlin.View) {
		err := from.Run(t.Context(), []sched.Task{func(ctx context.Context) error {
			both.Done()
			both.Wait()
			return sched.Goroutines().Run(ctx, []sched.Task{func(ctx context.Context) error {
				return to.Run(ctx, []sched.Task{ok})
			}})
		}})
		if err == nil || !strings.Contains(err.Error(), "call Run or Switch in the task itself") {
			t.Errorf("from %s to %s: Run returned %v", from.Name(), to.Name(), err)
		}
	}
	over.Go(func() { cross(d.Default(), d.IO()) })
	over.Go(func() { cross(d.IO(), d.Default()) })
	over.Wait()
	idle(t, d)
}

// TestTwoDispatchers: a task of one that a task of the other waits for cannot
// use the views of that one.
func TestTwoDispatchers(t *testing.T) {
	one, two := dispatchers(t, kotlin.WithCores(1)), dispatchers(t, kotlin.WithCores(1))
	// Would wait for its own caller.
	back := func(ctx context.Context) error { return one.Default().Run(ctx, []sched.Task{ok}) }
	for name, inner := range map[string]sched.Task{
		"task": back,
		"step": func(ctx context.Context) error { return kotlin.Then(ctx, two.IO(), back) },
		"step of a nested run": func(ctx context.Context) error {
			return two.IO().Run(ctx, slices.Repeat([]sched.Task{func(ctx context.Context) error {
				return kotlin.Then(ctx, two.Default(), back)
			}}, 5))
		},
	} {
		err := one.Default().Run(t.Context(), []sched.Task{func(ctx context.Context) error {
			return kotlin.Switch(ctx, two.Default(), inner)
		}})
		if err == nil || !strings.Contains(err.Error(), "so that tasks could wait for one another for ever") {
			t.Errorf("%s: Run returned %v", name, err)
		}
	}
}

// ending is a context that is done once it has been asked some times.
type ending struct {
	context.Context
	left atomic.Int64
	done chan struct{}
	end  func()
}

func (e *ending) Done() <-chan struct{} { return e.done }

func (e *ending) Err() error {
	if e.left.Add(-1) >= 0 {
		return nil
	}
	e.end()
	return context.Canceled
}

// TestCancelledAtEachCheck cancels a run each time that it looks whether it was.
func TestCancelledAtEachCheck(t *testing.T) {
	d := dispatchers(t)
	for _, v := range []*kotlin.View{d.Default(), d.IO()} {
		for checks := range 25 {
			ctx := &ending{Context: context.Background(), done: make(chan struct{})}
			ctx.end = sync.OnceFunc(func() { close(ctx.done) })
			ctx.left.Store(int64(checks))
			var ran atomic.Int32
			task := func(ctx context.Context) error {
				return kotlin.Then(ctx, d.IO(), func(context.Context) error { ran.Add(1); return nil })
			}
			err := v.Run(ctx, []sched.Task{task, task, task})
			if n := ran.Load(); n > 3 || (n == 3) != (err == nil) || err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%s, %d checks: %d of 3 ran; Run returned %v", v.Name(), checks, n, err)
			}
		}
	}
	idle(t, d)
}

// TestNoDispatchers: what New has not made returns an error.
func TestNoDispatchers(t *testing.T) {
	var zero kotlin.Dispatchers
	for _, v := range []*kotlin.View{nil, {}, zero.Default(), zero.IO()} {
		err := v.Run(t.Context(), []sched.Task{ok})
		if want := "sched: a view that no dispatchers have made; use those of kotlin.New"; err == nil || err.Error() != want {
			t.Errorf("Run returned %v, want %s", err, want)
		}
		if v.Name() != "no view" || v.Limit() != 1 {
			t.Errorf("%q has the limit %d", v.Name(), v.Limit())
		}
	}
	for _, err := range []error{kotlin.Switch(t.Context(), new(kotlin.View), ok), kotlin.Then(t.Context(), new(kotlin.View), ok)} {
		if err == nil {
			t.Error("returned nil")
		}
	}
	if err := zero.Close(); err != nil || zero.Stats() != (kotlin.Stats{}) {
		t.Errorf("%+v; Close returned %v", zero.Stats(), err)
	}
}

// TestWorkerOfGoroutine: a goroutine is on no worker, and a function that a
// worker calls is on that one, whatever its context was.
func TestWorkerOfGoroutine(t *testing.T) {
	d := dispatchers(t)
	none := func(ctx context.Context) error {
		if w, has := sched.Worker(ctx); has {
			return fmt.Errorf("a goroutine is on %v", w)
		}
		return nil
	}
	for _, s := range []sched.Scheduler{d.IO(), d.Default(), sched.Pool(1), sched.Sequential(), sched.Threads()} {
		if err := s.Run(t.Context(), []sched.Task{func(ctx context.Context) error {
			return errors.Join(
				sched.Goroutines().Run(ctx, []sched.Task{none, none}),
				sched.AwaitEach(sched.Goroutines()).Run(ctx, []sched.Task{none, none}))
		}}); err != nil {
			t.Errorf("in %s: %v", s.Name(), err)
		}
	}
	err := d.IO().Run(t.Context(), []sched.Task{func(ctx context.Context) error {
		before, _ := sched.Worker(ctx)
		same := func(ctx context.Context) error {
			if w, has := sched.Worker(ctx); !has || w != before {
				return fmt.Errorf("on %v: %v", w, has)
			}
			return nil
		}
		other := ctx
		if runtime.GOOS == "linux" {
			other = context.Background()
		}
		return errors.Join(
			sched.Sequential().Run(ctx, []sched.Task{same}),
			kotlin.Switch(other, d.IO(), same),
			kotlin.Switch(other, d.Default(), same))
	}})
	if err != nil {
		t.Error(err)
	}
}
