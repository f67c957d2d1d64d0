package crawl

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestExpected(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name         string
		n, inFlight  int
		latency, cpu time.Duration
		cpus         float64
		lo, hi       time.Duration
	}{
		{"one after another", 30, 1, 100 * ms, 10 * ms, 2, 3300 * ms, 3300 * ms},
		{"two at once, two CPUs", 30, 2, 100 * ms, 10 * ms, 2, 1650 * ms, 1650 * ms},
		{"eight at once", 30, 8, 100 * ms, 10 * ms, 2, 440 * ms, 560 * ms},
		{"all at once", 30, 64, 100 * ms, 10 * ms, 2, 250 * ms, 250 * ms},
		{"no bound", 30, 0, 100 * ms, 10 * ms, 2, 250 * ms, 250 * ms},
		{"no CPU time", 30, 8, 100 * ms, 0, 2, 400 * ms, 400 * ms},
		{"no latency", 30, 8, 0, 10 * ms, 2, 150 * ms, 160 * ms},
		{"one page", 1, 64, 100 * ms, 10 * ms, 2, 110 * ms, 110 * ms},
		{"half a CPU", 4, 2, 100 * ms, 10 * ms, .5, 220 * ms, 280 * ms},
		{"none", 0, 4, 100 * ms, 10 * ms, 2, 0, 0},
		{"negative times", 3, 1, -100 * ms, -10 * ms, 2, 0, 0},
		{"no CPUs is one", 2, 2, 100 * ms, 10 * ms, 0, 120 * ms, 120 * ms},
		{"not a number is one", 2, 2, 100 * ms, 10 * ms, math.NaN(), 120 * ms, 120 * ms},
		{"longer than there are durations", 3, 1, math.MaxInt64, 0, 2, math.MaxInt64, math.MaxInt64},
	} {
		lo, hi := ExpectedOf(slices.Repeat([]time.Duration{c.latency}, c.n), c.inFlight, c.cpu, c.cpus)
		if lo != c.lo || hi != c.hi {
			t.Errorf("%s: %v to %v, want %v to %v", c.name, lo, hi, c.lo, c.hi)
		}
	}
	if lo, hi := ExpectedOf(nil, 1, ms, 1); lo != 0 || hi != 0 {
		t.Errorf("no latencies: %v to %v", lo, hi)
	}
	l := []time.Duration{3 * ms, ms, 2 * ms}
	ExpectedOf(l, 2, 0, 1)
	if !slices.Equal(l, []time.Duration{3 * ms, ms, 2 * ms}) {
		t.Errorf("the latencies were changed: %v", l)
	}
}

func TestPerPage(t *testing.T) {
	l := []time.Duration{100, 200, 300}
	for _, c := range []struct{ total, want time.Duration }{{630, 10}, {600, 0}, {10, 0}} {
		if got := PerPage(c.total, l); got != c.want {
			t.Errorf("%d: %d, want %d", c.total, got, c.want)
		}
	}
	if got := PerPage(5, nil); got != 0 {
		t.Errorf("no pages: %v", got)
	}
}

// Pages on ideal CPUs that are shared evenly, by k at once in the order given,
// take a time within the bounds.
func TestExpectedHoldsInSimulation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.SliceOfN(rapid.IntRange(0, 1000), 1, 40).Draw(t, "latencies")
		k := rapid.IntRange(1, 50).Draw(t, "in flight")
		cpu := rapid.IntRange(0, 500).Draw(t, "cpu")
		cpus := rapid.Float64Range(.25, 8).Draw(t, "cpus")
		latencies := make([]time.Duration, len(ns))
		for i, n := range ns {
			latencies[i] = time.Duration(n) * time.Microsecond
		}
		lo, hi := ExpectedOf(latencies, k, time.Duration(cpu)*time.Microsecond, cpus)
		got := time.Duration(simulate(ns, k, float64(cpu), cpus) * 1000)
		if got < lo-10 || got > hi+10 { // nanoseconds of rounding
			t.Fatalf("%v, bounds %v to %v", got, lo, hi)
		}
	})
}

// simulate returns the makespan.
func simulate(latencies []int, k int, cpu, cpus float64) (now float64) {
	type page struct{ wait, work float64 }
	var under []*page
	for next := 0; next < len(latencies) || len(under) > 0; {
		for len(under) < k && next < len(latencies) {
			under = append(under, &page{float64(latencies[next]), cpu})
			next++
		}
		working := 0
		for _, p := range under {
			if p.wait <= 0 {
				working++
			}
		}
		rate := min(1, cpus/float64(max(1, working)))
		step := math.Inf(1)
		for _, p := range under {
			if p.wait > 0 {
				step = min(step, p.wait)
			} else {
				step = min(step, p.work/rate)
			}
		}
		now += step
		for _, p := range under {
			if p.wait > 0 {
				if p.wait -= step; p.wait < 1e-9 {
					p.wait = 0
				}
			} else if p.work -= step * rate; p.work < 1e-9 {
				p.work = 0
			}
		}
		under = slices.DeleteFunc(under, func(p *page) bool { return p.wait == 0 && p.work == 0 })
	}
	return now
}
