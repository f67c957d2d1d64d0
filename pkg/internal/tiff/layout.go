package tiff

import (
	"errors"
	"fmt"
	"math"
)

// Values of the tag SampleFormat.
const (
	Unsigned = 1
	Signed   = 2
	Float    = 3
)

// Values of the tag Compression that are supported.
const (
	none       = 1
	oldJPEG    = 6 // not supported, and known for tables of all kinds
	deflate    = 8
	oldDeflate = 32946 // the same data under the number that was used before
)

// A Layout is what the first directory of a TIFF says of its pixels.
type Layout struct {
	Width, Height int // pixels

	// BlockWidth and BlockHeight are the pixels of a tile, or of a strip: the last strip may have
	// fewer rows. Tiles at the right and lower edges reach past the raster.
	BlockWidth, BlockHeight int
	Tiled                   bool

	Samples  int  // values of a pixel
	Separate bool // each sample has blocks of its own; else a pixel's samples follow each other
	Bits     int  // of a sample
	Format   int  // of a sample: Unsigned, Signed, Float, or another number

	Compression int // tag 259
	Photometric int // tag 262
	FillOrder   int // tag 266
	Predictor   int // tag 317

	BigEndian bool

	extents []extent // of the blocks, along the rows of blocks, sample after sample if separate
}

// An extent is where a block is in the file.
type extent struct{ at, bytes uint64 }

// Across and Down return how many blocks there are of one sample, or of all where they are not
// separate.
func (l *Layout) Across() int { return ceil(l.Width, l.BlockWidth) }

// Down is the number of rows of blocks: see [Layout.Across].
func (l *Layout) Down() int { return ceil(l.Height, l.BlockHeight) }

// Blocks returns how many blocks there are in all. Block i of sample s is at column i % Across and
// row i / Across of its blocks, its number is s*Across*Down+i.
func (l *Layout) Blocks() int { return len(l.extents) }

// BlockBytes returns how many bytes a whole block takes in memory.
func (l *Layout) BlockBytes() int { return l.rowBytes() * l.BlockHeight }

// Stored returns how many bytes a block takes in the file, 0 for one that was left out: all its
// pixels are nodata, or 0 where there is none.
func (l *Layout) Stored(block int) int64 { return int64(l.extents[block].bytes) }

// Whole reports whether all blocks are there, and lie within the file.
func (f *File) Whole() bool {
	for _, e := range f.extents {
		if e.bytes == 0 || e.at > f.size || e.bytes > f.size-e.at {
			return false
		}
	}
	return true
}

// stride is the number of samples that follow each other in a block.
func (l *Layout) stride() int {
	if l.Separate {
		return 1
	}
	return l.Samples
}

func (l *Layout) rowBytes() int { return l.BlockWidth * l.stride() * (l.Bits / 8) }

// rows is how many rows of the block's a file must have: all of a tile's, and of a strip's those in
// the raster.
func (l *Layout) rows(block int) int {
	if l.Tiled {
		return l.BlockHeight
	}
	return min(l.BlockHeight, l.Height-block/l.Across()%l.Down()*l.BlockHeight)
}

// Supported returns nil where blocks can be read, or the reason why not.
func (l *Layout) Supported() error {
	switch l.Compression {
	case none, deflate, oldDeflate:
	default:
		return fmt.Errorf("compression %d; only 1 (none) and 8 (deflate) are supported", l.Compression)
	}
	switch l.Bits {
	case 8, 16, 32, 64:
	default:
		return fmt.Errorf("samples of %d bits; only 8, 16, 32 and 64 are supported", l.Bits)
	}
	if l.Format == Float && l.Bits < 32 {
		return fmt.Errorf("floating-point samples of %d bits; only 32 and 64 are supported", l.Bits)
	}
	switch {
	case l.Format < Unsigned || l.Format > Float:
		return fmt.Errorf("sample format %d; only 1 to 3 (unsigned, signed, floating point) are supported", l.Format)
	case l.Predictor < 1 || l.Predictor > 3:
		return fmt.Errorf("predictor %d; only 1 to 3 are supported", l.Predictor)
	case l.Predictor == 3 && l.Format != Float:
		return errors.New("predictor 3 for samples that are not floating point")
	case l.Compression == none && l.Predictor != 1:
		return errors.New("a predictor without compression")
	case l.Photometric > 3:
		return fmt.Errorf("photometric interpretation %d; only 0 to 3 are supported", l.Photometric)
	case l.FillOrder != 1:
		return fmt.Errorf("bits in fill order %d; only 1 is supported", l.FillOrder)
	}
	return nil
}

// check refuses what no memory could hold, and what is no raster.
func (l *Layout) check() error {
	switch {
	case l.Width < 1 || l.Height < 1:
		return errors.New("it has no pixels")
	case l.BlockWidth < 1 || l.BlockHeight < 1:
		return errors.New("its blocks have no pixels")
	case l.Samples < 1 || l.Samples > math.MaxUint16:
		return fmt.Errorf("%d samples a pixel", l.Samples)
	case l.Bits < 1 || l.Bits > 1024:
		return fmt.Errorf("%d bits a sample", l.Bits)
	}
	// All factors are below 2^32, so that the products are exact as float64 up to 2^53 and far too
	// large above.
	if float64(l.BlockWidth)*float64(l.BlockHeight)*float64(l.stride())*float64(l.Bits)/8 > math.MaxInt32 {
		return errors.New("a block of it takes more than 2 GB; read it by GDAL")
	}
	return nil
}

func ceil(a, b int) int { return (a-1)/b + 1 }
