package raster

import (
	"context"
	"strconv"
	"sync"
	"syscall"

	"overlap/pkg/sched"
)

// Windows reads rasters by tiles: tasks are runs of consecutive blocks, of all
// rasters in one list, so that any number of workers stays busy to the end,
// whatever the number and the sizes of the rasters. A size is a number of
// rasters.
type Windows struct {
	files []string
	bytes int
}

// WindowReads returns the workload that reads rasters by tiles. Size n reads
// the first n files, whole, and gives the answer that [WholeReads] gives for
// them.
//
// A task has a handle of its own while it runs. Handles are opened when first
// needed and handed on from task to task, so there are never more handles of a
// file than tasks were running at once, and with a pool that makes one a
// worker and file. Above [MaxHandles] open ones, a task takes the place of an
// idle handle of another file, or waits. Blocks are read past GDAL's cache into
// the handle's own buffer; after its first block a handle allocates nothing.
func WindowReads(files ...string) Windows { return Windows{files: files, bytes: defaultTaskBytes} }

// defaultTaskBytes makes a task last a millisecond or more, against which
// starting it (a microsecond) does not count, and which a clock measures well:
// one core inflates and folds about 1 GB a second. A single tile of 256 x 256
// float32 lasts a fifth of that.
const defaultTaskBytes = 2 << 20

// TaskBytes returns the workload with tasks of at least n bytes of pixels, and
// at least one block. The default is 2 MiB.
func (w Windows) TaskBytes(n int) Windows {
	w.bytes = max(1, n)
	return w
}

// Spec names the work and its parameters.
func (w Windows) Spec() (kind string, params map[string]string) {
	params = describe(w.files)
	params["by"] = "windows"
	params["task_bytes"] = strconv.Itoa(w.bytes)
	return "raster-reads", params
}

// Unit returns "rasters".
func (w Windows) Unit() string { return "rasters" }

// Tasks makes the tasks of one run. It opens and closes each file once to see
// its blocks; the handles that tasks read with are closed by finish.
func (w Windows) Tasks(size int) ([]sched.Task, func() (string, error), error) {
	infos, err := inspect(w.files, size)
	if err != nil {
		return nil, nil, err
	}
	run := newHandles(w.files[:size], MaxHandles())
	var tasks []sched.Task
	for file, info := range infos {
		across, down := info.blocks()
		block := info.BlockWidth * info.BlockHeight * info.size
		step := max(1, (w.bytes+block-1)/block)
		for from := 0; from < across*down; from += step {
			to := min(from+step, across*down)
			tasks = append(tasks, func(ctx context.Context) error {
				h, err := run.take(ctx, file)
				if err != nil {
					return err
				}
				defer run.give(file, h)
				if err := h.foldBlocks(ctx, from, to); err != nil {
					return failed("read", w.files[file], err)
				}
				return nil
			})
		}
	}
	return tasks, run.finish, nil
}

// MaxHandles returns how many handles one run of [WindowReads] keeps open at
// most: half of the files that the process may open (RLIMIT_NOFILE), and never
// more than 256, since each blocks an OS thread while it reads.
func MaxHandles() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 64
	}
	return int(max(1, min(256, limit.Cur/2)))
}

// handles are the open handles of a run.
type handles struct {
	files []string
	slots chan struct{} // one for each handle that tasks may hold at once

	mu    sync.Mutex
	idle  [][]*handle // by file, last used last: its buffer may still be in a CPU's cache
	open  int         // idle and held
	stats []Stats     // by file, of handles that were closed
}

func newHandles(files []string, limit int) *handles {
	return &handles{
		files: files,
		slots: make(chan struct{}, limit),
		idle:  make([][]*handle, len(files)),
		stats: make([]Stats, len(files)),
	}
}

// take returns a handle of a file that nobody else uses, until give.
func (hs *handles) take(ctx context.Context, file int) (*handle, error) {
	select {
	case hs.slots <- struct{}{}:
	default:
		select {
		case hs.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	hs.mu.Lock()
	if n := len(hs.idle[file]); n > 0 {
		h := hs.idle[file][n-1]
		hs.idle[file] = hs.idle[file][:n-1]
		hs.mu.Unlock()
		return h, nil
	}
	// This task has a slot, so fewer than all are held: if as many as allowed
	// are open, one of them is idle.
	if hs.open == cap(hs.slots) {
		hs.closeIdle()
	}
	hs.open++
	hs.mu.Unlock()
	h, err := open(hs.files[file])
	if err != nil {
		hs.mu.Lock()
		hs.open--
		hs.mu.Unlock()
		<-hs.slots
		return nil, err
	}
	return h, nil
}

func (hs *handles) give(file int, h *handle) {
	hs.mu.Lock()
	hs.idle[file] = append(hs.idle[file], h)
	hs.mu.Unlock()
	<-hs.slots
}

// closeIdle closes one idle handle.
func (hs *handles) closeIdle() {
	for file, idle := range hs.idle {
		if n := len(idle); n > 0 {
			hs.idle[file] = idle[:n-1]
			hs.close(file, idle[n-1])
			return
		}
	}
}

func (hs *handles) close(file int, h *handle) {
	hs.stats[file].Merge(h.stats)
	h.close()
	hs.open--
}

func (hs *handles) finish() (string, error) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	for file, idle := range hs.idle {
		for _, h := range idle {
			hs.close(file, h)
		}
		hs.idle[file] = nil
	}
	return combine(hs.stats).String(), nil
}
