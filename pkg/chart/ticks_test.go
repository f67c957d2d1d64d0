package chart

import (
	"math"
	"testing"

	"gonum.org/v1/plot"
	"pgregory.net/rapid"
)

func TestTicks(t *testing.T) {
	for name, tc := range map[string]struct {
		ticks []plot.Tick
		want  []string
	}{
		"from zero":              {linearTicks(0, 1.05, maxTicks), []string{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		"thousands":              {linearTicks(0, 10500, maxTicks), []string{"0", "2,000", "4,000", "6,000", "8,000", "10,000"}},
		"negative":               {linearTicks(-1.1, 1, maxTicks), []string{"-1.0", "-0.5", "0", "0.5", "1.0"}},
		"within one decade, log": {logTicks(120, 480, maxTicks), []string{"150", "200", "250", "300", "350", "400", "450"}},
		"decades, log":           {logTicks(0.9, 11000, maxTicks), []string{"1", "10", "100", "1,000", "10,000"}},
		"small, log":             {logTicks(0.001, 0.1, maxTicks), []string{"0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1"}},
		"ratios":                 {ratioTicks(0.2, 9, 9), []string{"0.25×", "0.5×", "1×", "2×", "4×", "8×"}},
		"many doublings":         {ratioTicks(0.9, 70000, 9), []string{"1×", "4×", "16×", "64×", "256×", "1,024×", "4,096×", "16,384×", "65,536×"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, k := range tc.ticks {
				got = append(got, k.Label)
			}
			if len(got) != len(tc.want) {
				t.Fatalf("got %q, want %q", got, tc.want)
			}
			for i := range got {
				if got[i] != tc.want[i] {
					t.Fatalf("got %q, want %q", got, tc.want)
				}
			}
		})
	}
}

// checkTicks holds ticks to what every axis needs.
func checkTicks(t *rapid.T, ticks []plot.Tick, lo, hi float64) {
	if len(ticks) < 2 || len(ticks) > 10 {
		t.Fatalf("%d ticks for %v to %v: %v", len(ticks), lo, hi, ticks)
	}
	seen := map[string]bool{}
	for i, k := range ticks {
		if k.Label == "" || seen[k.Label] {
			t.Fatalf("label %q empty or twice: %v", k.Label, ticks)
		}
		seen[k.Label] = true
		if !(k.Value >= lo && k.Value <= hi) {
			t.Fatalf("tick %v outside %v to %v", k.Value, lo, hi)
		}
		if i > 0 && !(k.Value > ticks[i-1].Value) {
			t.Fatalf("ticks do not ascend: %v", ticks)
		}
	}
}

func TestTicksOfAnyRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e12, 1e12).Draw(t, "lo")
		hi := lo + max(1e-12, math.Abs(lo)*1e-6)*math.Pow(10, rapid.Float64Range(0, 15).Draw(t, "span"))
		most := rapid.IntRange(5, 9).Draw(t, "most")
		checkTicks(t, linearTicks(lo, hi, most), lo, hi)
	})
	rapid.Check(t, func(t *rapid.T) {
		lo := math.Pow(10, rapid.Float64Range(-12, 12).Draw(t, "lo"))
		hi := lo * (1 + math.Pow(10, rapid.Float64Range(-6, 15).Draw(t, "span")))
		most := rapid.IntRange(5, 9).Draw(t, "most")
		checkTicks(t, logTicks(lo, hi, most), lo, hi)
	})
	rapid.Check(t, func(t *rapid.T) {
		s := ratioScale([]float64{rapid.Float64Range(1e-6, 1e6).Draw(t, "a"), rapid.Float64Range(1e-6, 1e6).Draw(t, "b")}, 1, 2)
		checkTicks(t, s.ticks(1, maxTicks), s.min, s.max)
	})
}

func TestNumbers(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{significant(0.9614), "0.961"},
		{significant(7261), "7,261"},
		{significant(974.4), "974"},
		{significant(0), "0"},
		{times(7.556), "7.56×"},
		{times(12.34), "12.3×"},
		{times(0.031), "0.0310×"},
		{decimal(-1234567.5, 1), "-1,234,567.5"},
		{decimal(-0.0001, 1), "0"},
		{unitFor(0.0025).String(0.0025), "2.50 ms"},
		{unitFor(2.5e-6).String(2.5e-6), "2.50 \u03bcs"},
		{unitFor(0).name, "s"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}
