package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"overlap/pkg/internal/tiff"
	"overlap/pkg/raster"

	"golang.org/x/sync/errgroup"
)

// A ceiling reads without GDAL: compressed tiles are inflated, and no more. It is what the hardware
// and libdeflate allow.
type ceiling struct {
	files   []string
	workers int
	whole   bool // puts the tiles together to arrays
	fold    bool // folds as package raster does, while the clock runs
	kept    kept
	folded  *tally
}

// newCeiling returns the reader of that name, nil if it is no ceiling.
func newCeiling(name string, files []string) (r reader, missing string, err error) {
	c := &ceiling{files: files, workers: cpus()}
	switch name {
	case "ceiling-windows-1":
		c.workers = 1
	case "ceiling-windows":
	case "ceiling-statistics":
		c.fold = true
	case "ceiling-arrays":
		c.whole = true
	case "ceiling-both":
		c.whole, c.fold = true, true
	default:
		return nil, "", nil
	}
	d, err := tiff.NewDecoder()
	if errors.Is(err, tiff.ErrNoLibrary) {
		return nil, err.Error(), nil
	} else if err != nil {
		return nil, "", err
	}
	d.Close()
	return c, "", nil
}

func (c *ceiling) read(ctx context.Context) error {
	c.folded = nil
	if c.fold {
		c.folded = newTally()
	}
	return c.run(ctx)
}

func (c *ceiling) answer(ctx context.Context) (answer, error) {
	a := answer{}
	if c.whole {
		a = c.kept.answer()
	}
	if c.folded == nil && !c.whole {
		c.folded = newTally()
		if err := c.run(ctx); err != nil {
			return a, err
		}
	}
	if c.folded != nil {
		a = c.folded.answer
	}
	return a, nil
}

// atOnce is how many blocks a worker takes at a time.
const atOnce = 8

// run reads all blocks of all files, from one list.
func (c *ceiling) run(ctx context.Context) (err error) {
	opened := make([]*tiff.File, len(c.files))
	defer func() {
		for _, f := range opened {
			if f != nil {
				err = errors.Join(err, f.Close())
			}
		}
	}()
	starts, total := make([]int, len(c.files)), 0 // the number of each file's first block
	for i, path := range c.files {
		f, err := tiff.Open(path)
		if err != nil {
			return err
		}
		opened[i], starts[i] = f, total
		if err := f.Supported(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if f.Samples != 1 || f.Bits != 32 || f.Format != tiff.Float {
			return fmt.Errorf("%s: only rasters of one band of float32 are compared", path)
		}
		total += f.Blocks()
		if c.whole {
			if _, err := c.kept.room(f.Width*f.Height, true); err != nil {
				return err
			}
		}
	}
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range c.workers {
		g.Go(func() error {
			d, err := tiff.NewDecoder()
			if err != nil {
				return err
			}
			defer d.Close()
			var block []float32
			var own raster.Stats
			var folder raster.Folder
			defer func() {
				if c.folded != nil {
					c.folded.merge(answerOf(own))
				}
			}()
			for {
				from := int(next.Add(atOnce)) - atOnce
				if from >= total || ctx.Err() != nil {
					return ctx.Err()
				}
				for i := from; i < min(from+atOnce, total); i++ {
					file := len(starts) - 1
					for starts[file] > i {
						file--
					}
					f := opened[file]
					if n := f.BlockWidth * f.BlockHeight; len(block) < n {
						block = make([]float32, n)
					}
					n := i - starts[file]
					if err := d.Read(f, n, unsafe.Slice((*byte)(unsafe.Pointer(&block[0])), 4*len(block))); err != nil {
						return err
					}
					x, y := n%f.Across()*f.BlockWidth, n/f.Across()*f.BlockHeight
					w, h := min(f.BlockWidth, f.Width-x), min(f.BlockHeight, f.Height-y)
					if c.folded != nil {
						raster.Window[float32]{X: x, Y: y, Width: w, Height: h, Pixels: block, Stride: f.BlockWidth}.Fold(&folder, &own)
					}
					if c.whole {
						for row := range h {
							copy(c.kept.arrays[file][(y+row)*f.Width+x:], block[row*f.BlockWidth:][:w])
						}
					}
				}
			}
		})
	}
	return g.Wait()
}
