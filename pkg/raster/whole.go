package raster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// rowsAtOnce is the least number of rows read by one call. A whole raster is read in some calls,
// not in one, so that a cancelled context is noticed within a fraction of a second.
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
				if err := h.digest(b, unsafe.Add(start, at+i*h.planeBytes(b, w)), h.Width, w); err != nil {
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
		if err := memoryFor(n); err != nil {
			return nil, nil, err
		}
	}
	if huge {
		return hugeArray[T](width * height)
	}
	return make([]T, width*height), func() {}, nil
}
