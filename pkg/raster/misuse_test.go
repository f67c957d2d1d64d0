package raster_test

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/airbusgeo/godal"

	. "overlap/pkg/raster"
)

// says makes sure that an error has a text.
func says(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), "raster: ") || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v; want %q", err, want)
	}
}

func flat(int, int) float64 { return 7 }

func TestNilArguments(t *testing.T) {
	path := rasterFile(t, "a.tif", godal.Byte, 64, 64, nil, flat)
	says(t, Stream[uint8](t.Context(), []string{path}, nil), "raster: stream: there is no function to call")
	var none context.Context
	const want = "give context.Background()"
	_, err := Read(none, path)
	says(t, err, want)
	_, err = ReadBands(none, path)
	says(t, err, want)
	_, err = ReadMany(none, []string{path})
	says(t, err, want)
	_, err = Load[uint8](none, path, 1)
	says(t, err, want)
	says(t, Stream(none, []string{path}, func(Window[uint8]) error { return nil }), want)
	if s, err := Read(t.Context(), path, nil, ReadWorkers(1), nil); err != nil || s.Count != 64*64 {
		t.Error(s, err)
	}
}

// What a callback does instead of returning is the error of Stream, and the last that it does.
func TestStreamCallbackFails(t *testing.T) {
	stored := rasterFile(t, "a.tif", godal.Byte, 1024, 1024, nil, flat, "TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=64")
	windows, err := filepath.Abs("testdata/mosaic.vrt") // read by windows, of which a failed one is asked for again by block
	if err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		f    func()
		want []string
		is   error
	}{
		"panic":      {func() { panic(boom) }, []string{"the function panicked: boom", "misuse_test.go"}, boom},
		"panic text": {func() { panic("bang") }, []string{"the function panicked: bang"}, nil},
		"panic nil":  {func() { panic(nil) }, []string{"the function panicked"}, nil},
		"index":      {func() { _ = []int{}[len(t.Name())] }, []string{"index out of range"}, nil},
		"Goexit":     {runtime.Goexit, []string{"runtime.Goexit"}, nil},
	} {
		for _, path := range []string{stored, windows} {
			for _, workers := range []int{1, 4} {
				var calls atomic.Int64
				err := streamAny(t, path, func() { calls.Add(1); c.f() }, ReadWorkers(workers), TaskBytes(1))
				for _, want := range c.want {
					says(t, err, want)
				}
				if c.is != nil && !errors.Is(err, c.is) {
					t.Errorf("%s: %v is not %v", name, err, c.is)
				}
				if n := calls.Load(); n < 1 || n > int64(workers) {
					t.Errorf("%s, %d workers: %d calls", name, workers, n)
				}
				if n := descriptors(t, filepath.Dir(path)); n != 0 {
					t.Errorf("%s: %d files left open", name, n)
				}
			}
		}
	}
}

// streamAny streams a file of bytes or of another type.
func streamAny(t *testing.T, path string, f func(), opts ...ReadOption) error {
	info, err := Inspect(path)
	if err != nil {
		t.Fatal(err)
	}
	switch info.Type {
	case "Byte":
		return Stream(t.Context(), []string{path}, func(Window[uint8]) error { f(); return nil }, opts...)
	case "Int16":
		return Stream(t.Context(), []string{path}, func(Window[int16]) error { f(); return nil }, opts...)
	}
	return Stream(t.Context(), []string{path}, func(Window[float32]) error { f(); return nil }, opts...)
}

func TestOptionsMisused(t *testing.T) {
	path := rasterFile(t, "a.tif", godal.Byte, 64, 64, nil, flat)
	_, err := Read(t.Context(), path, Overview(-1))
	says(t, err, "overview -1 is wanted; 0 is the raster itself")
	if strings.Contains(err.Error(), "gdaladdo") {
		t.Error(err)
	}
	_, err = Load[uint8](t.Context(), path, 1, OnlyBands(1))
	says(t, err, "OnlyBands is not for Load")
	_, err = Read(t.Context(), path, OnlyBands([]int{}...))
	says(t, err, "an empty list of bands")
}

func TestNamesMistyped(t *testing.T) {
	for path, want := range map[string]string{
		"a\x00.tif":               "NUL byte",
		"https://x.test/\x00":     "NUL byte",
		"file:///data/a.tif":      `without "file://"`,
		"FILE:///data/a.tif":      `without "file://"`,
		" a.tif":                  "space or a line break",
		"a.tif\n":                 "space or a line break",
		`"a.tif"`:                 "quotes",
		"'a.tif'":                 "quotes",
		"~/none/a.tif":            "what ~ stands for",
		"$HOME/none/a.tif":        "only a shell fills in variables",
		"none.tif":                "check the name",
		"none*.tif":               "filepath.Glob",
		strings.Repeat("가", 2000): "가…가",
	} {
		_, err := Read(t.Context(), path)
		says(t, err, want)
		if err != nil && len(err.Error()) > 600 {
			t.Errorf("%d bytes: %v", len(err.Error()), err)
		}
	}
	_, err := Read(t.Context(), "~/none/*.tif")
	says(t, err, "what ~ stands for")
	for path, want := range map[string]string{"HTTP://a.test/B.tif": "/vsicurl/http://a.test/B.tif", "/vsicurl/Https://a": "/vsicurl/https://a", "httpx://a": "httpx://a"} {
		if got := gdalPath(path); got != want || isRemote(path) != strings.HasPrefix(want, curl) {
			t.Errorf("%s: %s", path, got)
		}
	}
}
