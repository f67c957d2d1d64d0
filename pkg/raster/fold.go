package raster

/*
#cgo CFLAGS: -O3
#include "fold.h"
*/
import "C"

import (
	"bytes"
	"math"
	"math/bits"
	"unsafe"
)

// A kind is a type of pixels that can be folded.
type kind int

const (
	u8 kind = iota
	i8
	u16
	i16
	u32
	i32
	u64
	i64
	f32
	f64
	noKind kind = -1
)

var kinds = [C.KINDS]struct {
	name  string
	bytes int
	gdal  int // GDAL's number of the type
}{
	u8: {"Byte", 1, 1}, i8: {"Int8", 1, 14}, u16: {"UInt16", 2, 2}, i16: {"Int16", 2, 3}, u32: {"UInt32", 4,
		4}, i32: {"Int32", 4, 5},
	u64: {"UInt64", 8, 12}, i64: {"Int64", 8, 13}, f32: {"Float32", 4, 6}, f64: {"Float64", 8, 7},
}

// kindOf returns the kind that pixels of a GDAL type are read as, or noKind.
func kindOf(gdal int) kind {
	if gdal == float16 {
		return f32
	}
	for k := range kinds {
		if kinds[k].gdal == gdal {
			return kind(k)
		}
	}
	return noKind
}

// float16 is the number of the type that GDAL has since 3.11 (RFC 100). Before, it gives such bands
// as Float32.
const float16 = 15

func (k kind) bytes() int { return kinds[k].bytes }

// A nodata is the value of the pixels that hold none, for pixels of one kind.
type nodata struct {
	has   bool // and such a pixel can be
	value float64
	whole int64 // of integers; the bits of a uint64

	low32, high32 int32 // of float32, as ordered integers; two for zero, which is -0 too
	low64, high64 int64 // of float64
}

// newNodata returns a band's nodata value. whole is it for 64-bit integers. A value that no pixel
// of the kind can have, such as -9999 in a band of bytes, is none.
func newNodata(k kind, has bool, value float64, whole int64) nodata {
	n := nodata{has: has, value: value, whole: whole}
	var least, most float64
	switch k {
	case f32:
		n.high32 = ordered(math.Float32bits(float32(value)))
		n.low32 = n.high32
		if value == 0 {
			n.low32, n.high32 = -1, 0
		}
		return n
	case f64:
		n.high64 = ordered64(math.Float64bits(value))
		n.low64 = n.high64
		if value == 0 {
			n.low64, n.high64 = -1, 0
		}
		return n
	case u64, i64, noKind:
		return n
	case u8, u16, u32:
		most = math.Exp2(float64(8*k.bytes())) - 1
	default:
		most = math.Exp2(float64(8*k.bytes()-1)) - 1
		least = -most - 1
	}
	if n.has = has && value >= least && value <= most && value == math.Trunc(value); n.has {
		n.whole = int64(value)
	}
	return n
}

// noneOf returns the value of a nodata that has one, as a pixel of its band has it.
func noneOf[T Pixel](n nodata) T {
	if kindFor[T]() >= f32 {
		return T(n.value)
	}
	return T(n.whole)
}

// A folder folds pixels of rasters into [Stats]. It is for one goroutine at a time.
type folder struct {
	columns  []uint32 // the part of a pixel's key that its column gives
	rows     []uint32 // and its row, for the rows in hand
	segments []C.segment
}

// fold folds in w x h pixels at p, with their upper left one at x, y of their raster. A row of them
// starts every stride pixels. A mask, if there is one, has a byte for each pixel, without gaps;
// pixels with 0 are left out.
func (f *folder) fold(s *Stats, k kind, none nodata, p unsafe.Pointer, stride, x, y, w, h int, mask []byte) {
	for i := len(f.columns); i < x+w; i++ {
		f.columns = append(f.columns, uint32(mix(uint64(i)+1)))
	}
	f.rows = f.rows[:0]
	for i := range h {
		f.rows = append(f.rows, rowKey(y+i))
	}
	across := (w + C.SEGMENT - 1) / C.SEGMENT
	if n := across*h + 1; len(f.segments) < n {
		f.segments = make([]C.segment, n)
	}
	from, to := none.low64, none.high64
	if k == f32 {
		from, to = int64(none.low32), int64(none.high32)
	}
	all := C.foldPixels(C.int(k), p, (*C.uint32_t)(unsafe.Pointer(&f.columns[x])),
		(*C.uint32_t)(unsafe.Pointer(&f.rows[0])),
		C.int(stride), C.int(w), C.int(h), C.int(boolInt(none.has)), C.int64_t(none.whole), C.double(none.value),
		C.int64_t(from), C.int64_t(to), &f.segments[0])
	if mask == nil && s.addSegment(k, &f.segments[all], w*h) {
		return
	}
	for i := range int(all) {
		row, from := i/across, i%across*C.SEGMENT
		n := min(C.SEGMENT, w-from)
		var m []byte
		if mask != nil {
			m = mask[row*w+from:][:n]
			if bytes.IndexByte(m, 0) < 0 {
				m = nil
			}
		}
		if m != nil || !s.addSegment(k, &f.segments[i], n) {
			f.slowly(s, k, none, unsafe.Add(p, (row*stride+from)*k.bytes()), n, x+from, y+row, m)
		}
	}
}

// addSegment adds a segment of n pixels, or what several come to, where its numbers suffice.
func (s *Stats) addSegment(k kind, seg *C.segment, n int) bool {
	n -= int(seg.none)
	switch {
	case n == 0:
	case k == f32:
		if !plain32(seg, n) {
			return false
		}
		s.extend(int64(n), value32(seg.low), value32(seg.high))
		s.sum.add(float64(seg.sum))
	case k == f64:
		if seg.exact == 0 {
			return false
		}
		s.extend(int64(n), value64(seg.low), value64(seg.high))
		if seg.small != math.MaxInt64 { // not all zero
			s.sum.add128(uint64(seg.sumLow), uint64(seg.sumHigh), uint(max(1, (seg.small+1)>>52)-1))
		}
	default:
		low, high := float64(seg.low), float64(seg.high)
		if k == u64 {
			low, high = float64(uint64(seg.low)), float64(uint64(seg.high))
		}
		s.extend(int64(n), low, high)
		s.sum.add128(uint64(seg.sumLow), uint64(seg.sumHigh), exactOne)
	}
	s.NoData += int64(seg.none)
	s.Checksum += uint64(seg.check)
	return true
}

// plain32 reports whether a segment of n pixels holds finite values only, and whether its sum was
// added without rounding. That holds if all values are multiples of 2^(e-23), for the exponent e of
// the least magnitude, and the sum of n of them stays below 2^(E+1+log2(n)), for the greatest
// exponent E, with at most 53 places between. Whole metres, with rocks and seas, are far within.
func plain32(s *C.segment, n int) bool {
	low, high := int32(s.low), int32(s.high)
	const inf = 0x7f800000
	if high >= inf || low <= ^inf {
		return false
	}
	return s.small == math.MaxInt64 || max(exponent(low),
		exponent(high))-exponent(int32(s.small)+1) <= 53-23-1-bits.Len(uint(n-1))
}

// slowly folds in n pixels of one row, whatever they are.
func (f *folder) slowly(s *Stats, k kind, none nodata, p unsafe.Pointer, n, x, y int, mask []byte) {
	switch k {
	case u8:
		slow(f, s, k, none, unsafe.Slice((*uint8)(p), n), x, y, mask)
	case i8:
		slow(f, s, k, none, unsafe.Slice((*int8)(p), n), x, y, mask)
	case u16:
		slow(f, s, k, none, unsafe.Slice((*uint16)(p), n), x, y, mask)
	case i16:
		slow(f, s, k, none, unsafe.Slice((*int16)(p), n), x, y, mask)
	case u32:
		slow(f, s, k, none, unsafe.Slice((*uint32)(p), n), x, y, mask)
	case i32:
		slow(f, s, k, none, unsafe.Slice((*int32)(p), n), x, y, mask)
	case u64:
		slow(f, s, k, none, unsafe.Slice((*uint64)(p), n), x, y, mask)
	case i64:
		slow(f, s, k, none, unsafe.Slice((*int64)(p), n), x, y, mask)
	case f32:
		slow(f, s, k, none, unsafe.Slice((*float32)(p), n), x, y, mask)
	case f64:
		slow(f, s, k, none, unsafe.Slice((*float64)(p), n), x, y, mask)
	}
}

func slow[T Pixel](f *folder, s *Stats, k kind, none nodata, row []T, x, y int, mask []byte) {
	key, is := rowKey(y), noneOf[T](none)
	for i, v := range row {
		column := f.columns[x+i]
		switch k {
		case f32:
			s.Checksum += uint64(math.Float32bits(float32(v))) * uint64(column^key)
		case f64:
			s.Checksum += mix(math.Float64bits(float64(v)) ^ (uint64(key)<<32 | uint64(column)))
		case u64, i64:
			s.Checksum += mix(uint64(v) ^ (uint64(key)<<32 | uint64(column)))
		default:
			s.Checksum += uint64(uint32(int64(v))) * uint64(column^key)
		}
		switch w := float64(v); {
		case mask != nil && mask[i] == 0:
			s.Masked++
		case none.has && (v == is || v != v && is != is):
			s.NoData++
		case w-w != 0:
			s.NotFinite++
		default:
			s.extend(1, w, w)
			switch k {
			case u64:
				s.sum.add128(uint64(v), 0, exactOne)
			case i64:
				s.sum.add128(uint64(v), uint64(int64(v)>>63), exactOne)
			default:
				s.sum.add(w)
			}
		}
	}
}

// rowKey is the part of a pixel's key that its row gives. It is mixed of a number that no column's
// is: where both parts are the same, the key is 0, and no change of the pixel shows.
func rowKey(y int) uint32 { return uint32(mix(^(uint64(y) * golden))) }

// ordered maps the bits of a float32 to an integer that is ordered as the numbers are, with NaNs
// beyond the infinities. It is its own inverse.
func ordered(b uint32) int32 { return int32(b) ^ (int32(b) >> 31 & math.MaxInt32) }

func ordered64(b uint64) int64 { return int64(b) ^ (int64(b) >> 63 & math.MaxInt64) }

// exponent returns the biased exponent of an ordered float32; subnormal numbers have that of the
// smallest normal one.
func exponent(o int32) int { return max(1, int(ordered(uint32(o))>>23&0xff)) }

func value32(o C.int64_t) float64 {
	return float64(math.Float32frombits(uint32(ordered(uint32(int32(o))))))
}

func value64(o C.int64_t) float64 {
	return math.Float64frombits(uint64(ordered64(uint64(o))))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
