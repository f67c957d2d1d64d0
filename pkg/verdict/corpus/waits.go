package corpus

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"overlap/pkg/verdict"
)

// waitPrograms are programs that wait for everything at the same time.
func waitPrograms() []Program {
	well := kinds(verdict.Overlaps)
	return []Program{
		{
			Name: "waits-errgroup", Group: "waits", Right: well, By: "all started at once",
			Why: "Forty waits of 100 ms, all at once, take 100 ms: nothing is left to gain.",
			Run: func(ctx context.Context) error {
				g, ctx := errgroup.WithContext(ctx)
				for range 40 {
					g.Go(func() error { return nap(ctx, 100*ms) })
				}
				return g.Wait()
			},
		},
		Program{
			Name: "waits-http", Group: "HTTP", Right: well, By: "a goroutine for each request",
			Why: "Thirty requests are on their way at once, and the whole takes little more than one.",
		}.onSite(80*ms, 0, func(ctx context.Context, s *site) error {
			g, ctx := errgroup.WithContext(ctx)
			for i := range 30 {
				g.Go(func() error {
					_, err := s.get(ctx, fmt.Sprint("/", i))
					return err
				})
			}
			return g.Wait()
		}),
		{
			Name: "waits-more-than-enough", Group: "waits", Right: well, By: "a limit above the number of tasks",
			Why: "The limit of 500 is never met by 100 tasks, so that all of them wait at once.",
			Run: func(ctx context.Context) error {
				slots := make(chan struct{}, 500)
				g, ctx := errgroup.WithContext(ctx)
				for range 100 {
					slots <- struct{}{}
					g.Go(func() error {
						defer func() { <-slots }()
						return nap(ctx, 90*ms)
					})
				}
				return g.Wait()
			},
		},
		{
			Name: "waits-tcp", Group: "network", Right: well, Hard: true, By: "a connection for each question",
			Why: "Twenty connections wait for a line at the same time; that the server is part of the same program changes nothing about it.",
			Run: func(ctx context.Context) error { return askAll(ctx, 20, 100*ms) },
		},
		{
			Name: "waits-timeouts", Group: "waits", Right: well, Hard: true, By: "all wait for their own timer",
			Why: "Thirty goroutines wait in a select for an answer that does not come or for a timer; the timers run out together.",
			Run: func(ctx context.Context) error {
				answers := make(chan int)
				var wg sync.WaitGroup
				for range 30 {
					wg.Go(func() {
						select {
						case <-answers:
						case <-time.After(100 * ms):
						case <-ctx.Done():
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "waits-then-little-cpu", Group: "mixed work", Right: well, By: "all started at once",
			Why: "Each of fifty tasks waits 80 ms and computes for 0.2 ms; the waiting is hidden and the CPUs have little to do.",
			Run: func(ctx context.Context) error {
				g, ctx := errgroup.WithContext(ctx)
				for range 50 {
					g.Go(func() error {
						err := nap(ctx, 80*ms)
						spin(ms / 5)
						return err
					})
				}
				return g.Wait()
			},
		},
		{
			Name: "waits-processes", Group: "processes", Right: well, Hard: true, By: "all processes started at once",
			Why: "Eight processes of the system run side by side for 150 ms; the program only waits for their end.",
			Run: func(ctx context.Context) error {
				g, ctx := errgroup.WithContext(ctx)
				for range 8 {
					g.Go(func() error { return exec.CommandContext(ctx, "sleep", "0.15").Run() })
				}
				return g.Wait()
			},
		},
		{
			Name: "waits-under-quota", Group: "quota", Right: well, Hard: true, Quota: 0.5, By: "all started at once",
			Why: "There is a quota of half a CPU, but waiting uses none of it: it does not bind.",
			Run: func(ctx context.Context) error {
				g, ctx := errgroup.WithContext(ctx)
				for range 40 {
					g.Go(func() error { return nap(ctx, 100*ms) })
				}
				return g.Wait()
			},
		},
		Program{
			Name: "waits-64-of-100", Group: "HTTP", Hard: true, By: "a limit of 64",
			Right: kinds(verdict.TooFew, verdict.Overlaps),
			Why:   "Sixty-four at once overlap well, and yet 36 of the 100 wait for a second round, which doubles the time.",
		}.onSite(60*ms, 0, func(ctx context.Context, s *site) error {
			g, ctx := errgroup.WithContext(ctx)
			g.SetLimit(64)
			for i := range 100 {
				g.Go(func() error {
					_, err := s.get(ctx, fmt.Sprint("/", i))
					return err
				})
			}
			return g.Wait()
		}),
	}
}

// askAll asks n questions over n connections at the same time. The server, in
// the same program, answers each after latency.
func askAll(ctx context.Context, n int, latency time.Duration) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var server errgroup.Group
	server.Go(func() error {
		for range n {
			conn, err := listener.Accept()
			if err != nil {
				return nil // closed below
			}
			server.Go(func() error {
				defer conn.Close()
				line, err := bufio.NewReader(conn).ReadString('\n')
				if err != nil {
					return err
				}
				time.Sleep(latency)
				_, err = io.WriteString(conn, line)
				return err
			})
		}
		return nil
	})
	clients, ctx := errgroup.WithContext(ctx)
	for i := range n {
		clients.Go(func() error {
			var dialer net.Dialer
			conn, err := dialer.DialContext(ctx, "tcp", listener.Addr().String())
			if err != nil {
				return err
			}
			defer conn.Close()
			fmt.Fprintln(conn, i)
			_, err = bufio.NewReader(conn).ReadString('\n')
			return err
		})
	}
	err = clients.Wait()
	listener.Close()
	if e := server.Wait(); err == nil {
		err = e
	}
	return err
}
