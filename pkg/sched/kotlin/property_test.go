package kotlin_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"overlap/pkg/sched"
	"overlap/pkg/sched/kotlin"
)

// virtual runs f with dispatchers in virtual time.
func virtual(t *testing.T, f func(ctx context.Context, d *kotlin.Dispatchers) error, opts ...kotlin.Option) (err error) {
	synctest.Test(t, func(t *testing.T) {
		d := kotlin.New(opts...)
		err = errors.Join(f(t.Context(), d), d.CheckIdle(), d.Close())
	})
	return err
}

// A size is the parameters of dispatchers, drawn.
type size struct{ cores, io int }

func drawSize(t *rapid.T) size {
	return size{rapid.IntRange(1, 4).Draw(t, "cores"), rapid.IntRange(1, 12).Draw(t, "IO limit")}
}

func (s size) options(more ...kotlin.Option) []kotlin.Option {
	return append(more, kotlin.WithCores(s.cores), kotlin.WithIOLimit(s.io))
}

// waves is how long n tasks take of which limit sleep at once.
func waves(n, limit int, each time.Duration) time.Duration {
	return time.Duration((n+limit-1)/limit) * each
}

// TestFullWidth: each view reaches its limit and does not pass it, and so takes
// exactly as long as the waves of its tasks do.
func TestFullWidth(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSize(rt)
		n := rapid.IntRange(1, 40).Draw(rt, "tasks")
		which := rapid.IntRange(0, 1).Draw(rt, "view")
		if err := virtual(t, func(ctx context.Context, d *kotlin.Dispatchers) error {
			v := []*kotlin.View{d.Default(), d.IO()}[which]
			limit := []int{s.cores, s.io}[which]
			var g gauge
			start := time.Now()
			err := v.Run(ctx, g.sleeps(n, 10*ms))
			took, most := time.Since(start), int(g.most.Load())
			if want := waves(n, limit, 10*ms); err != nil || took != want || most != min(n, limit) || v.Limit() != limit || v.Stats().Most != most {
				return fmt.Errorf("%s took %v, want %v; %d in flight, and the limit is %d; Run returned %w", v.Name(), took, want, most, v.Limit(), err)
			}
			return nil
		}, s.options()...); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestWidthsBesideOneAnother: IO and Default have their full widths at the same time.
func TestWidthsBesideOneAnother(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSize(rt)
		counts := rapid.SliceOfN(rapid.IntRange(1, 40), 2, 2).Draw(rt, "tasks")
		if err := virtual(t, func(ctx context.Context, d *kotlin.Dispatchers) error {
			views := []*kotlin.View{d.Default(), d.IO()}
			gauges, took, errs := make([]gauge, len(views)), make([]time.Duration, len(views)), make([]error, len(views))
			start := time.Now()
			var wg sync.WaitGroup
			for i, v := range views {
				wg.Go(func() {
					errs[i] = v.Run(ctx, gauges[i].sleeps(counts[i], 10*ms))
					took[i] = time.Since(start)
				})
			}
			wg.Wait()
			for i, v := range views {
				if most := int(gauges[i].most.Load()); took[i] != waves(counts[i], v.Limit(), 10*ms) || most != min(counts[i], v.Limit()) {
					errs = append(errs, fmt.Errorf("%s: %d in flight, took %v", v.Name(), most, took[i]))
				}
			}
			return errors.Join(errs...)
		}, s.options()...); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestKeepAliveAndNumbers: after a burst the workers beyond the cores end when
// the keep-alive is over and not before, and a number is never higher than the
// workers at once were, as a new worker gets the lowest one that is free.
func TestKeepAliveAndNumbers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSize(rt)
		keep := time.Duration(rapid.IntRange(1000, 100_000).Draw(rt, "keep-alive in ms")) * ms
		bursts := rapid.SliceOfN(rapid.IntRange(1, 30), 1, 4).Draw(rt, "bursts")
		ends := rapid.IntRange(0, 5).Draw(rt, "workers that end")
		if err := virtual(t, func(ctx context.Context, d *kotlin.Dispatchers) error {
			for i, n := range bursts {
				var mu sync.Mutex
				busy := map[int]bool{}
				var wrong error
				err := d.IO().Run(ctx, slices.Repeat([]sched.Task{func(ctx context.Context) error {
					w, _ := sched.Worker(ctx)
					most := d.Stats().MostAlive
					mu.Lock()
					if busy[w.ID] || w.ID < 1 || w.ID > most {
						wrong = fmt.Errorf("%v is busy: %v; there were %d at most", w, busy[w.ID], most)
					}
					busy[w.ID] = true
					mu.Unlock()
					time.Sleep(10 * ms)
					mu.Lock()
					delete(busy, w.ID)
					mu.Unlock()
					return nil
				}}, n))
				if err = errors.Join(err, wrong); err != nil {
					return err
				}
				synctest.Wait()
				after := d.Stats().Alive
				if after != min(n, s.io)+s.cores {
					return fmt.Errorf("%d workers after %d tasks", after, n)
				}
				// The first have been idle since before the sleep of a wave.
				time.Sleep(keep - waves(n, s.io, 10*ms) - ms)
				synctest.Wait()
				// Those that were there before the burst may be idle for longer.
				older := 0
				if i > 0 {
					older = s.cores
				}
				if now := d.Stats().Alive; now > after || now < after-older {
					return fmt.Errorf("%d of %d workers are left before the keep-alive is over", now, after)
				}
				time.Sleep(waves(n, s.io, 10*ms) + 2*ms)
				synctest.Wait()
				if now := d.Stats().Alive; now != s.cores {
					return fmt.Errorf("%d workers are left after it", now)
				}
				for range ends { // their numbers are free then
					if err := d.IO().Run(ctx, []sched.Task{func(context.Context) error { runtime.Goexit(); return nil }}); !errors.Is(err, sched.ErrGoexit) {
						return err
					}
				}
			}
			return nil
		}, s.options(kotlin.WithKeepAlive(keep))...); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestSwitchPaths: wherever switches lead, through what waits, they stay on one
// worker and thread, and in bounds.
func TestSwitchPaths(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSize(rt)
		paths := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 1), 0, 4), 1, 20).Draw(rt, "paths")
		if err := virtual(t, func(ctx context.Context, d *kotlin.Dispatchers) error {
			views := []*kotlin.View{d.Default(), d.IO()}
			gauges := make([]gauge, len(views))
			switches, visits := 0, new(atomic.Int64)
			var tasks []sched.Task
			for _, path := range paths {
				on := d.Default()
				for _, v := range path {
					if to := views[v]; to != on {
						on = to
						switches++
					}
				}
				tasks = append(tasks, func(ctx context.Context) error {
					first, _ := sched.Worker(ctx)
					var walk func(ctx context.Context, left []int) error
					walk = func(ctx context.Context, left []int) error {
						w, _ := sched.Worker(ctx)
						if w != first {
							return fmt.Errorf("%v became %v", first, w)
						}
						if len(left) == 0 {
							visits.Add(1)
							return stillOn(first)
						}
						v := views[left[0]]
						err := kotlin.Switch(ctx, v, func(ctx context.Context) error {
							gauges[left[0]].enter()
							time.Sleep(ms)
							gauges[left[0]].leave()
							return walk(ctx, left[1:])
						})
						return errors.Join(err, stillOn(first))
					}
					return walk(ctx, path)
				})
			}
			err := d.Default().Run(ctx, tasks)
			for i, v := range views {
				if most := int(gauges[i].most.Load()); most > v.Limit() || v.Stats().Most > v.Limit() {
					err = errors.Join(err, fmt.Errorf("%s: %d in flight; %+v", v.Name(), most, v.Stats()))
				}
			}
			if st := d.Stats(); int(visits.Load()) != len(paths) || st.Kept+st.Waited != switches || st.Moved != 0 {
				err = errors.Join(err, fmt.Errorf("%d of %d paths were gone; %d switches: %+v", visits.Load(), len(paths), switches, st))
			}
			return err
		}, s.options()...); err != nil {
			rt.Fatal(err)
		}
	})
}
