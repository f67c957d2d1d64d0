package corpus

import (
	"context"
	"runtime"
	"sync"
	"time"

	"overlap/pkg/verdict"
)

// lockPrograms are held up by a lock. Where next to nothing but the holder
// runs, they are one at a time as well: two names of one fact.
func lockPrograms(cpus int) []Program {
	both := kinds(verdict.HeldByLock, verdict.OneAtATime)
	computing := several(cpus, both, verdict.AllCPUs, verdict.HeldByLock, verdict.OneAtATime)
	return []Program{
		{
			Name: "lock-90-percent", Group: "locks", Right: computing, By: "a mutex",
			Why: "Each task of 1 ms holds the one mutex for 0.9 ms of it.",
			Run: func(ctx context.Context) error {
				var mu sync.Mutex
				var wg sync.WaitGroup
				for range 8 {
					wg.Go(func() {
						for range 20 {
							if ctx.Err() != nil {
								return
							}
							spin(100 * time.Microsecond)
							mu.Lock()
							spin(900 * time.Microsecond)
							mu.Unlock()
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "lock-sleeping-holder", Group: "locks", Right: both, By: "a mutex held while waiting",
			Why: "The mutex is held across a wait of 4 ms, so that eight goroutines wait one after another with all CPUs idle.",
			Run: func(ctx context.Context) error {
				var mu sync.Mutex
				var wg sync.WaitGroup
				for range 8 {
					wg.Go(func() {
						for range 5 {
							mu.Lock()
							err := nap(ctx, 4*ms)
							mu.Unlock()
							if err != nil {
								return
							}
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "lock-channel", Group: "locks", Right: computing, Hard: true, By: "a channel used as a lock",
			Why: "A channel with room for one is sent to before the work and received from after it, which is a lock.",
			Run: func(ctx context.Context) error {
				lock := make(chan struct{}, 1)
				var wg sync.WaitGroup
				for range 8 {
					wg.Go(func() {
						for range 20 {
							if ctx.Err() != nil {
								return
							}
							spin(100 * time.Microsecond)
							lock <- struct{}{}
							spin(900 * time.Microsecond)
							<-lock
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "lock-rwmutex-writer", Group: "locks", Hard: true, By: "a long writer of an RWMutex",
			Right: computing,
			Why:   "Readers run side by side, but the writer holds the lock for four fifths of the time to rebuild what they read.",
			Run: func(ctx context.Context) error {
				var mu sync.RWMutex
				var wg sync.WaitGroup
				wg.Go(func() {
					for range 8 {
						mu.Lock()
						spin(15 * ms)
						mu.Unlock()
						if nap(ctx, 3*ms) != nil {
							return
						}
					}
				})
				for range 2 * width() {
					wg.Go(func() {
						// Enough to last until the writer's end. Without Gosched
						// they would keep all CPUs until they are preempted, and be
						// done before the writer's nap is seen to be over.
						for range 80 {
							if ctx.Err() != nil {
								return
							}
							mu.RLock()
							spin(200 * time.Microsecond)
							mu.RUnlock()
							runtime.Gosched()
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "lock-once", Group: "locks", Hard: true, By: "a sync.Once",
			Right: several(cpus, kinds(verdict.HeldByLock, verdict.LongTask, verdict.OneAtATime), verdict.AllCPUs, verdict.HeldByLock, verdict.LongTask),
			Why:   "All goroutines wait in sync.Once for 100 ms until the first of them has loaded what all need.",
			Run: func(ctx context.Context) error {
				var once sync.Once
				var wg sync.WaitGroup
				for range 4 * width() {
					wg.Go(func() {
						once.Do(func() {
							for range 100 {
								if ctx.Err() == nil {
									spin(ms)
								}
							}
						})
						spin(5 * ms)
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
	}
}
