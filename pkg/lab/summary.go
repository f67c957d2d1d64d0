package lab

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// An Estimate is a median with its confidence interval.
type Estimate struct {
	N      int     // measurements behind it
	Median float64 // NaN where N is 0
	Lo, Hi float64 // 95 % confidence interval; infinite where N is too small for one
}

// MinRepeats is the fewest measurements for which the median has a 95 % confidence interval: with
// 5, even the whole range covers it with only 94 %.
const MinRepeats = 6

// Interval reports whether there are enough measurements for an interval.
func (e Estimate) Interval() bool { return !math.IsInf(e.Lo, 0) && !math.IsInf(e.Hi, 0) && e.N > 0 }

// estimate summarises values, whose order it keeps.
func estimate(values []float64) Estimate {
	if len(values) == 0 {
		return Estimate{Median: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1)}
	}
	// NewSample sorts what it is given.
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds), 0.95)
	e := Estimate{N: len(values), Median: s.Center, Lo: s.Lo, Hi: s.Hi}
	if !e.Interval() { // one bound alone would read as an interval
		e.Lo, e.Hi = math.Inf(-1), math.Inf(1)
	}
	return e
}

// Median returns the median of any values as a result's estimates have it, NaN of none.
func Median(values []float64) float64 { return estimate(values).Median }

// Of returns the measured trials of a variant at a size in the order in which they ran, without
// warm-up and control.
func (r *Result) Of(variant string, size int) []Trial {
	return r.pick(func(t *Trial) bool { return t.Variant == variant && t.Size == size && t.Round > 0 && !t.Control })
}

func (r *Result) pick(want func(*Trial) bool) []Trial {
	var picked []Trial
	for i := range r.Trials {
		if want(&r.Trials[i]) {
			picked = append(picked, r.Trials[i])
		}
	}
	return picked
}

// Estimate returns the median of any figure of a variant's measured trials.
func (r *Result) Estimate(variant string, size int, figure func(Trial) float64) Estimate {
	trials := r.Of(variant, size)
	values := make([]float64, len(trials))
	for i, t := range trials {
		values[i] = figure(t)
	}
	return estimate(values)
}

// Time returns a variant's time at a size, in seconds.
func (r *Result) Time(variant string, size int) Estimate {
	return r.Estimate(variant, size, func(t Trial) float64 { return t.Wall.Seconds() })
}

// Speedup returns how many times faster than the baseline a variant is, as the median over rounds
// of the ratio within the round.
func (r *Result) Speedup(variant string, size int) Estimate {
	ratios := r.ratios(size, r.Of(variant, size))
	for i := range ratios {
		ratios[i] = 1 / ratios[i]
	}
	return estimate(ratios)
}

// ratios divides each trial's time by the baseline's of the same round. Rounds that lack one, and
// times of zero, are left out.
func (r *Result) ratios(size int, trials []Trial) []float64 {
	base := map[int]float64{}
	for _, t := range r.Of(r.Baseline, size) {
		base[t.Round] = t.Wall.Seconds()
	}
	var ratios []float64
	for _, t := range trials {
		if b := base[t.Round]; b > 0 && t.Wall > 0 {
			ratios = append(ratios, t.Wall.Seconds()/b)
		}
	}
	return ratios
}

// NoiseFloor returns by what share two runs of the same code may differ: how far from 1 the ratio
// of the control's time to the other run of the same variant in the same round can be, which is the
// further end of the 95 % interval of its median. The median alone is near 1 even on a noisy
// machine, if by luck. With too few rounds for an interval it is the distance of the median. It
// reports false where there was no such pair.
func (r *Result) NoiseFloor(size int) (floor float64, ok bool) {
	e := r.control(size, (*Result).ratios)
	if e.N == 0 {
		return 0, false
	}
	return furthest(e, 1), true
}

// control compares the controls with the other run of the same variant in the same round. Its N is
// 0 where there is no such pair.
func (r *Result) control(size int, compare func(*Result, int, []Trial) []float64) Estimate {
	controls := r.pick(func(t *Trial) bool { return t.Control && t.Round > 0 && t.Size == size })
	if len(controls) == 0 {
		return estimate(nil)
	}
	return estimate(compare(r.Against(controls[0].Variant), size, controls))
}

// furthest returns how far from a value the further end of the interval is, or the median where
// there is no interval.
func furthest(e Estimate, from float64) float64 {
	if !e.Interval() {
		return math.Abs(e.Median - from)
	}
	return max(math.Abs(e.Lo-from), math.Abs(e.Hi-from))
}

// Only returns the same result with some of its sizes. It shares the trials with r.
func (r *Result) Only(sizes ...int) *Result {
	if r == nil {
		return nil
	}
	other := *r
	other.Sizes = sizes
	return &other
}

// Against returns the same result with another variant as the baseline of its ratios. It shares the
// trials with r.
func (r *Result) Against(baseline string) *Result {
	if r == nil {
		return nil
	}
	other := *r
	other.Baseline = baseline
	return &other
}

// String returns the median and its interval to three digits: "1.95 (1.90–1.99)", and without the
// interval where there is none.
func (e Estimate) String() string {
	switch {
	case e.N == 0:
		return "n/a"
	case !e.Interval():
		return fmt.Sprintf("%.3g", e.Median)
	}
	return fmt.Sprintf("%.3g (%.3g–%.3g)", e.Median, e.Lo, e.Hi)
}
