package raster

import (
	"context"
	"fmt"
	"strconv"

	"overlap/pkg/sched"
)

// Threads reads each raster with GDAL's own threads: a task a raster, as
// [Whole], and GDAL cuts the reading of its blocks into jobs. A size is a number
// of rasters.
type Threads struct {
	files []string
	rd    reading
	gdal  string
}

// ThreadReads returns the workload that reads with GDAL's own threads, one for
// each CPU. Size n reads the first n files and gives the answer that
// [WholeReads] gives for them.
//
// GDAL has such threads for TIFF only, since 3.6, for a read that spans at least two
// blocks: the open option NUM_THREADS. With GTIFF_DIRECT_IO it does not copy
// the blocks to its cache first. Windows of whole rows of about 16 MiB are read
// into one buffer, and folded. While they are folded, GDAL's threads wait.
// As with [WholeReads], some damage goes unnoticed.
//
// Before 3.7, GDAL's threads crash on files that store their bands apart, and a mask, an overview or the
// source of a VRT may be one. Tasks then gives [ErrUnsupported] for all but TIFFs that are not and have none.
func ThreadReads(files ...string) Threads {
	return Threads{files: files, gdal: threadsOption(0)}
}

// Threads returns the workload with n threads a read, at most 1024; 0 is one for each CPU.
func (t Threads) Threads(n int) Threads {
	t.gdal = threadsOption(n)
	return t
}

// Bands returns the workload that reads these bands; the first is 1.
func (t Threads) Bands(numbers ...int) Threads {
	OnlyBands(numbers...)(&t.rd)
	return t
}

func threadsOption(n int) string {
	if n < 1 {
		return "ALL_CPUS"
	}
	return strconv.Itoa(min(n, maxThreads))
}

// maxThreads is how many threads GDAL takes for one read at most (3.6).
const maxThreads = 1024

// Spec names the work and its parameters.
func (t Threads) Spec() (kind string, params map[string]string) {
	params = describe(t.files, t.rd)
	params["by"] = "GDAL's threads"
	params["gdal_threads"] = t.gdal
	return "raster-reads", params
}

// Unit returns "rasters".
func (t Threads) Unit() string { return "rasters" }

// threadBytes is how much one read asks for.
const threadBytes = 16 << 20

// Tasks makes one task a raster.
func (t Threads) Tasks(size int) ([]sched.Task, func() (string, error), error) {
	layouts, infos, err := inspect(t.files, size, t.rd)
	if err != nil {
		return nil, nil, err
	}
	if err := threadsAllowed(t.files, infos, t.rd); err != nil {
		return nil, nil, err
	}
	run := newHandles(t.files[:size], MaxHandles(), t.rd)
	run.expect(layouts, infos)
	run.leaves = true
	run.access, run.ranges = access{threads: t.gdal, direct: true}, true
	tasks := run.tasks(size, func(ctx context.Context, i int) error {
		return run.with(ctx, i, func(h *handle) error { return h.foldRows(ctx, t.files[i]) })
	})
	return tasks, func() (string, error) { return run.finish(infos) }, nil
}

// firstThreads is the first version whose threads do not crash on bands that are
// stored apart (OSGeo/gdal#7963).
const firstThreads = 3_07_00_00

// threadsAllowed makes sure that GDAL's threads may read the files, or their overview. What a
// VRT, a mask or an overview has inside is not asked: other kinds gain nothing from threads.
//
// Of a damaged file, GDAL's threads may fail to open what they make of each block, and do not look whether they
// could: so one block is read without them first, whatever the version.
func threadsAllowed(files []string, infos []Info, rd reading) error {
	for i, info := range infos {
		safe := info.Driver == "GTiff" && (info.Bands == 1 || info.PixelInterleaved) && rd.overview == 0
		for _, l := range info.Layers {
			safe = safe && (l.Mask == "" || l.Mask == "nodata" || l.Mask == "alpha")
		}
		if !safe && version() < firstThreads {
			return failed("read", files[i], because(ErrUnsupported, fmt.Sprintf(
				"the threads of GDAL %s crash on bands that are stored apart (3.7 and later have it mended), "+
					"so they read only TIFFs of one band or interleaved by pixel, without overviews and mask files; read it by windows", Version())))
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
	apart([]string{path}, func() {
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
