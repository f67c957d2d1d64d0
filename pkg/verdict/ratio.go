package verdict

import (
	"math"
	"time"

	"overlap/pkg/internal/text"
)

// ratio returns a/b, 0 where that is not a number above 0.
func ratio(a, b time.Duration) float64 { return share(float64(a), float64(b)) }

// share returns a/b, 0 where that is not a finite number above 0.
func share(a, b float64) float64 {
	if !(a > 0) || !(b > 0) {
		return 0
	}
	if q := a / b; text.Finite(q) {
		return q
	}
	return 0
}

// exact rounds off what the order of a sum does to it, so that what is just at
// a threshold stays there.
func exact(x float64) float64 {
	if y := math.Round(x*1e9) / 1e9; text.Finite(y) {
		return y
	}
	return x
}
