package trace

import (
	"math"
	"time"
)

// traceBins count goroutine time by state in equal steps. Adding a long time
// costs as much as adding a short one.
type traceBins struct {
	width int64
	n     int
	edge  [len(states)][]float64 // time that was added to the bin itself
	slope [len(states)][]float64 // change of the number in a state, for the whole bin, from this bin on
}

func newTraceBins(length int64, n int) *traceBins {
	n = max(1, n)
	b := &traceBins{width: max(1, (length+int64(n)-1)/int64(n)), n: n}
	for s := range states {
		b.edge[s], b.slope[s] = make([]float64, n), make([]float64, n+1)
	}
	return b
}

// add counts the share w of a time.
func (b *traceBins) add(s stateIndex, from, to int64, w float64) {
	i, j := from/b.width, to/b.width
	last := int64(b.n - 1)
	i, j = min(i, last), min(j, last) // an end that was estimated too early
	if i == j {
		b.edge[s][i] += w * float64(to-from)
		return
	}
	b.edge[s][i] += w * float64((i+1)*b.width-from)
	b.edge[s][j] += w * float64(to-j*b.width)
	b.slope[s][i+1] += w
	b.slope[s][j] -= w
}

// steps returns the bins up to an end.
func (b *traceBins) steps(end int64) []Step {
	var out []Step
	var level [len(states)]float64
	for i := range b.n {
		start, stop := int64(i)*b.width, int64(i+1)*b.width
		if start >= end {
			break
		}
		if stop > end || i == b.n-1 {
			stop = end
		}
		mean := map[State]float64{}
		for s := range states {
			level[s] += b.slope[s][i]
			if sum := b.edge[s][i] + level[s]*float64(b.width); sum > 0.5 { // less than a nanosecond is rounding
				mean[states[s]] = math.Round(1e6*sum/float64(stop-start)) / 1e6
			}
		}
		out = append(out, Step{Start: time.Duration(start), End: time.Duration(stop), Mean: mean})
	}
	return out
}

// lifeBins is into how many steps a life's states are merged.
const lifeBins = 1000

// A traceLife is the time of one goroutine under way.
type traceLife struct {
	function   string
	service    bool
	start, end int64
	width      int64
	bins       [][len(states)]float32
	first      int // the first bin
}

func (l *traceLife) add(s stateIndex, from, to int64, w float64) {
	for from < to {
		i := from / l.width
		stop := min(to, (i+1)*l.width)
		at := int(i) - l.first
		for at >= len(l.bins) {
			l.bins = append(l.bins, [len(states)]float32{})
		}
		if at >= 0 {
			l.bins[at][s] += float32(w * float64(stop-from))
		}
		from = stop
	}
}

func (l *traceLife) life(id int64) Life {
	out := Life{ID: id, Func: l.function, Service: l.service, Start: time.Duration(l.start), End: time.Duration(l.end)}
	for i, bin := range l.bins {
		best, most := -1, float32(0.5)
		for s, d := range bin {
			if d > most {
				best, most = s, d
			}
		}
		if best < 0 {
			continue
		}
		from := max(l.start, int64(l.first+i)*l.width)
		to := min(l.end, int64(l.first+i+1)*l.width)
		if n := len(out.Spans); n > 0 && out.Spans[n-1].State == states[best] && out.Spans[n-1].End == time.Duration(from) {
			out.Spans[n-1].End = time.Duration(to)
		} else if to > from {
			out.Spans = append(out.Spans, StateSpan{State: states[best], Start: time.Duration(from), End: time.Duration(to)})
		}
	}
	return out
}
