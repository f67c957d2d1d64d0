package corpus

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"overlap/pkg/verdict"
)

// tooSmallPrograms spend their time on starting and handing over, not on the
// work.
func tooSmallPrograms() []Program {
	small := kinds(verdict.TooSmall)
	return []Program{
		{
			Name: "small-goroutine-each", Group: "CPU", Right: small, By: "a goroutine for each 50 ns",
			Why: "To start a goroutine costs several times the 50 ns that each one works.",
			Run: func(ctx context.Context) error {
				var wg sync.WaitGroup
				for range 250_000 {
					if ctx.Err() != nil {
						break
					}
					wg.Go(func() { spin(50) })
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "small-channel-each", Group: "pipeline", Right: kinds(verdict.TooSmall, verdict.OneAtATime), Hard: true, By: "a channel for each 30 ns",
			Why: "Every number goes to a worker and back over unbuffered channels, which costs ten times what the worker does with it and lets hardly two run at once.",
			Run: func(ctx context.Context) error {
				in, out := make(chan int), make(chan int)
				var workers sync.WaitGroup
				for range 2 * width() {
					workers.Go(func() {
						for n := range in {
							spin(30)
							out <- n * n
						}
					})
				}
				go func() {
					for n := range 200_000 {
						if ctx.Err() != nil {
							break
						}
						in <- n
					}
					close(in)
					workers.Wait()
					close(out)
				}()
				sum := 0
				for n := range out {
					sum += n
				}
				return ctx.Err()
			},
		},
		{
			Name: "small-thread-each", Group: "threads", Right: small, Hard: true, By: "a thread for each 10 µs",
			Why: "Each task of 10 µs makes a thread of the system and ends it, which costs several times as much.",
			Run: func(ctx context.Context) error {
				var g errgroup.Group
				g.SetLimit(4 * width())
				for range 2000 {
					g.Go(func() error {
						runtime.LockOSThread() // never unlocked: the thread ends with its goroutine
						spin(10 * time.Microsecond)
						return ctx.Err()
					})
				}
				return g.Wait()
			},
		},
		{
			Name: "small-fibonacci", Group: "fork-join", Right: small, By: "a goroutine for each call",
			Why: "Every call of a recursive function becomes a goroutine, down to those that only return their argument.",
			Run: func(ctx context.Context) error {
				var fibonacci func(n int) int
				fibonacci = func(n int) int {
					if n < 2 || ctx.Err() != nil {
						return n
					}
					left := make(chan int)
					go func() { left <- fibonacci(n - 1) }()
					right := fibonacci(n - 2)
					return <-left + right
				}
				fibonacci(26)
				return ctx.Err()
			},
		},
		{
			Name: "small-errgroup-elements", Group: "CPU", Right: small, By: "a task for each element",
			Why: "A slice is summed with a task of the group for each element.",
			Run: func(ctx context.Context) error {
				var g errgroup.Group
				g.SetLimit(width())
				var sum atomic.Int64
				for i := range 200_000 {
					if ctx.Err() != nil {
						break
					}
					g.Go(func() error {
						sum.Add(int64(i))
						return nil
					})
				}
				if err := g.Wait(); err != nil {
					return err
				}
				return ctx.Err()
			},
		},
	}
}
