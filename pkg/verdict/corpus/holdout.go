package corpus

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"overlap/pkg/verdict"
)

// HoldOutOn returns [HoldOut] with the verdicts that are right on a machine of
// so many CPUs, for evidence that was recorded on one.
func HoldOutOn(cpus int) []Program {
	return slices.Concat(holdOutWaits(), holdOutCPU(cpus), holdOutMemory(cpus), holdOutQuota())
}

// holdOutWaits are programs that wait.
func holdOutWaits() []Program {
	return []Program{
		Program{
			Name: "hold-scatter-gather", Group: "HTTP", Right: kinds(verdict.Overlaps), By: "all asked at once",
			Why: "Twenty-five requests are on their way at once under one deadline, and their answers are gathered from a channel as they come.",
		}.onSite(90*ms, 0, func(ctx context.Context, s *site) error {
			ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
			defer cancel()
			type answer struct {
				body string
				err  error
			}
			answers := make(chan answer)
			for i := range 25 {
				go func() {
					body, err := s.get(ctx, fmt.Sprint("/", i))
					answers <- answer{body, err}
				}()
			}
			var first error
			for range 25 {
				if a := <-answers; first == nil {
					first = a.err
				}
			}
			return first
		}),
		{
			Name: "hold-timers", Group: "waits", Hard: true, By: "timers",
			Right: kinds(verdict.Overlaps, verdict.CannotTell),
			Why:   "Fifty timers run at once, and no goroutine waits for them but the one that waits for the last: they overlap, but there is little to see it by.",
			Run: func(ctx context.Context) error {
				var wg sync.WaitGroup
				for range 50 {
					wg.Add(1)
					time.AfterFunc(100*ms, wg.Done)
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "hold-waits-pipes", Group: "files", Right: kinds(verdict.Overlaps), By: "a reader for each pipe",
			Why: "Sixteen readers wait on sixteen pipes of the system at once, each of which gets its byte after 100 ms.",
			Run: func(ctx context.Context) error {
				var g errgroup.Group
				for range 16 {
					g.Go(func() error {
						in, out, err := os.Pipe()
						if err != nil {
							return err
						}
						defer in.Close()
						late := time.AfterFunc(100*ms, func() { out.Close() })
						defer late.Stop()
						_, err = io.ReadAll(in)
						return err
					})
				}
				if err := g.Wait(); err != nil {
					return err
				}
				return ctx.Err()
			},
		},
		{
			Name: "hold-connection-pool", Group: "waits", Right: kinds(verdict.TooFew), Hard: true, By: "a pool of 2 connections",
			Why: "Thirty callers share two connections, each of which is used for one question at a time.",
			Run: func(ctx context.Context) error {
				connections := make(chan int, 2)
				connections <- 1
				connections <- 2
				var g errgroup.Group
				for range 30 {
					g.Go(func() error {
						c := <-connections
						defer func() { connections <- c }()
						return nap(ctx, 10*ms)
					})
				}
				return g.Wait()
			},
		},
		{
			Name: "hold-fetch-stage", Group: "pipeline", Right: kinds(verdict.TooFew), Hard: true, By: "3 goroutines in the fetching stage",
			Why: "Three fetchers feed a parser for each CPU; the parsers and the CPUs wait for the fetchers, of which there could be more.",
			Run: func(ctx context.Context) error {
				addresses, pages := make(chan int, 75), make(chan int)
				for i := range 75 {
					addresses <- i
				}
				close(addresses)
				var fetchers, parsers sync.WaitGroup
				for range 3 {
					fetchers.Go(func() {
						for i := range addresses {
							if nap(ctx, 6*ms) != nil {
								return
							}
							pages <- i
						}
					})
				}
				for range width() {
					parsers.Go(func() {
						for range pages {
							spin(300 * time.Microsecond)
						}
					})
				}
				fetchers.Wait()
				close(pages)
				parsers.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "hold-few-batches", Group: "waits", Right: kinds(verdict.TooFew), By: "batches of 3",
			Why: "Three are started and awaited, then the next three, though all sixty are known.",
			Run: func(ctx context.Context) error {
				for range 20 {
					var wg sync.WaitGroup
					for range 3 {
						wg.Go(func() { time.Sleep(8 * ms) })
					}
					wg.Wait()
					if ctx.Err() != nil {
						break
					}
				}
				return ctx.Err()
			},
		},
		{
			Name: "hold-one-errgroup-limit", Group: "waits", Right: kinds(verdict.OneAtATime), By: "a limit of one",
			Why: "The limit of the group is 1: each task waits for the end of the one before.",
			Run: func(ctx context.Context) error {
				g, ctx := errgroup.WithContext(ctx)
				g.SetLimit(1)
				for range 15 {
					g.Go(func() error { return nap(ctx, 10*ms) })
				}
				return g.Wait()
			},
		},
		{
			Name: "hold-late-straggler", Group: "waits", Right: kinds(verdict.LongTask), By: "the last wait, 140 ms long",
			Why: "Twenty at a time, the waits of 8 ms are soon done, but the last in line is a long one that starts when the others end.",
			Run: func(ctx context.Context) error {
				g, ctx := errgroup.WithContext(ctx)
				g.SetLimit(20)
				for i := range 60 {
					d := 8 * ms
					if i == 59 {
						d = 140 * ms
					}
					g.Go(func() error { return nap(ctx, d) })
				}
				return g.Wait()
			},
		},
		Program{
			Name: "hold-long-slow-page", Group: "HTTP", By: "one page of 20 parts",
			Right: kinds(verdict.LongTask),
			Why:   "Twelve pages are fetched at once; one of them has twenty parts that are fetched one after another, long after the others are done.",
		}.onSite(7*ms, 0, func(ctx context.Context, s *site) error {
			g, ctx := errgroup.WithContext(ctx)
			for page := range 12 {
				parts := 1
				if page == 5 {
					parts = 20
				}
				g.Go(func() error {
					for range parts {
						if _, err := s.get(ctx, "/part"); err != nil {
							return err
						}
					}
					return nil
				})
			}
			return g.Wait()
		}),
		{
			Name: "hold-lock-for-reads", Group: "locks", Right: kinds(verdict.HeldByLock, verdict.OneAtATime), Hard: true, By: "Lock where RLock would do",
			Why: "Readers of a file take the writers' side of an RWMutex, and so wait for each other's reads of 4 ms.",
			Run: func(ctx context.Context) error {
				var mu sync.RWMutex
				var wg sync.WaitGroup
				for range 12 {
					wg.Go(func() {
						for range 3 {
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
			Name: "hold-singleflight", Group: "waits", Hard: true, By: "one fetch for all",
			Right: kinds(verdict.CannotTell, verdict.OneAtATime, verdict.LongTask),
			Why:   "Fifty callers want the same thing and share one fetch of 100 ms: there is but one task, and that is the point.",
			Run: func(ctx context.Context) error {
				var mu sync.Mutex
				var fetched chan struct{}
				fetch := func() {
					mu.Lock()
					mine := fetched == nil
					if mine {
						fetched = make(chan struct{})
					}
					done := fetched
					mu.Unlock()
					if mine {
						time.Sleep(100 * ms)
						close(done)
					}
					<-done
				}
				var wg sync.WaitGroup
				for range 50 {
					wg.Go(fetch)
				}
				wg.Wait()
				return ctx.Err()
			},
		},
	}
}
