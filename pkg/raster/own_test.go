package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/airbusgeo/godal"
	"overlap/pkg/raster/tiff"
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

// Of the fixtures, package tiff reads these kinds and leaves those to GDAL.
func TestOwnLayout(t *testing.T) {
	for _, c := range []struct {
		file string
		own  bool
	}{
		{"codec-deflate.tif", true},
		{"codec-deflate-old.tif", true},
		{"codec-none.tif", true},
		{"bigtiff.tif", true},
		{"bigtiff-big-endian.tif", true},
		{"big-endian.tif", true},
		{"big-endian-none.tif", true},
		{"bands-pixel.tif", true},
		{"bands-pixel-strips.tif", false}, // LZW
		{"bands-band.tif", true},
		{"bands-24.tif", true},
		{"predictor-2-uint8.tif", true},
		{"predictor-2-pixel.tif", true},
		{"predictor-2-big-endian.tif", true},
		{"predictor-3-pixel.tif", true},
		{"predictor-3-float64.tif", true},
		{"predictor-3-strips.tif", true},
		{"sparse.tif", true},
		{"int8.tif", true},
		{"strip-single.tif", true},
		{"alpha-rgb.tif", true},
		{"mask-internal.tif", true},
		{"cog.tif", true},
		{"codec-lzw.tif", false},
		{"predictor-3-lzw.tif", false},
		{"codec-jpeg.tif", false},
		{"bits-1.tif", false},
		{"bits-12.tif", false},
		{"float16.tif", false},
		{"mosaic.vrt", false},
	} {
		t.Run(c.file, func(t *testing.T) {
			setup()
			h, err := openFor(filepath.Join("testdata", c.file), reading{}, access{})
			if err != nil {
				t.Skip(err) // not with this GDAL
			}
			defer h.close()
			if got := h.ownLayout() != nil; got != c.own {
				t.Errorf("package tiff reads it: %v, want %v", got, c.own)
			}
			h.byGDAL = true
			if h.ownLayout() != nil {
				t.Error("and it is to be read by GDAL")
			}
		})
	}
}

// Overviews are left to GDAL.
func TestOwnLayoutOfOverviews(t *testing.T) {
	h, err := openFor(filepath.Join("testdata", "overviews.tif"), reading{overview: 1}, access{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	if h.ownLayout() != nil {
		t.Error("package tiff is to read an overview")
	}
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
			want := answer(t, WindowReads(path).Bands(bands...).ByGDAL(), 1, on(1))
			for _, bytes := range []int{1, defaultTaskBytes} {
				if got := answer(t, WindowReads(path).Bands(bands...).TaskBytes(bytes), 1, on(3)); got != want {
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
			h, err := openFor(path, reading{}, access{})
			if err != nil {
				t.Fatal(err)
			}
			var at, n int64
			fmt.Sscan(h.item(h.firstBand(), "BLOCK_OFFSET_1_0", "TIFF"), &at)
			fmt.Sscan(h.item(h.firstBand(), "BLOCK_SIZE_1_0", "TIFF"), &n)
			h.close()
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

// What the system cannot read is not a damaged file.
func TestSystemErrorIsNoDamage(t *testing.T) {
	err := ownError(fmt.Errorf("tiff: read block 3: %w", &fs.PathError{Op: "read", Path: "a.tif", Err: syscall.EIO}))
	if !errors.Is(err, syscall.EIO) || isDamage(err) {
		t.Errorf("got %v", err)
	}
	if err := ownError(fmt.Errorf("tiff: read block 3: %w", io.ErrUnexpectedEOF)); !isDamage(err) {
		t.Errorf("got %v", err)
	}
}
