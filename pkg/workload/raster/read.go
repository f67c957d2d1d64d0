package raster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Read reads the first band of a raster block by block, and returns its
// statistics. It is WindowReads of one file as a plain function.
//
// Damage to a file is an error where GDAL notices it. It does not always: of
// tiles with damaged deflate data, libtiff 4.5 with libdeflate took about half for
// whole, with wrong values (27 of 60 tried). [Terrain.Ensure] compares the file
// itself, and notices.
func Read(ctx context.Context, path string) (Stats, error) {
	h, err := open(path)
	if err != nil {
		return Stats{}, err
	}
	defer h.close()
	across, down := h.blocks()
	if err := h.foldBlocks(ctx, 0, across*down); err != nil {
		return Stats{}, failed("read", path, err)
	}
	return h.stats, nil
}

// foldBlocks folds in the blocks with the numbers from..to-1; they count along
// the rows of blocks.
func (h *handle) foldBlocks(ctx context.Context, from, to int) error {
	across, _ := h.blocks()
	for i := from; i < to; i++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := h.fold(i%across, i/across); err != nil {
			return fmt.Errorf("block %d, %d: %w", i%across, i/across, explain(err))
		}
	}
	return nil
}

// inspect inspects the first n files.
func inspect(files []string, n int) ([]Info, error) {
	switch {
	case len(files) == 0:
		return nil, fmt.Errorf("raster: no files given")
	case n < 1:
		return nil, fmt.Errorf("raster: size %d: at least 1 raster must be read", n)
	case n > len(files):
		return nil, fmt.Errorf("raster: size %d: only %d files given; give more files, or a smaller size", n, len(files))
	}
	infos := make([]Info, n)
	for i := range infos {
		var err error
		if infos[i], err = Inspect(files[i]); err != nil {
			return nil, err
		}
	}
	return infos, nil
}

// describe returns the parameters that tell files apart: their names without
// folders, and their lengths.
func describe(files []string) map[string]string {
	names := make([]string, len(files))
	var bytes int64
	for i, f := range files {
		names[i] = filepath.Base(f)
		if info, err := os.Stat(f); err == nil {
			bytes += info.Size()
		}
	}
	return map[string]string{
		"files":      strings.Join(names, ","),
		"file_bytes": strconv.FormatInt(bytes, 10),
		"page_cache": "warm", // after the lab's round of warm-up; what does not fit in memory never is
	}
}
