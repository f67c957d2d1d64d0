package raster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"overlap/pkg/sched"
)

// Whole reads each raster whole, into an array of its own: a task a raster, as
// in the published experiment. A size is a number of rasters.
type Whole struct {
	files []string
	rd    reading
	huge  bool
}

// WholeReads returns the workload that reads whole rasters. Size n reads the
// first n files.
//
// It is what others do, and so it has what GDAL has: damage to deflate data that libtiff
// does not notice gives wrong pixels without an error, see the package's
// documentation.
func WholeReads(files ...string) Whole { return Whole{files: files} }

// HugePages returns the workload with arrays in huge pages.
//
// The system gives a program fresh memory page by page, at the first touch of
// each. With pages of 4 KiB that costs more than inflating the pixels, on some
// virtual machines several times as much. Pages of 2 MiB are touched 512 times
// less often. Python's numpy asks for them by itself; Go's make does not.
// Systems other than Linux have no such request, and there it changes nothing.
func (w Whole) HugePages() Whole {
	w.huge = true
	return w
}

// Bands returns the workload that reads these bands; the first is 1.
func (w Whole) Bands(numbers ...int) Whole {
	OnlyBands(numbers...)(&w.rd)
	return w
}

// Overview returns the workload that reads the n-th overview; 0 is the raster
// itself.
func (w Whole) Overview(n int) Whole {
	w.rd.overview = n
	return w
}

// Spec names the work and its parameters.
func (w Whole) Spec() (kind string, params map[string]string) {
	params = describe(w.files, w.rd)
	params["by"] = "whole"
	if w.huge {
		params["memory"] = "huge pages"
	}
	return "raster-reads", params
}

// Unit returns "rasters".
func (w Whole) Unit() string { return "rasters" }

// Tasks makes one task a raster: it opens the file, reads the bands by
// GDAL's RasterIO, as godal's Read does, folds them into the answer and closes
// the file.
func (w Whole) Tasks(size int) ([]sched.Task, func() (string, error), error) {
	layouts, infos, err := inspect(w.files, size, w.rd)
	if err != nil {
		return nil, nil, err
	}
	run := newHandles(w.files[:size], MaxHandles(), w.rd)
	run.expect(layouts, infos)
	run.leaves, run.ranges = true, true
	tasks := run.tasks(size, func(ctx context.Context, i int) error {
		defer func() {
			run.mu.Lock()
			run.drop(i)
			run.mu.Unlock()
		}()
		return run.with(ctx, i, func(h *handle) error { return h.foldWhole(ctx, w.files[i], w.huge) })
	})
	return tasks, func() (string, error) { return run.finish(infos) }, nil
}

// rowsAtOnce is the least number of rows read by one call. A whole raster is
// read in some calls, not in one, so that a cancelled context is noticed
// within a fraction of a second.
const rowsAtOnce = 256

// foldWhole reads the whole raster into an array, and folds it in afterwards.
func (h *handle) foldWhole(ctx context.Context, path string, huge bool) error {
	size := 0
	for _, b := range h.bands {
		size += b.kind.bytes()
	}
	pixels, free, err := array[uint64](h.Width, (h.Height*size+7)/8+len(h.bands), huge)
	if err != nil {
		return failed("read", path, fmt.Errorf("%w; read it by windows, as WindowReads does", err))
	}
	defer free()
	start, from := unsafe.Pointer(&pixels[0]), 0 // of a group's first band
	step := h.bh * ((rowsAtOnce + h.bh - 1) / h.bh)
	for g, bands := range h.groups() {
		for y := 0; y < h.Height; y += step {
			if ctx.Err() != nil {
				return failed("read", path, context.Cause(ctx))
			}
			w := window{0, y, h.Width, min(step, h.Height-y)}
			if err := h.readAll(bands, w, unsafe.Add(start, from+y*h.Width*bands[0].kind.bytes()*len(bands))); err != nil {
				return h.locate(path, g*boolInt(h.planes > 1), w, err)
			}
		}
		for y := 0; y < h.Height; y += step {
			if ctx.Err() != nil {
				return failed("read", path, context.Cause(ctx))
			}
			w := window{0, y, h.Width, min(step, h.Height-y)}
			at := from + y*h.Width*bands[0].kind.bytes()*len(bands)
			for i, b := range bands {
				if err := h.take(b, unsafe.Add(start, at+i*h.apart(b, w)), h.Width, w); err != nil {
					return h.locate(path, g*boolInt(h.planes > 1), w, err)
				}
			}
		}
		for _, b := range bands {
			from += (h.Width*h.Height*b.kind.bytes() + 7) / 8 * 8
		}
	}
	return nil
}

// array returns width x height pixels and the function that frees them.
func array[T Pixel](width, height int, huge bool) ([]T, func(), error) {
	if width > math.MaxInt/8/max(1, height) {
		return nil, nil, errors.New("the raster is too large for this machine's address space; read it by windows")
	}
	var one T
	if n := width * height * int(unsafe.Sizeof(one)); n >= hugeEnough {
		if err := room(n); err != nil {
			return nil, nil, err
		}
	}
	if huge {
		return hugeArray[T](width * height)
	}
	return make([]T, width*height), func() {}, nil
}
