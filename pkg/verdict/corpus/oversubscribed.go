package corpus

import (
	"context"
	"runtime"
	"sync"

	"overlap/pkg/verdict"
)

// oversubscribedPrograms have far more work going on at once than there are
// CPUs for it. The CPUs are all in use, which is no wrong answer; that each
// piece takes many times longer than alone is the better one.
func oversubscribedPrograms() []Program {
	over := kinds(verdict.Oversubscribed, verdict.AllCPUs)
	return []Program{
		{
			Name: "over-32-threads", Group: "threads", Right: over, By: "a locked thread for each task",
			Why: "Sixteen threads a CPU, each locked to its goroutine, compute at the same time, and take each other's turns.",
			Run: func(ctx context.Context) error {
				var wg sync.WaitGroup
				for range 16 * width() {
					wg.Go(func() {
						runtime.LockOSThread()
						defer runtime.UnlockOSThread()
						for range 20 {
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
			Name: "over-32-goroutines", Group: "CPU", Right: over, Hard: true, By: "16 long goroutines for each CPU",
			Why: "Tasks of 20 ms outlast the scheduler's turn of 10 ms, so that sixteen of them share each CPU in slices and all end late.",
			Run: func(ctx context.Context) error {
				var wg sync.WaitGroup
				for range 16 * width() {
					wg.Go(func() {
						for range 20 {
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
			Name: "over-large-pool", Group: "CPU", Right: over, Hard: true, By: "a pool of 12 workers for each CPU",
			Why: "Twelve workers a CPU take tasks of 15 ms, which then run in slices, where as many workers as CPUs would end as soon and each task twelve times sooner.",
			Run: func(ctx context.Context) error {
				jobs := make(chan int, 24*width())
				for i := range 24 * width() {
					jobs <- i
				}
				close(jobs)
				var wg sync.WaitGroup
				for range 12 * width() {
					wg.Go(func() {
						for range jobs {
							for range 15 {
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
			Name: "over-gomaxprocs", Group: "threads", Right: over, Hard: true, By: "GOMAXPROCS above the CPUs",
			Why: "GOMAXPROCS is eight times the CPUs, so that the threads that it allows wait for CPUs of the system instead of goroutines for their turn.",
			Run: func(ctx context.Context) error {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8 * width()))
				var wg sync.WaitGroup
				for range 8 * width() {
					wg.Go(func() {
						for range 30 {
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
	}
}
