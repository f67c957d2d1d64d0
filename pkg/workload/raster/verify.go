package raster

/*
#include "reader.h"
*/
import "C"

import (
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"unsafe"
)

// A block of deflate data ends with the Adler-32 checksum of what it inflates
// to. libtiff with libdeflate does not always compare it. If damaged data
// inflate to more than a block, libdeflate reports too small a buffer, without
// looking at the checksum, and libtiff takes that for success: there are files
// whose last strip is longer than it should be. About half of all damage ends so. (libtiff 4.5,
// tif_zip.c, ZIPDecode; LIBDEFLATE_INSUFFICIENT_SPACE.) So the checksum is
// compared here.

// verifiable reports whether what GDAL makes of a block can be turned back into
// what its checksum is of.
func (h *handle) verifiable() bool {
	if h.file == nil || h.Driver != "GTiff" || h.Compression != "DEFLATE" || !h.stored || h.overview > 0 {
		return false
	}
	if C.readerHasAdler() == 0 {
		return false // a GDAL without libdeflate: zlib compares the checksum
	}
	var order [2]byte
	if _, err := h.file.ReadAt(order[:], 0); err != nil || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 || string(order[:]) != "II" {
		return false
	}
	for _, b := range h.bands {
		if h.item(C.GDALMajorObjectH(b.object), "NBITS", "IMAGE_STRUCTURE") != "" {
			return false // GDAL has spread them
		}
	}
	return (h.Bands == 1 || !h.PixelInterleaved) && (h.Predictor == 1 || h.Predictor == 2)
}

// verifyBlock compares the checksum of a block that was read to p.
func (h *handle) verifyBlock(b *band, column, row int, p unsafe.Pointer, size int) error {
	at, n := h.place(b, column, row)
	if n < 6 {
		return nil // the file does not store it
	}
	if _, err := h.file.ReadAt(h.tail[:], at+n-4); err != nil {
		return bare(err)
	}
	pixels := unsafe.Slice((*byte)(p), size)
	if h.across == 1 && h.bw == h.Width { // it may be a strip, of which the last one is shorter
		w := h.window(column, row, 1, true, h.Width, h.Height)
		pixels = pixels[:w.width*w.height*b.kind.bytes()]
	}
	if h.Predictor == 2 {
		if len(h.differences) < len(pixels) {
			h.differences = make([]byte, len(pixels))
		}
		pixels = h.differences[:copy(h.differences, pixels)]
		difference(pixels, h.bw, b.kind.bytes())
	}
	if adler(pixels) == binary.BigEndian.Uint32(h.tail[:]) {
		return nil
	}
	// This may still be a tile as high as the image, which is taken for a strip, or
	// one of those long strips. Only inflating it once more can tell.
	return h.inflate(at, n)
}

// inflate says what is wrong with a block's deflate data, if anything is.
func (h *handle) inflate(at, n int64) error {
	r, err := zlib.NewReader(io.NewSectionReader(h.file, at, n))
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	if err == nil {
		return nil
	}
	return damaged(fmt.Errorf("its deflate data: %w", err))
}

// difference turns rows of pixels into what predictor 2 stores: each pixel less
// the one before it.
func difference(p []byte, width, size int) {
	for row := 0; row+width*size <= len(p); row += width * size {
		r := p[row : row+width*size]
		switch size {
		case 1:
			differ[uint8](r)
		case 2:
			differ[uint16](r)
		case 4:
			differ[uint32](r)
		case 8:
			differ[uint64](r)
		}
	}
}

func differ[T uint8 | uint16 | uint32 | uint64](row []byte) {
	var t T
	v := unsafe.Slice((*T)(unsafe.Pointer(&row[0])), len(row)/int(unsafe.Sizeof(t)))
	for i := len(v) - 1; i > 0; i-- {
		v[i] -= v[i-1]
	}
}

// adler returns the Adler-32 checksum of p, which is not empty, as libdeflate computes
// it, at many times the speed of package hash/adler32.
func adler(p []byte) uint32 {
	return uint32(C.readerAdler(unsafe.Pointer(&p[0]), C.size_t(len(p))))
}
