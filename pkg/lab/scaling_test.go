package lab

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestUSL(t *testing.T) {
	widths := []float64{1, 2, 4, 8, 16, 32, 64}
	curve := func(f Fit, widths []float64) (xs []float64) {
		for _, n := range widths {
			xs = append(xs, f.Throughput(n))
		}
		return xs
	}
	tests := []struct {
		name   string
		widths []float64
		curve  Fit
		why    string // of no fit
	}{
		{name: "contention and coherency", widths: widths, curve: Fit{Lambda: 100, Sigma: 0.05, Kappa: 0.002}},
		{name: "contention alone", widths: widths, curve: Fit{Lambda: 7, Sigma: 0.2}},
		{name: "coherency alone", widths: widths, curve: Fit{Lambda: 7, Kappa: 0.01}},
		{
			name:   "widths in any order",
			widths: []float64{64, 1, 8, 2, 32, 4, 8},
			curve:  Fit{Lambda: 100, Sigma: 0.1, Kappa: 0.001},
		},
		{name: "four widths", widths: widths[:4], curve: Fit{Lambda: 1, Sigma: 0.5}, why: "at least 5"},
		{
			name:   "five points, two widths",
			widths: []float64{1, 1, 8, 8, 8},
			curve:  Fit{Lambda: 1, Sigma: 0.5},
			why:    "2 different widths",
		},
		{name: "still rising", widths: widths[:5], curve: Fit{Lambda: 100, Sigma: 0.01}, why: "well past the bend"},
		{name: "a width of 0", widths: []float64{0, 1, 2, 4, 8, 16}, curve: Fit{Lambda: 1, Sigma: 0.5}, why: "1 or more"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := fitUSL(test.widths, curve(test.curve, test.widths))
			if test.why != "" {
				if !errors.As(err, new(*NoFitError)) || !strings.Contains(err.Error(), test.why) {
					t.Errorf("error %v, want one that says %q", err, test.why)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(1, math.Abs(b)) }
			if !near(got.Lambda, test.curve.Lambda) || !near(got.Sigma, test.curve.Sigma) ||
				!near(got.Kappa, test.curve.Kappa) ||
				got.Error > 1e-6 {
				t.Errorf("got %+v, want %+v", got, test.curve)
			}
		})
	}
	// Three times as much, and then all at once a tenth: no law of this kind.
	if f, err := fitUSL(widths, []float64{1, 1, 3, 3, 3, 0.3, 3}); !errors.As(err, new(*NoFitError)) ||
		!strings.Contains(err.Error(), "follow no such curve") {
		t.Errorf("points far from any curve: %+v, error %v", f, err)
	}
	if _, err := fitUSL(widths, widths[1:]); !errors.As(err, new(*NoFitError)) {
		t.Errorf("unequal lengths: error %v", err)
	}
}

// TestUSLPeak: throughput is greatest at the peak.
func TestUSLPeak(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Fit{
			Lambda: rapid.Float64Range(0.1, 1e6).Draw(t, "lambda"),
			Sigma:  rapid.Float64Range(0, 0.9).Draw(t, "sigma"),
			Kappa:  rapid.Float64Range(1e-6, 0.1).Draw(t, "kappa"),
		}
		n, ok := f.Peak()
		if !ok {
			t.Fatal("no peak")
		}
		most := f.Throughput(n) * (1 + 1e-9)
		if f.Throughput(1.1*n) > most || n > 1.2 && f.Throughput(n/1.1) > most {
			t.Fatalf("more than at the peak of %v", n)
		}
	})
}

// TestUSLNoise: no coefficient is ever below 0, and the fit stays near what it was made from.
func TestUSLNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Fit{
			Lambda: 100,
			Sigma:  rapid.Float64Range(0.02, 0.5).Draw(t, "sigma"),
			Kappa:  rapid.Float64Range(0, 0.01).Draw(t, "kappa"),
		}
		widths := []float64{1, 2, 4, 8, 16, 32, 64, 128}
		var xs []float64
		for _, n := range widths {
			xs = append(xs, f.Throughput(n)*rapid.Float64Range(0.97, 1.03).Draw(t, "noise"))
		}
		got, err := fitUSL(widths, slices.Clone(xs))
		if errors.As(err, new(*NoFitError)) {
			return
		}
		if got.Sigma < 0 || got.Kappa < 0 || got.Lambda <= 0 || got.Error > 0.1 {
			t.Fatalf("got %+v from %+v", got, f)
		}
	})
}

// A peak is told of only where it was measured.
func TestUSLPeakIsMeasured(t *testing.T) {
	f := Fit{Lambda: 100, Sigma: 0.3, Kappa: 0.0007} // most at 32
	for most, want := range map[float64]bool{16: false, 64: true} {
		var widths, xs []float64
		for n := 1.0; n <= most; n *= 2 {
			widths, xs = append(widths, n), append(xs, f.Throughput(n))
		}
		got, err := fitUSL(widths, xs)
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(got.String(), "most throughput"); said != want {
			t.Errorf("measured to %v: %s", most, got)
		}
	}
}
