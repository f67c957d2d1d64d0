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
	r := &Result{Name: "Naps", Unit: "tasks", Sizes: []int{10}, Machine: probe.Machine{CPU: cpu, Go: "go1.26.8", Kernel: "Linux 6.1"}}
	for v := range times {
		r.Variants = append(r.Variants, v)
	}
	slices.Sort(r.Variants)
	r.Baseline = r.Variants[0]
	for _, v := range r.Variants {
		r.Specs = append(r.Specs, Spec{Kind: "naps", Params: map[string]string{"nap": "1ms"}, Scheduler: v})
		for i, ms := range times[v] {
			r.Trials = append(r.Trials, Trial{Variant: v, Size: 10, Round: i + 1, Usage: probe.Usage{Wall: time.Duration(ms * float64(time.Millisecond))}})
		}
	}
	return r
}

func TestCompareAcross(t *testing.T) {
	a := timed("CPU 1", map[string][]float64{
		"a": {10, 11, 12, 13, 14, 15}, "b": {10, 11, 12, 13, 14, 15}, "c": {10, 11, 12, 13, 14, 15}, "few": {10, 11, 12}, "only a": {1},
	})
	b := timed("CPU 2", map[string][]float64{
		"a": {20, 22, 24, 26, 28, 30}, "b": {10.5, 10.6, 12.1, 12.9, 14.2, 14.9}, "c": {5, 5.5, 6, 6.5, 7, 7.5}, "few": {20, 22, 24}, "only b": {1},
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
	if x.AName != "CPU 1" || x.BName != "CPU 2" || !slices.Equal(x.OnlyA, []string{"only a"}) || !slices.Equal(x.OnlyB, []string{"only b"}) {
		t.Errorf("%q %q, only in one: %q %q", x.AName, x.BName, x.OnlyA, x.OnlyB)
	}
	text := x.Table().String()
	for _, want := range []string{"CPU 2 is slower", "CPU 2 is faster", "no difference shown", "too few repeats", "Only of CPU 1: only a.", "Only of CPU 2: only b."} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
}

// The interval of six and six against values worked out by hand: the U test's
// greatest rejected U is 5, so five of the 36 ratios are left out at each end.
func TestRatioApart(t *testing.T) {
	a := []float64{1, 2, 3, 4, 5, 6}
	b := []float64{1, 1, 1, 1, 1, 1}
	e := ratioApart(a, b)
	// Each of 1 to 6 is there six times.
	if e.Median != 3.5 || e.Lo != 1 || e.Hi != 6 || e.N != 6 {
		t.Errorf("%+v, want 3.5 (1–6) of 6", e)
	}
	if e := ratioApart(a[:3], b[:3]); e.Interval() {
		t.Errorf("three and three have the interval %v", e)
	}
	if e := ratioApart(nil, b); e.N != 0 || !math.IsNaN(e.Median) {
		t.Errorf("of nothing: %+v", e)
	}
}

// Intervals of equal distributions cover 1 about as often as they promise:
// over 400 draws with a fixed seed.
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
		if e := ratioApart(draw(10), draw(8)); e.Lo <= 1 && 1 <= e.Hi {
			covered++
		}
	}
	if covered < draws*93/100 || covered == draws {
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
		kinds = append(kinds, w.Kind)
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
