package main

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"overlap/pkg/raster"
	"overlap/pkg/sched"
	"overlap/pkg/workload/reads"
)

// A workload is one of package raster's.
type workload interface {
	Tasks(size int) ([]sched.Task, func() (string, error), error)
}

// oursWays are the workloads of package raster, each with a scheduler. All fold the pixels into
// statistics and a checksum.
var oursWays = []struct {
	name     string
	result   result
	workload func(files []string) workload
	workers  int // of a pool; 0 is one for each CPU
}{
	{oursFold + ", 1 worker", statistics, func(f []string) workload { return reads.WindowReads(f...) }, 1},
	{oursFold, statistics, func(f []string) workload { return reads.WindowReads(f...) }, 0},
	{oursFold + ", by GDAL", statistics, func(f []string) workload { return reads.WindowReads(f...).ByGDAL() }, 0},
	{oursFold + ", one handle", statistics, func(f []string) workload { return reads.WindowReads(f...).OneHandle() }, 0},
	{oursFold + ", GDAL's threads", statistics, func(f []string) workload { return reads.ThreadReads(f...) }, 1},
	{oursBoth, both, func(f []string) workload { return reads.CollectReads(f...) }, 0},
	{oursBoth + ", a file each", both, func(f []string) workload { return reads.WholeReads(f...).HugePages() }, 0},
}

// An oursReader reads by a workload.
type oursReader struct {
	files []string
	w     workload
	s     sched.Scheduler
	said  string
}

// newOurs returns the reader of that name, nil if it is none of package raster.
func newOurs(name string, files []string) reader {
	switch name {
	case oursPart:
		return &streamReader{files}
	case oursWhole:
		return &loadReader{files: files}
	}
	for _, o := range oursWays {
		if o.name == name {
			return &oursReader{files: files, w: o.workload(files), s: sched.Pool(cmp.Or(o.workers, cpus()))}
		}
	}
	return nil
}

func (r *oursReader) read(ctx context.Context) error {
	tasks, finish, err := r.w.Tasks(len(r.files))
	if err != nil {
		return err
	}
	err = r.s.Run(ctx, tasks)
	said, ferr := finish()
	if err == nil {
		err = ferr
	}
	r.said = said
	return err
}

func (r *oursReader) answer(context.Context) (answer, error) {
	var a answer
	var nodata, notFinite int
	if _, err := fmt.Sscanf(r.said, "count=%d nodata=%d notfinite=%d min=%g max=%g sum=%g", &a.Count, &nodata,
		&notFinite, &a.Min, &a.Max, &a.Sum); err != nil {
		return a, fmt.Errorf("overlap-peers: package raster says %q: %w", r.said, err)
	}
	return a, nil
}

// A streamReader hands out each window and reduces none.
type streamReader struct{ files []string }

func (r *streamReader) read(ctx context.Context) error {
	return raster.Stream(ctx, r.files, func(raster.Window[float32]) error { return nil })
}

func (r *streamReader) answer(ctx context.Context) (answer, error) {
	t := newTally()
	var folders sync.Pool
	err := raster.Stream(ctx, r.files, func(w raster.Window[float32]) error {
		f, _ := folders.Get().(*raster.Folder)
		if f == nil {
			f = new(raster.Folder)
		}
		defer folders.Put(f)
		var s raster.Stats
		w.Fold(f, &s)
		t.merge(answerOf(s))
		return nil
	})
	return t.answer, err
}

// A loadReader keeps the pixels of each file.
type loadReader struct {
	files  []string
	arrays []raster.Array[float32]
}

func (r *loadReader) read(ctx context.Context) error {
	for _, path := range r.files {
		a, err := raster.Load[float32](ctx, path, 1, raster.PixelsOnly())
		if err != nil {
			return err
		}
		r.arrays = append(r.arrays, a)
	}
	return nil
}

func (r *loadReader) answer(context.Context) (answer, error) {
	t := newTally()
	for _, a := range r.arrays {
		t.merge(fold(a.Pixels))
	}
	r.arrays = nil
	return t.answer, nil
}
