package corpus

import (
	"context"
	"sync"
	"time"

	"overlap/pkg/verdict"
)

// quotaPrograms are stopped by a CPU quota again and again.
func quotaPrograms() []Program {
	quota := kinds(verdict.Quota)
	return []Program{
		{
			Name: "quota-pool", Group: "quota", Right: quota, Quota: 1, By: "a quota of 1 CPU",
			Why: "Two or more workers would use two or more CPUs and are stopped for part of every 100 ms.",
			Run: func(ctx context.Context) error { return computeWith(ctx, 2, 150) },
		},
		{
			Name: "quota-half-a-cpu", Group: "quota", Right: quota, Quota: 0.5, By: "a quota of half a CPU",
			Why: "A goroutine for each task wants all CPUs and gets half of one.",
			Run: func(ctx context.Context) error {
				var wg sync.WaitGroup
				for range 75 {
					wg.Go(func() {
						if ctx.Err() == nil {
							spin(2 * ms)
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "quota-serial", Group: "quota", Quota: 0.5, Hard: true, By: "a quota of half a CPU",
			Right: kinds(verdict.Quota, verdict.OneAtATime),
			Why:   "The loop is serial, but even so it wants twice the quota: more goroutines would not make it faster.",
			Run:   func(ctx context.Context) error { return computeWith(ctx, 1, 120) },
		},
	}
}

// computeWith computes for so many milliseconds of CPU time in all, with so
// many workers.
func computeWith(ctx context.Context, workers, total int) error {
	jobs := make(chan time.Duration, total)
	for range total {
		jobs <- ms
	}
	close(jobs)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for d := range jobs {
				if ctx.Err() == nil {
					spin(d)
				}
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}
