package raster

import (
	"fmt"
	"math"
	"strconv"
)

// Stats are the statistics and the checksum of pixels. They do not depend on the order in which
// pixels were read, nor on how they were split into blocks and merged again: equal pixels at equal
// places give equal Stats, which can be compared with ==. The zero value is that of no pixels.
//
// Values are those that the file stores, before its scale and offset, which [Stats.Scaled] applies.
// Min and Max of 64-bit integers beyond 2^53 are the nearest float64; Checksum and Sum are of all
// their bits.
type Stats struct {
	Count     int64   // pixels that Min, Max, [Stats.Sum] and [Stats.Mean] are of
	NoData    int64   // pixels left out because they have the band's nodata value
	NotFinite int64   // other pixels left out because they are NaN or infinite
	Masked    int64   // pixels left out because a mask says so: a mask band, a .msk file, or an alpha band
	Min, Max  float64 // 0 where Count is 0

	// Checksum is the sum, modulo 2^64, of each pixel's bits times a number that its column and row
	// pick (multilinear hashing: J. L. Carter and M. N. Wegman, "Universal classes of hash
	// functions", 1979). The pixels left out above are in it. Pixels that change their values or
	// places change it but for a chance of about 2^-32. It is against accidents, not adversaries.
	Checksum uint64

	sum exact
}

// Sum returns the sum of the values, rounded once: it is the float64 nearest to the true sum, also
// of 64-bit integers, which are added as integers.
func (s *Stats) Sum() float64 { return s.sum.float64() }

// Mean returns the mean of the values, NaN where there are none.
func (s *Stats) Mean() float64 {
	if s.Count == 0 {
		return math.NaN()
	}
	return s.Sum() / float64(s.Count)
}

// Scaled returns the least, the greatest, and the mean value in the unit of a band whose stored
// values are to be multiplied by scale, and offset added.
func (s *Stats) Scaled(scale, offset float64) (low, high, mean float64) {
	if s.Count == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	low, high = s.Min*scale+offset, s.Max*scale+offset
	return min(low, high), max(low, high), s.Mean()*scale + offset
}

// Merge adds o, the statistics of other pixels of the same raster.
func (s *Stats) Merge(o Stats) {
	if o.Count > 0 {
		s.extend(o.Count, o.Min, o.Max)
	}
	s.NoData += o.NoData
	s.NotFinite += o.NotFinite
	s.Masked += o.Masked
	s.Checksum += o.Checksum
	s.sum.merge(&o.sum)
}

// String returns the statistics on one line. Rasters whose lines differ differ, and the other way
// round but for the chance at [Stats.Checksum].
func (s Stats) String() string {
	masked := ""
	if s.Masked > 0 {
		masked = fmt.Sprintf(" masked=%d", s.Masked)
	}
	return fmt.Sprintf("count=%d nodata=%d notfinite=%d%s min=%s max=%s sum=%s checksum=%016x",
		s.Count, s.NoData, s.NotFinite, masked, digits(s.Min), digits(s.Max), digits(s.Sum()), s.Checksum)
}

// digits writes a number in full, without an exponent, unless it is very great or small.
func digits(v float64) string {
	if a := math.Abs(v); v == 0 || a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
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

// combine merges the statistics of several files. A file's place in the list goes into the
// checksum, so that exchanged files show.
func combine(files []Stats) Stats {
	var all Stats
	for i, s := range files {
		s.Checksum = mix(s.Checksum ^ uint64(i+1)*golden)
		all.Merge(s)
	}
	return all
}
