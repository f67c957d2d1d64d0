package kotlin_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"overlap/pkg/sched"
	"overlap/pkg/sched/kotlin"
)

const ms = time.Millisecond

// inBubble runs f with dispatchers in virtual time, where makespans are exact.
func inBubble(t *testing.T, f func(t *testing.T, d *kotlin.Dispatchers), opts ...kotlin.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := kotlin.New(append([]kotlin.Option{kotlin.WithCores(2), kotlin.WithIOLimit(64)}, opts...)...)
		f(t, d)
		if err := d.CheckIdle(); err != nil {
			t.Error(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A load is some tasks that sleep, on one view.
type load struct {
	v    *kotlin.View
	n    int
	wait time.Duration
	most int // in flight, that is wanted
}

// runAll runs loads at the same time and returns how long that took.
func runAll(t *testing.T, loads ...load) time.Duration {
	t.Helper()
	start := time.Now()
	gauges := make([]gauge, len(loads))
	var wg sync.WaitGroup
	for i, l := range loads {
		wg.Go(func() {
			if err := l.v.Run(t.Context(), gauges[i].sleeps(l.n, l.wait)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i, l := range loads {
		if most := int(gauges[i].most.Load()); most != l.most || l.v.Stats().Most < most {
			t.Errorf("%s: %d in flight at most, want %d; it says %+v", l.v.Name(), most, l.most, l.v.Stats())
		}
	}
	return time.Since(start)
}

func TestIOWaves(t *testing.T) {
	inBubble(t, func(t *testing.T, d *kotlin.Dispatchers) {
		if took := runAll(t, load{d.IO(), 200, 50 * ms, 64}); took != 4*50*ms {
			t.Errorf("took %v", took)
		}
		if s := d.Stats(); s.MostAlive > 64+2 {
			t.Errorf("%d workers", s.MostAlive)
		}
	})
}

func TestDefaultWaves(t *testing.T) {
	inBubble(t, func(t *testing.T, d *kotlin.Dispatchers) {
		if took := runAll(t, load{d.Default(), 30, 100 * ms, 2}); took != 1500*ms {
			t.Errorf("took %v", took)
		}
		if s := d.Stats(); s.MostAlive != 2 {
			t.Errorf("%d workers", s.MostAlive)
		}
	})
}

func TestIONeverStarvesDefault(t *testing.T) {
	inBubble(t, func(t *testing.T, d *kotlin.Dispatchers) {
		took := runAll(t, load{d.IO(), 64, time.Second, 64}, load{d.Default(), 20, 100 * ms, 2})
		if took != time.Second {
			t.Errorf("took %v", took)
		}
		if s := d.Stats(); s.MostAlive > 66 {
			t.Errorf("%d workers", s.MostAlive)
		}
	})
}

func TestKeepAlive(t *testing.T) {
	inBubble(t, func(t *testing.T, d *kotlin.Dispatchers) {
		runAll(t, load{d.IO(), 64, 100 * ms, 64})
		if n := d.Stats().Alive; n != 66 {
			t.Errorf("%d workers after the burst, want 66", n)
		}
		time.Sleep(time.Minute - 200*ms)
		synctest.Wait()
		if n := d.Stats().Alive; n != 66 {
			t.Errorf("%d workers before the keep-alive is over", n)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := d.Stats().Alive; n != 2 {
			t.Errorf("%d workers after it, want 2", n)
		}
		// And there are enough again, with the same numbers.
		runAll(t, load{d.IO(), 64, 100 * ms, 64})
		if s := d.Stats(); s.Alive != 66 || s.MostAlive != 66 {
			t.Errorf("%+v", s)
		}
	})
}

// TestNumbers: the number of a worker can pass 64 while 64 tasks of IO run, and
// none passes the cores where only Default has tasks.
func TestNumbers(t *testing.T) {
	for _, cores := range []int{2, 12} {
		inBubble(t, func(t *testing.T, d *kotlin.Dispatchers) {
			highest := func(v *kotlin.View, n int) (most int) {
				numbers := make([]int, n)
				tasks := make([]sched.Task, n)
				for i := range tasks {
					tasks[i] = func(ctx context.Context) error {
						w, _ := sched.Worker(ctx)
						numbers[i] = w.ID
						time.Sleep(10 * ms)
						return nil
					}
				}
				if err := v.Run(t.Context(), tasks); err != nil {
					t.Error(err)
				}
				return slices.Max(numbers)
			}
			if n := highest(d.Default(), 50); n != cores {
				t.Errorf("worker-%d is the highest on Default, with %d cores", n, cores)
			}
			release := held(t, d.Default(), cores) // workers 1 to cores
			if n := highest(d.IO(), 300); n != 64+cores || d.IO().Stats().Most != 64 {
				t.Errorf("worker-%d is the highest on IO, with %d cores; %v", n, cores, d.Stats())
			}
			release()
		}, kotlin.WithCores(cores))
	}
}

// TestSwitchWidth: the permit is free while a task is on IO, and bounds hold
// on the way there and back.
func TestSwitchWidth(t *testing.T) {
	inBubble(t, func(t *testing.T, d *kotlin.Dispatchers) {
		var before, on, after gauge
		sleep := func(g *gauge, wait time.Duration) {
			g.enter()
			time.Sleep(wait)
			g.leave()
		}
		start := time.Now()
		err := d.Default().Run(t.Context(), slices.Repeat([]sched.Task{func(ctx context.Context) error {
			sleep(&before, ms)
			err := kotlin.Switch(ctx, d.IO(), func(ctx context.Context) error {
				sleep(&on, 100*ms)
				return nil
			})
			sleep(&after, ms)
			return err
		}}, 64))
		// 32 pairs of 1 ms, the last pair is 100 ms on IO, then its 1 ms; the
		// others have come back before.
		if took := time.Since(start); err != nil || took != 133*ms {
			t.Errorf("took %v; Run returned %v", took, err)
		}
		if before.most.Load() != 2 || on.most.Load() != 64 || after.most.Load() != 2 {
			t.Errorf("in flight: %d, %d on IO, %d", before.most.Load(), on.most.Load(), after.most.Load())
		}
		s := d.Stats()
		if s.Kept != 64 || s.Waited != 0 || s.Default.Most != 2 || s.MostAlive > 66 {
			t.Errorf("%+v", s)
		}
	})
}

// TestSwitchCancelled: a task that waits for a slot is told of the end of its
// context, and is back on its view.
func TestSwitchCancelled(t *testing.T) {
	inBubble(t, func(t *testing.T, d *kotlin.Dispatchers) {
		release := held(t, d.IO(), 64)
		defer release()
		boom := errors.New("boom")
		var got error
		start := time.Now()
		err := d.Default().Run(t.Context(), []sched.Task{
			func(ctx context.Context) error {
				got = kotlin.Switch(ctx, d.IO(), func(context.Context) error { panic("not to be called") })
				return got
			},
			func(ctx context.Context) error { time.Sleep(time.Second); return boom },
		})
		if !errors.Is(err, boom) || !errors.Is(got, context.Canceled) || time.Since(start) != time.Second {
			t.Errorf("Run returned %v, and Switch %v, after %v", err, got, time.Since(start))
		}
		// The rest of a task, too.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err = d.Default().Run(ctx, []sched.Task{func(ctx context.Context) error {
			return kotlin.Then(ctx, d.IO(), func(context.Context) error { panic("not to be called") })
		}})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 2*time.Second {
			t.Errorf("Run returned %v after %v", err, time.Since(start))
		}
	})
}

// TestFailedRunDropsRest: a step says where its task goes on when its run has
// failed and has taken back what was not started.
func TestFailedRunDropsRest(t *testing.T) {
	inBubble(t, func(t *testing.T, d *kotlin.Dispatchers) {
		defer held(t, d.IO(), 63)()
		boom := errors.New("boom")
		failed := make(chan struct{})
		err := d.Default().Run(t.Context(), []sched.Task{
			func(ctx context.Context) error {
				return kotlin.Then(ctx, d.IO(), func(ctx context.Context) error {
					close(failed)
					<-ctx.Done()
					time.Sleep(100 * ms)
					return kotlin.Then(ctx, d.IO(), func(context.Context) error { panic("not to be called") })
				})
			},
			func(context.Context) error { <-failed; return boom },
		})
		if !errors.Is(err, boom) {
			t.Errorf("Run returned %v", err)
		}
		// The same where the context ends, and no task fails.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err = d.Default().Run(ctx, []sched.Task{func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(100 * ms)
			return kotlin.Then(context.WithoutCancel(ctx), d.IO(), func(context.Context) error { panic("not to be called") })
		}})
		if want := "sched: 1 of 1 tasks not started: context deadline exceeded"; err == nil || err.Error() != want {
			t.Errorf("Run returned %v, want %s", err, want)
		}
	})
}

// TestFirstComeFirstServed: many tasks come back to Default all the time, and
// one that wants a slot of it gets its turn.
func TestFirstComeFirstServed(t *testing.T) {
	inBubble(t, func(t *testing.T, d *kotlin.Dispatchers) {
		var waited time.Duration
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := d.Default().Run(t.Context(), slices.Repeat([]sched.Task{func(ctx context.Context) (err error) {
				for range 200 {
					time.Sleep(ms)
					err = errors.Join(err, kotlin.Switch(ctx, d.IO(), func(context.Context) error { time.Sleep(ms); return nil }))
				}
				return err
			}}, 8)); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(20*ms + ms/2)
		err := d.IO().Run(t.Context(), []sched.Task{func(ctx context.Context) error {
			began := time.Now()
			return kotlin.Switch(ctx, d.Default(), func(context.Context) error { waited = time.Since(began); return nil })
		}})
		wg.Wait()
		// At most 8 are before it, two a millisecond.
		if err != nil || waited > 5*ms {
			t.Errorf("waited for %v; Run returned %v", waited, err)
		}
	})
}

// TestThenChainYields: steps on their own view let others have a turn.
func TestThenChainYields(t *testing.T) {
	inBubble(t, func(t *testing.T, d *kotlin.Dispatchers) {
		for _, v := range []*kotlin.View{d.Default(), d.IO()} {
			steps := 0
			var walk sched.Task
			walk = func(ctx context.Context) error {
				time.Sleep(ms)
				if steps++; steps == 1000 {
					return nil
				}
				return kotlin.Then(ctx, v, walk)
			}
			var wg sync.WaitGroup
			wg.Go(func() {
				if err := v.Run(t.Context(), []sched.Task{walk}); err != nil {
					t.Error(err)
				}
			})
			time.Sleep(10*ms + ms/2)
			start := time.Now()
			err := v.Run(t.Context(), []sched.Task{ok})
			if waited := time.Since(start); err != nil || waited > ms {
				t.Errorf("%s: another run waited for %v; Run returned %v", v.Name(), waited, err)
			}
			wg.Wait()
			if steps != 1000 {
				t.Errorf("%s: %d steps", v.Name(), steps)
			}
		}
	}, kotlin.WithCores(1), kotlin.WithIOLimit(1))
}

// TestThenHoldsNoWorker: with 500 tasks that go from Default to IO and back,
// Then needs no more workers than Kotlin, and Switch many.
func TestThenHoldsNoWorker(t *testing.T) {
	inBubble(t, func(t *testing.T, d *kotlin.Dispatchers) {
		var on, after gauge
		start := time.Now()
		err := d.Default().Run(t.Context(), slices.Repeat([]sched.Task{func(ctx context.Context) error {
			return kotlin.Then(ctx, d.IO(), func(ctx context.Context) error {
				on.enter()
				time.Sleep(100 * ms)
				on.leave()
				return kotlin.Then(ctx, d.Default(), func(context.Context) error {
					after.enter()
					time.Sleep(ms)
					after.leave()
					return nil
				})
			})
		}}, 500))
		if err != nil {
			t.Error(err)
		}
		s := d.Stats()
		if on.most.Load() != 64 || after.most.Load() != 2 || s.MostAlive > 66 || s.Kept+s.Moved != 1000 || s.Moved == 0 {
			t.Errorf("in flight %d on IO, %d after; %+v", on.most.Load(), after.most.Load(), s)
		}
		// 8 waves on IO; each comes back over 2 permits while the next waits.
		if took := time.Since(start); took > 860*ms || took < 800*ms {
			t.Errorf("took %v", took)
		}
		t.Log(s)
	})
	inBubble(t, func(t *testing.T, d *kotlin.Dispatchers) {
		err := d.Default().Run(t.Context(), slices.Repeat([]sched.Task{func(ctx context.Context) error {
			return kotlin.Switch(ctx, d.IO(), func(context.Context) error {
				time.Sleep(100 * ms)
				return nil
			})
		}}, 500))
		if s := d.Stats(); err != nil || s.Kept+s.Waited != 500 || s.Waited == 0 || s.MostAlive < 400 || s.MostAlive > 502 {
			t.Errorf("%+v; Run returned %v", s, err)
		}
	})
}
