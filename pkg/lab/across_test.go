package lab

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"overlap/pkg/probe"
)

// timed returns a result whose trials took the given milliseconds.
func timed(cpu string, times map[string][]float64) *Result {
	r := &Result{
		Name:    "Naps",
		Unit:    "tasks",
		Sizes:   []int{10},
		Machine: probe.Machine{CPU: cpu, Go: "go1.26.8", Kernel: "Linux 6.1"},
	}
	for v := range times {
		r.Variants = append(r.Variants, v)
	}
	slices.Sort(r.Variants)
	r.Baseline = r.Variants[0]
	for _, v := range r.Variants {
		r.Specs = append(r.Specs, Spec{Kind: "naps", Params: map[string]string{"nap": "1ms"}, Scheduler: v})
		for i, ms := range times[v] {
			r.Trials = append(
				r.Trials,
				Trial{Variant: v, Size: 10, Round: i + 1, Usage: probe.Usage{Wall: time.Duration(ms * float64(time.Millisecond))}},
			)
		}
	}
	return r
}

func TestCompareAcross(t *testing.T) {
	a := timed("CPU 1", map[string][]float64{
		"a": {
			10,
			11,
			12,
			13,
			14,
			15,
		}, "b": {10, 11, 12, 13, 14, 15}, "c": {10, 11, 12, 13, 14, 15}, "few": {10, 11, 12}, "only a": {1},
	})
	b := timed("CPU 2", map[string][]float64{
		"a": {
			20,
			22,
			24,
			26,
			28,
			30,
		}, "b": {10.5, 10.6, 12.1, 12.9, 14.2, 14.9}, "c": {5, 5.5, 6, 6.5, 7, 7.5}, "few": {20, 22, 24}, "only b": {1},
	})
	x, err := CompareAcross(a, b, "", "")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		d      Difference
		median float64
	}{"a": {Slower, 0.5}, "b": {NoneShown, 1}, "c": {Faster, 2}, "few": {TooFewRepeats, 0.5}}
	if len(x.Comparisons) != len(want) {
		t.Errorf("%d comparisons, want %d", len(x.Comparisons), len(want))
	}
	for _, c := range x.Comparisons {
		w := want[c.Variant]
		if c.Difference != w.d || math.Abs(c.Speedup.Median/w.median-1) > 0.03 {
			t.Errorf("%s: %v at %v, want %v at %g", c.Variant, c.Difference, c.Speedup, w.d, w.median)
		}
	}
	if x.AName != "CPU 1" || x.BName != "CPU 2" || !slices.Equal(x.OnlyA, []string{"only a"}) ||
		!slices.Equal(x.OnlyB, []string{"only b"}) {
		t.Errorf("%q %q, only in one: %q %q", x.AName, x.BName, x.OnlyA, x.OnlyB)
	}
	text := x.Table().String()
	for _, want := range []string{"CPU 2 is slower", "CPU 2 is faster", "no difference shown", "too few repeats",
		"Only of CPU 1: only a.", "Only of CPU 2: only b."} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
}

// The interval of six and six against values worked out by hand: the U test's greatest rejected U
// is 5, so five of the 36 ratios are left out at each end.
func TestRatioApart(t *testing.T) {
	a := []float64{1, 2, 3, 4, 5, 6}
	b := []float64{1, 1.0 / 16, 1.0 / 256, 1.0 / 4096, 1.0 / 65536, 1.0 / 1048576}
	e := ratioOf(a, b)
	// All 36 differ: 1 to 6, 16 to 96, and so on. The sixth is 6, the sixth from the end 1 × 16⁵, and
	// in the middle are 6 × 16² and 1 × 16³.
	if math.Abs(e.Median/math.Sqrt(6*256*4096)-1) > 1e-12 || e.Lo != 6 || e.Hi != 1048576 || e.N != 6 {
		t.Errorf("%+v, want 2816 (6–1048576) of 6", e)
	}
	// The U test would reject something of four and four, and of three and five.
	for _, n := range [][2]int{{3, 3}, {4, 4}, {3, 6}, {6, 5}} {
		if e := ratioOf(a[:n[0]], b[:n[1]]); e.Interval() {
			t.Errorf("%d and %d have the interval %v", n[0], n[1], e)
		}
	}
	if back := ratioOf(b, a); math.Abs(back.Median*e.Median-1) > 1e-12 || math.Abs(back.Lo*e.Hi-1) > 1e-12 {
		t.Errorf("the other way round %+v, want the inverse of %+v", back, e)
	}
	if e := ratioOf(nil, b); e.N != 0 || !math.IsNaN(e.Median) {
		t.Errorf("of nothing: %+v", e)
	}
}

// Intervals of equal distributions cover 1 about as often as they promise: over 400 draws with a
// fixed seed.
func TestRatioApartCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = math.Exp(random.NormFloat64() * 0.1)
		}
		return out
	}
	covered := 0
	const draws = 400
	for range draws {
		if e := ratioOf(draw(10), draw(8)); e.Lo <= 1 && 1 <= e.Hi {
			covered++
		}
	}
	if covered < draws*93/100 || covered > draws*98/100 {
		t.Errorf("%d of %d intervals cover 1, want about 95 %%", covered, draws)
	}
}

func TestCompareAcrossDoubts(t *testing.T) {
	a := timed("CPU", map[string][]float64{"a": {10, 11, 12, 13, 14, 15}})
	b := timed("CPU", map[string][]float64{"a": {10, 11, 12, 13, 14, 15}})
	b.Machine.Versions = map[string]string{"GDAL": "3.10.0"}
	a.Machine.Versions = map[string]string{"GDAL": "3.6.2"}
	b.Machine.Go = "go1.27.0"
	b.Specs[0].Params = map[string]string{"nap": "2ms"}
	b.Interrupted, b.Quick = true, true
	x, err := CompareAcross(a, b, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if x.AName != "GDAL 3.6.2" || x.BName != "GDAL 3.10.0" {
		t.Errorf("told apart as %q and %q", x.AName, x.BName)
	}
	var kinds []string
	for _, w := range x.Warnings {
		kinds = append(kinds, string(w.Kind))
	}
	if !slices.Equal(kinds, []string{"not the same work", "quick", "interrupted"}) {
		t.Errorf("warnings %q", kinds)
	}
	if _, err := CompareAcross(a, timed("CPU", map[string][]float64{"z": {1}}), "", ""); err == nil {
		t.Error("nothing in common, and no error")
	}
	if _, err := CompareAcross(a, nil, "", ""); err == nil {
		t.Error("no second result, and no error")
	}
}

// A version that gives another answer is not a faster one.
func TestCompareAcrossAnswers(t *testing.T) {
	times := map[string][]float64{"a": {10, 11, 12, 13, 14, 15}, "b": {10, 11, 12, 13, 14, 15}}
	fast := map[string][]float64{"a": {1, 1.1, 1.2, 1.3, 1.4, 1.5}, "b": {1, 1.1, 1.2, 1.3, 1.4, 1.5}}
	a, b := timed("CPU 1", times), timed("CPU 2", fast)
	for _, r := range []*Result{a, b} {
		for i := range r.Trials {
			r.Trials[i].Answer = "42"
			if r == b && r.Trials[i].Variant == "a" {
				r.Trials[i].Answer = "41"
			}
		}
	}
	x, err := CompareAcross(a, b, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if x.Comparisons[0].Difference != OtherAnswer || x.Comparisons[1].Difference != Faster {
		t.Errorf("shown: %q and %q", x.Comparisons[0].Difference, x.Comparisons[1].Difference)
	}
	if w := x.Warnings; len(w) != 1 || w[0].Kind != "not the same answer" ||
		!strings.Contains(w[0].Text, `a with 10 tasks: "42" and "41"`) {
		t.Errorf("warnings %+v", w)
	}
	if text := x.Table().String(); strings.Count(text, "is faster") != 1 || !strings.Contains(text, "another answer") {
		t.Errorf("the table:\n%s", text)
	}
}

func TestCompareAcrossTellsFewAndResumed(t *testing.T) {
	a := timed("CPU 1", map[string][]float64{"a": {10, 11, 12}})
	b := timed("CPU 2", map[string][]float64{"a": {10, 11, 12, 13, 14, 15}})
	b.Resumed = []time.Time{time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)}
	b.Specs[0].Params["new"] = "1"
	x, err := CompareAcross(a, b, "", "")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, w := range x.Warnings {
		all = append(all, string(w.Kind)+": "+w.Text)
	}
	for i, want := range []string{"not the same work: The two did not measure the same work: new not given and 1.",
		"few repeats: CPU 1: 3 rounds", "resumed: CPU 2: An interrupted run"} {
		if i >= len(all) || !strings.HasPrefix(all[i], want) {
			t.Errorf("warning %d: %q, want %q", i, all, want)
		}
	}
}

func TestApart(t *testing.T) {
	a, b := timed("CPU 1", map[string][]float64{"a": {1}}), timed("CPU 2", map[string][]float64{"a": {1}})
	for _, c := range [][4]string{
		{"", "", "CPU 1", "CPU 2"}, {"old", "new", "old", "new"}, {"old", "", "old", "CPU 2"}, {"", "new", "CPU 1", "new"},
		{"same", "same", "CPU 1", "CPU 2"},
	} {
		if x, y := namesOf(a, b, c[0], c[1]); x != c[2] || y != c[3] {
			t.Errorf("%q and %q: told apart as %q and %q, want %q and %q", c[0], c[1], x, y, c[2], c[3])
		}
	}
}

// ratioOf is the ratio of trials that took so many times a second (2^20 s, so that fractions are
// whole nanoseconds).
func ratioOf(a, b []float64) Estimate {
	trials := func(seconds []float64) (ts []Trial) {
		for _, s := range seconds {
			ts = append(ts, Trial{Usage: probe.Usage{Wall: time.Duration(s * (1 << 20) * 1e9)}})
		}
		return ts
	}
	return hodgesLehmann(trials(a), trials(b))
}
