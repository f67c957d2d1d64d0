package reads

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"overlap/pkg/raster"
	"overlap/pkg/sched"
)

// A Workload is the reading of some rasters in one way. Its methods return changed copies.
type Workload struct {
	files  []string
	way    raster.Way
	opts   []raster.ReadOption
	by     string // the way, in words
	random bool   // single blocks
	seed   uint64
}

// WholeReads returns the workload that reads each raster whole, into an array of its own: a task a
// raster, as in the published experiment. It opens the file, reads the bands by GDAL's RasterIO, as
// godal's Read does, folds them into the answer and closes the file. Size n reads the first n
// files.
//
// It is what others do, and so it has what GDAL has: damage to deflate data that libtiff does not
// notice gives wrong pixels without an error, see the documentation of package raster.
func WholeReads(files ...string) Workload {
	return Workload{files: files, by: "whole", way: raster.Way{Pieces: raster.Whole}}
}

// WindowReads returns the workload that reads rasters by tiles: tasks are runs of consecutive
// blocks, of all rasters in one list, so that any number of workers stays busy to the end, whatever
// the number and the sizes of the rasters. Size n reads the first n files.
//
// A task has a handle of its own while it runs. Handles are opened when first needed and handed on
// from task to task, so there are never more handles of a file than tasks were running at once, and
// with a pool that makes one a worker and file. Blocks are read past GDAL's cache into one buffer
// for each task that runs, and folded; after its first block a handle allocates nothing. So memory
// is a block for each worker, and not the raster.
func WindowReads(files ...string) Workload { return Workload{files: files, by: "windows"} }

// CollectReads returns the workload that reads rasters by tiles, as [WindowReads] does, into arrays
// in huge pages, one a raster: for programs that need all of it at once.
//
// Workers write disjoint windows of one array, so that nothing is copied afterwards. Whole rows, as
// strips have them, are read in place; tiles go through a buffer that a CPU's cache holds, because
// the fastest way to read gives them as stored. An array is made when the first task of its raster
// starts, and all are freed by finish.
func CollectReads(files ...string) Workload {
	return Workload{files: files, by: "windows into arrays", way: raster.Way{Pieces: raster.ByArrays, HugePages: true}}
}

// ThreadReads returns the workload that reads with GDAL's own threads, one for each CPU: a task a
// raster, and GDAL cuts the reading of its blocks into jobs. Size n reads the first n files.
//
// GDAL has such threads for TIFF only, since 3.6, for a read that spans at least two blocks: the
// open option NUM_THREADS. With GTIFF_DIRECT_IO it does not copy the blocks to its cache first.
// Windows of whole rows of about 16 MiB are read into one buffer, and folded. While they are
// folded, GDAL's threads wait. As with [WholeReads], some damage goes unnoticed.
//
// Before 3.7, GDAL's threads crash on files that store their bands apart, and a mask, an overview
// or the source of a VRT may be one. Tasks then gives [raster.ErrUnsupported] for all but TIFFs
// that are not and have none.
func ThreadReads(files ...string) Workload {
	return Workload{files: files, by: "GDAL's threads", way: raster.Way{Pieces: raster.ByRows, Threads: raster.AllCPUs}}
}

// RandomReads returns the workload that reads single blocks of files in an order that looks random,
// as a viewer of maps or a sampler of training data does. Files can be addresses such as
// "https://example.org/dem.tif". Size n reads n blocks, each at most once, the same ones in the
// same order each time.
//
// It shows what waiting costs. Each block takes a request to the server, and the time of a request
// is mostly waiting for it, so what counts is how many requests are in flight: many more workers
// than CPUs win. In order, GDAL guesses which bytes come next and fetches more of them at once;
// [WindowReads] shows that.
//
// Nothing is kept from run to run: GDAL's memory of the files is dropped when the tasks are made,
// and connections end with the run. The memory is filled again with the start of each file, so
// opening one more handle asks the server nothing.
func RandomReads(files ...string) Workload {
	return Workload{files: files, by: "random blocks", random: true, seed: 1}.With(raster.TaskBytes(1))
}

// With returns the workload with options, such as raster.TaskBytes, of which tasks of blocks have 2
// MiB by default.
func (w Workload) With(opts ...raster.ReadOption) Workload {
	w.opts = append(slices.Clip(w.opts), opts...)
	return w
}

// HugePages returns the workload of [WholeReads] with arrays in huge pages.
//
// The system gives a program fresh memory page by page, at the first touch of each. With pages of 4
// KiB that costs more than inflating the pixels, on some virtual machines several times as much.
// Pages of 2 MiB are touched 512 times less often. Python's numpy asks for them by itself; Go's
// make does not. Systems other than Linux have no such request, and there it changes nothing.
func (w Workload) HugePages() Workload {
	w.way.HugePages = true
	return w
}

// ByGDAL returns the workload with all blocks read by GDAL, whose libtiff misses some damage, and
// none by package tiff: to compare the two.
func (w Workload) ByGDAL() Workload {
	w.way.ByGDAL = true
	return w
}

// OneHandle returns the workload of [WindowReads] with one handle a file and a mutex around each
// read. It is a mistake: the tasks run at once, the reads do not.
func (w Workload) OneHandle() Workload { return w.handles(raster.OneLocked) }

// OpenEach returns the workload of [WindowReads] that opens the file for each block. It is a
// mistake: opening reads the directory of the file again, and makes all that GDAL keeps for a
// dataset.
func (w Workload) OpenEach() Workload { return w.handles(raster.OnePerBlock) }

// ThreadSafe returns the workload of [WindowReads] with one dataset a file, which GDAL makes safe
// for threads to share (RFC 101). Tasks gives [raster.ErrUnsupported] where GDAL is older than
// 3.10.
func (w Workload) ThreadSafe() Workload { return w.handles(raster.OneSafe) }

func (w Workload) handles(h raster.Handles) Workload {
	w.way.Handles = h
	return w
}

// GDALThreads returns the workload in which each read has n threads of GDAL's own, at most 1024,
// and 0 means one for each CPU. With [WindowReads] it is a mistake: there are then n times as many
// threads as workers. Tasks gives [raster.ErrUnsupported] for files on which GDAL's threads crash,
// as [ThreadReads] does.
func (w Workload) GDALThreads(n int) Workload {
	if w.way.Threads = n; n < 1 {
		w.way.Threads = raster.AllCPUs
	}
	return w
}

// Seed returns the workload of [RandomReads] with other blocks in another order.
func (w Workload) Seed(n uint64) Workload {
	w.seed = n
	return w
}

// handleWords say in a result which handles there were.
var handleWords = map[raster.Handles]string{
	raster.PerTask: "one a worker and file", raster.OneLocked: "one a file, behind a mutex",
	raster.OnePerBlock: "one a block", raster.OneSafe: "one a file, thread-safe",
}

// Spec names the work and its parameters.
func (w Workload) Spec() (kind string, params map[string]string) {
	params = raster.Describe(w.files, w.opts...)
	params["by"] = w.by
	if w.way.Threads != 0 {
		params["gdal_threads"] = w.way.ThreadsOption()
	}
	if w.way.ByGDAL {
		params["decoder"] = "GDAL"
	}
	if w.way.HugePages {
		params["memory"] = "huge pages"
	}
	if w.way.Pieces == raster.ByBlocks && !w.random {
		params["handles"] = handleWords[w.way.Handles]
	}
	if w.random || w.way.Pieces == raster.Whole || w.way.Pieces == raster.ByRows {
		delete(params, "task_bytes")
	}
	if w.random {
		params["seed"] = strconv.FormatUint(w.seed, 10)
		return "raster-random-reads", params
	}
	return "raster-reads", params
}

// Unit returns what a size counts: "rasters", or "blocks" for [RandomReads].
func (w Workload) Unit() string {
	if w.random {
		return "blocks"
	}
	return "rasters"
}

// Tasks makes the tasks of one run. It opens and closes each file once to see its blocks, one file
// after another, and waits for the servers of remote ones; the handles that tasks read with are
// closed by finish. A task that starts after finish is an error. finish returns the answer, which
// begins with "incomplete" where tasks are missing.
func (w Workload) Tasks(size int) (tasks []sched.Task, finish func() (string, error), err error) {
	files := w.files
	switch {
	case len(files) == 0:
		return nil, nil, raster.ErrNoFiles
	case w.random: // a size is of blocks
	case size < 1:
		return nil, nil, fmt.Errorf("raster: size %d: at least 1 raster must be read", size)
	case size > len(files):
		return nil, nil, fmt.Errorf("raster: size %d: only %d files given; give more files, or a smaller size", size,
			len(files))
	default:
		files = files[:size]
	}
	job, err := raster.NewJob(files, w.way, w.opts...)
	if err != nil {
		return nil, nil, err
	}
	number := func(i int) int { return i }
	n := job.Tasks()
	if w.random {
		if size < 1 || size > n {
			return nil, nil, fmt.Errorf("raster: size %d: these files have 1 to %d blocks; "+
				"give more files, or another size", size, n)
		}
		order := rand.New(rand.NewPCG(w.seed, 0)).Perm(n)
		n, number = size, func(i int) int { return order[i] }
	}
	tasks = make([]sched.Task, n)
	for i := range tasks {
		tasks[i] = func(ctx context.Context) error { return job.Do(ctx, number(i)) }
	}
	return tasks, func() (string, error) { return job.Finish(n) }, nil
}
