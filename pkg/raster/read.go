package raster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrNoFiles is the error of reading no files.
var ErrNoFiles = errors.New("raster: no files given; give the path of one, or a pattern to Match")

var errNoContext = errors.New("the context is nil; give context.Background()")

// Read reads a raster block by block, with several workers, and returns the
// statistics of all its bands together. Memory is a block or so a worker,
// whatever the size of the raster.
//
// Damage is an error that names the file and the block; see [BlockError]. Where
// it can go unnoticed, the package's documentation says. A file that is changed,
// replaced or removed while it is read is an error.
func Read(ctx context.Context, path string, opts ...ReadOption) (Stats, error) {
	b, err := ReadBands(ctx, path, opts...)
	if err != nil {
		return Stats{}, err
	}
	return b.Total(), nil
}

// ReadBands is Read with the statistics of each band. With an error they are
// of the blocks that could be read, which [Bands.Read] counts.
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
		return fmt.Sprintf("%s: %v", quoted(r.Path), r.Bands)
	case r.Read == 0:
		return r.Err.Error()
	}
	return fmt.Sprintf("%s: %v\n%v", quoted(r.Path), r.Bands, r.Err)
}

// ReadMany reads several rasters, which share the workers by one queue of all
// files' blocks. A file that cannot be read does not keep the others from it:
// its result has the error, and the error returned joins all.
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

// Match returns the files that patterns match, in order of name for each. A
// pattern is that of [filepath.Match], and a name of a file that exists stands for itself. One
// that matches nothing is an error.
func Match(patterns ...string) ([]string, error) {
	var files []string
	for _, p := range patterns {
		if _, err := os.Lstat(p); err == nil || strings.HasPrefix(p, "/vsi") || isRemote(p) || isPart(p) {
			files = append(files, p)
			continue
		}
		found, err := filepath.Glob(p)
		switch {
		case err != nil:
			return nil, fmt.Errorf("raster: pattern %s: %w; see the documentation of filepath.Match", quoted(p), err)
		case len(found) == 0:
			return nil, noMatch(p)
		}
		files = append(files, found...)
	}
	return files, nil
}

// noMatch is the error of a pattern that matches no file.
func noMatch(pattern string) error {
	if hidden(pattern) {
		return failed("match", pattern, because(fs.ErrPermission, noLook))
	}
	todo := "check its folder and its letters"
	if h := hint(pattern); h != "" {
		todo = h
	} else if other := nearbyMatch(pattern); other != "" {
		todo = fmt.Sprintf("its folder has %s, which differs in the case of letters or the form of Unicode", strconv.Quote(other))
	}
	return fmt.Errorf("raster: pattern %s matches no file; %s", quoted(pattern), todo)
}

// hidden reports whether a pattern may match nothing because a folder cannot be looked into,
// of which filepath.Glob says nothing.
func hidden(pattern string) bool {
	if _, err := os.Lstat(pattern); errors.Is(err, fs.ErrPermission) {
		return true
	}
	for dir := filepath.Dir(pattern); ; dir = filepath.Dir(dir) {
		found, _ := filepath.Glob(dir)
		for _, name := range found {
			info, err := os.Stat(name)
			if err == nil && info.IsDir() { // to open a pipe would wait
				var f *os.File
				if f, err = os.Open(name); err == nil {
					f.Close()
				}
			}
			if errors.Is(err, fs.ErrPermission) {
				return true
			}
		}
		if len(found) > 0 || dir == filepath.Dir(dir) {
			return false
		}
	}
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

// readFiles reads files. Place, if there is one, sees each handle before it
// reads, more than once, and with an error nothing is read of that file.
func readFiles(ctx context.Context, files []string, rd reading, place func(int, *handle) error) []FileResult {
	return attendFiles(ctx, files, func() []FileResult { return runFiles(ctx, files, rd, place) })
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
	each(rd.workers, len(files), func(i int) {
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
	each(workers, workers, func(int) {
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
	apart(files, func() {
		for i := range files {
			r.results[i] = r.result(i)
		}
	})
	return r.results
}

// each calls f with 0 to n-1, on at most some workers.
func each(workers, n int, f func(int)) {
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

// fold reads the blocks from..to-1 of a file, and goes on after one that
// cannot be read.
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

// inspect inspects the first n files.
func inspect(files []string, n int, rd reading) ([]layout, []Info, error) {
	switch {
	case len(files) == 0:
		return nil, nil, ErrNoFiles
	case n < 1:
		return nil, nil, fmt.Errorf("raster: size %d: at least 1 raster must be read", n)
	case n > len(files):
		return nil, nil, fmt.Errorf("raster: size %d: only %d files given; give more files, or a smaller size", n, len(files))
	}
	forget(files[:n]...) // each run fetches what it reads
	layouts, infos := make([]layout, n), make([]Info, n)
	var err error
	apart(files, func() {
		for i := range infos {
			var h *handle
			if h, err = openFor(files[i], rd, access{}); err != nil {
				return
			}
			layouts[i], infos[i] = h.layout, h.Info
			h.close()
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return layouts, infos, nil
}

// unchanged makes sure that the files are what they were. Where not all of them was read, no server is asked: one that hangs
// may be why.
func (hs *handles) unchanged(infos []Info, complete bool) error {
	for i, info := range infos {
		if !complete && info.id.info == nil {
			continue
		}
		if err := info.id.still(hs.files[i], hs.mustAsk(i)); err != nil {
			return failed("read", hs.files[i], err)
		}
	}
	return nil
}

// mustAsk reports whether the last of a server's answers does not tell if a file was changed while it was read: where
// GDAL does not keep its time, and where an earlier one was of another.
func (hs *handles) mustAsk(file int) bool {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	t := &hs.tally[file]
	return hs.ranges || !t.layout.stored || t.doubted
}

// describe returns the parameters that tell files apart: their names without
// folders, and their lengths.
func describe(files []string, rd reading) map[string]string {
	names := make([]string, len(files))
	var bytes int64
	for i, f := range files {
		names[i] = baseName(f)
		if info, err := os.Stat(f); err == nil {
			bytes += info.Size()
		}
	}
	params := map[string]string{
		"files":      strings.Join(names, ","),
		"file_bytes": strconv.FormatInt(bytes, 10),
		"page_cache": "warm", // after the lab's round of warm-up; what does not fit in memory never is

		"gdal_threads":  "1", // of a read, whatever the environment says
		"gdal_cachemax": gdalCache(),
	}
	remoteParams(files, params)
	rd.params(params)
	return params
}
