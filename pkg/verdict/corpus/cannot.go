package corpus

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"overlap/pkg/verdict"
)

// cannotTellPrograms are those of which one run tells too little, and those in
// which causes mix.
func cannotTellPrograms(cpus int) []Program {
	cannot := kinds(verdict.CannotTell)
	return []Program{
		{
			Name: "cannot-half-a-millisecond", Group: "short", Right: cannot, By: "too short",
			Why: "A run of 0.5 ms is over before anything can be measured of it.",
			Run: func(ctx context.Context) error {
				var wg sync.WaitGroup
				for range 4 {
					wg.Go(func() { spin(100 * time.Microsecond) })
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "cannot-nothing", Group: "short", Right: cannot, By: "no work",
			Why: "A function that does nothing is neither concurrent nor not.",
			Run: func(ctx context.Context) error { return ctx.Err() },
		},
		{
			Name: "cannot-one-task", Group: "CPU", Hard: true, By: "one task",
			Right: several(cpus, kinds(verdict.CannotTell, verdict.OneAtATime, verdict.LongTask), verdict.CannotTell, verdict.AllCPUs, verdict.OneAtATime, verdict.LongTask),
			Why:   "One goroutine with one task: it does run alone, but there is nothing beside it that could run at the same time.",
			Run: func(ctx context.Context) error {
				done := make(chan bool)
				go func() {
					defer close(done)
					for range 100 {
						if ctx.Err() == nil {
							spin(ms)
						}
					}
				}()
				<-done
				return ctx.Err()
			},
		},
		{
			Name: "cannot-one-wait", Group: "waits", Hard: true, By: "one wait",
			Right: kinds(verdict.CannotTell, verdict.OneAtATime),
			Why:   "One wait of 100 ms: there is nothing to overlap it with.",
			Run:   func(ctx context.Context) error { return nap(ctx, 100*ms) },
		},
		{
			Name: "cannot-half-and-half", Group: "mixed work", Hard: true, By: "half waiting, half computing",
			Right: kinds(verdict.Overlaps, verdict.CannotTell),
			Why:   "All tasks wait at once, for 40 to 100 ms, and as one after another is through, they keep the CPUs half busy: neither waiting nor computing is all of it.",
			Run: func(ctx context.Context) error {
				var g errgroup.Group
				n := 30 * width()
				for i := range n {
					g.Go(func() error {
						err := nap(ctx, 40*ms+time.Duration(i)*60*ms/time.Duration(n))
						spin(ms)
						return err
					})
				}
				return g.Wait()
			},
		},
		{
			Name: "cannot-loops-of-both", Group: "mixed work", Hard: true, By: "loops of waiting and computing",
			Right: kinds(verdict.TooFew, verdict.Overlaps, verdict.CannotTell),
			Why:   "Three goroutines a CPU wait and compute in turn, twenty times, and use about half of the CPUs: whether more of them could share the rounds, only their author knows.",
			Run: func(ctx context.Context) error {
				var g errgroup.Group
				for range 3 * width() {
					g.Go(func() error {
						for range 20 {
							if err := nap(ctx, 4*ms); err != nil {
								return err
							}
							spin(ms)
						}
						return nil
					})
				}
				return g.Wait()
			},
		},
		{
			Name: "cannot-serial-then-parallel", Group: "phases", Hard: true, By: "a serial half",
			Right: several(cpus, kinds(verdict.CannotTell, verdict.OneAtATime, verdict.LongTask), verdict.AllCPUs),
			Why:   "The first 80 ms run in one goroutine, the other 80 ms on all CPUs: no one word holds for both halves.",
			Run: func(ctx context.Context) error {
				for range 80 {
					if ctx.Err() == nil {
						spin(ms)
					}
				}
				var wg sync.WaitGroup
				for range width() {
					wg.Go(func() {
						for range 80 {
							if ctx.Err() == nil {
								spin(ms)
							}
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "cannot-lock-50-percent", Group: "locks", Hard: true, By: "a mutex, half of the time",
			Right: several(cpus, kinds(verdict.HeldByLock, verdict.AllCPUs, verdict.CannotTell), verdict.AllCPUs, verdict.HeldByLock, verdict.CannotTell),
			Why:   "The mutex is held for half of each task: two CPUs can just be kept busy with it, more cannot.",
			Run: func(ctx context.Context) error {
				var mu sync.Mutex
				var wg sync.WaitGroup
				for range 8 {
					wg.Go(func() {
						for range 30 {
							if ctx.Err() != nil {
								return
							}
							spin(ms / 2)
							mu.Lock()
							spin(ms / 2)
							mu.Unlock()
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "cannot-three-waits", Group: "waits", Hard: true, By: "few tasks",
			Right: kinds(verdict.Overlaps, verdict.CannotTell),
			Why:   "Three waits at once overlap, but three are few to judge by.",
			Run: func(ctx context.Context) error {
				g, ctx := errgroup.WithContext(ctx)
				for range 3 {
					g.Go(func() error { return nap(ctx, 80*ms) })
				}
				return g.Wait()
			},
		},
		{
			Name: "cannot-idle", Group: "waits", Hard: true, By: "waiting for a signal",
			Right: kinds(verdict.CannotTell, verdict.OneAtATime),
			Why:   "The program waits for a signal that comes after 100 ms and does nothing else.",
			Run: func(ctx context.Context) error {
				signal := make(chan bool)
				late := time.AfterFunc(100*ms, func() { close(signal) })
				defer late.Stop()
				select {
				case <-signal:
				case <-ctx.Done():
				}
				return ctx.Err()
			},
		},
	}
}
