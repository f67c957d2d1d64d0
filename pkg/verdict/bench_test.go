package verdict_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"overlap/pkg/verdict"
)

// spin computes for about d on an idle CPU, the same amount each time.
func spin(rounds int) (x uint32) {
	x = 1
	for range rounds {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
	}
	return x
}

// roundsFor returns how many rounds of spin take d, by the fastest of several
// trials.
func roundsFor(d time.Duration) int {
	const rounds = 1_000_000
	best := time.Hour
	for range 20 {
		start := time.Now()
		runtime.KeepAlive(spin(rounds))
		best = min(best, time.Since(start))
	}
	return max(1, int(float64(rounds)*float64(d)/float64(best)))
}

// BenchmarkWatch is what watching costs: the same tasks with the trace and
// without, in turns, a goroutine for each. "cost-%" is the median of the
// differences in CPU time, which other programs disturb less than the time
// itself; "ns/event" is that for each event of the trace.
func BenchmarkWatch(b *testing.B) {
	for _, task := range []time.Duration{5 * time.Microsecond, 50 * time.Microsecond, 250 * time.Microsecond, time.Millisecond} {
		b.Run(fmt.Sprint("task=", task), func(b *testing.B) {
			rounds, n := roundsFor(task), int(200*time.Millisecond/task)
			work := func(context.Context) error {
				var wg sync.WaitGroup
				for range n {
					wg.Go(func() { runtime.KeepAlive(spin(rounds)) })
				}
				wg.Wait()
				return nil
			}
			watch := func(opts ...verdict.Option) verdict.Verdict {
				v, err := verdict.Watch(b.Context(), work, opts...)
				if err != nil {
					b.Fatal(err)
				}
				return v
			}
			var costs, times, events []float64
			for b.Loop() {
				with, without := watch(), watch(verdict.Untraced())
				w, wo := with.Evidence.Usage, without.Evidence.Usage
				costs = append(costs, float64(w.CPU())/float64(wo.CPU()))
				times = append(times, w.Wall.Seconds()/wo.Wall.Seconds())
				events = append(events, float64(w.CPU()-wo.CPU())/float64(with.Evidence.Trace.Events))
			}
			b.ReportMetric(100*(middle(costs)-1), "cost-%")
			b.ReportMetric(100*(middle(times)-1), "time-%")
			b.ReportMetric(middle(events), "ns/event")
		})
	}
}

func middle(xs []float64) float64 {
	slices.Sort(xs)
	return xs[len(xs)/2]
}

// BenchmarkCosts are the costs that tasks are compared with: starting and
// ending a goroutine, and handing a value to one that waits, there and back.
func BenchmarkCosts(b *testing.B) {
	b.Run("goroutine", func(b *testing.B) {
		var wg sync.WaitGroup
		for b.Loop() {
			wg.Go(func() {})
		}
		wg.Wait()
	})
	b.Run("switch there and back", func(b *testing.B) {
		there, back := make(chan int), make(chan int)
		go func() {
			for i := range there {
				back <- i
			}
			close(back)
		}()
		for b.Loop() {
			there <- 1
			<-back
		}
		close(there)
		<-back
	})
}

// BenchmarkJudge is the judging alone, of evidence as large as it gets.
func BenchmarkJudge(b *testing.B) {
	e := joined(times(60, repeat(200, run(ms), fetch(10*ms))...)...).evidence()
	for b.Loop() {
		verdict.Judge(e)
	}
}
