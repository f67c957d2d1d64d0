package corpus

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"overlap/pkg/verdict"
)

// longTaskPrograms wait at the end, or again and again, for one task that is
// much longer than the others.
func longTaskPrograms(cpus int) []Program {
	long := several(cpus, kinds(verdict.LongTask), verdict.AllCPUs, verdict.LongTask)
	return []Program{
		{
			Name: "long-giant", Group: "CPU", Right: long, By: "one task of 150 ms among those of 1 ms",
			Why: "The giant, last in the queue, runs alone on one CPU after all the small ones are done.",
			Run: func(ctx context.Context) error {
				jobs := make(chan int, 100)
				for range 30 {
					jobs <- 1
				}
				jobs <- 150
				close(jobs)
				var wg sync.WaitGroup
				for range width() {
					wg.Go(func() {
						for n := range jobs {
							for range n {
								if ctx.Err() == nil {
									spin(ms)
								}
							}
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "long-straggler", Group: "waits", Hard: true, By: "one wait of 150 ms among those of 10 ms",
			Right: kinds(verdict.LongTask, verdict.Overlaps),
			Why:   "All wait at once, which cannot be done better, but for 140 of the 150 ms there is one straggler alone.",
			Run: func(ctx context.Context) error {
				g, ctx := errgroup.WithContext(ctx)
				for i := range 30 {
					d := 10 * ms
					if i == 17 {
						d = 150 * ms
					}
					g.Go(func() error { return nap(ctx, d) })
				}
				return g.Wait()
			},
		},
		{
			Name: "long-static-parts", Group: "CPU", Right: long, Hard: true, By: "parts of unequal size",
			Why: "The work is cut into a part for each CPU, of which one is twelve times as large as the others.",
			Run: func(ctx context.Context) error {
				var wg sync.WaitGroup
				for part := range width() {
					n := 12
					if part == 0 {
						n = 150
					}
					wg.Go(func() {
						for range n {
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
			Name: "long-uneven-phases", Group: "barrier", Hard: true, By: "one straggler in each phase",
			Right: several(cpus, kinds(verdict.LongTask, verdict.OneAtATime), verdict.AllCPUs, verdict.OneAtATime, verdict.LongTask),
			Why:   "At the end of each phase all wait for the one whose part was large this time, so that mostly one is running.",
			Run: func(ctx context.Context) error {
				for phase := range 10 {
					var barrier sync.WaitGroup
					for w := range width() {
						d := ms
						if w == phase%width() {
							d = 15 * ms
						}
						barrier.Go(func() {
							if ctx.Err() == nil {
								spin(d)
							}
						})
					}
					barrier.Wait()
				}
				return ctx.Err()
			},
		},
	}
}
