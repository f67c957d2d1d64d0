package corpus

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"overlap/pkg/verdict"
)

// holdOutMemory are programs that memory, or the garbage collector, holds up.
func holdOutMemory(cpus int) []Program {
	shared := several(cpus, kinds(verdict.Shared), verdict.AllCPUs)
	return []Program{
		{
			Name: "hold-histogram", Group: "atomics", Right: shared, Again: true, Hard: true, By: "a few hot bins",
			Why: "All goroutines count into eight atomic bins that lie in one cache line.",
			Run: func(ctx context.Context) error {
				var bins [8]atomic.Int64
				return eachCPU(ctx, 1500, func(w, i int) {
					x := uint32(w*7919+i) | 1
					for range 10_000 {
						x ^= x << 13
						x ^= x >> 17
						x ^= x << 5
						bins[x%8].Add(1)
					}
				})
			},
		},
		{
			Name: "hold-read-locks", Group: "locks", Right: shared, Again: true, Hard: true, By: "the reader count of an RWMutex",
			Why: "Readers never wait for each other, but each read lock writes to one counter that the CPUs take from each other.",
			Run: func(ctx context.Context) error {
				var mu sync.RWMutex
				value := 1
				return eachCPU(ctx, 1500, func(int, int) {
					sum := 0
					for range 5_000 {
						mu.RLock()
						sum += value
						mu.RUnlock()
					}
				})
			},
		},
		{
			Name: "hold-cas-loop", Group: "atomics", Right: shared, Again: true, Hard: true, By: "compare-and-swap tried again",
			Why: "Every step of a shared generator of numbers is tried until no one else was faster; the tries that fail are CPU time for nothing.",
			Run: func(ctx context.Context) error {
				var state atomic.Uint64
				state.Store(1)
				return eachCPU(ctx, 600, func(int, int) {
					for range 10_000 {
						for {
							x := state.Load()
							y := x
							for range 3 {
								y ^= y << 13
								y ^= y >> 7
								y ^= y << 17
							}
							if state.CompareAndSwap(x, y) {
								break
							}
						}
					}
				})
			},
		},
		heldTree("hold-gc-map", "many small objects alive and GOGC=10",
			"Workers fill and drop maps beside a million live objects at GOGC=10: nearly all CPU time is the collector's.",
			10, kinds(verdict.Collector), func(ctx context.Context) error {
				return eachCPU(ctx, 24, func(int, int) {
					m := map[int]*node{}
					for k := range 5_000 {
						m[k] = &node{}
					}
				})
			}),
		{
			Name: "hold-gc-memory-limit", Group: "memory", Right: kinds(verdict.Collector), Hard: true, By: "a memory limit below what is alive",
			Why: "The memory limit is below what is alive, so that the collector runs without end, for as much of the time as the runtime lets it.",
			Run: func(ctx context.Context) error {
				live := tree(18)
				defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 20))
				err := churn(ctx, width(), 20*width())
				runtime.KeepAlive(live)
				return err
			},
		},
		heldTree("hold-gc-lists", "long lists and GOGC=15",
			"Workers make and drop linked lists beside a million live objects; the live ones are what the collector walks through again and again.",
			15, kinds(verdict.Collector), func(ctx context.Context) error {
				return eachCPU(ctx, 40, func(int, int) {
					var list *node
					for range 15_000 {
						list = &node{left: list}
					}
					runtime.KeepAlive(list)
				})
			}),
	}
}

// eachCPU shares out n calls of f for each CPU over a goroutine for each.
func eachCPU(ctx context.Context, n int, f func(w, i int)) error {
	var wg sync.WaitGroup
	for w := range width() {
		wg.Go(func() {
			for i := range n {
				if ctx.Err() != nil {
					return
				}
				f(w, i)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// holdOutQuota are programs that a CPU quota stops again and again.
func holdOutQuota() []Program {
	quota := kinds(verdict.Quota)
	return []Program{
		{
			Name: "hold-quota-bursts", Group: "quota", Right: quota, Quota: 0.5, Hard: true, By: "a quota of half a CPU",
			Why: "The program waits 15 ms and then computes on four goroutines, in turn: its bursts want more than the quota gives.",
			Run: func(ctx context.Context) error {
				for range 4 {
					if err := nap(ctx, 15*ms); err != nil {
						return err
					}
					if err := computeWith(ctx, 4, 40); err != nil {
						return err
					}
				}
				return nil
			},
		},
		{
			Name: "hold-quota-errgroup", Group: "quota", Right: quota, Quota: 1.5, By: "a quota of 1.5 CPUs",
			Why: "Two or more workers could use two CPUs and are stopped when 1.5 are used up.",
			Run: func(ctx context.Context) error {
				g, ctx := errgroup.WithContext(ctx)
				g.SetLimit(max(2, runtime.NumCPU()))
				for range 200 {
					g.Go(func() error {
						spin(2 * ms)
						return ctx.Err()
					})
				}
				return g.Wait()
			},
		},
		{
			Name: "hold-quota-pipeline", Group: "quota", Right: quota, Quota: 0.75, By: "a quota of 0.75 CPUs",
			Why: "The stages of a pipeline would keep all CPUs busy and get three quarters of one.",
			Run: func(ctx context.Context) error {
				first, second := make(chan int, 4), make(chan int, 4)
				var one, two sync.WaitGroup
				for range 2 {
					one.Go(func() {
						for i := range first {
							spin(ms)
							second <- i
						}
					})
					two.Go(func() {
						for range second {
							spin(ms)
						}
					})
				}
				for i := range 80 {
					if ctx.Err() != nil {
						break
					}
					first <- i
				}
				close(first)
				one.Wait()
				close(second)
				two.Wait()
				return ctx.Err()
			},
		},
	}
}
