package sched_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"overlap/pkg/sched"
)

func Example() {
	// Each task has a place of its own for its result.
	squares := make([]int, 5)
	tasks := make([]sched.Task, len(squares))
	for i := range tasks {
		tasks[i] = func(context.Context) error {
			squares[i] = i * i
			return nil
		}
	}
	for _, s := range []sched.Scheduler{sched.Sequential(), sched.Goroutines(), sched.Pool(2)} {
		err := s.Run(context.Background(), tasks)
		fmt.Println(s.Name(), squares, err)
	}
	// Output:
	// sequential [0 1 4 9 16] <nil>
	// goroutines [0 1 4 9 16] <nil>
	// pool(2) [0 1 4 9 16] <nil>
}

func ExampleSequential() {
	hello := func(name string) sched.Task {
		return func(context.Context) error {
			fmt.Println("hello", name)
			return nil
		}
	}
	_ = sched.Sequential().Run(context.Background(), []sched.Task{hello("Ada"), hello("Grace")})
	// Output:
	// hello Ada
	// hello Grace
}

func ExampleGoroutines() {
	err := sched.Goroutines().Run(context.Background(), []sched.Task{
		func(ctx context.Context) error {
			<-ctx.Done() // the failure of the other one
			return nil
		},
		func(context.Context) error { return errors.New("no such page") },
	})
	fmt.Println(err)
	var te *sched.TaskError
	if errors.As(err, &te) {
		fmt.Println("index", te.Task)
	}
	// Output:
	// task 1: no such page
	// index 1
}

func ExamplePool() {
	// A pool of one is a queue with one worker.
	task := func(ctx context.Context) error {
		w, _ := sched.Worker(ctx)
		fmt.Println("on", w)
		return nil
	}
	_ = sched.Pool(1).Run(context.Background(), []sched.Task{task, task})
	fmt.Println(sched.Pool(0).Run(context.Background(), nil))
	// Output:
	// on worker-1
	// on worker-1
	// sched: pool(0): needs at least 1 worker
}

func ExampleThreads() {
	var workers [3]sched.WorkerInfo
	tasks := make([]sched.Task, len(workers))
	for i := range tasks {
		tasks[i] = func(ctx context.Context) error {
			workers[i], _ = sched.Worker(ctx) // also has the thread's id, on Linux
			return nil
		}
	}
	err := sched.Threads().Run(context.Background(), tasks)
	fmt.Println(workers[0], workers[1], workers[2], err)
	// Output:
	// worker-1 worker-2 worker-3 <nil>
}

func ExampleEventLoop() {
	count := func(name string) sched.Task {
		return func(ctx context.Context) error {
			for i := range 3 {
				fmt.Println(name, i)
				if err := sched.Yield(ctx); err != nil {
					return err
				}
			}
			return nil
		}
	}
	_ = sched.EventLoop().Run(context.Background(), []sched.Task{count("tick"), count("tock")})
	// Output:
	// tick 0
	// tock 0
	// tick 1
	// tock 1
	// tick 2
	// tock 2
}

func ExampleAwait() {
	slow := func(context.Context) error {
		time.Sleep(10 * time.Millisecond)
		return nil
	}
	_ = sched.EventLoop().Run(context.Background(), []sched.Task{
		func(ctx context.Context) error {
			fmt.Println("first asks")
			err := sched.Await(ctx, slow)
			fmt.Println("first has its answer")
			return err
		},
		func(context.Context) error {
			fmt.Println("second has the turn meanwhile")
			return nil
		},
	})
	// Output:
	// first asks
	// second has the turn meanwhile
	// first has its answer
}

func ExampleAwaitEach() {
	running := 0 // needs no lock: there is never more than one
	task := func(context.Context) error {
		running++
		fmt.Println("running:", running)
		running--
		return nil
	}
	_ = sched.AwaitEach(sched.Goroutines()).Run(context.Background(), []sched.Task{task, task})
	// Output:
	// running: 1
	// running: 1
}

func ExampleAdapt() {
	// A pool that has a goroutine for each function, three at once.
	three := sched.Adapt("three at once", 3, func() (sched.TaskPool, error) {
		slots := make(chan struct{}, 3)
		return sched.TaskPool{Submit: func(f func()) error {
			slots <- struct{}{}
			go func() {
				defer func() { <-slots }()
				f()
			}()
			return nil
		}}, nil
	})
	err := three.Run(context.Background(), []sched.Task{
		func(context.Context) error { return nil },
		func(context.Context) error { panic("seen to") },
	})
	fmt.Println(err)
	// Output: task 1: panic: seen to
}

func ExampleExecutorOn() {
	// The pool that asyncio has on a machine with 8 CPUs.
	s := sched.ExecutorOn(8)
	fmt.Println(s.Name()+":", sched.FactsOf(s).Rule)
	// Output:
	// executor(12): min(32, CPUs + 4) workers, which is 12 on 8 CPUs; asyncio's default executor has as many since Python 3.8, and had 5 a CPU before
}
