package main

import (
	"cmp"
	"context"
	"fmt"

	"overlap/pkg/sched"
	"overlap/pkg/workload/raster"
)

// A workload is one of package raster's.
type workload interface {
	Tasks(size int) ([]sched.Task, func() (string, error), error)
}

// oursWays are the ways of package raster, each a workload and a scheduler. All
// fold the pixels into statistics and a checksum.
var oursWays = []struct {
	name     string
	result   result
	workload func(files []string) workload
	workers  int // of a pool; 0 is one for each CPU
}{
	{oursFold + ", 1 worker", statistics, func(f []string) workload { return raster.WindowReads(f...) }, 1},
	{oursFold, statistics, func(f []string) workload { return raster.WindowReads(f...) }, 0},
	{oursFold + ", one handle", statistics, func(f []string) workload { return raster.WindowReads(f...).OneHandle() }, 0},
	{oursFold + ", GDAL's threads", statistics, func(f []string) workload { return raster.ThreadReads(f...) }, 1},
	{oursWhole, both, func(f []string) workload { return raster.CollectReads(f...) }, 0},
	{oursWhole + ", a file each", both, func(f []string) workload { return raster.WholeReads(f...).HugePages() }, 0},
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
	if _, err := fmt.Sscanf(r.said, "count=%d nodata=%d notfinite=%d min=%g max=%g sum=%g", &a.Count, &nodata, &notFinite, &a.Min, &a.Max, &a.Sum); err != nil {
		return a, fmt.Errorf("overlap-peers: package raster says %q: %w", r.said, err)
	}
	return a, nil
}
