package corpus

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"overlap/pkg/verdict"
)

// tooFewPrograms are programs that wait for a few things at a time while many
// more stand in line and the CPUs are idle.
func tooFewPrograms() []Program {
	few := kinds(verdict.TooFew)
	return []Program{
		{
			Name: "few-errgroup-2", Group: "waits", Right: few, By: "a limit of 2",
			Why: "Forty waits of 8 ms go two at a time; nothing but the limit keeps the others back.",
			Run: func(ctx context.Context) error {
				g, ctx := errgroup.WithContext(ctx)
				g.SetLimit(2)
				for range 40 {
					g.Go(func() error { return nap(ctx, 8*ms) })
				}
				return g.Wait()
			},
		},
		Program{
			Name: "few-http-2-of-100", Group: "HTTP", Right: few, Hard: true, By: "a semaphore of 2",
			Why: "A hundred goroutines are there at once, but two of them have a request on its way and the others wait for the semaphore.",
		}.onSite(4*ms, 0, func(ctx context.Context, s *site) error {
			slots := make(chan struct{}, 2)
			var g errgroup.Group
			for i := range 100 {
				g.Go(func() error {
					slots <- struct{}{}
					defer func() { <-slots }()
					_, err := s.get(ctx, fmt.Sprint("/", i))
					return err
				})
			}
			return g.Wait()
		}),
		{
			Name: "few-pool-of-4", Group: "waits", Right: few, By: "a pool of 4",
			Why: "Four workers take 160 waits of 5 ms from a queue; the rest of the queue could wait as well at the same time.",
			Run: func(ctx context.Context) error {
				jobs := make(chan time.Duration, 160)
				for range 160 {
					jobs <- 5 * ms
				}
				close(jobs)
				var g errgroup.Group
				for range 4 {
					g.Go(func() error {
						for d := range jobs {
							if err := nap(ctx, d); err != nil {
								return err
							}
						}
						return nil
					})
				}
				return g.Wait()
			},
		},
		Program{
			Name: "few-connections", Group: "HTTP", Right: few, Hard: true, By: "3 connections to the host",
			Why: "Sixty requests are made at once, but the client may hold three connections: 57 of them are not on their way, they wait inside net/http.",
		}.onSite(8*ms, 3, func(ctx context.Context, s *site) error {
			g, ctx := errgroup.WithContext(ctx)
			for i := range 60 {
				g.Go(func() error {
					_, err := s.get(ctx, fmt.Sprint("/", i))
					return err
				})
			}
			return g.Wait()
		}),
		{
			Name: "few-rate-limited", Group: "waits", Hard: true, By: "a rate limiter",
			Right: kinds(verdict.TooFew, verdict.CannotTell),
			Why:   "One request may start every 4 ms and takes 12 ms, so that three are in flight: too few for the work, though it may be meant so.",
			Run: func(ctx context.Context) error {
				ticker := time.NewTicker(4 * ms)
				defer ticker.Stop()
				var g errgroup.Group
				for range 45 {
					<-ticker.C
					if ctx.Err() != nil {
						break
					}
					g.Go(func() error { return nap(ctx, 12*ms) })
				}
				if err := g.Wait(); err != nil {
					return err
				}
				return ctx.Err()
			},
		},
	}
}
