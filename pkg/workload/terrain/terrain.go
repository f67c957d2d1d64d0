package terrain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/airbusgeo/godal"
	"golang.org/x/sys/unix"

	"overlap/pkg/internal/fault"
	"overlap/pkg/internal/text"
	"overlap/pkg/internal/tiff"
	"overlap/pkg/raster"
)

const (
	tile       = 256   // pixels, the side of the file's tiles and the height of a strip
	maxSide    = 65536 // pixels: 17 GB of pixels, and a strip still fits in memory
	stripBytes = 100e6 // for all strips that are being filled or written
)

// Terrain describes a synthetic elevation model: a GeoTIFF of float32 heights in whole metres, in
// deflated tiles of 256 x 256, which compresses to 15-20 % as survey data does.
//
// A height depends on the seed and on the pixel's column and row, and on nothing else: not on how
// many workers made it, and not on the size, so a larger terrain continues a smaller one of the
// same seed to the right and downwards.
type Terrain struct {
	Width, Height int // pixels, 1 to 65,536
	Seed          uint64
	Level         int // of deflate, 1 (fast) to 9 (small), or to 12 with libdeflate; 0 is 6
}

// Published is the size of the rasters in the published experiment. One takes 1.7 GB in memory and
// about 300 MB on disk.
func Published(seed uint64) Terrain { return Terrain{Width: 21396, Height: 20324, Seed: seed} }

func (t Terrain) level() int {
	if t.Level == 0 {
		return 6
	}
	return t.Level
}

func (t Terrain) check() error {
	switch {
	case t.Width < 1 || t.Height < 1:
		return fmt.Errorf("%d x %d pixels: width and height must be at least 1", t.Width, t.Height)
	case t.Width > maxSide || t.Height > maxSide:
		return fmt.Errorf("%d x %d pixels: width and height can be at most %d", t.Width, t.Height, maxSide)
	case t.Level < 0 || t.Level > 12:
		return fmt.Errorf("deflate level %d: give 1 to 12, or 0 for the default, 6", t.Level)
	}
	return nil
}

// bytes returns how many bytes the pixels take in memory.
func (t Terrain) bytes() int64 { return 4 * int64(t.Width) * int64(t.Height) }

// A WriteOption changes how a terrain is written, not what is written.
type WriteOption func(*writeOptions)

type writeOptions struct {
	workers  int
	progress func(done, total int)
}

// Workers sets how many goroutines compute heights, and how many threads GDAL compresses with. The
// default is GOMAXPROCS.
func Workers(n int) WriteOption { return func(o *writeOptions) { o.workers = n } }

// OnProgress has f called, from the calling goroutine, after each strip of rows that was written.
func OnProgress(f func(done, total int)) WriteOption {
	return func(o *writeOptions) { o.progress = f }
}

// Write writes the terrain to a file and replaces the one that was there. The file gets its name
// when it is whole and on disk: until then it is a hidden file in the same folder, which is removed
// if Write fails or ctx is done. What a killed process left there is removed by the next Write of
// the same name.
//
// It uses at most about 250 MB of memory, whatever the size.
func (t Terrain) Write(ctx context.Context, path string, opts ...WriteOption) error {
	o := writeOptions{workers: runtime.GOMAXPROCS(0), progress: func(int, int) {}}
	for _, opt := range opts {
		opt(&o)
	}
	if err := t.write(ctx, path, o); err != nil {
		return fmt.Errorf("raster: write %q: %w", path, err)
	}
	return nil
}

func (t Terrain) write(ctx context.Context, path string, o writeOptions) (err error) {
	if err := t.check(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return errors.New("is a directory; give the path of a file")
	}
	dir := filepath.Dir(path)
	if err := roomFor(dir, t.bytes()*least/100); err != nil {
		return err
	}
	removeStale(path)
	f, err := os.CreateTemp(dir, partPattern(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Because(fs.ErrNotExist, fmt.Sprintf("no such folder %q; make it first", dir))
	case errors.Is(err, fs.ErrPermission):
		return fault.Because(fs.ErrPermission, fmt.Sprintf("no permission to write in folder %q; choose another, or see "+
			"chmod", dir))
	case err != nil:
		return full(dir, fault.Bare(err))
	}
	part := f.Name()
	f.Close()
	defer func() {
		if err != nil {
			os.Remove(part)
		}
	}()

	if err := t.writeTIFF(ctx, part, o); err != nil {
		return full(dir, err)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := os.Rename(part, path); err != nil {
		return fault.Bare(err)
	}
	if d, err := os.Open(dir); err == nil { // a file system that cannot sync a folder is no failure
		d.Sync()
		d.Close()
	}
	return nil
}

// writeTIFF writes a GeoTIFF, closes it and seals it. Strips are computed by workers and handed to
// GDAL here, on one goroutine, from top to bottom.
func (t Terrain) writeTIFF(ctx context.Context, path string, o writeOptions) (err error) {
	raster.Prepare()
	o.workers = max(1, o.workers)
	ds, err := godal.Create(godal.GTiff, path, 1, godal.Float32, t.Width, t.Height,
		godal.CreationOption("TILED=YES", fmt.Sprintf("BLOCKXSIZE=%d", tile), fmt.Sprintf("BLOCKYSIZE=%d", tile),
			"COMPRESS=DEFLATE", fmt.Sprintf("ZLEVEL=%d", t.level()), "PREDICTOR=1", "BIGTIFF=IF_SAFER",
			fmt.Sprintf("NUM_THREADS=%d", o.workers)),
		godal.ErrLogger(heed))
	if err != nil {
		return err
	}
	open := true
	shut := func() error {
		open = false
		return ds.Close(godal.ErrLogger(heed))
	}
	defer func() {
		if open {
			shut()
		}
	}()
	// The lock tells other processes that the hidden file is alive. The kernel drops it with the
	// process.
	if f, err := os.Open(path); err == nil {
		defer f.Close()
		syscall.Flock(int(f.Fd()), syscall.LOCK_SH)
	}
	if err := ds.SetMetadata("TIFFTAG_IMAGEDESCRIPTION", t.label(), godal.ErrLogger(heed)); err != nil {
		return err
	}

	band := ds.Bands()[0]
	rows := 0
	err = t.strips(ctx, o.workers, func(y, n int, strip []float32) error {
		for x := 0; x < t.Width; x += tile { // tile by tile, so that no block waits half filled in GDAL's cache
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			w := min(tile, t.Width-x)
			if err := band.Write(x, y, strip[x:], w, n, godal.LineStride(t.Width), godal.ErrLogger(heed)); err != nil {
				return err
			}
		}
		rows += n
		o.progress(rows, t.Height)
		return nil
	})
	if err != nil {
		return err
	}
	if err := shut(); err != nil {
		return err
	}
	if err := complete(path); err != nil {
		return err
	}
	return seal(path, t)
}

// strips computes the terrain in strips of rows and hands them to emit in order, with their first
// row and their number of rows. It returns when its workers have ended.
func (t Terrain) strips(ctx context.Context, workers int, emit func(y, rows int, strip []float32) error) error {
	total := (t.Height + tile - 1) / tile
	size := t.Width * min(tile, t.Height)
	buffers := max(2, min(workers+1, stripBytes/(4*size), total))
	workers = min(workers, buffers)

	ctx, cancel := context.WithCancelCause(ctx)
	free := make(chan []float32, buffers)
	for range buffers {
		free <- make([]float32, size)
	}
	ready := make([]chan []float32, total)
	for i := range ready {
		ready[i] = make(chan []float32, 1)
	}
	terrain := newNoise(t.Seed)
	var next atomic.Int64
	var workersDone sync.WaitGroup
	defer workersDone.Wait()
	defer cancel(nil) // runs first: it ends the workers that wait for a buffer
	for range workers {
		workersDone.Go(func() {
			for {
				// A buffer before a number: the lowest strip that is not yet written then always
				// has one, and the writer cannot wait for ever.
				var strip []float32
				select {
				case strip = <-free:
				case <-ctx.Done():
					return
				}
				i := int(next.Add(1) - 1)
				if i >= total {
					return
				}
				for r := range min(tile, t.Height-i*tile) {
					if ctx.Err() != nil {
						return
					}
					terrain.row(strip[r*t.Width:(r+1)*t.Width], i*tile+r)
				}
				ready[i] <- strip
			}
		})
	}
	for i := range total {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		select {
		case strip := <-ready[i]:
			if err := emit(i*tile, min(tile, t.Height-i*tile), strip); err != nil {
				return err
			}
			free <- strip
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// least is the share of the pixels' bytes, in percent, that a file takes at the very least. It is
// for noticing early that a disk is too full.
const least = 12

func roomFor(dir string, need int64) error {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return nil // creating the file will say why
	}
	if free := int64(s.Bavail) * int64(s.Bsize); free < need {
		return fault.Because(syscall.ENOSPC, fmt.Sprintf("the disk is too full: %s free, at least %s needed; make room "+
			"or choose another folder", text.Bytes(free), text.Bytes(need)))
	}
	return nil
}

// full adds the cause and a remedy to the error of a write that failed because the disk is full,
// and shortens what GDAL says.
func full(dir string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	first, _, _ := strings.Cut(err.Error(), "\n") // GDAL goes on to say what else failed then
	var s unix.Statfs_t
	if errors.Is(err, syscall.ENOSPC) || strings.Contains(first, syscall.ENOSPC.Error()) || strings.Contains(first,
		"No space left") ||
		unix.Statfs(dir, &s) == nil && int64(s.Bavail)*int64(s.Bsize) < 1<<20 {
		return fault.Because(syscall.ENOSPC, fmt.Sprintf("the disk is full; make room or choose another folder (%s)", first))
	}
	return fault.Because(err, first)
}

// partPattern is os.CreateTemp's pattern for the hidden file of a path.
func partPattern(path string) string { return "." + filepath.Base(path) + ".*.part" }

// removeStale removes the hidden files that killed processes left for this path: those that nobody
// holds a lock on. A file gets its lock just after it was made, so the newest are spared.
func removeStale(path string) {
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if ok, _ := filepath.Match(escape(filepath.Base(path)), e.Name()); !ok {
			continue
		}
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < 5*time.Second {
			continue
		}
		name := filepath.Join(dir, e.Name())
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			os.Remove(name)
		}
		f.Close()
	}
}

// escape returns the pattern that matches the hidden files of a name.
func escape(name string) string {
	b := []byte(".")
	for _, c := range []byte(name) {
		if c == '*' || c == '?' || c == '[' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return string(b) + ".*.part"
}

// complete makes sure that all blocks of a TIFF lie within the file. GDAL does not report every
// failed write.
func complete(path string) error {
	f, err := tiff.Open(path)
	if err != nil {
		return fmt.Errorf("what was written cannot be read (%w)", err)
	}
	defer f.Close()
	if !f.Whole() {
		return errors.New("not all of it could be written")
	}
	return nil
}

// heed is the error handler for calls of godal, which takes warnings as errors without it.
func heed(category godal.ErrorCategory, _ int, msg string) error {
	if category >= godal.CE_Failure {
		return errors.New(msg)
	}
	return nil
}
