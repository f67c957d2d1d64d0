package raster

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/airbusgeo/godal"
)

func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole, err := os.ReadFile(terrainFile(t, "t.tif", Terrain{Width: 700, Height: 333, Seed: 3}))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := os.ReadFile(rasterFile(t, "p.tif", godal.Float32, 700, 333, nil,
		func(x, y int) float64 { return float64(x * y % 977) }, "TILED=YES", "COMPRESS=DEFLATE"))
	if err != nil {
		t.Fatal(err)
	}
	damaged := put("damaged.tif", plain)
	damage(t, damaged)
	if err := os.Mkdir(filepath.Join(dir, "folder.tif"), 0o755); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe.tif")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		want       string
		is         error
	}{
		{"no name", "", "the name is empty", nil},
		{"no such file", filepath.Join(dir, "dem.tif"), "no such file; check the name", fs.ErrNotExist},
		{"no such folder", filepath.Join(dir, "x", "dem.tif"), "no such file", fs.ErrNotExist},
		{"a file as a folder", filepath.Join(put("f", nil), "dem.tif"), "not a directory", nil},
		{"directory", filepath.Join(dir, "folder.tif"), "is a directory; give the path of a file", nil},
		{"empty", put("empty.tif", nil), "the file is empty", nil},
		{"text", put("text.tif", []byte("Dear reader,\nthis is no raster.\n")), "not recognised as a supported raster format", nil},
		{"four bytes", put("four.tif", whole[:4]), "cut short", nil},
		{"header only", put("header.tif", whole[:8]), "cut short", nil},
		{"a pipe", pipe, "is a pipe", nil},
		{"cut to a quarter", put("quarter.tif", whole[:len(whole)/4]), "cut short", nil},
		{"cut at the end", put("end.tif", plain[:len(plain)-1000]), "cut short", nil},
		{"damaged in the middle", damaged, "damaged or cut short; copy or make it again", nil},
		{"complex", rasterFile(t, "complex.tif", godal.CFloat32, 16, 16, nil, func(x, y int) float64 { return 1 }), "complex numbers (CFloat32)", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(t.Context(), c.path)
			var wholeErr, windowErr error
			for _, w := range []struct {
				workload
				err *error
			}{{WholeReads(c.path), &wholeErr}, {WindowReads(c.path), &windowErr}} {
				tasks, finish, err := w.Tasks(1)
				if err == nil {
					err = together(t.Context(), 2, tasks)
					finish()
				}
				*w.err = err
			}
			for way, err := range map[string]error{"Read": err, "WholeReads": wholeErr, "WindowReads": windowErr} {
				if err == nil {
					t.Errorf("%s: no error", way)
					continue
				}
				if msg := err.Error(); !strings.HasPrefix(msg, "raster: ") || !strings.Contains(msg, `"`+c.path+`": `) || !strings.Contains(msg, c.want) {
					t.Errorf("%s: %v; want it to say %q", way, err, c.want)
				}
				if c.is != nil && !errors.Is(err, c.is) {
					t.Errorf("%s: %v is not %v", way, err, c.is)
				}
			}
			t.Log(err)
			if n := descriptors(t, dir); n != 0 {
				t.Errorf("%d files left open", n)
			}
		})
	}
}

func TestNoPermission(t *testing.T) {
	path := terrainFile(t, "t.tif", Terrain{Width: 10, Height: 10})
	chmod(t, filepath.Dir(filepath.Dir(path)), 0o755)
	chmod(t, path, 0)
	asNobody(t, func() {
		_, err := Inspect(path)
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "no permission to read it") {
			t.Errorf("got %v", err)
		}
	})
}

func TestInspect(t *testing.T) {
	path := terrainFile(t, "t.tif", Terrain{Width: 700, Height: 333, Seed: 3})
	info, err := Inspect(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Driver != "GTiff" || info.Width != 700 || info.Height != 333 || info.Bands != 1 || info.Type != "Float32" ||
		info.BlockWidth != 256 || info.BlockHeight != 256 || info.Compression != "DEFLATE" || info.HasNoData || info.Bytes() != 700*333*4 {
		t.Errorf("got %+v", info)
	}
	if s := info.String(); !strings.HasPrefix(s, "GTiff 700 x 333, 1 band of Float32 in blocks of 256 x 256, DEFLATE, ") || !strings.Contains(s, " kB (") {
		t.Error(s)
	}
	nodata := -9999.0
	info, err = Inspect(rasterFile(t, "n.tif", godal.Int16, 40, 30, &nodata, func(x, y int) float64 { return 0 }))
	if err != nil {
		t.Fatal(err)
	}
	if s := info.String(); !strings.Contains(s, "Int16") || !strings.Contains(s, "not compressed, nodata -9999") {
		t.Error(s)
	}
}

func TestUnusualNames(t *testing.T) {
	for _, name := range []string{"한글 이름.tif", "with spaces.tif", "[a-b]*?.tif", "no extension", "-dash.tif"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "지형 자료")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, name)
			terrain := Terrain{Width: 50, Height: 40, Seed: 9}
			for _, want := range []bool{true, false} {
				if made, err := terrain.Ensure(t.Context(), path); err != nil || made != want {
					t.Fatalf("made %v, %v; want %v", made, err, want)
				}
			}
			if s, err := Read(t.Context(), path); err != nil || s.Count != 2000 {
				t.Errorf("%v, %v", s, err)
			}
			if got := names(t, dir); got != name {
				t.Errorf("folder holds %q", got)
			}
		})
	}
}

// The rasters in a file are read by the names that GDAL gives to them.
func TestPartOfFile(t *testing.T) {
	path, err := filepath.Abs("testdata/pages.tif")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read(t.Context(), "GTIFF_DIR:2:"+path)
	if err != nil || s.Count != 20*20 || s.Min != 9 || s.Max != 9 {
		t.Errorf("%v, %v; want 400 pixels of 9", s, err)
	}
	if files, err := Match("GTIFF_DIR:2:" + path); err != nil || len(files) != 1 {
		t.Errorf("%q, %v", files, err)
	}
	for _, name := range []string{"GTIFF_DIR:2:none.tif", "x:y", "none.tif"} {
		if _, err := Read(t.Context(), name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Georeferencing beside the file is found in the names that other systems give.
func TestWorldFile(t *testing.T) {
	for _, extension := range []string{".tfw", ".TFW", ".WLD"} {
		path := rasterFile(t, "a.tif", godal.Byte, 8, 8, nil, func(x, y int) float64 { return 1 })
		if err := os.WriteFile(strings.TrimSuffix(path, ".tif")+extension, []byte("90\n0\n0\n-90\n288000\n9120000\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if info, err := Inspect(path); err != nil || !info.Georeferenced {
			t.Errorf("%s: %v, %v", extension, info, err)
		}
	}
}
