package sched_test

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"overlap/pkg/sched"
	"overlap/pkg/workload/primes"
)

// BenchmarkEmptyTask sets the cost of each scheduler beside the plain Go that
// it stands for, on tasks that do nothing. Compare within one run, such as
//
//	go test -bench EmptyTask -benchtime 20x -count 10 | benchstat -col /code -
func BenchmarkEmptyTask(b *testing.B) {
	const n = 10_000
	tasks := make([]sched.Task, n)
	for i := range tasks {
		tasks[i] = func(context.Context) error { return nil }
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()

	for _, c := range []struct {
		name  string
		tasks []sched.Task
		plain func(ctx context.Context, tasks []sched.Task) error
		ours  sched.Scheduler
	}{
		{"sequential", tasks, plainLoop, sched.Sequential()},
		// A loop that cannot be cancelled: what keeping that promise costs.
		{"sequential-deaf", tasks, deafLoop, sched.Sequential()},
		{"goroutines", tasks, plainGoroutines, sched.Goroutines()},
		{"pool", tasks, plainWorkers, sched.Pool(runtime.GOMAXPROCS(0))},
		{"pool-errgroup", tasks, plainErrgroup, sched.Pool(runtime.GOMAXPROCS(0))},
		{"threads", tasks[:n/10], plainThreads, sched.Threads()},
		{"eventloop", tasks, plainCoroutines, sched.EventLoop()},
		{"awaiteach", tasks, plainAwaitEach, sched.AwaitEach(sched.Goroutines())},
	} {
		for code, run := range map[string]func(context.Context, []sched.Task) error{"plain": c.plain, "ours": c.ours.Run} {
			b.Run("kind="+c.name+"/code="+code, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := run(ctx, c.tasks); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(c.tasks)), "ns/task")
			})
		}
	}
}

func plainLoop(ctx context.Context, tasks []sched.Task) error {
	for _, task := range tasks {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := task(ctx); err != nil {
			return err
		}
	}
	return nil
}

func deafLoop(ctx context.Context, tasks []sched.Task) error {
	for _, task := range tasks {
		if err := task(ctx); err != nil {
			return err
		}
	}
	return nil
}

func plainGoroutines(ctx context.Context, tasks []sched.Task) error {
	var wg sync.WaitGroup
	var failed atomic.Pointer[error]
	for _, task := range tasks {
		wg.Go(func() {
			if err := task(ctx); err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

func plainWorkers(ctx context.Context, tasks []sched.Task) error {
	var wg sync.WaitGroup
	var failed atomic.Pointer[error]
	queue := make(chan sched.Task, 128)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for task := range queue {
				if err := task(ctx); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	for _, task := range tasks {
		queue <- task
	}
	close(queue)
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

func plainErrgroup(ctx context.Context, tasks []sched.Task) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, task := range tasks {
		g.Go(func() error { return task(ctx) })
	}
	return g.Wait()
}

func plainThreads(ctx context.Context, tasks []sched.Task) error {
	var wg sync.WaitGroup
	var failed atomic.Pointer[error]
	for _, task := range tasks {
		wg.Go(func() {
			runtime.LockOSThread()
			if err := task(ctx); err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

func plainCoroutines(ctx context.Context, tasks []sched.Task) (err error) {
	for _, task := range tasks {
		resume, _ := iter.Pull(func(func(struct{}) bool) { err = task(ctx) })
		resume()
		if err != nil {
			return err
		}
	}
	return nil
}

func plainAwaitEach(ctx context.Context, tasks []sched.Task) error {
	for _, task := range tasks {
		result := make(chan error, 1)
		go func() { result <- task(ctx) }()
		if err := <-result; err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkShortTask shows what a scheduler reaches on tasks of 0.2 ms of CPU
// time: a pool with a worker for each CPU must not lose against a goroutine a
// task.
func BenchmarkShortTask(b *testing.B) {
	const n = 500
	var counted atomic.Int32
	tasks := make([]sched.Task, n)
	for i := range tasks {
		tasks[i] = func(context.Context) error {
			counted.Store(primes.Count(10_000))
			return nil
		}
	}
	for _, s := range []sched.Scheduler{
		sched.Sequential(), sched.Goroutines(), sched.Pool(runtime.GOMAXPROCS(0)),
		sched.Threads(), sched.EventLoop(), sched.AwaitEach(sched.Goroutines()),
	} {
		b.Run("scheduler="+s.Name(), func(b *testing.B) {
			for b.Loop() {
				if err := s.Run(b.Context(), tasks); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/task")
		})
	}
	if n := counted.Load(); n != 1229 {
		b.Fatalf("%d primes up to 10,000", n)
	}
}

// BenchmarkTurn is the cost of one turn on an event loop of two tasks.
func BenchmarkTurn(b *testing.B) {
	task := func(ctx context.Context) error {
		for range b.N / 2 {
			if err := sched.Yield(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	b.ResetTimer()
	if err := sched.EventLoop().Run(b.Context(), []sched.Task{task, task}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkAwait is the cost of one Await of a function that does nothing.
func BenchmarkAwait(b *testing.B) {
	nothing := func(context.Context) error { return nil }
	task := func(ctx context.Context) error {
		for range b.N {
			if err := sched.Await(ctx, nothing); err != nil {
				return err
			}
		}
		return nil
	}
	b.ResetTimer()
	if err := sched.EventLoop().Run(b.Context(), []sched.Task{task}); err != nil {
		b.Fatal(err)
	}
}
