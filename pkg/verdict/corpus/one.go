package corpus

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"overlap/pkg/verdict"
)

// oneAtATimePrograms are programs that look concurrent and do one thing at a
// time, and some that do not even look it.
func oneAtATimePrograms(cpus int) []Program {
	// On one CPU, one at a time is all that computing can be.
	computing := several(cpus, kinds(verdict.OneAtATime), verdict.AllCPUs, verdict.OneAtATime)
	one := kinds(verdict.OneAtATime)
	return []Program{
		{
			Name: "one-await-each", Group: "waits", Right: one, By: "awaiting each",
			Why: "Each goroutine is awaited before the next is started.",
			Run: func(ctx context.Context) error {
				for range 20 {
					answer := make(chan error)
					go func() { answer <- nap(ctx, 8*ms) }()
					if err := <-answer; err != nil {
						return err
					}
				}
				return nil
			},
		},
		{
			Name: "one-cpu-loop", Group: "CPU", Right: computing, By: "one goroutine",
			Why: "A plain loop in one goroutine uses one CPU and leaves the others idle.",
			Run: func(ctx context.Context) error {
				for range 150 {
					if ctx.Err() != nil {
						break
					}
					spin(ms)
				}
				return ctx.Err()
			},
		},
		{
			Name: "one-worker-pool", Group: "CPU", Right: computing, By: "a pool of one",
			Why: "The pool has one worker, so that its tasks run one after another.",
			Run: func(ctx context.Context) error {
				jobs := make(chan time.Duration, 200)
				var wg sync.WaitGroup
				wg.Go(func() {
					for d := range jobs {
						if ctx.Err() == nil {
							spin(d)
						}
					}
				})
				for range 150 {
					jobs <- ms
				}
				close(jobs)
				wg.Wait()
				return ctx.Err()
			},
		},
		{
			Name: "one-gomaxprocs", Group: "CPU", Right: computing, Hard: true, By: "GOMAXPROCS",
			Why: "There are enough goroutines for all CPUs, but GOMAXPROCS is set to 1 for them.",
			Run: func(ctx context.Context) error {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
				var wg sync.WaitGroup
				for range 75 {
					wg.Go(func() {
						if ctx.Err() == nil {
							spin(2 * ms)
						}
					})
				}
				wg.Wait()
				return ctx.Err()
			},
		},
		Program{
			Name: "one-pagination", Group: "HTTP", Right: one, Hard: true, By: "each page names the next",
			Why: "A page must be there before the next can be asked for, so that the waits add up.",
		}.onSite(8*ms, 0, func(ctx context.Context, s *site) error {
			next := "/0"
			for range 18 {
				page, err := s.get(ctx, next)
				if err != nil {
					return err
				}
				next = page + "x"
			}
			return nil
		}),
		{
			Name: "one-http-serial-client", Group: "HTTP", Right: one, Hard: true, By: "awaiting each",
			Why: "The client asks one after another over one connection; the goroutines of the server and of the connection are only its other end.",
			Run: func(ctx context.Context) error {
				s, err := newSite(8*ms, 0)
				if err != nil {
					return err
				}
				defer s.close()
				for i := range 18 {
					if _, err := s.get(ctx, fmt.Sprint("/", i)); err != nil {
						return err
					}
				}
				return nil
			},
		},
		{
			Name: "one-polled", Group: "CPU", Right: computing, Hard: true, By: "one goroutine, polled",
			Why: "One goroutine does all the work while the one that started it looks every millisecond whether it is done.",
			Run: func(ctx context.Context) error {
				var done atomic.Bool
				go func() {
					defer done.Store(true)
					for range 150 {
						if ctx.Err() != nil {
							return
						}
						spin(ms)
					}
				}()
				for !done.Load() {
					time.Sleep(ms)
				}
				return ctx.Err()
			},
		},
		{
			Name: "one-with-progress", Group: "CPU", Right: computing, Hard: true, By: "one goroutine",
			Why: "A serial loop stays serial when a ticker beside it shows its progress.",
			Run: func(ctx context.Context) error {
				var at atomic.Int64
				stop, stopped := make(chan bool), make(chan bool)
				go func() {
					defer close(stopped)
					ticker := time.NewTicker(10 * ms)
					defer ticker.Stop()
					for {
						select {
						case <-ticker.C:
							_ = fmt.Sprintf("%d %%", at.Load()/2)
						case <-stop:
							return
						}
					}
				}()
				for range 200 {
					if ctx.Err() != nil {
						break
					}
					spin(750 * time.Microsecond)
					at.Add(1)
				}
				close(stop)
				<-stopped
				return ctx.Err()
			},
		},
		{
			Name: "one-hand-off", Group: "pipeline", Right: computing, Hard: true, By: "one consumer, unbuffered",
			Why: "Many goroutines hand their item over to one consumer, which does all the work.",
			Run: func(ctx context.Context) error {
				items := make(chan time.Duration)
				for range 150 {
					go func() { items <- ms }()
				}
				for range 150 {
					d := <-items
					if ctx.Err() == nil {
						spin(d)
					}
				}
				return ctx.Err()
			},
		},
		{
			Name: "one-event-loop", Group: "waits", Right: one, By: "blocking on the event loop",
			Why: "One goroutine handles every event, and each handler waits there instead of letting the next go on.",
			Run: func(ctx context.Context) error {
				type event struct{ reply chan error }
				events := make(chan event)
				var loop sync.WaitGroup
				loop.Go(func() {
					for e := range events {
						e.reply <- nap(ctx, 6*ms)
					}
				})
				var g errgroup.Group
				for range 25 {
					g.Go(func() error {
						e := event{make(chan error, 1)}
						events <- e
						return <-e.reply
					})
				}
				err := g.Wait()
				close(events)
				loop.Wait()
				return err
			},
		},
		{
			Name: "one-slowest-stage", Group: "pipeline", Hard: true, By: "the stage in the middle",
			Right: several(cpus, kinds(verdict.OneAtATime, verdict.LongTask), verdict.AllCPUs, verdict.OneAtATime),
			Why:   "Three stages run at the same time, but the middle one does ten times the work of the others in one goroutine.",
			Run: func(ctx context.Context) error {
				read, work := make(chan int, 4), make(chan int, 4)
				var stages sync.WaitGroup
				stages.Go(func() {
					defer close(read)
					for i := range 100 {
						if ctx.Err() != nil {
							return
						}
						spin(150 * time.Microsecond)
						read <- i
					}
				})
				stages.Go(func() {
					defer close(work)
					for i := range read {
						spin(1500 * time.Microsecond)
						work <- i
					}
				})
				for range work {
					spin(150 * time.Microsecond)
				}
				stages.Wait()
				return ctx.Err()
			},
		},
	}
}
