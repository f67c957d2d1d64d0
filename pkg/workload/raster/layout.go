package raster

// A layout is how the pixels to be read are cut into blocks. Blocks are
// numbered along the rows of blocks, and from plane to plane.
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
	// A row of pixels is a bad unit of reading: joinBytes of them fit into a
	// CPU's second cache, and make the cost of a call small.
	joinBytes = 256 << 10
	// A VRT stores no blocks; it says 128 x 128. Windows of that size would have
	// its sources' blocks decoded again and again.
	virtualBlock = 1024
)

// newLayout returns the layout for some bands of a raster. Stored says that blocks may be
// read as the file stores them: not where GDAL is to read with threads of its own, which it
// does for no stored block, or where the bands' blocks differ.
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

// count is the number of blocks.
func (l layout) count() int { return l.planes * l.across * l.down }

// step is how many blocks a task reads that is to read at least some bytes.
func (l layout) step(bytes int) int {
	if l.inOrder {
		return l.count()
	}
	return max(1, (bytes+l.blockBytes-1)/max(1, l.blockBytes))
}

// at returns a block's plane, column and row.
func (l layout) at(i int) (plane, column, row int) {
	each := l.across * l.down
	return i / each, i % each % l.across, i % each / l.across
}

// A window is a rectangle of pixels.
type window struct{ x, y, width, height int }

// window returns the part of n blocks, the first at a column and row, that lies
// in a raster of a width and height. Below says that they are one below the
// other, and not side by side.
func (l layout) window(column, row, n int, below bool, width, height int) window {
	w := window{x: column * l.bw, y: row * l.bh}
	if below {
		w.width, w.height = min(l.bw, width-w.x), min(n*l.bh, height-w.y)
	} else {
		w.width, w.height = min(n*l.bw, width-w.x), min(l.bh, height-w.y)
	}
	return w
}
