package tiff

/*
#cgo CFLAGS: -O3
#cgo linux LDFLAGS: -ldl
#include "decode.h"
*/
import "C"

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"sync"
	"unsafe"
)

// ErrNoLibrary is the error of [NewDecoder] where libdeflate is not installed.
var ErrNoLibrary = errors.New("tiff: libdeflate is not installed; on Debian: apt-get install libdeflate0")

// ErrLeftOut is the error for a block that the file leaves out (a sparse file): its pixels are
// nodata, or 0 where there is none. It is also that of a block without compression whose number of
// bytes is too small, of which libtiff and others make what they can.
var ErrLeftOut = errors.New("the file leaves this block out")

var load = sync.OnceValue(func() bool { return C.decode_load() != 0 })

// ErrClosed is the error of reading with a decoder that was closed, or that [NewDecoder] has not
// made.
var ErrClosed = errors.New("the decoder is closed; make another one with NewDecoder")

// A Decoder has what reading a block needs beside the file: libdeflate's state and buffers that are
// used again. Goroutines that share one read one after another. It allocates nothing after the
// first few blocks.
type Decoder struct {
	mu    sync.Mutex                        // C would not notice that state is used twice, or freed meanwhile
	state *C.struct_libdeflate_decompressor // nil where it is closed
	in    []byte                            // a block as the file has it
	row   []byte                            // a row of a block, for predictor 3
}

// NewDecoder returns a decoder, to be closed.
func NewDecoder() (*Decoder, error) {
	if !load() {
		return nil, ErrNoLibrary
	}
	state := C.decode_new()
	if state == nil {
		return nil, errors.New("tiff: libdeflate has no memory for a decompressor")
	}
	return &Decoder{state: state}, nil
}

// Close frees what C holds of the decoder. It waits for a block that is being read, and may be
// called more than once.
func (d *Decoder) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	C.decode_free(d.state)
	d.state = nil
}

// Read reads a block into dst, which holds at least [Layout.BlockBytes] bytes, as samples in the
// machine's byte order, row after row. dst must be aligned as the samples are. Of the last strip,
// the rows below the raster are left as they were. The error of a block that the file leaves out is
// [ErrLeftOut].
//
// After an error dst holds anything. Once the decoder is closed the error is [ErrClosed].
func (d *Decoder) Read(f *File, block int, dst []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state == nil {
		return fmt.Errorf("tiff: read block %d of %q: %w", block, f.name, ErrClosed)
	}
	if err := d.read(f, block, dst); err != nil {
		return fmt.Errorf("tiff: read block %d of %q: %w", block, f.name, err)
	}
	return nil
}

func (d *Decoder) read(f *File, block int, dst []byte) error {
	if block < 0 || block >= len(f.extents) {
		return fmt.Errorf("it has %d blocks", len(f.extents))
	}
	if err := f.Supported(); err != nil {
		return err
	}
	need := f.rowBytes() * f.rows(block)
	if len(dst) < f.BlockBytes() {
		return fmt.Errorf("%d bytes of room, %d needed", len(dst), f.BlockBytes())
	}
	if uintptr(unsafe.Pointer(&dst[0]))%uintptr(f.Bits/8) != 0 {
		return fmt.Errorf("the room is not aligned to %d bytes", f.Bits/8)
	}
	e := f.extents[block]
	if e.bytes == 0 {
		return ErrLeftOut
	}
	plain := f.Compression == none
	if plain { // no more are read, whatever the file says
		e.bytes = min(e.bytes, uint64(need))
	}
	if e.at > f.size || e.bytes > f.size-e.at {
		return fmt.Errorf("the file is cut short or damaged: %d bytes at %d are not in its %d", e.bytes, e.at, f.size)
	}
	in := dst[:need]
	if !plain {
		if uint64(len(d.in)) < e.bytes {
			d.in = make([]byte, e.bytes+min(e.bytes/4, 1<<20))
		}
		in = d.in[:e.bytes]
	} else if e.bytes < uint64(need) { // old writers counted wrong; libtiff knows in which ways
		return ErrLeftOut
	}
	if n, err := f.f.ReadAt(in, int64(e.at)); n < len(in) {
		if err == io.EOF {
			return fmt.Errorf("the file became shorter: %w", io.ErrUnexpectedEOF)
		}
		return err // the system's, with the operation and the file
	}
	if len(d.row) < f.rowBytes() && f.Predictor == 3 {
		d.row = make([]byte, f.rowBytes())
	}
	status := C.int(C.DECODED)
	if !plain {
		status = C.decode_inflate(d.state, (*C.uint8_t)(unsafe.Pointer(&in[0])), C.size_t(len(in)),
			(*C.uint8_t)(unsafe.Pointer(&dst[0])), C.size_t(need), C.size_t(f.BlockBytes()))
	}
	if status == C.DECODED_LONGER && longer(in, dst[:need]) == nil {
		status = C.DECODED
	}
	if status != C.DECODED {
		return errors.New("its deflate data is damaged")
	}
	if f.BigEndian != bool(C.decode_big_endian) && f.Predictor != 3 && f.Bits > 8 {
		C.decode_swap(unsafe.Pointer(&dst[0]), C.size_t(need/(f.Bits/8)), C.int(f.Bits))
	}
	switch f.Predictor {
	case 2:
		C.decode_horizontal(unsafe.Pointer(&dst[0]), C.size_t(f.BlockWidth), C.size_t(f.rows(block)),
			C.size_t(f.stride()), C.int(f.Bits))
	case 3:
		C.decode_floating((*C.uint8_t)(unsafe.Pointer(&dst[0])), (*C.uint8_t)(unsafe.Pointer(&d.row[0])),
			C.size_t(f.BlockWidth*f.stride()), C.size_t(f.rows(block)), C.size_t(f.stride()), C.int(f.Bits))
	}
	return nil
}

// longer inflates data that is more than a block, of which dst gets the first bytes. Either it is
// damaged, or its writer has put more there than belongs, which libtiff lets pass. The checksum at
// its end tells.
func longer(in, dst []byte) error {
	r, err := zlib.NewReader(bytes.NewReader(in))
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(r, dst); err != nil {
		return err
	}
	// A writer's mistake is a block too long, and not data that go on for gigabytes.
	if n, err := io.CopyN(io.Discard, r, muchLonger*int64(len(dst))); err != io.EOF {
		return cmp.Or(err, fmt.Errorf("%d bytes too many", n))
	}
	return nil
}

// muchLonger is how many times as long as a block the surplus may be.
const muchLonger = 16

// Pick copies one sample of each of a block's pixels to dst, which holds exactly the samples of one
// band. The first sample is 0. Both must be aligned as the samples are.
func (l *Layout) Pick(dst, block []byte, sample int) {
	size, n := l.Bits/8, l.stride()
	pixels := min(len(dst)/size, len(block)/(size*n))
	if pixels == 0 || sample < 0 || sample >= n {
		return
	}
	C.decode_pick(unsafe.Pointer(&dst[0]), unsafe.Pointer(&block[sample*size]), C.size_t(pixels), C.size_t(n),
		C.int(l.Bits))
}
