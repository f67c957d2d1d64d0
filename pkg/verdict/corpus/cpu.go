package corpus

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"overlap/pkg/verdict"
)

// cpuPrograms are programs that keep every CPU busy.
func cpuPrograms(cpus int) []Program {
	all := kinds(verdict.AllCPUs)
	return []Program{
		{
			Name: "cpu-pool", Group: "CPU", Right: all, By: "a worker for each CPU",
			Why: "As many workers as CPUs take tasks of 0.5 ms from a full queue: no CPU is ever idle.",
			Run: func(ctx context.Context) error {
				jobs := make(chan time.Duration, 1000)
				var wg sync.WaitGroup
				for range width() {
					wg.Go(func() {
						for d := range jobs {
							spin(d)
						}
					})
				}
				for range 320 * width() {
					if ctx.Err() != nil {
						break
					}
					jobs <- ms / 2
				}
				close(jobs)
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "cpu-goroutine-each", Group: "CPU", Right: all, By: "a goroutine for each task",
			Why: "All tasks of 1 ms are started at once and queue for the CPUs, which are busy to the end; each runs through once it is its turn.",
			Run: func(ctx context.Context) error {
				var wg sync.WaitGroup
				for range 160 * width() {
					wg.Go(func() {
						if ctx.Err() == nil {
							spin(ms)
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "cpu-errgroup-limit", Group: "CPU", Right: all, By: "errgroup with a limit of the CPUs",
			Why: "Tasks are uneven, 0.5 to 3.5 ms, but many, so that the last ones hardly leave a CPU idle.",
			Run: func(ctx context.Context) error {
				g, ctx := errgroup.WithContext(ctx)
				g.SetLimit(width())
				random := rand.New(rand.NewPCG(1, 2))
				for range 80 * width() {
					d := ms/2 + time.Duration(random.Int64N(int64(3*ms)))
					g.Go(func() error {
						spin(d)
						return ctx.Err()
					})
				}
				return g.Wait()
			},
		},
		{
			Name: "cpu-mergesort", Group: "fork-join", Hard: true, By: "fork and join",
			Right: mergesortRight(cpus),
			Why:   "Both halves are sorted at the same time down to small pieces; only the last merge runs on one CPU, a twentieth of the work, which on two CPUs is little.",
			Run: func(ctx context.Context) error {
				numbers := make([]int, 1<<20*min(2, (width()+1)/2))
				random := rand.New(rand.NewPCG(3, 4))
				for i := range numbers {
					numbers[i] = int(random.Uint32())
				}
				mergesort(ctx, numbers, make([]int, len(numbers)))
				if ctx.Err() == nil && !slices.IsSorted(numbers) {
					panic("corpus: not sorted")
				}
				return ctx.Err()
			},
		},
		{
			Name: "cpu-fan-out-fan-in", Group: "pipeline", Right: all, By: "the heavy stage on all CPUs",
			Why: "One goroutine feeds, one collects, and the stage between, which does nearly all the work, has a goroutine for each CPU.",
			Run: func(ctx context.Context) error {
				feed, done := make(chan int, 16), make(chan int, 16)
				var stage, collector sync.WaitGroup
				go func() {
					defer close(feed)
					for i := range 160 * width() {
						if ctx.Err() != nil {
							return
						}
						feed <- i
					}
				}()
				for range width() {
					stage.Go(func() {
						for i := range feed {
							spin(ms)
							done <- i
						}
					})
				}
				sum := 0
				collector.Go(func() {
					for i := range done {
						sum += i
					}
				})
				stage.Wait()
				close(done)
				collector.Wait()
				return ctx.Err()
			},
		},
		poolMadeBefore(all),
		{
			Name: "cpu-with-progress", Group: "CPU", Right: all, Hard: true, By: "a goroutine for each CPU",
			Why: "A goroutine that wakes every 5 ms to look at a counter does no work to speak of; the workers use every CPU.",
			Run: func(ctx context.Context) error {
				var finished atomic.Int64
				stop, stopped := make(chan bool), make(chan bool)
				go func() {
					defer close(stopped)
					ticker := time.NewTicker(5 * ms)
					defer ticker.Stop()
					for {
						select {
						case <-ticker.C:
							_ = finished.Load()
						case <-stop:
							return
						}
					}
				}()
				var wg sync.WaitGroup
				for range width() {
					wg.Go(func() {
						for range 160 {
							if ctx.Err() != nil {
								return
							}
							spin(ms)
							finished.Add(1)
						}
					})
				}
				wg.Wait()
				close(stop)
				<-stopped
				return ctx.Err()
			},
		},
		{
			Name: "cpu-10000-of-50us", Group: "CPU", Right: all, Hard: true, By: "a goroutine for each task",
			Why: "A goroutine costs well below 1 µs to start, so tasks of 50 µs are not too small, and 5,000 goroutines a CPU only queue.",
			Run: func(ctx context.Context) error {
				var wg sync.WaitGroup
				for range 5000 * width() {
					wg.Go(func() {
						if ctx.Err() == nil {
							spin(50 * time.Microsecond)
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "cpu-rare-lock", Group: "locks", Right: all, By: "a lock held for a hundredth of the time",
			Why: "Each task of 1 ms holds the lock of the shared map for 10 µs; the wait for it is lost in the rest.",
			Run: func(ctx context.Context) error {
				var mu sync.Mutex
				found := map[int]int{}
				var wg sync.WaitGroup
				for w := range width() {
					wg.Go(func() {
						for i := range 160 {
							if ctx.Err() != nil {
								return
							}
							spin(990 * time.Microsecond)
							mu.Lock()
							spin(10 * time.Microsecond)
							found[i%10] += w
							mu.Unlock()
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
	}
}

func mergesortRight(cpus int) []verdict.Kind {
	if cpus <= 2 {
		return kinds(verdict.AllCPUs)
	}
	// The merges at the top use one CPU, then two, then four: the more CPUs,
	// the more of them stand idle meanwhile.
	return kinds(verdict.AllCPUs, verdict.LongTask, verdict.CannotTell)
}

// mergesort sorts numbers, with scratch of the same length.
func mergesort(ctx context.Context, numbers, scratch []int) {
	if len(numbers) <= 1<<13 {
		if ctx.Err() == nil {
			slices.Sort(numbers)
		}
		return
	}
	middle := len(numbers) / 2
	var left sync.WaitGroup
	left.Go(func() { mergesort(ctx, numbers[:middle], scratch[:middle]) })
	mergesort(ctx, numbers[middle:], scratch[middle:])
	left.Wait()
	a, b := numbers[:middle], numbers[middle:]
	for i := range scratch {
		if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
			scratch[i], a = a[0], a[1:]
		} else {
			scratch[i], b = b[0], b[1:]
		}
	}
	copy(numbers, scratch)
}

// poolMadeBefore gives its work to workers that are older than it.
func poolMadeBefore(right []verdict.Kind) Program {
	type pool struct {
		jobs    chan func()
		workers sync.WaitGroup
	}
	open := func() *pool {
		p := &pool{jobs: make(chan func())}
		for range width() {
			p.workers.Go(func() {
				for job := range p.jobs {
					job()
				}
			})
		}
		return p
	}
	shut := func(p *pool) {
		close(p.jobs)
		p.workers.Wait()
	}
	var ready *pool
	return Program{
		Name: "cpu-pool-made-before", Group: "CPU", Right: right, Hard: true, By: "a worker for each CPU, older than the work",
		Why: "The workers were there before the work and take it as it comes; that the work starts no goroutine does not make it serial.",
		Before: func() (func(), error) {
			ready = open()
			return func() { shut(ready); ready = nil }, nil
		},
		Run: func(ctx context.Context) error {
			p := ready
			if p == nil {
				p = open()
				defer shut(p)
			}
			var tasks sync.WaitGroup
			for range 160 * width() {
				if ctx.Err() != nil {
					break
				}
				tasks.Add(1)
				p.jobs <- func() {
					defer tasks.Done()
					spin(ms)
				}
			}
			tasks.Wait()
			return ctx.Err()
		},
	}
}
