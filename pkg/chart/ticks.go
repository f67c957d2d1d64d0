package chart

import (
	"math"

	"gonum.org/v1/plot"

	"overlap/pkg/internal/text"
)

// maxTicks is how many labels an axis has at most.
const maxTicks = 7

// linearTicks returns 2 to most ticks at multiples of 1, 2 or 5 times a power of ten, all within the
// range.
func linearTicks(lo, hi float64, most int) []plot.Tick {
	if !text.Finite(lo) || !text.Finite(hi) || hi <= lo || hi-lo < 1e-9*max(math.Abs(lo), math.Abs(hi)) {
		return ends(lo, hi)
	}
	for e := math.Floor(math.Log10((hi-lo)/float64(most))) - 1; ; e++ {
		for _, m := range []float64{1, 2, 5} {
			// Division by a whole power of ten is exact where multiplication by its inverse is not.
			at := func(i float64) float64 { return i * m * math.Pow(10, e) }
			if e < 0 {
				at = func(i float64) float64 { return i * m / math.Pow(10, -e) }
			}
			first := math.Ceil(lo/at(1) - 1e-9)
			last := math.Floor(hi/at(1) + 1e-9)
			if last-first+1 > float64(most) {
				continue
			}
			if last-first < 1 {
				return ends(lo, hi)
			}
			var out []plot.Tick
			for i := first; i <= last; i++ {
				v := at(i)
				out = append(out, plot.Tick{Value: min(max(v, lo), hi), Label: decimal(v, max(0, int(-e)))})
			}
			return distinct(out, lo, hi)
		}
	}
}

// logTicks returns 2 to most ticks within the range for a logarithmic axis: 1-2-5, 1-3 or powers of
// ten, whichever fits, or evenly spaced figures where the range is too short for those.
func logTicks(lo, hi float64, most int) []plot.Tick {
	if !(lo > 0) || !text.Finite(hi) || hi <= lo {
		return linearTicks(lo, hi, most)
	}
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	try := func(mantissas []float64, every float64) []plot.Tick {
		var out []plot.Tick
		for e := math.Ceil(first/every) * every; e <= last; e += every {
			for _, m := range mantissas {
				v := m * math.Pow(10, e)
				if e < 0 {
					v = m / math.Pow(10, -e)
				}
				if v >= lo*(1-1e-12) && v <= hi*(1+1e-12) {
					out = append(out, plot.Tick{Value: min(max(v, lo), hi), Label: decimal(v, max(0, int(-e)))})
				}
			}
		}
		return out
	}
	steps := []struct {
		mantissas []float64
		every     float64
	}{{[]float64{1, 2, 5}, 1}, {[]float64{1, 3}, 1}, {[]float64{1}, 1}}
	for _, s := range steps {
		if t := try(s.mantissas, s.every); len(t) <= most {
			if len(t) < 2 {
				return linearTicks(lo, hi, most)
			}
			return distinct(t, lo, hi)
		}
	}
	for every := 2.0; ; every++ {
		if t := try([]float64{1}, every); len(t) <= most {
			return distinct(t, lo, hi)
		}
	}
}

// ratioTicks returns powers of two within the range, or of ten where those would have too many digits,
// labelled as ratios.
func ratioTicks(lo, hi float64, most int) []plot.Tick {
	if hi/lo > 1e6 {
		ticks := logTicks(lo, hi, most)
		for i, t := range ticks {
			if t.Value < 1 {
				ticks[i].Label = "1/" + decimal(1/t.Value, 0) + "×"
			} else {
				ticks[i].Label = decimal(t.Value, 0) + "×"
			}
		}
		return ticks
	}
	first, last := math.Ceil(math.Log2(lo)-1e-9), math.Floor(math.Log2(hi)+1e-9)
	every := math.Max(1, math.Ceil((last-first+1)/float64(most)))
	var out []plot.Tick
	for e := math.Ceil(first/every) * every; e <= last; e += every {
		v := math.Exp2(e)
		d := 0
		if e < 0 {
			d = int(-e)
		}
		label := decimal(v, min(d, 3)) + "×"
		if e < 0 && first < -3 { // all as fractions, where decimals get long
			label = "1/" + decimal(1/v, 0) + "×"
		}
		out = append(out, plot.Tick{Value: v, Label: label})
	}
	return out
}

// ends labels the two ends of a range too odd for anything better.
func ends(lo, hi float64) []plot.Tick {
	a := plot.Tick{Value: lo, Label: short(lo)}
	b := plot.Tick{Value: hi, Label: short(hi)}
	if a.Label == b.Label {
		return []plot.Tick{a}
	}
	return []plot.Tick{a, b}
}

// distinct falls back to the ends where two labels would read the same.
func distinct(ts []plot.Tick, lo, hi float64) []plot.Tick {
	for i := 1; i < len(ts); i++ {
		if ts[i].Label == ts[i-1].Label || ts[i].Value == ts[i-1].Value {
			return ends(lo, hi)
		}
	}
	if len(ts) < 2 {
		return ends(lo, hi)
	}
	return ts
}
