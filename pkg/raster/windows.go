package raster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"overlap/pkg/sched"
)

// Windows reads rasters by tiles: tasks are runs of consecutive blocks, of all
// rasters in one list, so that any number of workers stays busy to the end,
// whatever the number and the sizes of the rasters. A size is a number of
// rasters.
type Windows struct {
	files []string
	rd    reading
	how   sharing
	gdal  string // threads of GDAL's own
}

// sharing is what tasks do for a dataset.
type sharing int

const (
	ownHandles sharing = iota // a handle for each task that runs
	oneHandle                 // one for all, behind a mutex
	openEach                  // one for each block
	threadSafe                // one for all, which GDAL makes safe
)

// WindowReads returns the workload that reads rasters by tiles. Size n reads
// the first n files, whole, and gives the answer that [WholeReads] gives for
// them.
//
// A task has a handle of its own while it runs. Handles are opened when first
// needed and handed on from task to task, so there are never more handles of a
// file than tasks were running at once, and with a pool that makes one a
// worker and file. Above [MaxHandles] open ones, a task takes the place of an
// idle handle of another file, or waits. Blocks are read past GDAL's cache into
// one buffer for each task that runs, and folded; after its first block a
// handle allocates nothing. So memory is a block for each worker, and not the
// raster.
func WindowReads(files ...string) Windows {
	return Windows{files: files, rd: reading{bytes: defaultTaskBytes}}
}

// defaultTaskBytes makes a task last a millisecond or more, against which
// starting it (a microsecond) does not count, and which a clock measures well:
// one core inflates and folds about 1 GB a second. A single tile of 256 x 256
// float32 lasts a fifth of that.
const defaultTaskBytes = 2 << 20

// TaskBytes returns the workload with tasks of at least n bytes of pixels, and
// at least one block. The default is 2 MiB.
func (w Windows) TaskBytes(n int) Windows {
	w.rd.bytes = max(1, n)
	return w
}

// Bands returns the workload that reads these bands; the first is 1.
func (w Windows) Bands(numbers ...int) Windows {
	OnlyBands(numbers...)(&w.rd)
	return w
}

// Overview returns the workload that reads the n-th overview; 0 is the raster
// itself.
func (w Windows) Overview(n int) Windows {
	w.rd.overview = n
	return w
}

// ByGDAL returns the workload with all blocks read by GDAL, whose libtiff misses some
// damage, and none by package tiff: to compare the two.
func (w Windows) ByGDAL() Windows {
	w.rd.byGDAL = true
	return w
}

// OneHandle returns the workload with one handle a file and a mutex around each
// read. It is a mistake: the tasks run at once, the reads do not.
func (w Windows) OneHandle() Windows {
	w.how = oneHandle
	return w
}

// OpenEach returns the workload that opens the file for each block. It is a
// mistake: opening reads the directory of the file again, and makes all that
// GDAL keeps for a dataset.
func (w Windows) OpenEach() Windows {
	w.how = openEach
	return w
}

// ThreadSafe returns the workload with one dataset a file, which GDAL makes safe for threads to
// share (RFC 101). Tasks gives [ErrUnsupported] where GDAL is older than 3.10.
func (w Windows) ThreadSafe() Windows {
	w.how = threadSafe
	return w
}

// GDALThreads returns the workload in which each task reads with n threads of GDAL's
// own, at most 1024, and 0 means one for each CPU. It is a mistake: there are then n times as many
// threads as workers. Tasks gives [ErrUnsupported] for files on which GDAL's
// threads crash, as [ThreadReads] does.
func (w Windows) GDALThreads(n int) Windows {
	w.gdal = threadsOption(n)
	return w
}

// Spec names the work and its parameters.
func (w Windows) Spec() (kind string, params map[string]string) {
	params = describe(w.files, w.rd)
	params["by"] = "windows"
	params["task_bytes"] = strconv.Itoa(w.rd.bytes)
	switch w.how {
	case ownHandles:
		params["handles"] = "one a worker and file"
	case oneHandle:
		params["handles"] = "one a file, behind a mutex"
	case openEach:
		params["handles"] = "one a block"
	case threadSafe:
		params["handles"] = "one a file, thread-safe"
	}
	if w.gdal != "" {
		params["gdal_threads"] = w.gdal
	}
	if w.rd.byGDAL {
		params["decoder"] = "GDAL"
	}
	return "raster-reads", params
}

// Unit returns "rasters".
func (w Windows) Unit() string { return "rasters" }

// Tasks makes the tasks of one run. It opens and closes each file once to see
// its blocks, one file after another, and waits for the servers of remote ones; the handles that tasks read with are closed by finish. A task
// that starts after finish is an error.
func (w Windows) Tasks(size int) ([]sched.Task, func() (string, error), error) {
	if w.how == threadSafe && version() < firstThreadSafe {
		return nil, nil, because(ErrUnsupported, fmt.Sprintf("raster: GDAL %s has no thread-safe datasets; 3.10 and later have", Version()))
	}
	layouts, infos, err := inspect(w.files, size, w.rd)
	if err != nil {
		return nil, nil, err
	}
	p := newPlan(layouts, w.rd.bytes)
	if err := p.feasible(w.files); err != nil {
		return nil, nil, err
	}
	run := newHandles(w.files[:size], MaxHandles(), w.rd)
	run.expect(layouts, infos)
	run.leaves = true
	if w.gdal != "" {
		if err := threadsAllowed(w.files, infos, w.rd); err != nil {
			return nil, nil, err
		}
		// Without direct, GDAL 3.6 says nothing where one of its threads cannot read a block.
		run.access.threads, run.access.direct = w.gdal, true
	}
	run.access.safe = w.how == threadSafe
	run.how = w.how
	tasks := run.tasks(p.tasks(), func(ctx context.Context, i int) error {
		file, from, to := p.task(i)
		return run.foldBlocks(ctx, file, from, to)
	})
	return tasks, func() (string, error) { return run.finish(infos) }, nil
}

const firstThreadSafe = 3_10_00_00

// foldBlocks folds in the blocks from..to-1 of a file.
func (hs *handles) foldBlocks(ctx context.Context, file, from, to int) error {
	switch hs.how {
	case openEach:
		for i := from; i < to; i++ {
			err := hs.with(ctx, file, func(h *handle) error {
				_, err := h.foldBlocks(ctx, hs.files[file], i, i+1)
				return err
			})
			hs.mu.Lock()
			hs.drop(file) // others hold theirs
			hs.mu.Unlock()
			if err != nil {
				return err
			}
		}
		return nil
	case oneHandle, threadSafe:
		return hs.in(ctx, file, func() error {
			v, err := hs.share(ctx, file)
			if err != nil {
				return err
			}
			defer hs.unshare(file, v)
			_, err = v.foldBlocks(ctx, hs.files[file], from, to)
			return err
		})
	}
	return hs.with(ctx, file, func(h *handle) error {
		_, err := h.foldBlocks(ctx, hs.files[file], from, to)
		return err
	})
}

// shared is a handle that all tasks of a file use.
type shared struct {
	h       *handle // nil where it is not open
	opening bool
	err     error // why it could not be opened
	users   int
	lock    sync.Mutex // held while it is read from
}

// share returns a view of the one handle of a file, until unshare. Where as many files are open as may be, one that
// nobody reads is closed for it, or the task waits for that.
func (hs *handles) share(ctx context.Context, file int) (*handle, error) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	s := &hs.shared[file]
	for !hs.closed && s.err == nil && s.h == nil {
		if s.opening || !hs.room() {
			if err := hs.wait(ctx); err != nil {
				return nil, failed("read", hs.files[file], err)
			}
			continue
		}
		s.opening = true
		hs.open++
		hs.mu.Unlock()
		h, err := openFor(hs.files[file], hs.rd, hs.access)
		hs.mu.Lock()
		s.opening = false
		if err == nil {
			err = hs.admit(file, h)
		}
		if err == nil {
			s.h = h
		} else {
			s.err = err
			hs.open--
		}
		hs.freed.Broadcast()
	}
	switch {
	case s.err != nil:
		return nil, s.err
	case hs.closed:
		hs.closeShared(file)
		return nil, failed("read", hs.files[file], errClosed)
	}
	lock := &s.lock
	if hs.how == threadSafe {
		lock = nil
	}
	v := s.h.view(lock)
	v.scratch = hs.lend()
	s.users++
	return v, nil
}

func (hs *handles) unshare(file int, v *handle) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	hs.takeBack(v.scratch)
	hs.close(file, v)
	hs.shared[file].users--
	if hs.closed {
		hs.closeShared(file)
	}
	hs.freed.Broadcast()
}

// room makes sure that one more file may be opened. It is called with the lock held, as are the next two.
func (hs *handles) room() bool {
	for file := 0; file < len(hs.files) && hs.open >= cap(hs.slots); file++ {
		hs.closeShared(file)
	}
	return hs.open < cap(hs.slots)
}

// closeShared closes the one handle of a file, unless somebody reads from it.
func (hs *handles) closeShared(file int) {
	if s := &hs.shared[file]; s.h != nil && s.users == 0 {
		hs.close(file, s.h)
		s.h = nil
	}
}

// wait waits until something was closed or opened.
func (hs *handles) wait(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		hs.mu.Lock()
		defer hs.mu.Unlock()
		hs.freed.Broadcast()
	})
	defer stop()
	if ctx.Err() == nil {
		hs.freed.Wait()
	}
	return context.Cause(ctx)
}

// tasks makes n tasks, of which each calls do with its number, and counts those that end well.
func (hs *handles) tasks(n int, do func(ctx context.Context, i int) error) []sched.Task {
	hs.planned = n
	tasks := make([]sched.Task, n)
	for i := range tasks {
		tasks[i] = func(ctx context.Context) error {
			err := do(ctx, i)
			if err == nil {
				hs.done.Add(1)
			}
			return err
		}
	}
	return tasks
}

// finish ends a run and returns the answer, which says so where it is that of a part.
func (hs *handles) finish(infos []Info) (string, error) {
	hs.end()
	totals := make([]Stats, len(hs.files))
	for i := range totals {
		totals[i] = hs.bands(i).Total()
	}
	answer := combine(totals).String()
	if n := int(hs.done.Load()); n < hs.planned {
		return fmt.Sprintf("incomplete, %d of %d tasks: %s", n, hs.planned, answer), hs.unchanged(infos, false)
	}
	var err error
	apart(hs.files, func() { err = hs.unchanged(infos, true) })
	return answer, err
}

// ErrUnsupported is, by errors.Is, the error of a way to read that the GDAL in use lacks.
var ErrUnsupported = errors.ErrUnsupported
