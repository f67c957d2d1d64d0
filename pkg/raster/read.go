package raster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"overlap/pkg/raster/internal/where"
)

// ErrNoFiles is the error of reading no files.
var ErrNoFiles = errors.New("raster: no files given; give the path of one")

var errNoContext = errors.New("the context is nil; give context.Background()")

// Read reads a raster block by block, with several workers, and returns the statistics of all its
// bands together. Memory is a block or so a worker, whatever the size of the raster.
//
// Damage is an error that names the file and the block; see [BlockError]. Where it can go
// unnoticed, the package's documentation says. A file that is changed, replaced or removed while it
// is read is an error.
func Read(ctx context.Context, path string, opts ...ReadOption) (Stats, error) {
	b, err := ReadBands(ctx, path, opts...)
	if err != nil {
		return Stats{}, err
	}
	return b.Total(), nil
}

// ReadBands is Read with the statistics of each band. With an error they are of the blocks that
// could be read, which [Bands.Read] counts.
func ReadBands(ctx context.Context, path string, opts ...ReadOption) (Bands, error) {
	if ctx == nil {
		return Bands{}, failed("read", path, errNoContext)
	}
	forget(path)
	r := readFiles(ctx, []string{path}, readingOf(opts), nil)[0]
	return r.Bands, r.Err
}

// A FileResult is what [ReadMany] gives for one file.
type FileResult struct {
	Path string
	Bands
	Err error // nil where all of it was read
}

// String returns the file's path, what was found in it, and the error if there is one.
func (r FileResult) String() string {
	switch {
	case r.Err == nil:
		return fmt.Sprintf("%s: %v", where.Quoted(r.Path), r.Bands)
	case r.Read == 0:
		return r.Err.Error()
	}
	return fmt.Sprintf("%s: %v\n%v", where.Quoted(r.Path), r.Bands, r.Err)
}

// ReadMany reads several rasters, which share the workers by one queue of all files' blocks. A file
// that cannot be read does not keep the others from it: its result has the error, and the error
// returned joins all.
func ReadMany(ctx context.Context, files []string, opts ...ReadOption) ([]FileResult, error) {
	if len(files) == 0 {
		return nil, ErrNoFiles
	}
	if ctx == nil {
		return nil, fmt.Errorf("raster: read: %w", errNoContext)
	}
	forget(files...)
	results := readFiles(ctx, files, readingOf(opts), nil)
	var all []error
	for _, r := range results {
		all = append(all, r.Err)
	}
	return results, errors.Join(all...)
}

// A run is the reading of some files.
type run struct {
	*handles
	files   []string
	place   func(int, *handle) error
	results []FileResult
	left    []atomic.Int64 // tasks, by file

	mu  sync.Mutex
	bad []bad // by file
}

// bad is what could not be read of a file.
type bad struct {
	first *BlockError // the one with the least number, which is the same however many workers read
	at    int
	other error
	gone  int // blocks that were not read
}

// readFiles reads files. Place, if there is one, sees each handle before it reads, more than once,
// and with an error nothing is read of that file.
func readFiles(ctx context.Context, files []string, rd reading, place func(int, *handle) error) []FileResult {
	return readUnlessDone(ctx, files, func() []FileResult { return runFiles(ctx, files, rd, place) })
}

func runFiles(ctx context.Context, files []string, rd reading, place func(int, *handle) error) []FileResult {
	rd.workers = min(rd.workers, MaxHandles()) // more would wait for a handle
	r := &run{
		handles: newHandles(files, MaxHandles(), rd),
		files:   files,
		place:   place,
		results: make([]FileResult, len(files)),
		left:    make([]atomic.Int64, len(files)),
		bad:     make([]bad, len(files)),
	}
	inParallel(rd.workers, len(files), func(i int) {
		if err := r.with(ctx, i, func(h *handle) error { return r.placed(i, h) }); err != nil {
			r.fail(i, err)
		}
	})
	layouts := make([]layout, len(files))
	for i := range layouts {
		layouts[i] = r.tally[i].layout
	}
	p := newPlan(layouts, rd.bytes)
	for i := range files {
		r.left[i].Store(int64(p.starts[i+1] - p.starts[i]))
	}
	var next atomic.Int64
	workers := min(rd.workers, p.tasks()) // who has nothing to do is not started
	inParallel(workers, workers, func(int) {
		for i := int(next.Add(1) - 1); i < p.tasks(); i = int(next.Add(1) - 1) {
			file, from, to := p.task(i)
			if r.failed(file) { // as the rest of it would
				skip(&next, p.starts[file+1])
				continue
			}
			r.fold(ctx, file, from, to)
			if r.left[file].Add(-1) == 0 || r.failed(file) {
				r.handles.mu.Lock()
				r.drop(file)
				r.tally[file].own = nil
				r.handles.mu.Unlock()
			}
		}
	})
	r.end()
	onOwnThread(files, func() {
		for i := range files {
			r.results[i] = r.result(i)
		}
	})
	return r.results
}

// inParallel calls f with 0 to n-1, on at most some workers.
func inParallel(workers, n int, f func(int)) {
	var next atomic.Int64
	var done sync.WaitGroup
	for range min(workers, n) {
		done.Go(func() {
			for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
				f(i)
			}
		})
	}
	done.Wait()
}

// skip makes the next number at least n.
func skip(next *atomic.Int64, n int) {
	for at := next.Load(); at < int64(n) && !next.CompareAndSwap(at, int64(n)); at = next.Load() {
	}
}

// fold reads the blocks from..to-1 of a file, and goes on after one that cannot be read.
func (r *run) fold(ctx context.Context, file, from, to int) {
	err := r.with(ctx, file, func(h *handle) error {
		if err := r.placed(file, h); err != nil {
			return err
		}
		for i := from; i < to; {
			var damage *BlockError
			var err error
			i, err = h.foldBlocks(ctx, r.files[file], i, to)
			switch {
			case errors.As(err, &damage) && !errors.Is(err, ErrRemote):
				r.mu.Lock()
				b := &r.bad[file]
				if b.first == nil || i < b.at {
					b.first, b.at = damage, i
				}
				b.gone++
				r.mu.Unlock()
				i++
			case err != nil:
				return err
			}
		}
		return nil
	})
	if err != nil {
		r.fail(file, err)
	}
}

// placed shows place a handle.
func (r *run) placed(file int, h *handle) error {
	if r.place == nil {
		return nil
	}
	return r.place(file, h)
}

func (r *run) fail(file int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bad[file].other == nil {
		r.bad[file].other = err
	}
}

func (r *run) failed(file int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bad[file].other != nil
}

func (r *run) result(file int) FileResult {
	res := FileResult{Path: r.files[file], Bands: r.bands(file), Err: r.bad[file].other}
	res.Read = res.Blocks
	switch b := r.bad[file]; {
	case b.other != nil:
		res.Read = 0 // nobody knows
		if r.tally[file].known {
			res.Stats = make([]Stats, len(res.Stats))
		}
	case b.first != nil:
		res.Read -= b.gone
		res.Err = fmt.Errorf("%w; %d of %d blocks could be read", b.first, res.Read, res.Blocks)
	}
	if b := r.bad[file]; b.other == nil { // what seems to be damage may be a change
		if err := res.id.still(res.Path, r.mustAsk(file)); err != nil {
			res.Err = failed("read", res.Path, err)
		}
	}
	return res
}

// mustAsk reports whether the last of a server's answers does not tell if a file was changed while
// it was read: where GDAL does not keep its time, and where an earlier one was of another.
func (hs *handles) mustAsk(file int) bool {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	t := &hs.tally[file]
	return hs.ranges || !t.layout.stored || t.doubted
}
