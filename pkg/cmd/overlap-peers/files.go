package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"overlap/pkg/raster"
	"overlap/pkg/workload/terrain"

	"github.com/airbusgeo/godal"
)

// A choice says which files are read.
type choice struct {
	dir       string
	size      int  // pixels a side
	full      bool // the published size instead
	files     int
	predictor int
}

// name is what the files are called without their number.
func (c choice) name() string {
	name := fmt.Sprintf("peers-%d", c.size)
	if c.full {
		name = "full"
	}
	return name
}

// String says what the files are.
func (c choice) String() string {
	t := terrain.Terrain{Width: c.size, Height: c.size}
	if c.full {
		t = terrain.Published(1)
	}
	text := fmt.Sprintf("%d x %d", t.Width, t.Height)
	if c.predictor != 1 {
		text += fmt.Sprintf(", predictor %d", c.predictor)
	}
	return text
}

// prepare makes the files that are missing, reads all of them once, so that they are in the page
// cache, and returns their paths and the bytes of their pixels.
func (c choice) prepare(ctx context.Context, log io.Writer) (paths []string, bytes int64, err error) {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return nil, 0, fmt.Errorf("overlap-peers: %w", err)
	}
	for i := range c.files {
		t := terrain.Terrain{Width: c.size, Height: c.size, Seed: uint64(i + 1)}
		if c.full {
			t = terrain.Published(t.Seed)
		}
		path := filepath.Join(c.dir, fmt.Sprintf("%s-%d.tif", c.name(), i+1))
		if _, err := os.Stat(path); err != nil {
			fmt.Fprintf(log, "making %s …\n", path)
		}
		if _, err := t.Ensure(ctx, path); err != nil {
			return nil, 0, err
		}
		if c.predictor != 1 {
			if path, err = predicted(path, c.predictor); err != nil {
				return nil, 0, err
			}
		}
		info, err := raster.Inspect(path)
		if err != nil {
			return nil, 0, err
		}
		bytes += info.Bytes()
		paths = append(paths, path)
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, 0, fmt.Errorf("overlap-peers: %w", err)
		}
		_, err = io.Copy(io.Discard, f)
		f.Close()
		if err != nil {
			return nil, 0, fmt.Errorf("overlap-peers: read %q: %w", path, err)
		}
	}
	return paths, bytes, nil
}

// predicted makes the same raster with another predictor beside it, if it is not there.
func predicted(path string, predictor int) (string, error) {
	to := strings.TrimSuffix(path, filepath.Ext(path)) + fmt.Sprintf("-predictor-%d.tif", predictor)
	from, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("overlap-peers: %w", err)
	}
	if made, err := os.Stat(to); err == nil && !from.ModTime().After(made.ModTime()) {
		return to, nil
	}
	register()
	part := to + ".part"
	ds, err := godal.Open(path, godal.ErrLogger(failures))
	if err != nil {
		return "", fmt.Errorf("overlap-peers: %w", err)
	}
	defer ds.Close()
	out, err := ds.Translate(part, []string{"-of", "GTiff", "-co", "TILED=YES", "-co", "COMPRESS=DEFLATE", "-co",
		fmt.Sprintf("PREDICTOR=%d", predictor), "-co", "NUM_THREADS=ALL_CPUS"}, godal.ErrLogger(failures))
	if err == nil {
		err = out.Close()
	}
	if err == nil {
		err = os.Rename(part, to)
	}
	if err != nil {
		os.Remove(part)
		return "", fmt.Errorf("overlap-peers: make %q: %w", to, err)
	}
	return to, nil
}

func baseNames(paths []string) []string {
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = filepath.Base(p)
	}
	return names
}
