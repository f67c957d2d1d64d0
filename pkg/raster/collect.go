package raster

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"unsafe"

	"overlap/pkg/sched"
)

// Collected reads rasters by tiles, as [Windows] does, and puts the pixels
// together into one array a raster: for programs that need all of it at once.
// A size is a number of rasters.
type Collected struct {
	files []string
	rd    reading
}

// CollectReads returns the workload that reads whole rasters by tiles, into
// arrays in huge pages. Size n reads the first n files, and gives the answer
// that [WholeReads] gives for them.
//
// Workers write disjoint windows of one array, so that nothing is copied
// afterwards. Whole rows, as strips have them, are read in place; tiles go
// through a buffer that a CPU's cache holds, because the fastest way to read
// gives them as stored. An array is made when the first task of its raster starts, and
// all are freed by finish.
func CollectReads(files ...string) Collected {
	return Collected{files: files, rd: reading{bytes: defaultTaskBytes}}
}

// TaskBytes returns the workload with tasks of at least n bytes of pixels, and
// at least one block. The default is 2 MiB.
func (c Collected) TaskBytes(n int) Collected {
	c.rd.bytes = max(1, n)
	return c
}

// Bands returns the workload that reads these bands; the first is 1.
func (c Collected) Bands(numbers ...int) Collected {
	OnlyBands(numbers...)(&c.rd)
	return c
}

// Overview returns the workload that reads the n-th overview; 0 is the raster
// itself.
func (c Collected) Overview(n int) Collected {
	c.rd.overview = n
	return c
}

// Spec names the work and its parameters.
func (c Collected) Spec() (kind string, params map[string]string) {
	params = describe(c.files, c.rd)
	params["by"] = "windows into arrays"
	params["task_bytes"] = strconv.Itoa(c.rd.bytes)
	params["memory"] = "huge pages"
	return "raster-reads", params
}

// Unit returns "rasters".
func (c Collected) Unit() string { return "rasters" }

// Tasks makes the tasks of one run, as [Windows.Tasks] does. A task waits for a server that does not answer, also where
// its context is done, until GDAL_HTTP_TIMEOUT: it writes to an array that finish frees.
func (c Collected) Tasks(size int) ([]sched.Task, func() (string, error), error) {
	layouts, infos, err := inspect(c.files, size, c.rd)
	if err != nil {
		return nil, nil, err
	}
	p := newPlan(layouts, c.rd.bytes)
	if err := p.feasible(c.files); err != nil {
		return nil, nil, err
	}
	run := newHandles(c.files[:size], MaxHandles(), c.rd)
	run.expect(layouts, infos)
	arrays := make([]mosaic, size)
	tasks := run.tasks(p.tasks(), func(ctx context.Context, i int) error {
		file, from, to := p.task(i)
		// No call is left to itself: finish frees the array, which it would write to.
		return arrays[file].read(ctx, run, file, from, to)
	})
	return tasks, func() (string, error) {
		answer, err := run.finish(infos)
		for i := range arrays {
			arrays[i].release()
		}
		return answer, err
	}, nil
}

// A mosaic is the array that a raster's windows are put into.
type mosaic struct {
	once   sync.Once
	err    error
	bytes  []byte
	starts []int // of the bands
	free   func()
	used   sync.RWMutex // by those who write to bytes
}

// read reads the blocks from..to-1 of a file into the array.
func (m *mosaic) read(ctx context.Context, hs *handles, file, from, to int) error {
	m.used.RLock()
	defer m.used.RUnlock()
	return hs.with(ctx, file, func(h *handle) error {
		if err := m.make(h); err != nil {
			return failed("read", hs.files[file], err)
		}
		m.collect(h)
		_, err := h.foldBlocks(ctx, hs.files[file], from, to)
		return err
	})
}

// make allocates the array for what a handle reads, once.
func (m *mosaic) make(h *handle) error {
	m.once.Do(func() {
		total := 0
		for _, b := range h.bands {
			m.starts = append(m.starts, total)
			total += (h.Width*h.Height*b.kind.bytes() + 7) / 8 * 8
		}
		var pixels []uint64
		if pixels, m.free, m.err = array[uint64](total/8, 1, true); m.err != nil {
			m.err = fmt.Errorf("%w; read it by windows, as WindowReads does", m.err)
			return
		}
		m.bytes = unsafe.Slice((*byte)(unsafe.Pointer(&pixels[0])), total)
	})
	return m.err
}

// collect makes a handle put what it reads into the array.
func (m *mosaic) collect(h *handle) {
	if h.sink != nil {
		return
	}
	at := func(b *band, x, y int) []byte {
		for i, o := range h.bands {
			if o == b {
				return m.bytes[m.starts[i]+(y*h.Width+x)*b.kind.bytes():]
			}
		}
		panic("raster: a band of another handle")
	}
	h.into = func(b *band, y int) unsafe.Pointer { return unsafe.Pointer(&at(b, 0, y)[0]) }
	h.sink = func(b *band, p unsafe.Pointer, stride int, w window, _ []byte) error {
		size := b.kind.bytes()
		if to := at(b, w.x, w.y); unsafe.Pointer(&to[0]) == p {
			return nil // read in place
		}
		for row := range w.height {
			copy(at(b, w.x, w.y+row)[:w.width*size], unsafe.Slice((*byte)(unsafe.Add(p, row*stride*size)), w.width*size))
		}
		return nil
	}
}

// release frees the array when nobody writes to it any more.
func (m *mosaic) release() {
	m.used.Lock()
	defer m.used.Unlock()
	m.once.Do(func() { m.err = errClosed })
	if m.free != nil {
		m.free()
		m.free, m.bytes = nil, nil
	}
}
