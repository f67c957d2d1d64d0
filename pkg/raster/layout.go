package raster

import (
	"fmt"
	"sort"
)

// A layout is how the pixels to be read are cut into blocks. Blocks are numbered along the rows of
// blocks, and from plane to plane.
type layout struct {
	across, down int  // blocks of a plane
	planes       int  // 1 where a block holds all bands, the number of bands otherwise
	bw, bh       int  // pixels of a block
	blockBytes   int  // of a block of the widest band, times the bands that it holds
	stored       bool // whether blocks are those that the file stores, and are read as such
	joined       int  // blocks, one below the other, to read by one call
	inOrder      bool // whether a block can be read only after those above it
}

const (
	// A row of pixels is a bad unit of reading: joinBytes of them fit into a CPU's second cache,
	// and make the cost of a call small.
	joinBytes = 256 << 10
	// A VRT stores no blocks; it says 128 x 128. Windows of that size would have its sources'
	// blocks decoded again and again.
	virtualBlock = 1024
)

// newLayout returns the layout for some bands of a raster. Stored says that blocks may be read as
// the file stores them: not where GDAL is to read with threads of its own, which it does for no
// stored block, or where the bands' blocks differ.
func newLayout(i Info, bands []*band, stored bool) layout {
	l := layout{bw: i.BlockWidth, bh: i.BlockHeight, planes: len(bands), stored: stored, joined: 1}
	size := 0
	for _, b := range bands {
		size = max(size, b.kind.bytes())
	}
	if i.Driver == "VRT" {
		l.bw, l.bh, l.stored = min(virtualBlock, i.Width), min(virtualBlock, i.Height), false
	}
	if i.PixelInterleaved {
		l.planes = 1
	}
	switch i.Driver {
	case "PNG", "JPEG", "GIF":
		l.inOrder = true // a second worker would decode the first one's rows again
	}
	l.across, l.down = (i.Width+l.bw-1)/l.bw, (i.Height+l.bh-1)/l.bh
	l.blockBytes = l.bw * l.bh * size * (len(bands) / max(1, l.planes))
	if l.across == 1 && l.stored {
		l.joined = min(l.down, max(1, joinBytes/l.blockBytes))
	}
	return l
}

// sane refuses blocks that no writer makes: of a gigabyte or more, and far larger than the raster
// of a width and height that they are to hold. To find that they are not there takes half a minute
// and all memory.
func (l layout) sane(width, height int) error {
	if l.blockBytes >= 1<<30 && float64(l.bw)*float64(l.bh) > 16*float64(width)*float64(height) {
		return damaged(fmt.Errorf("its blocks of %d x %d pixels are far larger than itself, %d x %d", l.bw, l.bh, width,
			height))
	}
	return nil
}

// count is the number of blocks.
func (l layout) count() int { return l.planes * l.across * l.down }

// step is how many blocks a task reads that is to read at least some bytes.
func (l layout) step(bytes int) int {
	if l.inOrder {
		return max(1, l.count())
	}
	return max(1, min(l.count(), (bytes-1)/max(1, l.blockBytes)+1))
}

// A plan is how the blocks of some files are cut into tasks, all of them in one list, which is
// never made: a file may claim more blocks than there is memory for.
type plan struct {
	layouts []layout
	steps   []int // blocks of a task, by file
	starts  []int // the number of each file's first task, and behind the last one how many there are
}

// newPlan cuts files into tasks that read at least some bytes each.
func newPlan(layouts []layout, bytes int) plan {
	p := plan{layouts: layouts, starts: []int{0}}
	n := 0
	for _, l := range layouts {
		step := l.step(bytes)
		n += (l.count() + step - 1) / step
		p.steps, p.starts = append(p.steps, step), append(p.starts, n)
	}
	return p
}

func (p plan) tasks() int { return p.starts[len(p.layouts)] }

// task returns a task's file, and its blocks from..to-1.
func (p plan) task(i int) (file, from, to int) {
	file = sort.SearchInts(p.starts, i+1) - 1
	from = (i - p.starts[file]) * p.steps[file]
	return file, from, min(from+p.steps[file], p.layouts[file].count())
}

// maxTasks is how many tasks a workload makes at most: they are in memory, some hundred bytes each.
const maxTasks = 1 << 22

// feasible says which file is cut into too many tasks, if one is.
func (p plan) feasible(files []string) error {
	if p.tasks() <= maxTasks {
		return nil
	}
	worst := 0
	for i := range p.layouts {
		if p.starts[i+1]-p.starts[i] > p.starts[worst+1]-p.starts[worst] {
			worst = i
		}
	}
	return failed("read", files[worst], fmt.Errorf("its %d blocks make too many tasks: %d, at most %d can be made; "+
		"make them larger with TaskBytes",
		p.layouts[worst].count(), p.tasks(), maxTasks))
}

// at returns a block's plane, column and row.
func (l layout) at(i int) (plane, column, row int) {
	each := l.across * l.down
	return i / each, i % each % l.across, i % each / l.across
}

// A window is a rectangle of pixels.
type window struct{ x, y, width, height int }

// window returns the part of n blocks, the first at a column and row, that lies in a raster of a
// width and height. Below says that they are one below the other, and not side by side.
func (l layout) window(column, row, n int, below bool, width, height int) window {
	w := window{x: column * l.bw, y: row * l.bh}
	if below {
		w.width, w.height = min(l.bw, width-w.x), min(n*l.bh, height-w.y)
	} else {
		w.width, w.height = min(n*l.bw, width-w.x), min(l.bh, height-w.y)
	}
	return w
}
