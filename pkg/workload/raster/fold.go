package raster

/*
#cgo CFLAGS: -O3
#include <stdint.h>
#include <stddef.h>

enum { SEGMENT = 256 };

// A segment is what is kept of up to SEGMENT pixels of one row.
typedef struct {
	double   sum;
	uint64_t check;
	int32_t  low, high; // the least and the greatest value, as ordered integers
	int32_t  small;     // bits of the least magnitude above zero, less 1; INT32_MAX if all are zero
} segment;

typedef int32_t __attribute__((may_alias)) word; // a float's bits
typedef double two __attribute__((vector_size(16)));

#ifdef __x86_64__
__attribute__((target("sse4.1"))) // every such CPU since 2008; it has integer min and max
#endif
// fold32 folds h rows of w pixels. It is in C, and in simple loops, so that the
// compiler makes vector code of them: half a nanosecond a pixel, where Go takes
// two, which is as long as inflating the pixel. The lab is to measure reading.
static void fold32(const float *p, int stride, int w, int h, const uint32_t *kx, const uint32_t *ky, segment *out) {
	for (int y = 0; y < h; y++) {
		for (int x = 0; x < w; x += SEGMENT) {
			const float *v = p + (size_t)y * stride + x;
			const word *b = (const word *)v;
			const uint32_t *k = kx + x, key = ky[y];
			const int n = w - x < SEGMENT ? w - x : SEGMENT;

			uint64_t check = 0;
			for (int i = 0; i < n; i++)
				check += (uint64_t)(uint32_t)b[i] * (k[i] ^ key);

			int32_t low = INT32_MAX, high = INT32_MIN, small = INT32_MAX;
			for (int i = 0; i < n; i++) {
				int32_t o = b[i] ^ (b[i] >> 31 & INT32_MAX);
				low = o < low ? o : low;
				high = o > high ? o : high;
				int32_t less1 = ((uint32_t)b[i] - 1) & INT32_MAX; // zero becomes the greatest
				small = less1 < small ? less1 : small;
			}

			two s = {0, 0}, t = {0, 0};
			int i = 0;
			for (; i + 4 <= n; i += 4) {
				s += (two){v[i], v[i + 1]};
				t += (two){v[i + 2], v[i + 3]};
			}
			for (; i < n; i++)
				s[0] += v[i];
			s += t;
			*out++ = (segment){s[0] + s[1], check, low, high, small};
		}
	}
}
*/
import "C"

import (
	"math"
	"unsafe"
)

// folder folds pixels of one raster into [Stats]. It is for one goroutine at a
// time.
type folder struct {
	nodata   bool
	value    float64  // of nodata
	columns  []uint32 // the part of a pixel's key that its column gives
	rows     []uint32 // and its row, for the rows in hand
	segments []C.segment

	nodataLow, nodataHigh int32 // the float32 nodata value as an ordered integer; two for zero, which is -0 too
}

func newFolder(width int, nodata float64, has bool) *folder {
	f := &folder{nodata: has, value: nodata, columns: make([]uint32, width)}
	f.nodataHigh = ordered(math.Float32bits(float32(nodata)))
	f.nodataLow = f.nodataHigh
	if nodata == 0 {
		f.nodataLow, f.nodataHigh = -1, 0
	}
	for x := range f.columns {
		f.columns[x] = uint32(mix(uint64(x) + 1))
	}
	return f
}

// rowKey is the part of a pixel's key that its row gives.
func rowKey(y int) uint32 { return uint32(mix(uint64(y)*golden + 1)) }

// ordered maps the bits of a float32 to an integer that is ordered as the
// numbers are, with NaNs beyond the infinities. It is its own inverse.
func ordered(b uint32) int32 { return int32(b) ^ (int32(b) >> 31 & math.MaxInt32) }

// fold32 folds in w x h pixels with their upper left one at x, y. A row of
// them starts every stride values.
func (f *folder) fold32(s *Stats, p []float32, x, y, w, h, stride int) {
	across := (w + C.SEGMENT - 1) / C.SEGMENT
	if n := across * h; len(f.segments) < n {
		f.segments = make([]C.segment, n)
	}
	if len(f.rows) < h {
		f.rows = make([]uint32, h)
	}
	for i := range h {
		f.rows[i] = rowKey(y + i)
	}
	_ = p[(h-1)*stride+w-1] // C does not check
	C.fold32((*C.float)(unsafe.Pointer(&p[0])), C.int(stride), C.int(w), C.int(h),
		(*C.uint32_t)(unsafe.Pointer(&f.columns[x])), (*C.uint32_t)(unsafe.Pointer(&f.rows[0])), &f.segments[0])
	for i := range across * h {
		row, from := i/across, i%across*C.SEGMENT
		to := min(from+C.SEGMENT, w)
		if seg := &f.segments[i]; f.plain(seg) {
			s.extend(int64(to-from), value32(seg.low), value32(seg.high))
			s.sum.add(float64(seg.sum))
			s.Checksum += uint64(seg.check)
		} else {
			f.slow32(s, p[row*stride+from:row*stride+to], x+from, y+row)
		}
	}
}

// plain reports whether a segment holds finite values only, none of them
// nodata, and whether its sum was added without rounding. That holds if all
// values are multiples of 2^(e-23), for the exponent e of the least magnitude,
// and the sum of 256 of them stays below 2^(E+9), for the greatest exponent E,
// with at most 53 places between: E+9 - (e-23) <= 53. Whole metres, with rocks
// and seas, are far within.
func (f *folder) plain(s *C.segment) bool {
	low, high := int32(s.low), int32(s.high)
	const inf = 0x7f800000
	if high >= inf || low <= ^inf {
		return false
	}
	if f.nodata && low <= f.nodataHigh && high >= f.nodataLow {
		return false
	}
	return s.small == math.MaxInt32 || max(exponent(low), exponent(high))-exponent(int32(s.small)+1) <= 53-9-23
}

// exponent returns the biased exponent of an ordered float32; subnormal
// numbers have that of the smallest normal one.
func exponent(o int32) int { return max(1, int(ordered(uint32(o))>>23&0xff)) }

func value32(o C.int32_t) float64 {
	return float64(math.Float32frombits(uint32(ordered(uint32(o)))))
}

// slow32 folds in pixels of one row, whatever they are.
func (f *folder) slow32(s *Stats, row []float32, x, y int) {
	key, nodata := rowKey(y), float32(f.value)
	for i, v := range row {
		s.Checksum += uint64(math.Float32bits(v)) * uint64(f.columns[x+i]^key)
		s.add(float64(v), f.nodata && (v == nodata || v != v && nodata != nodata))
	}
}

// fold64 is fold32 for pixels that were read as float64.
func (f *folder) fold64(s *Stats, p []float64, x, y, w, h, stride int) {
	for r := range h {
		key := uint64(rowKey(y + r))
		for i, v := range p[r*stride : r*stride+w] {
			s.Checksum += mix(math.Float64bits(v) ^ (key<<32 | uint64(f.columns[x+i])))
			s.add(v, f.nodata && (v == f.value || v != v && f.value != f.value))
		}
	}
}
