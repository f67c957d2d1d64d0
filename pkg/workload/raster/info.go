package raster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Info is what a raster file says of itself. Type, blocks and nodata are those
// of the first band.
type Info struct {
	Driver                  string // GDAL's short name of the format, such as "GTiff"
	Width, Height           int    // pixels
	Bands                   int
	Type                    string // GDAL's name of the pixel type, such as "Float32"
	BlockWidth, BlockHeight int    // pixels; the file stores whole blocks
	Compression             string // such as "DEFLATE", or "none"
	Predictor               int    // of TIFF: 1 none, 2 differences of integers, 3 differences of floating-point numbers' bytes
	PixelInterleaved        bool   // whether a block holds all bands, and not one
	NoData                  float64
	HasNoData               bool
	Georeferenced           bool // whether it says where on Earth it lies
	Overviews               []Size
	Layers                  []Layer  // the bands
	Warnings                []string // what GDAL warned of, in its words
	FileBytes               int64    // 0 where it is not a file of the local system

	size int // bytes a pixel of the first band
	id   identity
}

// A Size is the width and the height of an overview, in pixels.
type Size struct{ Width, Height int }

// A Layer is what a file says of one band.
type Layer struct {
	Type          string // GDAL's name of the pixel type; "Int8" for signed bytes with any GDAL
	NoData        float64
	HasNoData     bool
	Scale, Offset float64 // a stored value times Scale, plus Offset, is in the band's unit; 1 and 0 where the file has none
	Mask          string  // what says which pixels are valid: "" nothing, "nodata", "alpha", "dataset" one mask for all bands, or "band"
	Color         string  // GDAL's name of the colour that it stands for, such as "Gray", "Red" or "Alpha"

	size    int
	kind    kind
	complex bool
	none    nodata

	unmasked error // why its mask cannot be read, or nil
}

// Bytes returns how many bytes the pixels of one band take in memory.
func (i Info) Bytes() int64 { return int64(i.Width) * int64(i.Height) * int64(i.size) }

// String returns one line such as
// "GTiff 3072 x 2048, 1 band of Float32 in blocks of 256 x 256, DEFLATE, 4.3 MB (17 % of 25.2 MB)".
func (i Info) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d x %d, ", i.Driver, i.Width, i.Height)
	if i.Bands == 1 {
		b.WriteString("1 band")
	} else {
		fmt.Fprintf(&b, "%d bands", i.Bands)
	}
	fmt.Fprintf(&b, " of %s in blocks of %d x %d, ", i.types(), i.BlockWidth, i.BlockHeight)
	if i.PixelInterleaved {
		b.WriteString("interleaved by pixel, ")
	}
	if i.Compression == "none" {
		b.WriteString("not compressed")
	} else {
		b.WriteString(i.Compression)
	}
	if i.Predictor > 1 {
		fmt.Fprintf(&b, " with predictor %d", i.Predictor)
	}
	if i.HasNoData {
		fmt.Fprintf(&b, ", nodata %v", i.NoData)
	}
	if len(i.Layers) > 0 {
		switch l := i.Layers[0]; l.Mask {
		case "alpha":
			b.WriteString(", masked by alpha")
		case "dataset", "band":
			b.WriteString(", with a mask")
		}
		if l := i.Layers[0]; l.Scale != 1 || l.Offset != 0 {
			fmt.Fprintf(&b, ", scale %v, offset %v", l.Scale, l.Offset)
		}
	}
	switch n := len(i.Overviews); {
	case n == 1:
		b.WriteString(", 1 overview")
	case n > 1:
		fmt.Fprintf(&b, ", %d overviews", n)
	}
	if raw := i.rawBytes(); i.FileBytes > 0 && raw > 0 {
		fmt.Fprintf(&b, ", %s (%.0f %% of %s)", amount(i.FileBytes), 100*float64(i.FileBytes)/float64(raw), amount(raw))
	}
	if !i.Georeferenced {
		b.WriteString(", no georeferencing")
	}
	for _, w := range i.Warnings {
		fmt.Fprintf(&b, "; GDAL warns: %s", w)
	}
	return b.String()
}

// types names the types of the bands, each once.
func (i Info) types() string {
	var names []string
	for _, l := range i.Layers {
		if !slices.Contains(names, l.Type) {
			names = append(names, l.Type)
		}
	}
	return strings.Join(names, " and ")
}

// rawBytes is what all pixels take in memory.
func (i Info) rawBytes() (n int64) {
	for _, l := range i.Layers {
		n += int64(i.Width) * int64(i.Height) * int64(l.size)
	}
	return n
}

// usable says why the raster cannot be read as the options say, if so.
func (i Info) usable(rd reading) error {
	switch {
	case i.Bands == 0:
		return errors.New("it has no bands: it holds several rasters; name one of them (the command gdalinfo lists them)")
	case i.Width < 1 || i.Height < 1 || i.BlockWidth < 1 || i.BlockHeight < 1:
		return errors.New("it has no pixels")
	case rd.overview < 0:
		return fmt.Errorf("overview %d is wanted; 0 is the raster itself, and the first overview is 1", rd.overview)
	case rd.bands != nil && len(rd.bands) == 0:
		return errors.New("an empty list of bands is wanted; name a band, or leave OnlyBands out to read all")
	case rd.overview > len(i.Overviews):
		return fmt.Errorf("overview %d is wanted, and it has %d; gdaladdo makes them", rd.overview, len(i.Overviews))
	}
	for _, n := range rd.numbers(i.Bands) {
		if n < 1 || n > i.Bands {
			return fmt.Errorf("band %d is wanted, and it has the bands 1 to %d", n, i.Bands)
		}
		switch l := i.Layers[n-1]; {
		case l.complex:
			return fmt.Errorf("its pixels are complex numbers (%s); only real pixel types can be read", l.Type)
		case l.unmasked != nil:
			return fmt.Errorf("the mask of band %d cannot be read: %w; make the mask again, or take away the file .msk to read all pixels", n, l.unmasked)
		case l.kind == noKind:
			return fmt.Errorf("its pixels are of type %s, which cannot be read here; gdal_translate -ot Float64 makes a file that can", l.Type)
		}
	}
	return nil
}
