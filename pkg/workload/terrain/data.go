package terrain

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"overlap/pkg/internal/fault"
	"overlap/pkg/internal/home"
	"overlap/pkg/internal/text"
)

// A File is a terrain and where it is.
type File struct {
	Path    string
	Terrain Terrain
}

// The default files: small enough that five are made in a few seconds, large enough that reading
// one takes tens of milliseconds.
const defaultWidth, defaultHeight = 3072, 2048

// Data lists the lab's own files in a folder, terrain-1.tif to terrain-n.tif, with seeds 1 to n.
// With full they have the published size and are named full-1.tif and so on.
func Data(dir string, n int, full bool) []File {
	files := make([]File, max(0, n))
	for i := range files {
		seed := uint64(i + 1)
		if full {
			files[i] = File{filepath.Join(dir, fmt.Sprintf("full-%d.tif", seed)), Published(seed)}
		} else {
			files[i] = File{filepath.Join(dir, fmt.Sprintf("terrain-%d.tif", seed)), Terrain{Width: defaultWidth,
				Height: defaultHeight, Seed: seed}}
		}
	}
	return files
}

// Files makes sure that the files of [Data] are there, makes what is missing or damaged, and
// returns their paths. The folder is made if need be.
//
// Progress, if it is not nil, gets a line of text for each file that is made, and for large ones a
// line every few seconds; none for a file that is there.
func Files(ctx context.Context, dir string, n int, full bool, progress func(string)) ([]string, error) {
	if progress == nil {
		progress = func(string) {}
	}
	if n < 1 {
		return nil, fmt.Errorf("raster: make %d files: at least 1 is needed", n)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("raster: make folder %q: %w", dir, fault.Bare(err))
	}
	paths := make([]string, n)
	for i, f := range Data(dir, n, full) {
		paths[i] = f.Path
		name := filepath.Base(f.Path)
		start := time.Now()
		next := start.Add(3 * time.Second)
		made, err := f.Terrain.Ensure(ctx, f.Path, OnProgress(func(done, total int) {
			now := time.Now()
			if now.Before(next) || done == total {
				return
			}
			next = now.Add(3 * time.Second)
			left := time.Duration(float64(now.Sub(start)) * float64(total-done) / float64(done))
			progress(fmt.Sprintf("%s: %d %% made, about %v left; %d to go after it", name, 100*done/total,
				left.Round(time.Second), n-i-1))
		}))
		if err != nil {
			return nil, err
		}
		if !made {
			continue
		}
		size := int64(0)
		if info, err := os.Stat(f.Path); err == nil {
			size = info.Size()
		}
		took := time.Since(start).Seconds()
		progress(fmt.Sprintf("%s: made in %.1f s, %d x %d, %s; %d to go", name, took, f.Terrain.Width, f.Terrain.Height,
			text.Bytes(size), n-i-1))
	}
	return paths, nil
}

// Dir returns the folder of the lab's own files: rasters in [home.Data].
func Dir() (string, error) {
	data, err := home.Data()
	if err != nil {
		return "", fmt.Errorf("raster: %w", err)
	}
	return filepath.Join(data, "rasters"), nil
}
