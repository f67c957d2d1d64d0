package kotlin_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"overlap/pkg/sched"
	"overlap/pkg/sched/kotlin"
)

// TestLikeKotlin does what scripts/kotlin.kt does, and logs the figures in the
// same form. The script sets them beside Kotlin's.
func TestLikeKotlin(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second and a half")
	}
	d := dispatchers(t)
	t.Logf("Go %s, %d CPUs", runtime.Version()[2:], runtime.NumCPU())
	tasks := func(v *kotlin.View, n int, wait time.Duration) {
		var mu sync.Mutex
		var numbers []int
		var g gauge
		start := time.Now()
		err := v.Run(t.Context(), slices.Repeat([]sched.Task{func(ctx context.Context) error {
			g.enter()
			defer g.leave()
			w, _ := sched.Worker(ctx)
			mu.Lock()
			if !slices.Contains(numbers, w.ID) {
				numbers = append(numbers, w.ID)
			}
			mu.Unlock()
			time.Sleep(wait)
			return nil
		}}, n))
		took := time.Since(start)
		if most := int(g.most.Load()); err != nil || most > v.Limit() || len(numbers) > v.Limit() && v == d.Default() {
			t.Errorf("%s: %d in flight, %d workers; Run returned %v", v.Name(), most, len(numbers), err)
		}
		t.Logf("%s: %d tasks of %d ms: %d ms, %d workers, numbers %d to %d, in flight at most %d", v.Name(), n,
			wait.Milliseconds(), took.Milliseconds(), len(numbers), slices.Min(numbers), slices.Max(numbers), g.most.Load())
	}
	tasks(d.Default(), 50, 20*time.Millisecond)
	tasks(d.IO(), 50, 20*time.Millisecond)
	tasks(d.IO(), 300, 100*time.Millisecond)

	switches := func(name string, n int, wait time.Duration, there, back func(context.Context, *kotlin.View, func(context.Context) error) error) {
		var kept, keptBack atomic.Int32
		var g gauge
		d := dispatchers(t)
		err := d.Default().Run(t.Context(), slices.Repeat([]sched.Task{func(ctx context.Context) error {
			before, _ := sched.Worker(ctx)
			return there(ctx, d.IO(), func(ctx context.Context) error {
				on, _ := sched.Worker(ctx)
				if on == before {
					kept.Add(1)
				}
				g.enter()
				time.Sleep(wait)
				g.leave()
				return back(ctx, d.Default(), func(ctx context.Context) error {
					if now, _ := sched.Worker(ctx); now == on {
						keptBack.Add(1)
					}
					return nil
				})
			})
		}}, n))
		s := d.Stats()
		if most := int(g.most.Load()); err != nil || most > d.IO().Limit() || s.Default.Most > d.Default().Limit() {
			t.Errorf("%d in flight on IO; %+v; Run returned %v", most, s, err)
		}
		t.Logf("%s: %d from default to io and back, %d ms on io: %d kept their worker, %d moved; %d kept it on the way back; in flight on io at most %d; %d workers",
			name, n, wait.Milliseconds(), kept.Load(), n-int(kept.Load()), keptBack.Load(), g.most.Load(), s.MostAlive)
	}
	for _, n := range []int{60, 500} {
		switches("then", n, 20*time.Millisecond, kotlin.Then, kotlin.Then)
	}
	for _, n := range []int{60, 500} {
		// The way back of Switch is its end.
		switches("switch", n, 20*time.Millisecond, kotlin.Switch, func(ctx context.Context, _ *kotlin.View, fn func(context.Context) error) error {
			return fn(ctx)
		})
	}
}
