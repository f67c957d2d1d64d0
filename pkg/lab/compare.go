package lab

import (
	"fmt"
	"math"
)

// A Difference says what a comparison shows.
type Difference string

// What a comparison can show.
const (
	Faster         Difference = "faster"
	Slower         Difference = "slower"
	NoneShown      Difference = "no difference shown"
	TooFewRepeats  Difference = "too few repeats"
	NothingToMatch Difference = "not measured"
	OtherAnswer    Difference = "another answer" // across results: what is compared is not the same work
)

// A Comparison is a variant's time beside the baseline's at one size.
type Comparison struct {
	Variant, Baseline string
	Size              int
	Speedup           Estimate // above 1 where the variant is faster
	Floor             float64  // the noise floor: see [Result.NoiseFloor]
	Difference        Difference
}

// Compare says whether a variant differs from the baseline. It does only where
// the interval of the speedup leaves out 1 and the speedup is further from 1
// than the noise floor.
func (r *Result) Compare(variant string, size int) Comparison {
	c := Comparison{Variant: variant, Baseline: r.Baseline, Size: size, Speedup: r.Speedup(variant, size)}
	c.Floor, _ = r.NoiseFloor(size)
	c.Difference = difference(c.Speedup, c.Floor)
	return c
}

func difference(s Estimate, floor float64) Difference {
	switch {
	case s.N == 0:
		return NothingToMatch
	case !s.Interval():
		return TooFewRepeats
	case s.Lo <= 1 && s.Hi >= 1, math.Abs(math.Log(s.Median)) <= math.Log1p(floor):
		return NoneShown
	case s.Median > 1:
		return Faster
	default:
		return Slower
	}
}

// String returns a sentence:
// "goroutines is 1.95 times as fast as sequential (95 % interval 1.90 to 1.99, 10 rounds)".
func (c Comparison) String() string {
	interval := fmt.Sprintf("95 %% interval %.3g to %.3g, %d rounds", c.Speedup.Lo, c.Speedup.Hi, c.Speedup.N)
	switch c.Difference {
	case NothingToMatch:
		return fmt.Sprintf("%s and %s: not measured together", c.Variant, c.Baseline)
	case OtherAnswer:
		return fmt.Sprintf("%s and %s: not the same answer", c.Variant, c.Baseline)
	case TooFewRepeats:
		return fmt.Sprintf("%s had %.3g times the speed of %s in %d rounds; at least %d are needed to say more",
			c.Variant, c.Speedup.Median, c.Baseline, c.Speedup.N, MinRepeats)
	case NoneShown:
		return fmt.Sprintf("%s and %s: no difference shown (speed ratio %.3g, %s; noise floor %.1f %%)",
			c.Variant, c.Baseline, c.Speedup.Median, interval, 100*c.Floor)
	case Faster:
		return fmt.Sprintf("%s is %.3g times as fast as %s (%s)", c.Variant, c.Speedup.Median, c.Baseline, interval)
	default:
		return fmt.Sprintf("%s is slower than %s: %.3g times its speed (%s)", c.Variant, c.Baseline, c.Speedup.Median, interval)
	}
}
