package raster

import (
	"context"
	"fmt"

	"overlap/pkg/internal/fault"
)

// threadBytes is how much one read by GDAL's threads asks for.
const threadBytes = 16 << 20

// firstThreads is the first version whose threads do not crash on bands that are stored apart
// (OSGeo/gdal#7963).
const firstThreads = 3_07_00_00

// threadsAllowed makes sure that GDAL's threads may read the files, or their overview. What a VRT,
// a mask or an overview has inside is not asked: other kinds gain nothing from threads.
//
// Of a damaged file, GDAL's threads may fail to open what they make of each block, and do not look
// whether they could: so one block is read without them first, whatever the version.
func threadsAllowed(files []string, infos []Info, rd reading) error {
	for i, info := range infos {
		safe := info.Driver == "GTiff" && (info.Bands == 1 || info.PixelInterleaved) && rd.overview == 0
		for _, l := range info.Layers {
			safe = safe && (l.Mask == "" || l.Mask == "nodata" || l.Mask == "alpha")
		}
		if !safe && version() < firstThreads {
			return failed("read", files[i], fault.Because(ErrUnsupported, fmt.Sprintf(
				"the threads of GDAL %s crash on bands that are stored apart (3.7 and later have it mended), "+
					"so they read only TIFFs of one band or interleaved by pixel, without overviews and mask files; read it by "+
					"windows", Version())))
		}
		if err := readFirst(files[i], rd); err != nil {
			return err
		}
	}
	return nil
}

// readFirst reads the first block of a file without GDAL's threads.
func readFirst(path string, rd reading) (err error) {
	rd.byGDAL = true
	onOwnThread([]string{path}, func() {
		var h *handle
		if h, err = openFor(path, rd, access{}); err != nil {
			return
		}
		defer h.close()
		h.scratch = new(scratch)
		defer h.scratch.close()
		_, err = h.foldBlocks(context.Background(), path, 0, 1)
	})
	return err
}

// foldRows folds in the whole raster by windows of whole rows.
func (h *handle) foldRows(ctx context.Context, path string) error {
	for g, bands := range h.groups() {
		row := h.Width * bands[0].kind.bytes() * len(bands) * h.bh
		rows := h.bh * max(2, threadBytes/row)
		for y := 0; y < h.Height; y += rows {
			if ctx.Err() != nil {
				return failed("read", path, context.Cause(ctx))
			}
			w := window{0, y, h.Width, min(rows, h.Height-y)}
			if err := h.foldWindow(bands, w); err != nil {
				return h.locate(path, g*boolInt(h.planes > 1), w, err)
			}
		}
	}
	return nil
}

// locate finds the block for which a window could not be read.
func (h *handle) locate(path string, plane int, w window, err error) error {
	h.sink, h.into = nil, nil
	for row := w.y / h.bh; row*h.bh < w.y+w.height; row++ {
		for column := range h.across {
			i := (plane*h.down+row)*h.across + column
			if _, err := h.foldSome(i, i+1); err != nil {
				return h.blockError(path, i, err)
			}
		}
	}
	return failed("read", path, fmt.Errorf("rows %d to %d: %w", w.y, w.y+w.height-1, explainFor(path, err)))
}
