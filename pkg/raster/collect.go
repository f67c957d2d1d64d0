package raster

import (
	"context"
	"fmt"
	"sync"
	"unsafe"
)

// A mosaic is the array that a raster's windows are put into.
type mosaic struct {
	once   sync.Once
	err    error
	bytes  []byte
	starts []int // of the bands
	free   func()
	used   sync.RWMutex // by those who write to bytes
}

// read reads the blocks from..to-1 of a file into the array.
func (m *mosaic) read(ctx context.Context, hs *handles, file, from, to int) error {
	m.used.RLock()
	defer m.used.RUnlock()
	return hs.with(ctx, file, func(h *handle) error {
		if err := m.make(h); err != nil {
			return failed("read", hs.files[file], err)
		}
		m.collect(h)
		_, err := h.foldBlocks(ctx, hs.files[file], from, to)
		return err
	})
}

// make allocates the array for what a handle reads, once.
func (m *mosaic) make(h *handle) error {
	m.once.Do(func() {
		total := 0
		for _, b := range h.bands {
			m.starts = append(m.starts, total)
			total += (h.Width*h.Height*b.kind.bytes() + 7) / 8 * 8
		}
		var pixels []uint64
		if pixels, m.free, m.err = array[uint64](total/8, 1, true); m.err != nil {
			m.err = fmt.Errorf("%w; read it by windows, as WindowReads does", m.err)
			return
		}
		m.bytes = unsafe.Slice((*byte)(unsafe.Pointer(&pixels[0])), total)
	})
	return m.err
}

// collect makes a handle put what it reads into the array.
func (m *mosaic) collect(h *handle) {
	if h.sink != nil {
		return
	}
	at := func(b *band, x, y int) []byte {
		for i, o := range h.bands {
			if o == b {
				return m.bytes[m.starts[i]+(y*h.Width+x)*b.kind.bytes():]
			}
		}
		panic("raster: a band of another handle")
	}
	h.into = func(b *band, y int) unsafe.Pointer { return unsafe.Pointer(&at(b, 0, y)[0]) }
	h.sink = func(b *band, p unsafe.Pointer, stride int, w window, _ []byte) error {
		size := b.kind.bytes()
		if to := at(b, w.x, w.y); unsafe.Pointer(&to[0]) == p {
			return nil // read in place
		}
		for row := range w.height {
			copy(at(b, w.x, w.y+row)[:w.width*size], unsafe.Slice((*byte)(unsafe.Add(p, row*stride*size)), w.width*size))
		}
		return nil
	}
}

// release frees the array when nobody writes to it any more.
func (m *mosaic) release() {
	m.used.Lock()
	defer m.used.Unlock()
	m.once.Do(func() { m.err = errClosed })
	if m.free != nil {
		m.free()
		m.free, m.bytes = nil, nil
	}
}
