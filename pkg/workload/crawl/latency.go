package crawl

import (
	"fmt"
	"math"
	"time"
)

// maxLatency is the longest latency a site may have: longer is a slip.
const maxLatency = time.Minute

// Latency is a distribution of how long a site waits before it answers. The zero value is no
// latency.
type Latency struct {
	Shape  string        `json:"shape,omitempty"`  // "" (fixed) or "log-normal"
	Median time.Duration `json:"median,omitempty"` // half of the pages wait no longer
	Max    time.Duration `json:"max,omitempty"`    // longer latencies are cut to this
	Tail   float64       `json:"tail,omitempty"`   // sigma of a log-normal distribution
}

// Fixed is the same latency for every page.
func Fixed(d time.Duration) Latency { return Latency{Median: d, Max: d} }

// LogNormal is a log-normal distribution of the median, whose logarithm has the standard deviation
// sigma, cut at longest. A sigma of 0.5 is an even site; with 1, one page in ten takes 3.6 times
// the median or longer.
func LogNormal(median time.Duration, sigma float64, longest time.Duration) Latency {
	return Latency{Shape: "log-normal", Median: median, Max: longest, Tail: sigma}
}

// quantile returns the latency that a share u of the pages does not exceed, for 0 < u < 1. It is 0
// for a latency that is not valid.
func (l Latency) quantile(u float64) time.Duration {
	if l.check() != nil || !(u > 0 && u < 1) {
		return 0
	}
	if l.Median == 0 {
		return 0 // not 0 times the infinity that a heavy tail can reach
	}
	if l.Shape == "" {
		return l.Median
	}
	times := math.Exp(l.Tail * math.Sqrt2 * math.Erfinv(2*u-1)) // of the median
	// Compared as a float: a heavy tail passes what a Duration can hold.
	return time.Duration(min(times*float64(l.Median), float64(l.Max)))
}

// String returns "100ms" or "log-normal(100ms, tail 1, at most 2s)".
func (l Latency) String() string {
	if l.Shape == "" {
		return l.Median.String()
	}
	return fmt.Sprintf("%s(%v, tail %v, at most %v)", l.Shape, l.Median, l.Tail, l.Max)
}

func (l Latency) check() error {
	switch {
	case l.Shape != "" && l.Shape != "log-normal":
		return fmt.Errorf("latency shape %q: use Fixed or LogNormal", l.Shape)
	case l.Median < 0:
		return fmt.Errorf("latency %v: it must be 0 or more", l.Median)
	case l.Max < l.Median:
		return fmt.Errorf("latency of median %v and at most %v: the bound must not be below the median", l.Median, l.Max)
	case l.Max > maxLatency:
		return fmt.Errorf("latency of up to %v: at most %v is allowed", l.Max, maxLatency)
	case l.Shape != "" && !(l.Tail > 0 && l.Tail <= 100):
		return fmt.Errorf("latency tail %v of %s: it must be above 0 and at most 100", l.Tail, l.Shape)
	}
	return nil
}
