package chart

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
	"overlap/pkg/probe"
)

// timed returns a result of two or more variants with the given times at each of
// the sizes, a round each.
func timed(sizes []int, times map[string][]time.Duration, variants ...string) *lab.Result {
	r := &lab.Result{Name: "Timed", Unit: "tasks", Variants: variants, Baseline: variants[0], Sizes: sizes}
	for _, v := range variants {
		r.Repeats = max(r.Repeats, len(times[v])/len(sizes))
		for i, wall := range times[v] {
			r.Trials = append(r.Trials, lab.Trial{Variant: v, Size: sizes[i%len(sizes)], Round: 1 + i/len(sizes), Usage: probe.Usage{Wall: wall, CPUs: 2}})
		}
	}
	return r
}

func repeated(n int, d time.Duration) []time.Duration {
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = d
	}
	return out
}

// An axis has at least two different labels within it, whatever lies on it: one
// value, equal ones, zeros, none at all.
func TestAxesOfFewValues(t *testing.T) {
	check := func(t interface {
		Fatalf(string, ...any)
	}, name string, s scale, values []float64) {
		ticks := s.ticks(s.unit().seconds, maxTicks)
		if len(ticks) < 2 || !(s.max > s.min) || !text.Finite(s.min) || !text.Finite(s.max) {
			t.Fatalf("%s of %v: from %v to %v with the ticks %v", name, values, s.min, s.max, ticks)
		}
		seen := map[string]bool{}
		for _, k := range ticks {
			if !text.Finite(k.Value) || seen[k.Label] || strings.Contains(k.Label, "NaN") || strings.Contains(k.Label, "Inf") {
				t.Fatalf("%s of %v: ticks %v", name, values, ticks)
			}
			seen[k.Label] = true
		}
		for _, v := range values {
			if text.Finite(v) && s.has(v) && (v < s.min || v > s.max) {
				t.Fatalf("%s of %v: %v is outside of %v to %v", name, values, v, s.min, s.max)
			}
		}
	}
	all := func(t interface {
		Fatalf(string, ...any)
	}, values []float64) {
		check(t, "times", timeScale(values), values)
		check(t, "sizes", sizeScale(values), values)
		check(t, "ratios", ratioScale(values, 1), values)
		lo, hi := bounds(values)
		if lo >= 0 && hi < 1e9 {
			check(t, "counts", countScale(hi, 2), nil)
		}
	}
	for _, values := range [][]float64{nil, {1}, {0}, {5}, {1, 1, 1}, {5, 5, 5}, {0, 0}, {0, 1, 10}, {0, 1e-9, 1e6}, {1e-6, 10}, {math.NaN()}, {math.Inf(1), 1}, {-1, 1}} {
		t.Run(fmt.Sprint(values), func(t *testing.T) { all(t, values) })
	}
	rapid.Check(t, func(t *rapid.T) {
		all(t, rapid.SliceOfN(rapid.OneOf(rapid.Just(0.), rapid.Just(1.), rapid.Float64Range(1e-9, 1e6)), 0, 5).Draw(t, "values"))
	})
}

// What has no ratio, since a clock gave a time of 0, is left out and named, and a
// figure of nothing else is refused with the reason.
func TestTimesOfZeroAreNamed(t *testing.T) {
	s := time.Second
	one := timed([]int{1}, map[string][]time.Duration{"a": {s, s}, "b": {2 * s, s}, "some": {0, 50 * s}, "none": {0, 0}}, "a", "b", "some", "none")
	several := timed([]int{1, 10}, map[string][]time.Duration{"a": {s, s}, "b": {0, s}}, "a", "b")
	for name, tc := range map[string]struct {
		f           *Figure
		want, drawn string
	}{
		"one size":      {Speedup(one), "Left out, as a time was 0: some, none.", "b 0.75×."},
		"several sizes": {Speedup(several), "Left out, as a time was 0: b at 1 task.", "b 1.00× at 10 tasks."},
	} {
		if tc.f.Err() != nil || !strings.Contains(tc.f.Caption(), tc.want) || !strings.HasSuffix(tc.f.Alt(), tc.drawn) {
			t.Errorf("%s: %v, caption %q, alt %q; want %q and %q", name, tc.f.Err(), tc.f.Caption(), tc.f.Alt(), tc.want, tc.drawn)
		}
	}
	if err := Speedup(timed([]int{1}, map[string][]time.Duration{"a": {0}, "b": {0}}, "a", "b")).Err(); err == nil || !strings.Contains(err.Error(), "a time of 0 has no ratio") {
		t.Errorf("only zeros: %v", err)
	}
	if c := Speedup(primesLike(6)).Caption(); strings.Contains(c, "Left out") {
		t.Errorf("without zeros: %q", c)
	}
	for _, f := range []*Figure{Times(one), Trials(one), Times(several)} {
		if f.Err() != nil || strings.Contains(f.Caption(), "log scale") {
			t.Errorf("times with a zero: %v, %q", f.Err(), f.Caption())
		}
	}
}

// Where times lie far apart the axis is logarithmic, in one unit, and each value
// stands beside its row in a unit in which it can be read.
func TestTimesFarApartCanBeRead(t *testing.T) {
	far := timed([]int{1}, map[string][]time.Duration{"fast": repeated(6, 50), "middling": repeated(6, 30*time.Millisecond), "slow": repeated(6, 10*time.Second)}, "fast", "middling", "slow")
	near := timed([]int{1}, map[string][]time.Duration{"fast": repeated(6, 900*time.Microsecond), "slow": repeated(6, 30*time.Millisecond)}, "fast", "slow")
	for name, tc := range map[string]struct {
		f    *Figure
		want []string
	}{
		"times":    {Times(far), []string{"time, \u03bcs, log scale", "50.0 ns", "30.0 ms", "10.0 s"}},
		"trials":   {Trials(far), []string{"time, \u03bcs, log scale", "50.0 ns", "30.0 ms", "10.0 s"}},
		"expected": {Expected(far, 1, map[string]Range{"fast": {40, 60}}, ""), []string{"time, \u03bcs, log scale", "50.0 ns", "10.0 s"}},
		"ratios":   {Speedup(far), []string{"1/600,000×", "1/200,000,000×", "1×"}},
		"near":     {Times(near), []string{"time, ms, log scale", "0.900 ms", "30.0 ms"}},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.f.Err() != nil {
				t.Fatal(tc.f.Err())
			}
			drawn := drawnTexts(t, tc.f)
			for _, want := range tc.want {
				if !strings.Contains("\n"+strings.Join(drawn, "\n")+"\n", want+"\n") {
					t.Errorf("no %q in %q", want, drawn)
				}
			}
			keepsApart(t, tc.f)
		})
	}
	if alt := Times(far).Alt(); !strings.Contains(alt, "fast 50.0 ns, middling 30.0 ms, slow 10.0 s") {
		t.Errorf("alt %q", alt)
	}
}

// A text alternative claims no more than the picture shows: intervals, and where
// they show no difference that there is none shown.
func TestAltsSayWhatIntervalsShow(t *testing.T) {
	r := primesLike(10)
	published := []lab.PublishedRow{{Variant: "x", Milliseconds: 2}, {Variant: "y", Milliseconds: 2}, {Variant: "z", Milliseconds: 1}}
	tie := regexp.MustCompile(`event loop (here )?(0\.9|1\.0)\d× \([\d.]+× to [\d.]+×; no difference shown\)`)
	gain := regexp.MustCompile(`goroutines (here )?1\.9\d× \([\d.]+× to [\d.]+×\)`)
	for name, f := range map[string]*Figure{
		"one size": Speedup(r), "several": Speedup(withSizes(r)),
		"published": Published(r, 10_000, published, map[string]string{"x": "sequential", "y": "event loop", "z": "goroutines"}),
	} {
		if f.Err() != nil || !tie.MatchString(f.Alt()) || !gain.MatchString(f.Alt()) {
			t.Errorf("%s: %v, %q", name, f.Err(), f.Alt())
		}
	}
	for name, f := range map[string]*Figure{"times": Times(r), "speedup": Speedup(r), "expected": Expected(r, 10_000, nil, ""), "scaling": Scaling(pools([]int{1, 2, 4}, 0.05, 0.001), 100)} {
		if !strings.Contains(f.Alt(), " to ") || !strings.Contains(f.Alt(), " (") {
			t.Errorf("%s has no intervals: %q", name, f.Alt())
		}
	}
	if alt := Times(primesLike(3)).Alt(); strings.Contains(alt, " to ") {
		t.Errorf("intervals of three rounds: %q", alt)
	}
}

// withSizes returns the result with a second, smaller size of the same times.
func withSizes(r *lab.Result) *lab.Result {
	other := *r
	other.Sizes = []int{1000, 10_000}
	for _, t := range r.Trials {
		t.Size = 1000
		other.Trials = append(other.Trials[:len(other.Trials):len(other.Trials)], t)
	}
	return &other
}
