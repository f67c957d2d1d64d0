package raster

import (
	"cmp"
	"runtime"
	"slices"
)

// A ReadOption changes what is read of a raster, or how.
type ReadOption func(*reading)

// reading is what the options say. The zero value is all bands at full size.
type reading struct {
	bands    []int
	overview int
	bytes    int
	workers  int
	byGDAL   bool // and never by package tiff
	noStats  bool
}

// OnlyBands reads these bands; the first is 1. The default is all.
func OnlyBands(numbers ...int) ReadOption {
	return func(rd *reading) { rd.bands = slices.Clone(numbers) }
}

// Overview reads the n-th overview, which is the raster at a reduced size that [Info.Overviews]
// tells; 0 is the raster itself.
func Overview(n int) ReadOption {
	return func(rd *reading) { rd.overview = n }
}

// PixelsOnly has [Load] leave the statistics zero, which saves their time.
func PixelsOnly() ReadOption {
	return func(rd *reading) { rd.noStats = true }
}

// TaskBytes reads runs of blocks of at least n bytes of pixels, and at least one block, between two
// looks at the queue. The default is 2 MiB.
func TaskBytes(n int) ReadOption {
	return func(rd *reading) { rd.bytes = max(1, n) }
}

// ReadWorkers reads with n goroutines. The default is GOMAXPROCS, which is right for files of this
// machine. Remote ones want more, since their workers wait. Above [MaxHandles] they are no more.
func ReadWorkers(n int) ReadOption {
	return func(rd *reading) { rd.workers = max(1, n) }
}

func readingOf(opts []ReadOption) (rd reading) {
	for _, o := range opts {
		if o != nil {
			o(&rd)
		}
	}
	rd.bytes = cmp.Or(rd.bytes, defaultTaskBytes)
	rd.workers = cmp.Or(rd.workers, runtime.GOMAXPROCS(0))
	return rd
}

// numbers returns the numbers of the bands to read, of n.
func (rd reading) numbers(n int) []int {
	if rd.bands != nil {
		return rd.bands
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// defaultTaskBytes makes a task last a millisecond or more, against which starting it (a
// microsecond) does not count, and which a clock measures well: one core inflates and folds about 1
// GB a second. A single tile of 256 x 256 float32 lasts a fifth of that.
const defaultTaskBytes = 2 << 20
