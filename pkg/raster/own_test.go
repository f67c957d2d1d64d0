package raster_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/airbusgeo/godal"

	"overlap/pkg/internal/tiff"
	. "overlap/pkg/raster"
	. "overlap/pkg/workload/reads"
	. "overlap/pkg/workload/terrain"
)

// needsInflater skips a test where package tiff has no libdeflate.
func needsInflater(t *testing.T) {
	t.Helper()
	d, err := tiff.NewDecoder()
	if err != nil {
		t.Skip(err)
	}
	d.Close()
}

// Bands that are chosen, in any order, of files that keep them together and
// apart, are those that GDAL gives.
func TestOwnBands(t *testing.T) {
	var files []string
	for _, name := range []string{"bands-pixel.tif", "bands-band.tif", "bands-band-strips.tif", "predictor-2-pixel.tif", "predictor-3-pixel.tif", "alpha-rgb.tif"} {
		files = append(files, filepath.Join("testdata", name))
	}
	for _, interleave := range []string{"PIXEL", "BAND"} { // strips that are read several at a time, of which some are left out
		files = append(files, bandsFile(t, "COMPRESS=DEFLATE", "BLOCKYSIZE=3", "SPARSE_OK=TRUE", "INTERLEAVE="+interleave))
	}
	for _, path := range files {
		info, err := Inspect(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, bands := range [][]int{{1}, {info.Bands}, {2, 1}, {info.Bands, 1, 2}} {
			want := answer(t, WindowReads(path).With(OnlyBands(bands...)).ByGDAL(), 1, on(1))
			for _, bytes := range []int{1, defaultTaskBytes} {
				if got := answer(t, WindowReads(path).With(OnlyBands(bands...)).With(TaskBytes(bytes)), 1, on(3)); got != want {
					t.Errorf("%s, bands %v:\ngot  %s\nwant %s", path, bands, got, want)
				}
			}
		}
	}
}

// bandsFile writes a TIFF of 100 x 100 float32 with 3 bands, of which some rows are all zero.
func bandsFile(t *testing.T, options ...string) string {
	t.Helper()
	setup()
	path := filepath.Join(t.TempDir(), "a.tif")
	ds, err := godal.Create(godal.GTiff, path, 3, godal.Float32, 100, 100, godal.CreationOption(options...))
	if err != nil {
		t.Fatal(err)
	}
	for n, b := range ds.Bands() {
		pixels := make([]float32, 100*100)
		for i := range pixels {
			if i < 2000 || i >= 4000 {
				pixels[i] = float32((n + 1) * i * i % 9973)
			}
		}
		if err := b.Write(0, 0, pixels[:2000], 100, 20); err != nil {
			t.Fatal(err)
		}
		if err := b.Write(0, 40, pixels[4000:], 100, 60); err != nil {
			t.Fatal(err)
		}
	}
	if err := ds.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Damage is noticed in what GDAL lets pass, whatever the layout.
func TestOwnDamage(t *testing.T) {
	needsInflater(t)
	for _, options := range [][]string{
		{"ENDIANNESS=BIG"}, {"PREDICTOR=2", "ENDIANNESS=BIG"}, {"PREDICTOR=3", "ENDIANNESS=BIG"},
		{"INTERLEAVE=PIXEL"}, {"INTERLEAVE=PIXEL", "PREDICTOR=2"}, {"INTERLEAVE=BAND", "BIGTIFF=YES"},
	} {
		t.Run(fmt.Sprint(options), func(t *testing.T) {
			path := bandsFile(t, append(options, "COMPRESS=DEFLATE", "TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=64")...)
			h, err := Handle(path)
			if err != nil {
				t.Fatal(err)
			}
			at, n := h.Extent(1, 0)
			h.Close()
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var sum [4]byte
			if _, err := f.ReadAt(sum[:], at+n-4); err != nil {
				t.Fatal(err)
			}
			binary.BigEndian.PutUint32(sum[:], binary.BigEndian.Uint32(sum[:])+1) // the checksum alone is wrong
			if _, err := f.WriteAt(sum[:], at+n-4); err != nil {
				t.Fatal(err)
			}
			b, err := ReadBands(t.Context(), path)
			var block *BlockError
			if !errors.As(err, &block) || block.Column != 1 || block.Row != 0 || b.Read != b.Blocks-1 {
				t.Errorf("%v, %d of %d blocks", err, b.Read, b.Blocks)
			}
		})
	}
}

// More files than may be open: own reading takes no descriptors beside the handles'.
func TestOwnTakesNoDescriptors(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Skip(err)
	}
	path := terrainFile(t, "t.tif", Terrain{Width: 300, Height: 300, Seed: 1, Level: 1})
	files := make([]string, 400)
	for i := range files {
		files[i] = filepath.Join(filepath.Dir(path), fmt.Sprint(i))
		if err := os.Link(path, files[i]); err != nil {
			t.Skip(err)
		}
	}
	small := limit
	small.Cur = 128
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &small); err != nil {
		t.Skip(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	results, err := ReadMany(t.Context(), files, ReadWorkers(8))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Total() != results[0].Total() {
			t.Error(r)
		}
	}
}

// What Stream hands out folds to what Read gives, nodata and masks left out.
func TestWindowFold(t *testing.T) {
	for _, file := range []string{"mask-internal.tif", "nodata-float32.tif", "nan-and-nodata.tif", "float32.tif"} {
		path := filepath.Join("testdata", file)
		want, err := Read(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		var got Stats
		switch info, _ := Inspect(path); info.Type {
		case "Float32":
			got, err = folded[float32](t, path)
		case "Byte":
			got, err = folded[uint8](t, path)
		case "Int16":
			got, err = folded[int16](t, path)
		default:
			t.Fatalf("%s: the test knows no type %s", file, info.Type)
		}
		if err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", file, got, err, want)
		}
	}
}

func folded[T Pixel](t *testing.T, path string) (Stats, error) {
	var f Folder
	var s Stats
	err := Stream(t.Context(), []string{path}, func(w Window[T]) error {
		w.Fold(&f, &s)
		return nil
	}, ReadWorkers(1))
	return s, err
}

func TestPixelsOnly(t *testing.T) {
	path := terrainFile(t, "t.tif", Terrain{Width: 300, Height: 300, Seed: 1, Level: 1})
	with, err := Load[float32](t.Context(), path, 1)
	if err != nil {
		t.Fatal(err)
	}
	without, err := Load[float32](t.Context(), path, 1, PixelsOnly())
	if err != nil || without.Stats != (Stats{}) || with.Stats.Count != 300*300 {
		t.Errorf("%v, %v, %v", err, without.Stats, with.Stats)
	}
	for i, v := range with.Pixels {
		if without.Pixels[i] != v {
			t.Fatalf("pixel %d: %v, not %v", i, without.Pixels[i], v)
		}
	}
}
