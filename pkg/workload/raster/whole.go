package raster

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/airbusgeo/godal"
	"overlap/pkg/sched"
)

// Whole reads each raster whole, into an array of its own: a task a raster, as
// in the published experiment. A size is a number of rasters.
type Whole struct {
	files []string
	huge  bool
}

// WholeReads returns the workload that reads whole rasters. Size n reads the
// first n files.
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

// Spec names the work and its parameters.
func (w Whole) Spec() (kind string, params map[string]string) {
	params = describe(w.files)
	params["by"] = "whole"
	if w.huge {
		params["memory"] = "huge pages"
	}
	return "raster-reads", params
}

// Unit returns "rasters".
func (w Whole) Unit() string { return "rasters" }

// Tasks makes one task a raster: it opens the file with godal, reads the first
// band, folds it into the answer and closes the file.
func (w Whole) Tasks(size int) ([]sched.Task, func() (string, error), error) {
	if _, err := inspect(w.files, size); err != nil {
		return nil, nil, err
	}
	run := &wholeRun{stats: make([]Stats, size)}
	tasks := make([]sched.Task, size)
	for i := range tasks {
		tasks[i] = func(ctx context.Context) error {
			s, err := readWhole(ctx, w.files[i], w.huge)
			if err != nil {
				return failed("read", w.files[i], err)
			}
			run.mu.Lock()
			run.stats[i].Merge(s) // and not =, so that a task that ran twice shows
			run.mu.Unlock()
			return nil
		}
	}
	return tasks, run.finish, nil
}

type wholeRun struct {
	mu    sync.Mutex
	stats []Stats // by file
}

func (r *wholeRun) finish() (string, error) { return combine(r.stats).String(), nil }

// rowsAtOnce is the least number of rows read by one call. A whole raster is
// read in some calls, not in one, so that a cancelled context is noticed
// within a fraction of a second.
const rowsAtOnce = 256

func readWhole(ctx context.Context, path string, huge bool) (s Stats, err error) {
	setup()
	ds, err := godal.Open(path, godal.RasterOnly(), godal.ErrLogger(heed))
	if err != nil {
		return Stats{}, explain(err)
	}
	defer ds.Close(godal.ErrLogger(heed))
	band := ds.Bands()[0]
	b := band.Structure()
	v, ok := band.NoData()
	f := newFolder(b.SizeX, v, ok)
	if b.DataType == godal.Float32 {
		return readBand(ctx, band, b, huge, f.fold32)
	}
	return readBand(ctx, band, b, huge, f.fold64)
}

func readBand[T float32 | float64](ctx context.Context, band godal.Band, b godal.BandStructure, huge bool, fold func(s *Stats, p []T, x, y, w, h, stride int)) (s Stats, err error) {
	pixels, free, err := array[T](b.SizeX, b.SizeY, huge)
	if err != nil {
		return Stats{}, err
	}
	defer free()
	step := b.BlockSizeY * ((rowsAtOnce + b.BlockSizeY - 1) / b.BlockSizeY)
	for y := 0; y < b.SizeY; y += step {
		if ctx.Err() != nil {
			return Stats{}, context.Cause(ctx)
		}
		n := min(step, b.SizeY-y)
		if err := band.Read(0, y, pixels[y*b.SizeX:(y+n)*b.SizeX], b.SizeX, n, godal.ErrLogger(heed)); err != nil {
			return Stats{}, explain(err)
		}
	}
	for y := 0; y < b.SizeY; y += rowsAtOnce {
		if ctx.Err() != nil {
			return Stats{}, context.Cause(ctx)
		}
		n := min(rowsAtOnce, b.SizeY-y)
		fold(&s, pixels[y*b.SizeX:(y+n)*b.SizeX], 0, y, b.SizeX, n, b.SizeX)
	}
	return s, nil
}

// array returns width x height pixels and the function that frees them.
func array[T float32 | float64](width, height int, huge bool) ([]T, func(), error) {
	if width > math.MaxInt/8/max(1, height) {
		return nil, nil, errors.New("the raster is too large for this machine's address space; read it by windows")
	}
	if huge {
		return hugeArray[T](width * height)
	}
	return make([]T, width*height), func() {}, nil
}
