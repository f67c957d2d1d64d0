package trace

import (
	"context"
	"fmt"
	"runtime"
	"runtime/trace"
	"slices"
	"sync"
	"testing"
	"time"

	"overlap/pkg/probe"
)

// spin computes for a number of rounds.
func spin(rounds int) (x uint64) {
	for i := range rounds {
		x = x*6364136223846793005 + uint64(i)
	}
	return x
}

var spun uint64 // keeps what spin computes

// roundsFor returns how many rounds of spin take so long here.
func roundsFor(d time.Duration) int {
	best := time.Duration(1<<63 - 1)
	const rounds = 1_000_000
	for range 5 {
		begin := time.Now()
		spun += spin(rounds)
		best = min(best, time.Since(begin))
	}
	return int(int64(rounds) * int64(d) / int64(best))
}

func manyTasks(tasks, rounds int) {
	var all sync.WaitGroup
	for range tasks {
		all.Go(func() {
			if spin(rounds) == 1 {
				panic("not this number")
			}
		})
	}
	all.Wait()
}

// BenchmarkTraceOverhead runs the same tasks with and without a trace in turn
// and reports the medians of the ratios of neighbours, of time and of CPU time
// (which other programs disturb less), and what beginning and
// reading a trace costs beside.
func BenchmarkTraceOverhead(b *testing.B) {
	for _, test := range []struct {
		task  time.Duration
		tasks int
	}{{250 * time.Microsecond, 800}, {5 * time.Microsecond, 40_000}} {
		b.Run(fmt.Sprint(test.task), func(b *testing.B) {
			rounds := roundsFor(test.task)
			var ratios, cpus []float64
			var begins, ends time.Duration
			var events, size int64
			for b.Loop() {
				var took, used [2]time.Duration
				for i := range took {
					traced := i == len(ratios)%2
					runtime.GC()
					if !traced {
						meter := probe.Start()
						manyTasks(test.tasks, rounds)
						usage := meter.Stop()
						took[0], used[0] = usage.Wall, usage.CPU()
						continue
					}
					begin := time.Now()
					tracer, err := Start(0)
					if err != nil {
						b.Skip(err)
					}
					begins += time.Since(begin)
					tracer.Root(b.Context(), func(context.Context) {
						meter := probe.Start()
						manyTasks(test.tasks, rounds)
						usage := meter.Stop()
						took[1], used[1] = usage.Wall, usage.CPU()
					})
					begin = time.Now()
					tr, err := tracer.Stop()
					if err != nil {
						b.Fatal(err)
					}
					ends += time.Since(begin)
					events += tr.Events
					size += tr.Bytes
				}
				ratios = append(ratios, float64(took[1])/float64(took[0]))
				cpus = append(cpus, float64(used[1])/float64(used[0]))
			}
			slices.Sort(ratios)
			slices.Sort(cpus)
			n := float64(len(ratios))
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
			b.ReportMetric(cpus[len(cpus)/2], "cpu-ratio")
			b.ReportMetric(cpus[len(cpus)/4], "cpu-ratio-q1")
			b.ReportMetric(cpus[len(cpus)*3/4], "cpu-ratio-q3")
			b.ReportMetric(begins.Seconds()*1e3/n, "start-ms")
			b.ReportMetric(ends.Seconds()*1e3/n, "stop-ms")
			b.ReportMetric(float64(events)/ends.Seconds(), "events/s")
			b.ReportMetric(float64(size)/n/(1<<20), "MiB")
		})
	}
}

// BenchmarkTraceMillion traces a million goroutines, one after another and all
// alive at once, and reports how much memory the process needed at most.
func BenchmarkTraceMillion(b *testing.B) {
	const many = 1_000_000
	for _, test := range []struct {
		name string
		work func()
	}{
		{"in turn", func() { manyTasks(many, 10) }},
		{"at once", func() {
			var all sync.WaitGroup
			gate := make(chan int)
			for range many {
				all.Go(func() { <-gate })
			}
			close(gate)
			all.Wait()
		}},
	} {
		for _, traced := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/traced=%v", test.name, traced), func(b *testing.B) {
				for b.Loop() {
					runtime.GC()
					meter := probe.Start()
					begin := time.Now()
					if !traced {
						test.work()
						b.ReportMetric(float64(meter.Stop().PeakMemory)/(1<<20), "peak-MiB")
						b.ReportMetric(time.Since(begin).Seconds(), "work-s")
						continue
					}
					tracer, err := Start(0)
					if err != nil {
						b.Skip(err)
					}
					tracer.Root(b.Context(), func(context.Context) { test.work() })
					b.ReportMetric(float64(meter.Stop().PeakMemory)/(1<<20), "peak-work-MiB")
					b.ReportMetric(time.Since(begin).Seconds(), "work-s")
					begin = time.Now()
					tr, err := tracer.Stop()
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(time.Since(begin).Seconds(), "read-s")
					b.ReportMetric(float64(meter.Stop().PeakMemory)/(1<<20), "peak-MiB")
					b.ReportMetric(float64(tr.Events)/1e6, "Mevents")
					b.ReportMetric(float64(tr.Bytes)/(1<<20), "trace-MiB")
					b.ReportMetric(float64(tr.Covered)/float64(tr.Wall), "covered")
					b.ReportMetric(float64(tr.Goroutines)/1e6, "Mgoroutines")
				}
			})
		}
	}
}

// BenchmarkTraceRead reads a trace that met its default limit, of goroutines
// that hand each other a number, and reports how fast.
func BenchmarkTraceRead(b *testing.B) {
	for b.Loop() {
		tracer, err := Start(0)
		if err != nil {
			b.Skip(err)
		}
		tracer.Root(b.Context(), func(context.Context) {
			var all sync.WaitGroup
			ball := make(chan int)
			for range 4 {
				all.Go(func() {
					for range ball {
					}
				})
			}
			for trace.IsEnabled() {
				ball <- 1
			}
			close(ball)
			all.Wait()
		})
		meter := probe.Start()
		tr, err := tracer.Stop()
		if err != nil {
			b.Fatal(err)
		}
		usage := meter.Stop()
		b.ReportMetric(usage.Wall.Seconds(), "read-s")
		b.ReportMetric(usage.CPU().Seconds(), "read-cpu-s")
		b.ReportMetric(float64(tr.Events)/usage.CPU().Seconds()/1e6, "Mevents/cpu-s")
		b.ReportMetric(float64(tr.Events)/1e6, "Mevents")
		b.ReportMetric(float64(usage.PeakMemory)/(1<<20), "peak-MiB")
		b.ReportMetric(float64(tr.Bytes-DefaultLimit)/(1<<20), "over-MiB")
		b.ReportMetric(tr.Covered.Seconds(), "covered-s")
	}
}

// BenchmarkSample reads the clocks of few and of many threads.
func BenchmarkSample(b *testing.B) {
	for _, n := range []int{0, 200} {
		b.Run(fmt.Sprintf("%d more threads", n), func(b *testing.B) {
			stop := make(chan int)
			var all, started sync.WaitGroup
			started.Add(n)
			for range n {
				all.Go(func() {
					runtime.LockOSThread()
					defer runtime.UnlockOSThread()
					started.Done()
					<-stop
				})
			}
			started.Wait()
			s := startSampler(time.Now())
			for b.Loop() {
				s.sample()
			}
			s.stop()
			close(stop)
			all.Wait()
		})
	}
}
