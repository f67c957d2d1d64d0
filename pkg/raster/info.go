package raster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"overlap/pkg/internal/text"
	"overlap/pkg/raster/internal/where"
)

// Info is what a raster file says of itself. Type, blocks and nodata are those of the first band.
type Info struct {
	Driver                  string // GDAL's short name of the format, such as "GTiff"
	Width, Height           int    // pixels
	Bands                   int
	Type                    string // GDAL's name of the pixel type, such as "Float32"
	BlockWidth, BlockHeight int    // pixels; the file stores whole blocks
	Compression             string // such as "DEFLATE", or "none"; "" where GDAL does not say
	// Of TIFF: 1 none, 2 differences of integers, 3 differences of floating-point numbers' bytes.
	Predictor        int
	PixelInterleaved bool // whether a block holds all bands, and not one
	NoData           float64
	HasNoData        bool
	Georeferenced    bool // whether it says where on Earth it lies
	Overviews        []Size
	Layers           []Layer // the bands
	// Names of the rasters in the file, where there are several: pages of a TIFF, variables of NetCDF.
	Parts     []string
	Warnings  []string // what GDAL warned of, in its words
	FileBytes int64    // 0 where it is not a file of the local system

	size          int // bytes a pixel of the first band
	lostOverviews bool
	id            identity
}

// A Size is the width and the height of an overview, in pixels.
type Size struct{ Width, Height int }

// A Layer is what a file says of one band.
type Layer struct {
	Type      string  // GDAL's name of the pixel type; "Int8" for signed bytes with any GDAL
	NoData    float64 // that of 64-bit integers is the nearest float64; all their bits are compared
	HasNoData bool
	// A stored value times Scale, plus Offset, is in the band's unit; 1 and 0 where the file has none.
	Scale, Offset float64
	Mask          string // what says which pixels are valid: "", "nodata", "alpha", "dataset" (one for all), or "band"
	Color         string // GDAL's name of the colour that it stands for, such as "Gray", "Red" or "Alpha"

	size    int
	kind    kind
	complex bool
	none    nodata

	unmasked error // why its mask cannot be read, or nil
}

// Bytes returns how many bytes the pixels of one band take in memory.
func (i Info) Bytes() int64 { return int64(i.Width) * int64(i.Height) * int64(i.size) }

// String returns one line such as "GTiff 3072 x 2048, 1 band of Float32 in blocks of 256 x 256,
// DEFLATE, 4.3 MB (17 % of 25.2 MB)".
func (i Info) String() string {
	if i.Driver == "" {
		return "no raster was opened"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d x %d, ", i.Driver, i.Width, i.Height)
	if i.Bands == 1 {
		b.WriteString("1 band")
	} else {
		fmt.Fprintf(&b, "%d bands", i.Bands)
	}
	fmt.Fprintf(&b, " of %s in blocks of %d x %d", i.types(), i.BlockWidth, i.BlockHeight)
	if i.PixelInterleaved {
		b.WriteString(", interleaved by pixel")
	}
	switch i.Compression {
	case "":
	case "none":
		b.WriteString(", not compressed")
	default:
		b.WriteString(", " + i.Compression)
	}
	if i.Predictor > 1 {
		fmt.Fprintf(&b, " with predictor %d", i.Predictor)
	}
	b.WriteString(i.perBand(Layer.nodata))
	b.WriteString(i.perBand(Layer.masked))
	b.WriteString(i.perBand(Layer.scaled))
	switch n := len(i.Overviews); {
	case n == 1:
		b.WriteString(", 1 overview")
	case n > 1:
		fmt.Fprintf(&b, ", %d overviews", n)
	}
	if raw := i.rawBytes(); i.FileBytes > 0 && raw > 0 {
		fmt.Fprintf(&b, ", %s (%.0f %% of %s)", text.Bytes(i.FileBytes), 100*float64(i.FileBytes)/float64(raw),
			text.Bytes(raw))
	}
	if !i.Georeferenced {
		b.WriteString(", no georeferencing")
	}
	if n := len(i.Parts); n > 1 {
		fmt.Fprintf(&b, ", one of %d rasters in the file (another is %s)", n, quotedPart(i.Parts[1]))
	}
	for _, w := range i.Warnings {
		fmt.Fprintf(&b, "; GDAL warns: %s", w)
	}
	return b.String()
}

// perBand says something of the bands: once where it holds for all of them but alpha, and else of
// which it holds.
func (i Info) perBand(say func(Layer) string) string {
	const most = 3 // of which it differs
	var all []string
	first, same := "", true
	for n, l := range i.Layers {
		text := say(l)
		if text == "" {
			same = same && l.Color == "Alpha"
			continue
		}
		if first == "" {
			first = text
		}
		same = same && text == first
		all = append(all, fmt.Sprintf(", %s (band %d)", text, n+1))
	}
	switch {
	case len(all) == 0:
		return ""
	case same:
		return ", " + first
	case len(all) > most:
		return strings.Join(all[:most], "") + fmt.Sprintf(", and other bands' (%d)", len(all)-most)
	}
	return strings.Join(all, "")
}

// quotedPart returns the name of one of several rasters in quotes. It has that of the file in it,
// which may be an address.
func quotedPart(name string) string { return strconv.Quote(where.ShownIn(name, "")) }

func (l Layer) nodata() string {
	switch {
	case !l.HasNoData:
		return ""
	case l.kind == u64:
		return fmt.Sprintf("nodata %d", uint64(l.none.whole))
	case l.kind == i64:
		return fmt.Sprintf("nodata %d", l.none.whole)
	case l.kind != noKind && !l.none.has:
		return fmt.Sprintf("nodata %s, which no %s is", digits(l.NoData), l.Type)
	}
	return "nodata " + digits(l.NoData)
}

func (l Layer) masked() string {
	switch l.Mask {
	case "alpha":
		return "masked by alpha"
	case "dataset", "band":
		return "with a mask"
	}
	return ""
}

func (l Layer) scaled() string {
	if l.Scale == 1 && l.Offset == 0 {
		return ""
	}
	return fmt.Sprintf("scale %s, offset %s", digits(l.Scale), digits(l.Offset))
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
	case i.Bands == 0 && len(i.Parts) > 0:
		return fmt.Errorf("it has no bands: it holds several rasters; name one of its %d, such as %s (Info.Parts lists "+
			"them)", len(i.Parts), quotedPart(i.Parts[0]))
	case i.Bands == 0:
		return errors.New("it has no bands")
	case i.Width < 1 || i.Height < 1 || i.BlockWidth < 1 || i.BlockHeight < 1:
		return errors.New("it has no pixels")
	case rd.overview < 0:
		return fmt.Errorf("overview %d is wanted; 0 is the raster itself, and the first overview is 1", rd.overview)
	case rd.bands != nil && len(rd.bands) == 0:
		return errors.New("an empty list of bands is wanted; name a band, or leave OnlyBands out to read all")
	case rd.overview > 0 && i.lostOverviews:
		return fmt.Errorf("overview %d is wanted, and the file .ovr beside it is damaged; make it again with gdaladdo",
			rd.overview)
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
			return fmt.Errorf("the mask of band %d cannot be read: %w; make the mask again, or take away the file .msk to "+
				"read all pixels", n, l.unmasked)
		case l.kind == noKind:
			return fmt.Errorf("its pixels are of type %s, which cannot be read here; gdal_translate -ot Float64 makes a "+
				"file that can", l.Type)
		}
	}
	return nil
}
