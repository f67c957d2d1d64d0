package chart

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"overlap/pkg/lab"
	"overlap/pkg/probe"
)

// synthetic makes a result of made-up times: each variant's is
// seconds(size) and some noise.
func synthetic(name, unit string, sizes []int, rounds int, variants []string, seconds func(variant, size int) float64) *lab.Result {
	rnd := rand.New(rand.NewPCG(1, 2))
	r := &lab.Result{
		Name: name, Unit: unit, Variants: variants, Baseline: variants[0], Sizes: sizes, Repeats: rounds,
		Started: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC),
		Machine: probe.Machine{CPU: "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", Logical: 2, Usable: probe.CPUSet{Count: 2, Bound: "online"}, Go: "go1.26.8", OS: "Debian GNU/Linux 12 (bookworm)", Versions: map[string]string{"GDAL": "3.6.2"}},
	}
	order := 0
	for round := 0; round <= rounds; round++ {
		for _, size := range sizes {
			for i, v := range variants {
				for c := range 2 {
					if c == 1 && i > 0 {
						continue
					}
					s := seconds(i, size) * math.Exp(0.03*rnd.NormFloat64()+0.05*math.Max(0, rnd.NormFloat64()-1))
					if round == 0 {
						s *= 1.2
					}
					t := lab.Trial{Variant: v, Size: size, Round: round, Order: order, Control: c == 1, Tasks: size}
					t.Wall = time.Duration(s * 1e9)
					t.CPUs = 2
					r.Trials = append(r.Trials, t)
					order++
				}
			}
		}
	}
	return r
}

var wellKnown = []string{"sequential", "goroutines", "pool(2)", "threads", "event loop", "await each goroutines", "executor(6)"}

// primesLike has one size.
func primesLike(rounds int) *lab.Result {
	f := []float64{1, 0.51, 0.512, 0.63, 1.03, 1.06, 0.52}
	return synthetic("Primes below 10,000", "tasks", []int{10000}, rounds, wellKnown, func(v, n int) float64 { return 1.3 * f[v] * float64(n) / 10000 })
}

// rastersLike has five sizes.
func rastersLike(rounds int) *lab.Result {
	return synthetic("Raster reads", "rasters", []int{1, 2, 3, 4, 5}, rounds, []string{"sequential, whole", "event loop + executor(6), whole", "pool(2), tiles", "goroutines, tiles"}, func(v, n int) float64 {
		x := float64(n)
		return []float64{0.21 * x, 0.21*x*0.5 + 0.12, 0.11 * x, 0.112*x + 0.01}[v]
	})
}

// manyLike has n variants whose names have the given length.
func manyLike(n, letters int) *lab.Result {
	var names []string
	for i := range n {
		s := fmt.Sprintf("%c%d ", 'a'+i, i)
		for len(s) < letters {
			s += "scheduler "
		}
		names = append(names, s[:letters])
	}
	return withSpans(synthetic("A scaling experiment with a long title that has to be broken somewhere, because it goes on", "tasks", []int{1, 10, 100, 1000, 10000}, 10, names, func(v, n int) float64 {
		return 1e-5 * float64(n) / math.Pow(float64(v+1), 0.3)
	}))
}

// withSpans gives the first trial of each variant and size the times of tasks
// that several workers run.
func withSpans(r *lab.Result) *lab.Result {
	for i := range r.Trials {
		t := &r.Trials[i]
		if t.Round != 1 || t.Control {
			continue
		}
		n, k := min(t.Tasks, 300), 1+i%7
		s := simulated(t.Variant, n, k, t.Wall*time.Duration(k)/time.Duration(n), i%2 == 0)
		t.Spans, t.InFlightMax, t.InFlightMean, t.Workers = s.Spans, s.InFlightMax, s.InFlightMean, s.Workers
	}
	return r
}

// simulated is a trial of n tasks that took d each, k at once; with workers or
// without.
func simulated(variant string, n, k int, d time.Duration, workers bool) lab.Trial {
	rnd := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	free := make([]time.Duration, k)
	t := lab.Trial{Variant: variant, Size: n, Round: 1, Tasks: n, InFlightMax: k}
	t.CPUs = 2
	for i := range n {
		w := 0
		for j := range free {
			if free[j] < free[w] {
				w = j
			}
		}
		s := lab.Span{Task: i, Start: free[w] + d/200, End: free[w] + time.Duration(float64(d)*(0.6+0.8*rnd.Float64()))}
		if workers {
			s.Worker = w + 1
			t.Workers = k
		}
		free[w] = s.End
		t.Wall = max(t.Wall, s.End)
		t.InFlightMean += (s.End - s.Start).Seconds()
		if len(t.Spans) < lab.MaxSpans {
			t.Spans = append(t.Spans, s)
		}
	}
	t.InFlightMean /= t.Wall.Seconds()
	t.User = time.Duration(float64(t.Wall) * min(2, float64(k)) * 0.97)
	return t
}

// allAtOnce is a trial whose tasks all start at the beginning.
func allAtOnce(variant string, n int, d time.Duration) lab.Trial {
	t := lab.Trial{Variant: variant, Size: n, Round: 1, Tasks: n, InFlightMax: n, InFlightMean: float64(n) / 2}
	t.CPUs = 2
	for i := range n {
		t.Spans = append(t.Spans, lab.Span{Task: i, Start: time.Duration(i) * 100, End: time.Duration(i+1) * d / 2})
	}
	t.Wall = time.Duration(n+1) * d / 2
	t.User = 2 * t.Wall * 9 / 10
	return t
}
