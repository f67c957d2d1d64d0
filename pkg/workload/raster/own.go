package raster

import (
	"errors"
	"unsafe"

	"overlap/pkg/workload/raster/tiff"
)

// libtiff takes three times as long to undo predictor 3, that of floating-point
// numbers, as to inflate. Package tiff does both in less time than libtiff inflates and
// compares the checksums too, so blocks of such files are read with it: where it knows
// the file as GDAL does, and libdeflate is there. All else is asked of GDAL.

// ownReader returns the file for blocks that GDAL need not read, nil where it
// must. It is for all handles of the file.
func (h *handle) ownReader(path string) *tiff.File {
	if h.Driver != "GTiff" || h.file == nil || h.Predictor != 3 || h.Compression != "DEFLATE" || h.overview > 0 || !h.stored ||
		h.Bands > 1 && h.PixelInterleaved {
		return nil
	}
	f, err := tiff.Open(path)
	if err != nil {
		return nil
	}
	k := h.Layers[0].kind
	if f.Supported() != nil || f.Width != h.Width || f.Height != h.Height || f.BlockWidth != h.bw || f.BlockHeight != h.bh ||
		f.Samples != h.Bands || f.Bits != 8*k.bytes() || f.Format != tiff.Float || k < f32 || f.Across() != h.across || f.Down() != h.down {
		f.Close()
		return nil
	}
	return f
}

// readOwn reads n blocks of a band, one below the other, as readBlocks does. What
// it leaves to GDAL is tiff.ErrLeftOut.
func (h *handle) readOwn(b *band, bx, by, n int, p unsafe.Pointer, bytes int) (int, error) {
	if h.lock != nil {
		h.lock.Lock()
		defer h.lock.Unlock()
	}
	if h.decoder == nil {
		d, err := tiff.NewDecoder()
		if err != nil {
			return 0, tiff.ErrLeftOut // GDAL must
		}
		h.decoder = d
	}
	for i := range n {
		block := ((b.number-1)*h.down+by+i)*h.across + bx
		err := h.decoder.Read(h.own, block, unsafe.Slice((*byte)(unsafe.Add(p, i*bytes)), bytes))
		if errors.Is(err, tiff.ErrLeftOut) {
			return i, tiff.ErrLeftOut
		} else if err != nil {
			return i, damaged(err)
		}
	}
	return n, nil
}
