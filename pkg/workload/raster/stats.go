package raster

import (
	"fmt"
	"math"
)

// Stats are the statistics and the checksum of pixels. They do not depend on
// the order in which pixels were read, nor on how they were split into blocks
// and merged again: equal pixels at equal places give equal Stats, which can be
// compared with ==. The zero value is that of no pixels.
type Stats struct {
	Count     int64   // pixels that Min, Max, [Stats.Sum] and [Stats.Mean] are of
	NoData    int64   // pixels left out because they have the band's nodata value
	NotFinite int64   // other pixels left out because they are NaN or infinite
	Min, Max  float64 // 0 where Count is 0

	// Checksum is the sum, modulo 2^64, of each pixel's bits times a number
	// that its column and row pick (multilinear hashing: J. L. Carter and M. N.
	// Wegman, "Universal classes of hash functions", 1979). The pixels left out
	// above are in it. Pixels that change their values or places change it but
	// for a chance of about 2^-32. It is against accidents, not adversaries.
	Checksum uint64

	sum exact
}

// Sum returns the sum of the values, rounded once: it is the float64 nearest
// to the true sum.
func (s *Stats) Sum() float64 { return s.sum.float64() }

// Mean returns the mean of the values, NaN where there are none.
func (s *Stats) Mean() float64 {
	if s.Count == 0 {
		return math.NaN()
	}
	return s.Sum() / float64(s.Count)
}

// Merge adds o, the statistics of other pixels of the same raster.
func (s *Stats) Merge(o Stats) {
	if o.Count > 0 {
		s.extend(o.Count, o.Min, o.Max)
	}
	s.NoData += o.NoData
	s.NotFinite += o.NotFinite
	s.Checksum += o.Checksum
	s.sum.merge(&o.sum)
}

// String returns the statistics on one line. Rasters whose lines differ
// differ, and the other way round but for the chance at [Stats.Checksum].
func (s Stats) String() string {
	return fmt.Sprintf("count=%d nodata=%d notfinite=%d min=%v max=%v sum=%v checksum=%016x",
		s.Count, s.NoData, s.NotFinite, s.Min, s.Max, s.Sum(), s.Checksum)
}

// add counts one pixel. Its checksum is the caller's.
func (s *Stats) add(v float64, nodata bool) {
	switch {
	case nodata:
		s.NoData++
	case v-v != 0:
		s.NotFinite++
	default:
		s.extend(1, v, v)
		s.sum.add(v)
	}
}

// extend counts n finite values between low and high.
func (s *Stats) extend(n int64, low, high float64) {
	low, high = low+0, high+0 // -0 becomes 0: which zero came first must not show
	if s.Count == 0 {
		s.Min, s.Max = low, high
	} else {
		s.Min, s.Max = min(s.Min, low), max(s.Max, high)
	}
	s.Count += n
}

// combine merges the statistics of several files. A file's place in the list
// goes into the checksum, so that exchanged files show.
func combine(files []Stats) Stats {
	var all Stats
	for i, s := range files {
		s.Checksum = mix(s.Checksum ^ uint64(i+1)*golden)
		all.Merge(s)
	}
	return all
}
