package kotlin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"overlap/pkg/sched"
	"overlap/pkg/sched/kotlin"
)

// TestSwitchKeepsThread: under IO's bound each switch stays on its worker and
// thread, and nobody waits.
func TestSwitchKeepsThread(t *testing.T) {
	const n = 60
	d := dispatchers(t, kotlin.WithIOLimit(64))
	err := d.Default().Run(t.Context(), slices.Repeat([]sched.Task{func(ctx context.Context) error {
		before, _ := sched.Worker(ctx)
		err := kotlin.Switch(ctx, d.IO(), func(ctx context.Context) error {
			on, _ := sched.Worker(ctx)
			time.Sleep(5 * time.Millisecond)
			if on != before {
				return fmt.Errorf("%v on thread %d became %v on thread %d", before, before.Thread, on, on.Thread)
			}
			return stillOn(before)
		})
		return errors.Join(err, stillOn(before))
	}}, n))
	if s := d.Stats(); err != nil || s.Kept != n || s.Waited != 0 {
		t.Errorf("%v; Run returned %v", s, err)
	}
	idle(t, d)

	// The same with steps: the way there is kept, the way back need not be.
	var kept atomic.Int32
	err = d.Default().Run(t.Context(), slices.Repeat([]sched.Task{func(ctx context.Context) error {
		before, _ := sched.Worker(ctx)
		return kotlin.Then(ctx, d.IO(), func(ctx context.Context) error {
			if on, _ := sched.Worker(ctx); on == before && stillOn(before) == nil {
				kept.Add(1)
			}
			time.Sleep(5 * time.Millisecond)
			return kotlin.Then(ctx, d.Default(), ok)
		})
	}}, n))
	if err != nil || kept.Load() != n {
		t.Errorf("%d of %d steps kept their worker; %v; Run returned %v", kept.Load(), n, d.Stats(), err)
	}
	idle(t, d)
}

// TestSwitchAboveLimit shows the share that keeps its worker when many switch.
func TestSwitchAboveLimit(t *testing.T) {
	const n = 500
	io := func(context.Context) error { time.Sleep(20 * time.Millisecond); return nil }
	for name, to := range map[string]func(ctx context.Context, v *kotlin.View, fn func(context.Context) error) error{
		"switch": kotlin.Switch, "then": kotlin.Then,
	} {
		t.Run(name, func(t *testing.T) {
			d := dispatchers(t, kotlin.WithCores(2), kotlin.WithIOLimit(64))
			err := d.Default().Run(t.Context(), slices.Repeat([]sched.Task{func(ctx context.Context) error {
				return to(ctx, d.IO(), io)
			}}, n))
			s := d.Stats()
			if err != nil || s.Kept+s.Waited+s.Moved != n || s.IO.Most > 64 || s.Default.Most > 2 {
				t.Errorf("%+v; Run returned %v", s, err)
			}
			idle(t, d)
			t.Log(s)
		})
	}
}

func TestThenByHand(t *testing.T) {
	d := dispatchers(t, kotlin.WithCores(2))
	boom := errors.New("boom")
	t.Run("a chain", func(t *testing.T) {
		var steps atomic.Int32
		var walk func(left int) sched.Task
		walk = func(left int) sched.Task {
			return func(ctx context.Context) error {
				steps.Add(1)
				if left == 0 {
					return nil
				}
				view := []*kotlin.View{d.Default(), d.IO(), d.IO()}[left%3]
				return kotlin.Then(ctx, view, walk(left-1))
			}
		}
		if err := d.Default().Run(t.Context(), slices.Repeat([]sched.Task{walk(30)}, 40)); err != nil || steps.Load() != 40*31 {
			t.Errorf("%d steps; Run returned %v", steps.Load(), err)
		}
	})
	t.Run("fails after it", func(t *testing.T) {
		ran := false
		err := d.IO().Run(t.Context(), []sched.Task{func(ctx context.Context) error {
			_ = kotlin.Then(ctx, d.Default(), func(context.Context) error { ran = true; return nil })
			return boom
		}})
		if ran || !errors.Is(err, boom) {
			t.Errorf("ran: %v; Run returned %v", ran, err)
		}
	})
	t.Run("step fails", func(t *testing.T) {
		err := d.IO().Run(t.Context(), []sched.Task{ok, func(ctx context.Context) error {
			return kotlin.Then(ctx, d.Default(), func(context.Context) error { panic(boom) })
		}})
		var te *sched.TaskError
		if !errors.As(err, &te) || te.Task != 1 || !errors.Is(err, boom) {
			t.Errorf("Run returned %v", err)
		}
	})
	t.Run("twice", func(t *testing.T) {
		err := d.IO().Run(t.Context(), []sched.Task{func(ctx context.Context) error {
			_ = kotlin.Then(ctx, d.Default(), ok)
			return kotlin.Then(ctx, d.Default(), ok)
		}})
		if err == nil || err.Error() != "task 0: sched: Then: it was called twice by one task; let the step call it again" {
			t.Errorf("Run returned %v", err)
		}
	})
	t.Run("inside of switch", func(t *testing.T) {
		var order []string
		note := func(s string) { order = append(order, s) }
		err := d.Default().Run(t.Context(), []sched.Task{func(ctx context.Context) error {
			err := kotlin.Switch(ctx, d.IO(), func(ctx context.Context) error {
				return kotlin.Then(ctx, d.Default(), func(context.Context) error { note("step"); return nil })
			})
			note("after")
			return err
		}})
		if err != nil || !slices.Equal(order, []string{"step", "after"}) {
			t.Errorf("%v; Run returned %v", order, err)
		}
	})
	t.Run("no task", func(t *testing.T) {
		ran := false
		if err := kotlin.Then(t.Context(), d.IO(), func(context.Context) error { ran = true; return boom }); !ran || err != boom {
			t.Errorf("ran: %v; Then returned %v", ran, err)
		}
	})
	idle(t, d)
}

// TestSwitchRoundTrips: there and back and there, with a recovered panic.
func TestSwitchRoundTrips(t *testing.T) {
	d := dispatchers(t, kotlin.WithCores(1), kotlin.WithIOLimit(1))
	err := d.Default().Run(t.Context(), slices.Repeat([]sched.Task{func(ctx context.Context) (err error) {
		for range 3 {
			func() {
				defer func() { _ = recover() }()
				err = errors.Join(err, kotlin.Switch(ctx, d.IO(), func(ctx context.Context) error {
					if s := d.Stats(); s.IO.Running != 1 {
						return fmt.Errorf("on IO: %+v", s)
					}
					return kotlin.Switch(ctx, d.Default(), func(ctx context.Context) error {
						return kotlin.Switch(ctx, d.Default(), func(ctx context.Context) error {
							if s := d.Stats(); s.Default.Running != 1 {
								return fmt.Errorf("on Default: %+v", s)
							}
							_ = kotlin.Switch(ctx, d.IO(), ok)
							panic("to be recovered")
						})
					})
				}))
			}()
		}
		return err
	}}, 20))
	if err != nil {
		t.Error(err)
	}
	idle(t, d)
}

// TestDispatcherMixtures runs random programs of runs, switches and steps and
// checks the bounds of all views.
func TestDispatcherMixtures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := kotlin.New(
			kotlin.WithCores(rapid.IntRange(1, 4).Draw(t, "cores")),
			kotlin.WithIOLimit(rapid.IntRange(1, 6).Draw(t, "IO limit")),
			kotlin.WithKeepAlive(time.Millisecond))
		views := []*kotlin.View{d.Default(), d.IO()}
		inFlight := make([]gauge, len(views))
		boom := errors.New("boom")
		var ran atomic.Int32
		drawn, failing := 0, false
		linux := runtime.GOOS == "linux" // only a thread's id tells a goroutine from a task

		onView := func(v int, do func()) {
			inFlight[v].enter()
			defer inFlight[v].leave()
			do()
		}

		// program draws a task that runs on view v.
		var program func(v, depth int) sched.Task
		program = func(v, depth int) sched.Task {
			drawn++
			kinds := []string{"work", "work", "sleep", "switch", "switch", "then", "run", "goroutine"}
			if depth == 0 {
				kinds = []string{"work", "sleep"}
			}
			if rapid.IntRange(0, 60).Draw(t, "fails") == 0 {
				kinds, failing = []string{"error", "panic", "goexit"}, true
			}
			kind := rapid.SampledFrom(kinds).Draw(t, "kind")
			to := rapid.IntRange(0, len(views)-1).Draw(t, "to")
			var inner []sched.Task
			switch kind {
			case "switch", "then":
				inner = []sched.Task{program(to, depth-1)}
			case "run":
				for range rapid.IntRange(0, 4).Draw(t, "n") {
					inner = append(inner, program(to, depth-1))
				}
			}
			on := func(do func()) {
				onView(v, do)
			}
			return func(ctx context.Context) error {
				ran.Add(1)
				before, _ := sched.Worker(ctx)
				var err error
				on(func() {
					switch kind {
					case "sleep":
						time.Sleep(100 * time.Microsecond)
					case "error":
						err = boom
					case "panic":
						panic(boom)
					case "goexit":
						runtime.Goexit()
					default:
						runtime.Gosched()
					}
				})
				switch kind {
				case "switch":
					err = kotlin.Switch(ctx, views[to], inner[0])
				case "then":
					return kotlin.Then(ctx, views[to], inner[0])
				case "run":
					err = views[to].Run(ctx, inner)
				case "goroutine":
					if linux && sched.Goroutines().Run(ctx, []sched.Task{func(ctx context.Context) error {
						return kotlin.Switch(ctx, views[to], ok)
					}}) == nil {
						err = errors.New("a goroutine of a task switched to a view")
					}
				}
				on(runtime.Gosched)
				return errors.Join(err, stillOn(before))
			}
		}
		v := rapid.IntRange(0, len(views)-1).Draw(t, "view")
		var tasks []sched.Task
		for range rapid.IntRange(0, 12).Draw(t, "tasks") {
			tasks = append(tasks, program(v, 3))
		}
		// A view may be full for a while.
		let := make(chan struct{})
		var blocker sync.WaitGroup
		if b := rapid.IntRange(-1, len(views)-1).Draw(t, "full view"); b >= 0 {
			n := views[b].Limit()
			full := make(chan struct{})
			var in atomic.Int32
			blocker.Go(func() {
				_ = views[b].Run(context.Background(), slices.Repeat([]sched.Task{func(context.Context) error {
					onView(b, func() {
						if int(in.Add(1)) == n {
							close(full)
						}
						<-let
					})
					return nil
				}}, n))
			})
			<-full
		}
		timer := time.AfterFunc(time.Millisecond, func() { close(let) })
		defer timer.Stop()
		errs := make(chan error, 2)
		go func() { errs <- views[v].Run(context.Background(), tasks) }()
		go func() { errs <- views[v].Run(context.Background(), tasks) }()
		for range 2 {
			if err := <-errs; err != nil && !failing {
				t.Fatal(err)
			} else if err != nil && !errors.Is(err, boom) && !errors.Is(err, sched.ErrGoexit) {
				t.Fatal(err)
			}
		}
		blocker.Wait()
		if got := int(ran.Load()); got > 2*drawn || got != 2*drawn && !failing {
			t.Fatalf("%d tasks ran, and there are 2 x %d; failing: %v", got, drawn, failing)
		}
		for i, view := range views {
			if most := int(inFlight[i].most.Load()); most > view.Limit() {
				t.Fatalf("%s: %d in flight, the limit is %d", view.Name(), most, view.Limit())
			}
		}
		if err := d.CheckIdle(); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSwitchTellsTheContextsError calls Switch from outside with a context whose
// cause is the failure of some other task.
func TestSwitchTellsTheContextsError(t *testing.T) {
	d := kotlin.New(kotlin.WithIOLimit(1))
	defer d.Close()
	release, in, ended := make(chan bool), make(chan bool), make(chan error)
	go func() {
		ended <- d.IO().Run(context.Background(), []sched.Task{func(context.Context) error { close(in); <-release; return nil }})
	}()
	<-in
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(&sched.TaskError{Task: 3, Err: io.EOF}) })
	err := kotlin.Switch(ctx, d.IO(), func(context.Context) error { t.Error("fn was called"); return nil })
	close(release)
	if !errors.Is(err, context.Canceled) || err == io.EOF {
		t.Errorf("Switch returned %v", err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestStepsStartAtTheBoundOfWorkers has as many nested runs as there may be
// workers, each of which waits for a step on IO.
func TestStepsStartAtTheBoundOfWorkers(t *testing.T) {
	d := kotlin.New(kotlin.WithIOLimit(1), kotlin.WithCores(2))
	defer d.Close()
	d.SetMax(8)
	release, in := make(chan bool), make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := d.IO().Run(context.Background(), []sched.Task{func(context.Context) error { close(in); <-release; return nil }}); err != nil {
			t.Error(err)
		}
	})
	<-in
	var waiting atomic.Int64
	for range 6 {
		wg.Go(func() {
			err := d.Default().Run(context.Background(), []sched.Task{func(ctx context.Context) error {
				defer waiting.Add(1)
				began := make(chan bool)
				return d.Default().Run(ctx, []sched.Task{
					func(context.Context) error {
						select {
						case <-began:
						case <-time.After(time.Second): // both can be on one worker
						}
						return nil
					},
					func(ctx context.Context) error {
						close(began)
						return kotlin.Then(ctx, d.IO(), func(context.Context) error { return nil })
					},
				})
			}})
			if err != nil {
				t.Error(err)
			}
		})
		time.Sleep(4 * time.Millisecond) // one after another, so that each finds a second worker
	}
	time.Sleep(50 * time.Millisecond) // so that they all wait; if not, the test shows less
	close(release)
	wg.Wait()
	if n := waiting.Load(); n != 6 {
		t.Errorf("%d of 6 nested runs ended", n)
	}
}
