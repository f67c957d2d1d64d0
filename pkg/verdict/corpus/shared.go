package corpus

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"overlap/pkg/verdict"
)

// sharedPrograms keep the CPUs busy with waiting for memory or for each other:
// the same work costs more CPU time than it does on one CPU. On one CPU there
// is no one to share with.
func sharedPrograms(cpus int) []Program {
	shared := several(cpus, kinds(verdict.Shared), verdict.AllCPUs)
	return []Program{
		{
			Name: "shared-spin-lock", Group: "atomics", Again: true, Hard: true, By: "a lock that spins",
			Right: several(cpus, kinds(verdict.Shared, verdict.HeldByLock), verdict.AllCPUs),
			Why:   "A lock made of compare-and-swap is held nine tenths of the time; those who want it turn in a loop, busy and no further.",
			Run: func(ctx context.Context) error {
				var lock atomic.Bool
				var wg sync.WaitGroup
				rounds := 6000 / width()
				for range width() {
					wg.Go(func() {
						for i := range rounds {
							if i%100 == 0 && ctx.Err() != nil {
								return
							}
							spin(2 * time.Microsecond)
							for n := 1; !lock.CompareAndSwap(false, true); n++ {
								if n%2000 == 0 {
									runtime.Gosched() // lets a holder that lost its CPU go on
								}
							}
							spin(18 * time.Microsecond)
							lock.Store(false)
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "shared-cache-line", Group: "atomics", Right: shared, Again: true, Hard: true, By: "false sharing",
			Why: "Each goroutine has a counter of its own, but the counters lie side by side in one cache line that the CPUs take from each other.",
			Run: func(ctx context.Context) error {
				counters := make([]atomic.Int64, width())
				return count(ctx, func(w int) *atomic.Int64 { return &counters[w] })
			},
		},
		{
			Name: "shared-counter", Group: "atomics", Right: shared, Again: true, By: "one atomic counter",
			Why: "All goroutines add to one atomic counter, and do nothing else.",
			Run: func(ctx context.Context) error {
				var counter atomic.Int64
				return count(ctx, func(int) *atomic.Int64 { return &counter })
			},
		},
		memoryBandwidth(cpus),
	}
}

// count makes additions that take 120 ms alone, spread over a goroutine for
// each CPU.
func count(ctx context.Context, counter func(w int) *atomic.Int64) error {
	const part = 1000
	parts := int(120*float64(ms)*atomicRate()) / part / width()
	var wg sync.WaitGroup
	for w := range width() {
		wg.Go(func() {
			mine := counter(w)
			for range parts {
				if ctx.Err() != nil {
					return
				}
				for range part {
					mine.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// memoryBandwidth moves memory and computes nothing.
func memoryBandwidth(cpus int) Program {
	const size = 4 << 20 // numbers: 32 MB, more than the share of a CPU in any cache
	var ready [][]int64
	open := func() [][]int64 {
		arrays := make([][]int64, 2*width())
		for i := range arrays {
			arrays[i] = make([]int64, size)
			for j := range arrays[i] {
				arrays[i][j] = int64(j)
			}
		}
		return arrays
	}
	return Program{
		Name: "shared-memory-bandwidth", Group: "memory", Again: true, Hard: true, By: "memory bandwidth",
		Right: bandwidthRight(cpus),
		Why:   "Each goroutine copies arrays that no cache holds. How far one CPU alone can fill the memory's bandwidth is the machine's affair: where it cannot, all CPUs are put to use.",
		Before: func() (func(), error) {
			ready = open()
			return func() { ready = nil }, nil
		},
		Run: func(ctx context.Context) error {
			arrays := ready
			if arrays == nil {
				arrays = open()
			}
			var wg sync.WaitGroup
			for w := range width() {
				wg.Go(func() {
					for i := range 20 {
						if ctx.Err() != nil {
							return
						}
						copy(arrays[2*w+i%2], arrays[2*w+1-i%2])
					}
				})
			}
			wg.Wait()
			return ctx.Err()
		},
	}
}

// bandwidthRight: one CPU of a small machine rarely fills the bandwidth, so
// that two have enough of it; many have not.
func bandwidthRight(cpus int) []verdict.Kind {
	switch {
	case cpus == 1:
		return kinds(verdict.AllCPUs)
	case cpus <= 4:
		return kinds(verdict.AllCPUs, verdict.Shared)
	}
	return kinds(verdict.Shared, verdict.AllCPUs)
}
