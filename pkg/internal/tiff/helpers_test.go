package tiff_test

import (
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"testing"

	"github.com/airbusgeo/godal"
)

// A kind is a sort of file that GDAL writes.
type kind struct {
	name          string
	dtype         godal.DataType
	bands         int
	width, height int
	options       []string // creation options of GDAL's GTiff driver
}

var register = sync.OnceFunc(godal.RegisterAll)

// write makes a file of this kind with GDAL, all pixels different enough to
// tell, and returns its path.
func (k kind) write(tb testing.TB) string {
	tb.Helper()
	register()
	path := filepath.Join(tb.TempDir(), "a.tif")
	opts := []godal.DatasetCreateOption{}
	for _, o := range k.options {
		opts = append(opts, godal.CreationOption(o))
	}
	ds, err := godal.Create(godal.GTiff, path, k.bands, k.dtype, k.width, k.height, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	for b, band := range ds.Bands() {
		if err := band.Write(0, 0, pixels(k.width, k.height, b), k.width, k.height); err != nil {
			tb.Fatal(err)
		}
	}
	if err := ds.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// pixels are smooth with noise and, for types that have them, signs and parts
// of units. GDAL rounds and clamps them to the type.
func pixels(width, height, band int) []float64 {
	p := make([]float64, width*height)
	state := uint64(band + 1)
	for i := range p {
		state = state*6364136223846793005 + 1442695040888963407
		noise := float64(state>>40) / (1 << 24)
		p[i] = 1000*math.Sin(float64(i%width)/40)*math.Cos(float64(i/width)/30) + 90*noise - 45 + float64(band)
	}
	return p
}

// bytes is how many a sample of the type takes.
func bytes(t godal.DataType) int {
	switch t {
	case godal.Byte:
		return 1
	case godal.UInt16, godal.Int16:
		return 2
	case godal.Float64:
		return 8
	}
	return 4
}

func kinds() []kind {
	var all []kind
	tiled := []string{"TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=32"}
	add := func(name string, t godal.DataType, bands int, options ...string) {
		all = append(all, kind{name, t, bands, 201, 133, options})
	}
	for _, t := range []godal.DataType{godal.Byte, godal.UInt16, godal.Int16, godal.Int32, godal.UInt32, godal.Float32, godal.Float64} {
		name := t.String()
		for _, predictor := range []int{1, 2, 3} {
			floating := t == godal.Float32 || t == godal.Float64
			if predictor == 3 && !floating || predictor == 2 && t == godal.Float64 { // libtiff of before 4.4 has no predictor 2 for 64 bits
				continue
			}
			for _, endian := range []string{"LITTLE", "BIG"} {
				for _, interleave := range []string{"PIXEL", "BAND"} {
					more := []string{"COMPRESS=DEFLATE", fmt.Sprintf("PREDICTOR=%d", predictor), "ENDIANNESS=" + endian, "INTERLEAVE=" + interleave}
					add(fmt.Sprintf("%s, predictor %d, %s-endian, 3 bands by %s", name, predictor, endian, interleave), t, 3, append(more, tiled...)...)
				}
				add(fmt.Sprintf("%s, predictor %d, %s-endian, strips", name, predictor, endian), t, 1,
					"COMPRESS=DEFLATE", fmt.Sprintf("PREDICTOR=%d", predictor), "ENDIANNESS="+endian, "BLOCKYSIZE=20")
			}
		}
		add(name+", not compressed, big-endian", t, 1, append([]string{"ENDIANNESS=BIG"}, tiled...)...)
		add(name+", not compressed, strips", t, 2)
	}
	add("BigTIFF", godal.Float32, 1, append([]string{"COMPRESS=DEFLATE", "BIGTIFF=YES"}, tiled...)...)
	add("BigTIFF, big-endian", godal.Int16, 1, append([]string{"COMPRESS=DEFLATE", "BIGTIFF=YES", "ENDIANNESS=BIG"}, tiled...)...)
	add("a single strip", godal.Float32, 1, "COMPRESS=DEFLATE", "BLOCKYSIZE=133", "PREDICTOR=3")
	return all
}
