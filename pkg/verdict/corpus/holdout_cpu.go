package corpus

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"overlap/pkg/verdict"
)

// holdOutCPU are programs that compute.
func holdOutCPU(cpus int) []Program {
	one := several(cpus, kinds(verdict.OneAtATime), verdict.AllCPUs, verdict.OneAtATime)
	over := kinds(verdict.Oversubscribed, verdict.AllCPUs)
	lock := several(cpus, kinds(verdict.HeldByLock, verdict.OneAtATime), verdict.AllCPUs, verdict.HeldByLock, verdict.OneAtATime)
	small := kinds(verdict.TooSmall)
	return []Program{
		{
			Name: "hold-sha256", Group: "CPU", Right: kinds(verdict.AllCPUs), By: "a worker for each CPU",
			Why: "Workers hash blocks of 256 kB in buffers from a sync.Pool, with nothing shared but the queue.",
			Run: func(ctx context.Context) error {
				buffers := sync.Pool{New: func() any { return new([256 << 10]byte) }}
				blocks := make(chan uint64)
				var wg sync.WaitGroup
				for range width() {
					wg.Go(func() {
						for n := range blocks {
							b := buffers.Get().(*[256 << 10]byte)
							binary.LittleEndian.PutUint64(b[:], n)
							for range 4 {
								sum := sha256.Sum256(b[:])
								copy(b[:], sum[:])
							}
							buffers.Put(b)
						}
					})
				}
				for n := range 200 * width() {
					if ctx.Err() != nil {
						break
					}
					blocks <- uint64(n)
				}
				close(blocks)
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "hold-queens", Group: "fork-join", Right: kinds(verdict.AllCPUs), Hard: true, By: "a semaphore of the CPUs",
			Why: "A search tree is cut at its second level into some hundred tasks of a few milliseconds, of which a semaphore lets as many run as there are CPUs.",
			Run: func(ctx context.Context) error {
				slots := semaphore.NewWeighted(int64(width()))
				var solutions atomic.Int64
				var wg sync.WaitGroup
				const n = 13
				for range (width() + 1) / 2 {
					for a := range n {
						for b := range n {
							if a-b >= -1 && a-b <= 1 {
								continue // the second queen would be taken
							}
							if slots.Acquire(ctx, 1) != nil {
								break
							}
							wg.Go(func() {
								defer slots.Release(1)
								first := place(0, a)
								solutions.Add(int64(queens(n, 2, first.and(place(1, b)))))
							})
						}
					}
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "hold-cpu-mandelbrot", Group: "CPU", Right: kinds(verdict.AllCPUs), By: "rows claimed one by one",
			Why: "Workers claim rows by an atomic counter; rows differ much in cost, and claiming evens that out.",
			Run: func(ctx context.Context) error {
				size := 320 * width()
				image := make([]uint16, size*320)
				var next atomic.Int64
				var wg sync.WaitGroup
				for range width() {
					wg.Go(func() {
						for ctx.Err() == nil {
							y := int(next.Add(1) - 1)
							if y >= size {
								return
							}
							mandelbrot(image[y*320:(y+1)*320], float64(y)/float64(size)*2.4-1.2)
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "hold-wait-in-loop", Group: "CPU", Right: one, By: "Wait inside the loop",
			Why: "The WaitGroup is awaited inside the loop instead of after it.",
			Run: func(ctx context.Context) error {
				var wg sync.WaitGroup
				for range 75 {
					wg.Go(func() {
						if ctx.Err() == nil {
							spin(2 * ms)
						}
					})
					wg.Wait()
				}
				return ctx.Err()
			},
		},
		{
			Name: "hold-take-turns", Group: "locks", Hard: true, By: "taking turns",
			Right: several(cpus, kinds(verdict.OneAtATime, verdict.HeldByLock), verdict.AllCPUs, verdict.OneAtATime, verdict.HeldByLock),
			Why:   "Two goroutines take turns by a sync.Cond, each computing for 1 ms while the other waits.",
			Run: func(ctx context.Context) error {
				var mu sync.Mutex
				turned := sync.NewCond(&mu)
				turn := 0
				var wg sync.WaitGroup
				for me := range 2 {
					wg.Go(func() {
						for range 75 {
							mu.Lock()
							for turn != me {
								turned.Wait()
							}
							mu.Unlock()
							if ctx.Err() == nil {
								spin(ms)
							}
							mu.Lock()
							turn = 1 - me
							mu.Unlock()
							turned.Signal()
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "hold-main-thread", Group: "threads", Right: one, Hard: true, By: "one locked thread",
			Why: "As with many graphics libraries, all calls go to one goroutine that is locked to its thread.",
			Run: func(ctx context.Context) error {
				calls := make(chan func())
				var loop, callers sync.WaitGroup
				loop.Go(func() {
					runtime.LockOSThread()
					defer runtime.UnlockOSThread()
					for f := range calls {
						f()
					}
				})
				for range 25 {
					callers.Go(func() {
						for range 3 {
							done := make(chan bool)
							calls <- func() {
								if ctx.Err() == nil {
									spin(2 * ms)
								}
								close(done)
							}
							<-done
						}
					})
				}
				callers.Wait()
				close(calls)
				loop.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "hold-yielding", Group: "CPU", Right: over, Hard: true, By: "16 goroutines for each CPU that yield",
			Why: "Sixteen goroutines a CPU compute and yield every 0.5 ms, so that all are under way all the time and end together at the end.",
			Run: func(ctx context.Context) error {
				var wg sync.WaitGroup
				for range 16 * width() {
					wg.Go(func() {
						for range 24 {
							if ctx.Err() == nil {
								spin(ms / 2)
								runtime.Gosched()
							}
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "hold-threads-in-rounds", Group: "threads", Right: over, By: "10 locked threads for each CPU",
			Why: "In each of two rounds ten locked threads a CPU compute for 15 ms each, in slices.",
			Run: func(ctx context.Context) error {
				for range 2 {
					var wg sync.WaitGroup
					for range 10 * width() {
						wg.Go(func() {
							runtime.LockOSThread()
							defer runtime.UnlockOSThread()
							for range 15 {
								if ctx.Err() == nil {
									spin(ms)
								}
							}
						})
					}
					wg.Wait()
				}
				return ctx.Err()
			},
		},
		{
			Name: "hold-errgroup-no-limit", Group: "CPU", Right: over, Hard: true, By: "errgroup without a limit",
			Why: "Ten tasks a CPU of 30 ms each start together, and take turns on the CPUs instead of one after another.",
			Run: func(ctx context.Context) error {
				g, ctx := errgroup.WithContext(ctx)
				for range 10 * width() {
					g.Go(func() error {
						for range 30 {
							spin(ms)
							if ctx.Err() != nil {
								return ctx.Err()
							}
						}
						return nil
					})
				}
				return g.Wait()
			},
		},
		{
			Name: "hold-one-stripe", Group: "locks", Right: lock, Hard: true, By: "one stripe of a striped lock",
			Why: "A map with 16 locks looks well divided, but every key that is used falls to the same lock.",
			Run: func(ctx context.Context) error {
				type stripe struct {
					sync.Mutex
					values map[int]int
				}
				var stripes [16]stripe
				for i := range stripes {
					stripes[i].values = map[int]int{}
				}
				var wg sync.WaitGroup
				for w := range 8 {
					wg.Go(func() {
						for i := range 25 {
							if ctx.Err() != nil {
								return
							}
							key := 16 * (w*25 + i)
							s := &stripes[key%len(stripes)]
							s.Lock()
							spin(700 * time.Microsecond)
							s.values[key]++
							s.Unlock()
							spin(50 * time.Microsecond)
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "hold-lock-cache-computes", Group: "locks", Right: lock, By: "a mutex held while computing",
			Why: "The lock of the cache is held while a missing value is computed, and every value is missing.",
			Run: func(ctx context.Context) error {
				var mu sync.Mutex
				cache := map[int]time.Duration{}
				get := func(key int) time.Duration {
					mu.Lock()
					defer mu.Unlock()
					if d, ok := cache[key]; ok {
						return d
					}
					d := ms/2 + time.Duration(key%16)*100*time.Microsecond
					spin(d)
					cache[key] = d
					return d
				}
				var wg sync.WaitGroup
				for w := range 8 {
					wg.Go(func() {
						for i := range 16 {
							if ctx.Err() != nil {
								return
							}
							get(w*16 + i)
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "hold-hot-key", Group: "pipeline", Hard: true, By: "one key with nine tenths of the items",
			Right: several(cpus, kinds(verdict.LongTask, verdict.OneAtATime), verdict.AllCPUs, verdict.OneAtATime, verdict.LongTask),
			Why:   "Items are divided by their key among a goroutine for each CPU, and nearly all have the same key.",
			Run: func(ctx context.Context) error {
				reducers := make([]chan int, width())
				var wg sync.WaitGroup
				for i := range reducers {
					reducers[i] = make(chan int, 8)
					wg.Go(func() {
						for range reducers[i] {
							if ctx.Err() == nil {
								spin(ms)
							}
						}
					})
				}
				for item := range 160 {
					key := 0
					if item%10 == 9 {
						key = 1 + item
					}
					reducers[key%len(reducers)] <- item
				}
				for _, r := range reducers {
					close(r)
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "hold-sieve", Group: "pipeline", Right: small, Hard: true, By: "a channel for each number",
			Why: "A chain of goroutines, one for each prime, passes numbers on one by one; the division that each does is far cheaper than the passing.",
			Run: func(ctx context.Context) error {
				stop := make(chan struct{})
				var wg sync.WaitGroup
				numbers := make(chan int)
				wg.Go(func() {
					for n := 2; ; n++ {
						select {
						case numbers <- n:
						case <-stop:
							return
						}
					}
				})
				in := numbers
				for range 600 {
					prime := <-in
					if ctx.Err() != nil {
						break
					}
					out := make(chan int)
					from := in
					wg.Go(func() {
						for {
							select {
							case n := <-from:
								if n%prime == 0 {
									continue
								}
								select {
								case out <- n:
								case <-stop:
									return
								}
							case <-stop:
								return
							}
						}
					})
					in = out
				}
				close(stop)
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "hold-counter-server", Group: "pipeline", Hard: true, By: "a question and an answer for each addition",
			Right: kinds(verdict.TooSmall, verdict.OneAtATime),
			Why:   "A goroutine owns a counter, and every addition is a message to it and one back: all handing over, and one at a time as well.",
			Run: func(ctx context.Context) error {
				requests := make(chan chan int)
				var owner, users sync.WaitGroup
				owner.Go(func() {
					counter := 0
					for reply := range requests {
						counter++
						reply <- counter
					}
				})
				for range 4 {
					users.Go(func() {
						reply := make(chan int)
						for range 50_000 {
							if ctx.Err() != nil {
								return
							}
							requests <- reply
							<-reply
						}
					})
				}
				users.Wait()
				close(requests)
				owner.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "hold-parallel-rows", Group: "barrier", Right: small, By: "goroutines for each row",
			Why: "Each of many short rows is cut into parts of 0.2 µs with a goroutine for each and a barrier after it.",
			Run: func(ctx context.Context) error {
				for range 60_000 {
					if ctx.Err() != nil {
						break
					}
					var row sync.WaitGroup
					for range max(2, width()) {
						row.Go(func() { spin(200) })
					}
					row.Wait()
				}
				return ctx.Err()
			},
		},
		{
			Name: "hold-one-millisecond", Group: "short", Right: kinds(verdict.CannotTell), By: "too short",
			Why: "Two goroutines that compute for half a millisecond are over too soon to be judged.",
			Run: func(ctx context.Context) error {
				var wg sync.WaitGroup
				for range 2 {
					wg.Go(func() { spin(ms / 2) })
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "hold-waits-then-cpu", Group: "phases", Hard: true, By: "a half of serial waits",
			Right: kinds(verdict.CannotTell, verdict.OneAtATime),
			Why:   "Ten waits one after another, then as long again on all CPUs: the halves ask for different answers.",
			Run: func(ctx context.Context) error {
				for range 10 {
					if err := nap(ctx, 9*ms); err != nil {
						return err
					}
				}
				return computeWith(ctx, width(), 90*width())
			},
		},
		{
			Name: "hold-two-tasks", Group: "CPU", Hard: true, By: "two tasks",
			Right: twoTasksRight(cpus),
			Why:   "Two equal tasks of 90 ms at the same time: they fill two CPUs, and more CPUs have nothing to do; two are few to judge by.",
			Run:   func(ctx context.Context) error { return computeWith(ctx, 2, 180) },
		},
	}
}

func twoTasksRight(cpus int) []verdict.Kind {
	if cpus <= 2 {
		return kinds(verdict.AllCPUs, verdict.CannotTell)
	}
	return kinds(verdict.CannotTell)
}

// A board is what queens take: columns and both diagonals.
type board struct{ columns, rising, falling uint32 }

func place(row, column int) board {
	return board{1 << column, 1 << (row + column), 1 << (column - row + 16)}
}

func (b board) and(c board) board {
	return board{b.columns | c.columns, b.rising | c.rising, b.falling | c.falling}
}

func (b board) meets(c board) bool {
	return b.columns&c.columns|b.rising&c.rising|b.falling&c.falling != 0
}

// queens counts the ways to place queens on the rows from row on.
func queens(n, row int, taken board) int {
	if row == n {
		return 1
	}
	ways := 0
	for column := range n {
		if q := place(row, column); !taken.meets(q) {
			ways += queens(n, row+1, taken.and(q))
		}
	}
	return ways
}

// mandelbrot computes a row of the set.
func mandelbrot(row []uint16, im float64) {
	for i := range row {
		re := float64(i)/float64(len(row))*3.2 - 2.2
		var x, y float64
		var n uint16
		for ; n < 1000 && x*x+y*y < 4; n++ {
			x, y = x*x-y*y+re, 2*x*y+im
		}
		row[i] = n
	}
}
