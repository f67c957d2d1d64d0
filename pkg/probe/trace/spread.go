package trace

import (
	"math/bits"
	"time"
)

// spreadBits is how finely durations are counted: 32 classes for each power of
// two, so that a median is right to 1.6 %.
const spreadBits = 5

// spreads counts durations in classes, for there may be millions.
type spreads struct {
	n, sum, min, max int64
	classes          []uint32
}

func (s *spreads) add(d int64) {
	d = max(d, 0)
	if s.n == 0 || d < s.min {
		s.min = d
	}
	s.n++
	s.sum += d
	s.max = max(s.max, d)
	class := spreadClass(d)
	if class >= len(s.classes) {
		s.classes = append(s.classes, make([]uint32, class+1-len(s.classes))...)
	}
	s.classes[class]++
}

func spreadClass(d int64) int {
	shift := max(bits.Len64(uint64(d))-1-spreadBits, 0)
	return shift<<spreadBits + int(d>>shift)
}

// spreadMiddle is the middle of what a class holds.
func spreadMiddle(class int) int64 {
	shift := max(class>>spreadBits-1, 0)
	return int64(class-shift<<spreadBits)<<shift + (int64(1)<<shift-1)/2
}

// quantile returns the duration that the share q of all do not exceed, by the
// nearest rank.
func (s *spreads) quantile(q float64) int64 {
	rank := int64(q * float64(s.n))
	if float64(rank) < q*float64(s.n) {
		rank++
	}
	for class, n := range s.classes {
		if rank -= int64(n); rank <= 0 {
			return min(max(spreadMiddle(class), s.min), s.max)
		}
	}
	return s.max
}

func (s *spreads) spread() Spread {
	if s.n == 0 {
		return Spread{}
	}
	return Spread{
		N: s.n, Sum: time.Duration(s.sum), Max: time.Duration(s.max),
		Median: time.Duration(s.quantile(0.5)), P99: time.Duration(s.quantile(0.99)),
	}
}
