package chart

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"

	"overlap/pkg/internal/text"
)

// A scale is how values become places on an axis.
type scale struct {
	min, max  float64
	kind      scaleKind
	reference float64 // of the kind counting
}

type scaleKind int

const (
	linear scaleKind = iota
	logarithmic
	doubling // logarithmic, labelled at powers of two
	counting // linear from 0 to the reference, logarithmic above
)

// wide is the quotient of greatest and least value from which a linear axis would press the small ones
// flat.
const wide = 20

// timeScale fits an axis to times or sizes: linear from 0, or logarithmic where all are positive and
// they lie far apart.
func timeScale(values []float64) scale {
	lo, hi := bounds(values)
	switch {
	case !(hi > 0):
		return scale{min: 0, max: 1.05, kind: linear}
	case lo > 0 && hi/lo > wide:
		pad := math.Pow(hi/lo, 0.04)
		return scale{min: lo / pad, max: hi * pad, kind: logarithmic}
	}
	return scale{min: min(0, lo*1.05), max: hi * 1.05, kind: linear}
}

// sizeScale fits an axis to sizes. It need not hold zero.
func sizeScale(values []float64) scale {
	lo, hi := bounds(values)
	switch {
	case math.IsNaN(lo):
		return scale{min: 0, max: 1, kind: linear}
	case lo == hi:
		return scale{min: lo - 1, max: hi + 1, kind: linear}
	case lo > 0 && hi/lo >= 10:
		pad := math.Pow(hi/lo, 0.055)
		return scale{min: lo / pad, max: hi * pad, kind: logarithmic}
	}
	pad := (hi - lo) * 0.055
	return scale{min: lo - pad, max: hi + pad, kind: linear}
}

// ratioScale fits an axis to ratios: linear from 0, or by doublings where they lie far apart. The
// values in show are on the axis as well.
func ratioScale(values []float64, show ...float64) scale {
	all := append(append([]float64(nil), values...), show...)
	lo, hi := bounds(all)
	if !(hi > 0) {
		return scale{min: 0, max: 2, kind: linear}
	}
	if lo > 0 && (hi/lo > 6 || hi > 6) {
		// Out to a quarter of a doubling past the data, and at least from one power of two to the next but
		// one, so that two labels fit.
		a, b := math.Log2(lo)-0.25, math.Log2(hi)+0.25
		return scale{min: math.Exp2(a), max: math.Exp2(b), kind: doubling}
	}
	return scale{min: min(0, lo*1.05), max: hi * 1.08, kind: linear}
}

// countScale fits an axis to counts from 0, of which those up to a reference matter one by one.
func countScale(hi, reference float64) scale {
	reference = max(reference, 1)
	hi = max(hi, reference)
	if hi > 6*reference {
		return scale{0, hi * 1.15, counting, reference}
	}
	return scale{0, hi * 1.08, linear, 0}
}

// bounds returns the least and greatest finite value, NaN if there is none.
func bounds(values []float64) (lo, hi float64) {
	lo, hi = math.NaN(), math.NaN()
	for _, v := range values {
		if !text.Finite(v) {
			continue
		}
		if !(v >= lo) {
			lo = v
		}
		if !(v <= hi) {
			hi = v
		}
	}
	return lo, hi
}

// on sets up a plot's axis.
func (s scale) on(a *plot.Axis, ticks []plot.Tick) {
	a.Min, a.Max = s.min, s.max
	a.Tick.Marker = plot.ConstantTicks(ticks)
	switch s.kind {
	case logarithmic, doubling:
		a.Scale = plot.LogScale{}
	case counting:
		a.Scale = countNorm{s.reference}
	default:
		a.Scale = plot.LinearScale{}
	}
}

// ticks returns the scale's ticks, at most so many, their values in the given unit.
func (s scale) ticks(u float64, most int) []plot.Tick {
	var out []plot.Tick
	switch s.kind {
	case doubling:
		return ratioTicks(s.min, s.max, most+2) // their labels are short
	case logarithmic:
		out = logTicks(s.min/u, s.max/u, most)
	default:
		out = linearTicks(s.min/u, s.max/u, most)
	}
	for i := range out {
		out[i].Value *= u
	}
	return out
}

// origin returns v if stems of that origin are honest on the axis, and NaN otherwise: a logarithmic
// axis shows no distance from zero.
func (s scale) origin(v float64) float64 {
	if !s.has(v) || v < s.min || v > s.max {
		return math.NaN()
	}
	return v
}

// has reports whether a value can be drawn on the axis.
func (s scale) has(v float64) bool {
	return text.Finite(v) && (s.kind == linear || s.kind == counting && v >= 0 || v > 0)
}

func (s scale) note() string {
	if s.kind == linear {
		return ""
	}
	if s.kind == counting {
		return fmt.Sprintf(", linear up to %.4g and logarithmic above", s.reference)
	}
	return ", log scale"
}

// countNorm places counts up to the reference on the lower third of an axis.
type countNorm struct{ reference float64 }

// Normalize implements plot.Normalizer.
func (n countNorm) Normalize(_, hi, v float64) float64 {
	const share = 1. / 3
	if v <= n.reference {
		return share * v / n.reference
	}
	return share + (1-share)*math.Log(v/n.reference)/math.Log(hi/n.reference)
}
