package raster

import (
	"context"
	"fmt"
	"unsafe"

	"overlap/pkg/internal/tiff"
)

// A BlockError is a part of a raster that could not be read.
type BlockError struct {
	Path                string
	Band                int // from 1; 0 where the block holds all bands
	Column, Row         int // of the block, counted from 0
	X, Y, Width, Height int // the block's pixels
	Err                 error
}

func (e *BlockError) Error() string { return failed("read", e.Path, e.reason()).Error() }

// Unwrap returns the cause.
func (e *BlockError) Unwrap() error { return e.Err }

// reason is the message without the file.
func (e *BlockError) reason() error {
	band := ""
	if e.Band > 0 {
		band = fmt.Sprintf(" of band %d", e.Band)
	}
	return fmt.Errorf("block %d, %d%s (columns %d to %d, rows %d to %d): %w",
		e.Column, e.Row, band, e.X, e.X+e.Width-1, e.Y, e.Y+e.Height-1, e.Err)
}

// scratch is the memory that a goroutine reads with.
type scratch struct {
	folder
	raw  []byte // at an address that any pixel may have
	mask []byte
	free func()

	decoder     *tiff.Decoder // for readOwn
	interleaved []uint64      // a block of it that holds several bands
}

// buffer returns n bytes, which are the last ones again where these suffice.
func (s *scratch) buffer(n int) (unsafe.Pointer, error) {
	if len(s.raw) < n {
		s.release()
		pixels, free, err := array[uint64]((n+7)/8, 1, n >= hugeEnough)
		if err != nil {
			return nil, fmt.Errorf("%w; a part that is read at once is that large: gdal_translate -co TILED=YES makes "+
				"smaller ones", err)
		}
		s.free = free
		s.raw = unsafe.Slice((*byte)(unsafe.Pointer(&pixels[0])), 8*len(pixels))
	}
	return unsafe.Pointer(&s.raw[0]), nil
}

const (
	hugePage   = 2 << 20 // bytes; where the system's are of another size it rounds
	hugeEnough = 8 << 20 // from where on memory is asked for in huge pages
)

func (s *scratch) release() {
	if s.free != nil {
		s.free()
		s.free, s.raw = nil, nil
	}
}

// close frees what the garbage collector does not.
func (s *scratch) close() {
	s.release()
	if s.decoder != nil {
		s.decoder.Close()
		s.decoder = nil
	}
}

// foldBlocks folds in the blocks with the numbers from..to-1. It stops at the first that cannot be
// read, and returns its number with the error.
func (h *handle) foldBlocks(ctx context.Context, path string, from, to int) (int, error) {
	for i := from; i < to; {
		if ctx.Err() != nil {
			return i, failed("read", path, context.Cause(ctx))
		}
		n, err := h.foldSome(i, to)
		i += n
		if err != nil {
			return i, h.blockError(path, i, err)
		}
	}
	return to, nil
}

// blockError is the error of a block that cannot be read: a [BlockError], unless the cause is not
// the file's.
func (h *handle) blockError(path string, i int, err error) error {
	plane, column, row := h.at(i)
	w := h.window(column, row, 1, true, h.Width, h.Height)
	var why error
	if h.cutShort(plane, column, row, err) {
		why = explainFile(path, err)
	} else {
		why = explainOf(path, err, h.id.far)
	}
	e := &BlockError{path, 0, column, row, w.x, w.y, w.width, w.height, why}
	if h.planes > 1 {
		e.Band = h.bands[plane].number
	}
	if !isDamage(err) { // the next block would fail as this one
		return failed("read", path, e.reason())
	}
	return e
}

// foldSome folds in the blocks from i on that one call can read, and not those from to on. It
// returns how many it has folded in, and why not the next one.
func (h *handle) foldSome(i, to int) (n int, err error) {
	plane, column, row := h.at(i)
	bands, objects := h.bands, h.objects
	if h.planes > 1 {
		bands, objects = bands[plane:plane+1], objects[plane:plane+1]
	}
	if !h.stored {
		n = min(to-i, h.across-column)
		if err := h.foldWindow(bands, h.window(column, row, n, false, h.Width, h.Height)); err == nil || n == 1 {
			return n * boolInt(err == nil), err
		}
		// Which one was it?
		for j := range n {
			if err := h.foldWindow(bands, h.window(column+j, row, 1, false, h.Width, h.Height)); err != nil {
				return j, err
			}
		}
		return n, nil
	}
	n = min(to-i, h.joined, h.down-row)
	bytes := h.bw * h.bh * bands[0].kind.bytes()
	if len(bands) > 1 {
		bytes = h.blockBytes / len(bands)
	}
	var p unsafe.Pointer
	if h.into != nil && h.across == 1 && h.bw == h.Width && len(bands) == 1 && (row+n)*h.bh <= h.Height {
		p = h.into(bands[0], row*h.bh)
	} else if p, err = h.buffer(n * bytes * len(bands)); err != nil {
		return 0, err
	}
	all := n
	if n, err = h.readStored(bands, objects, column, row, n, p, bytes); n == 0 {
		return 0, err
	}
	w := h.window(column, row, n, true, h.Width, h.Height)
	for j, b := range bands {
		if err := h.digest(b, unsafe.Add(p, j*all*bytes), h.bw, w); err != nil {
			return 0, err
		}
	}
	return n, err
}

// foldWindow reads a window with GDAL's RasterIO and folds it in, of all bands or none.
func (h *handle) foldWindow(bands []*band, w window) error {
	pixels, total := w.width*w.height, 0
	for _, b := range bands {
		total += (pixels*b.kind.bytes() + 7) / 8 * 8
	}
	p, err := h.buffer(total)
	if err != nil {
		return err
	}
	if err := h.readAll(bands, w, p); err != nil {
		return err
	}
	at := 0 // and not a pointer, which must never be behind the last band
	for _, b := range bands {
		if err := h.digest(b, unsafe.Add(p, at), w.width, w); err != nil {
			return err
		}
		at += h.planeBytes(b, w)
	}
	return nil
}

// readAll reads a window of some bands, one behind the other.
func (h *handle) readAll(bands []*band, w window, p unsafe.Pointer) error {
	if h.together() && len(bands) == len(h.bands) {
		return h.readBands(w, p)
	}
	at := 0
	for _, b := range bands {
		if err := h.readWindow(b, w, unsafe.Add(p, at), w.width*b.kind.bytes()); err != nil {
			return err
		}
		at += h.planeBytes(b, w)
	}
	return nil
}

// together reports whether all bands should be read by one call.
func (h *handle) together() bool {
	return len(h.bands) > 1 && h.PixelInterleaved && h.Driver == "GTiff" && h.overview == 0
}

// groups returns the bands that are read by one call, together.
func (h *handle) groups() [][]*band {
	if h.together() {
		return [][]*band{h.bands}
	}
	var all [][]*band
	for i := range h.bands {
		all = append(all, h.bands[i:i+1])
	}
	return all
}

// planeBytes is how many bytes a window of a band takes in a buffer for several.
func (h *handle) planeBytes(b *band, w window) int {
	n := w.width * w.height * b.kind.bytes()
	if h.together() {
		return n
	}
	return (n + 7) / 8 * 8
}

// digest folds in a window of a band that was read to p, where rows start every stride pixels.
func (h *handle) digest(b *band, p unsafe.Pointer, stride int, w window) error {
	var mask []byte
	if b.mask != nil {
		n := w.width * w.height
		if len(h.mask) < n {
			h.mask = make([]byte, n)
		}
		mask = h.mask[:n]
		if err := h.readMask(b, w, mask); err != nil {
			return fmt.Errorf("its mask: %w", err)
		}
	}
	if h.sink != nil {
		if err := h.sink(b, p, stride, w, mask); err != nil {
			return err
		}
	}
	if h.unread {
		return nil
	}
	h.fold(&b.stats, b.kind, b.none, p, stride, w.x, w.y, w.width, w.height, mask)
	return nil
}
