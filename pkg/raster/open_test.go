package raster_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/airbusgeo/godal"

	. "overlap/pkg/raster"
	. "overlap/pkg/workload/reads"
	. "overlap/pkg/workload/terrain"
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
	for _, name := range []string{
		"한글 이름.tif", "\u110c\u1161\u1106\u1169.tif" /* 자모, taken apart */, "with spaces.tif", "[a-b]*?.tif", "no extension", "-dash.tif", "100%25.tif", "%.tif",
		"a#b?c.tif", "quote'x.tif", `double"quote.tif`, `back\slash.tif`, "$HOME.tif", "~.tif", " .tif", "line\nbreak.tif", "http:x.tif", "NETCDF:x.tif",
	} {
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
			want, err := Read(t.Context(), path)
			if err != nil || want.Count != 2000 {
				t.Errorf("%v, %v", want, err)
			}
			if got := names(t, dir); got != name {
				t.Errorf("folder holds %q", got)
			}
			t.Chdir(dir)
			for way, read := range kindWays(0, name) {
				if got, err := read(t.Context()); notHere(way, err) {
					continue
				} else if err != nil || got != combine([]Stats{want}).String() {
					t.Errorf("%s: %s, %v", way, got, err)
				}
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

// The name of a file that is there is its name, also where it means something to GDAL.
func TestNameWithMeaning(t *testing.T) {
	t.Chdir(t.TempDir())
	value := func(v float64) string {
		return rasterFile(t, "x.tif", godal.Byte, 20, 20, nil, func(x, y int) float64 { return v })
	}
	for name, v := range map[string]float64{"x.tif": 1, "GTIFF_DIR:1:x.tif": 2, "DERIVED_SUBDATASET:AMPLITUDE:x.tif": 3, "MEM:::x.tif": 4} {
		if err := os.Rename(value(v), name); err != nil {
			t.Fatal(err)
		}
	}
	for name, v := range map[string]float64{"x.tif": 1, "GTIFF_DIR:1:x.tif": 2, "DERIVED_SUBDATASET:AMPLITUDE:x.tif": 3, "MEM:::x.tif": 4} {
		if s, err := Read(t.Context(), name); err != nil || s.Min != v || s.Max != v {
			t.Errorf("%s: %v, %v; want %v", name, s, err, v)
		}
	}
	// GDAL would read from that address.
	_, err := Read(t.Context(), "MEM:::DATAPOINTER=1,PIXELS=5,LINES=5")
	says(t, err, "for no file")
}

// What a file is that has a raster's name, and is none.
func TestOtherKindsOfFile(t *testing.T) {
	dir := t.TempDir()
	raster := rasterFile(t, "a.tif", godal.Byte, 20, 20, nil, flat)
	pixels, err := os.ReadFile(raster)
	if err != nil {
		t.Fatal(err)
	}
	archive := func(write func(*bytes.Buffer) io.WriteCloser) []byte {
		var b bytes.Buffer
		w := write(&b)
		if _, err := w.Write(pixels); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	var zipped, tarred bytes.Buffer
	z := zip.NewWriter(&zipped)
	member, err := z.Create("a.tif")
	if err == nil {
		_, err = member.Write(pixels)
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	tape := tar.NewWriter(&tarred)
	err = tape.WriteHeader(&tar.Header{Name: "a.tif", Size: int64(len(pixels)), Mode: 0o600})
	if err == nil {
		_, err = tape.Write(pixels)
	}
	if err := errors.Join(err, tape.Close()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content []byte
		says    string
		inside  string // what reads it all the same
	}{
		"page.tif":  {[]byte("<!DOCTYPE html>\n<html>Log in</html>"), "it is a web page", ""},
		"lfs.tif":   {[]byte("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"), "git lfs pull", ""},
		"table.tif": {[]byte("id,name\n1,none\n"), `a text that begins with "id,name"`, ""},
		"list.tif":  {[]byte(`{"type":"FeatureCollection"}`), "a text that begins with", ""},
		"zeros.tif": {make([]byte, 5000), "its first 512 bytes are all zero", ""},
		"noise.tif": {[]byte("\x07\xfe\x00\x9c\x01\x02\x03\xff"), "another kind of file", ""},
		"a.zip":     {zipped.Bytes(), "it is a ZIP archive", "/vsizip/{%s}/a.tif"},
		"zip.tif":   {zipped.Bytes(), "it is a ZIP archive", "/vsizip/{%s}/a.tif"},
		"tar.tif":   {tarred.Bytes(), "it is a tar archive", "/vsitar/{%s}/a.tif"},
		"a.tif.gz":  {archive(func(b *bytes.Buffer) io.WriteCloser { return gzip.NewWriter(b) }), "it is compressed by gzip", "/vsigzip/%s"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Read(t.Context(), path)
		says(t, err, "not recognised as a supported raster format: ")
		says(t, err, c.says)
		if c.inside == "" {
			continue
		}
		inside := fmt.Sprintf(c.inside, path)
		says(t, err, strings.TrimSuffix(inside, "a.tif"))
		if s, err := Read(t.Context(), inside); err != nil || s.Count != 400 || s.Min != 7 {
			t.Errorf("%s: %v, %v", inside, s, err)
		}
	}
	_, err = Read(t.Context(), "/vsizip/{"+filepath.Join(dir, "a.zip")+"}/none.tif")
	says(t, err, "no such file")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if n := descriptors(t, dir); n != 0 {
		t.Errorf("%d files left open", n)
	}
}

// A name that is not quite that of a file is told.
func TestNearbyNames(t *testing.T) {
	dir := t.TempDir()
	const apart = "\u1112\u1161\u11ab\u1100\u1173\u11af.tif" // 한글, as macOS writes it
	for _, name := range []string{"Dem.tif", "b.tiff", "b.tfw", apart} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"dem.TIF": `its folder has "Dem.tif"`, "Dem.tiff": `its folder has "Dem.tif"`, "Dem": `its folder has "Dem.tif"`, "b.tif": `its folder has "b.tiff"`,
		"한글.tif": "another form of Unicode", "c.tif": "check the name",
	} {
		_, err := Read(t.Context(), filepath.Join(dir, name))
		says(t, err, want)
		if !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	path := rasterFile(t, "a.tif", godal.Byte, 20, 20, nil, flat)
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, to := range map[string]string{"good.tif": path, "lost.tif": "nowhere.tif", "ring.tif": "round.tif", "round.tif": "ring.tif", "folder.tif": dir, "again.tif": at("good.tif")} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"good.tif", "again.tif"} {
		if s, err := Read(t.Context(), at(name)); err != nil || s.Count != 400 {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	for name, want := range map[string]string{"lost.tif": `it is a link to "nowhere.tif", which is not there`, "ring.tif": "too many levels of symbolic links", "folder.tif": "is a directory"} {
		_, err := Read(t.Context(), at(name))
		says(t, err, want)
	}
}

// To read a device may never end.
func TestDevices(t *testing.T) {
	for _, path := range []string{"/dev/zero", "/dev/null"} {
		if _, err := os.Stat(path); err != nil {
			t.Skip(err)
		}
		_, err := Read(t.Context(), path)
		says(t, err, "is a device without an end")
	}
}

// A file that has no raster of its own names those that it holds.
func TestParts(t *testing.T) {
	info, err := Inspect("testdata/variables.nc")
	if err == nil || len(info.Parts) != 2 {
		t.Skipf("this GDAL does not know NetCDF: %v", err)
	}
	sums := map[float64]bool{}
	results, err := ReadMany(t.Context(), info.Parts)
	for _, r := range results {
		total := r.Total()
		sums[total.Sum()] = true
	}
	if err != nil || len(results) != 2 || len(sums) != 1 || results[0].Total() == results[1].Total() {
		t.Errorf("%v, %v: the one is the other upside down", results, err)
	}
	info, err = Inspect("testdata/pages.tif")
	if err != nil || !strings.Contains(info.String(), `one of 2 rasters in the file (another is "GTIFF_DIR:2:testdata/pages.tif")`) {
		t.Errorf("%v, %v", info, err)
	}
}

// HDF5 has to be silenced on each thread.
func TestNothingOnStandardError(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestParts$", "-test.count=3")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil || said.Len() > 0 {
		t.Errorf("%v; %s", err, said.Bytes())
	}
}

// The description has what differs between bands, and numbers in full.
func TestDescription(t *testing.T) {
	for file, want := range map[string]string{
		"mixed.vrt":            "VRT 40 x 50, 2 bands of Float32 and Byte in blocks of 40 x 50, nodata 200 (band 2), ",
		"nodata-outside.tif":   ", nodata -9999, which no Byte is, ",
		"nodata-nan-int16.tif": ", nodata NaN, which no Int16 is, ",
		"nodata-int64.tif":     ", nodata -4611686018427387905, ",
		"nodata-uint64.tif":    ", nodata 18446744073709551615, ",
		"nodata-int32.tif":     ", nodata -2147483648, ",
		"bands-nodata.tif":     ", nodata -1, ",
		"nodata-sidecar.tif":   ", nodata -9999 (band 1), nodata 77 (band 2), scale 0.5, offset 10 (band 1), ",
		"alpha-rgb.tif":        "interleaved by pixel, DEFLATE, masked by alpha, ",
		"mask-bands.tif":       ", with a mask, ",
		"1x1.tif":              " of 1 byte)",
		"strips-1.tif":         "GTiff 70 x 50, 1 band of Byte in blocks of 70 x 1, DEFLATE, ",
		"bands-pixel.tif":      "3 bands of Byte in blocks of 32 x 32, interleaved by pixel, DEFLATE, ",
	} {
		info, err := Inspect(filepath.Join("testdata", file))
		if err != nil && strings.Contains(file, "nt64") {
			t.Log(err) // not every GDAL has these
		} else if err != nil || !strings.Contains(info.String(), want) {
			t.Errorf("%s: %v, %v; want %q", file, info, err, want)
		}
	}
	if s := (Info{}).String(); s != "no raster was opened" {
		t.Error(s)
	}
}
