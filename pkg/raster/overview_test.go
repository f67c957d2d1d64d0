package raster_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/airbusgeo/godal"

	. "overlap/pkg/raster"
	. "overlap/pkg/workload/reads"
)

// An overview beside the file may have another type and other blocks than the raster: it is then
// converted, and not taken for what it is not.
func TestOverviewOfAnotherType(t *testing.T) {
	path := rasterFile(t, "a.tif", godal.Byte, 640, 480, nil, func(x, y int) float64 { return 7 }, "TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16")
	small := rasterFile(t, "b.tif", godal.Float64, 320, 240, nil, func(x, y int) float64 { return float64(x % 200) }, "TILED=YES", "BLOCKXSIZE=128", "BLOCKYSIZE=128")
	if err := os.Rename(small, path+".ovr"); err != nil {
		t.Fatal(err)
	}
	s, err := Read(t.Context(), path, Overview(1), ReadWorkers(2))
	if err != nil || s.Count != 320*240 || s.Min != 0 || s.Max != 199 {
		t.Errorf("%v, %v", s, err)
	}
	want := combine([]Stats{s}).String()
	for name, read := range kindWays(1, path) {
		if got, err := read(t.Context()); notHere(name, err) {
			continue
		} else if err != nil || got != want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", name, err, got, want)
		}
	}
}

// GDAL says nothing of a file .ovr that is damaged.
func TestOverviewFileDamaged(t *testing.T) {
	_, err := Read(t.Context(), "testdata/overviews-damaged.tif", Overview(1))
	says(t, err, "the file .ovr beside it is damaged; make it again")
	_, err = Read(t.Context(), "testdata/strips-1.tif", Overview(1))
	says(t, err, "overview 1 is wanted, and it has 0; gdaladdo makes them")
}

// What crashes with threads of GDAL before 3.7 is refused there.
func TestThreadsRefused(t *testing.T) {
	if version() >= firstThreads {
		t.Skip("this GDAL's threads do not crash")
	}
	for _, c := range []struct {
		file     string
		overview int
		refused  bool
	}{
		{"planes.vrt", 0, true}, {"mosaic.vrt", 0, true}, {"mask-each.tif", 0, true}, {"mask-sidecar.tif", 0, true}, {"bands-band.tif", 0, true},
		{"overviews-planes.tif", 1, true}, {"overviews.tif", 1, true},
		{"overviews.tif", 0, false}, {"bands-pixel.tif", 0, false}, {"nodata-int16.tif", 0, false}, {"alpha-rgb.tif", 0, false},
	} {
		path := filepath.Join("testdata", c.file)
		_, finish, err := WindowReads(path).GDALThreads(2).With(Overview(c.overview)).Tasks(1)
		if errors.Is(err, ErrUnsupported) != c.refused || !c.refused && err != nil {
			t.Errorf("%s, overview %d: %v", c.file, c.overview, err)
		}
		if err == nil {
			finish()
		}
	}
}
