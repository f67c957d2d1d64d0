package raster_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/airbusgeo/godal"

	. "overlap/pkg/raster"
)

func TestStream(t *testing.T) {
	odd := func(x, y int) float64 { return float64((x*31+y*17)%251) - 3 }
	files := []string{
		rasterFile(t, "tiles.tif", godal.Float32, 700, 333, nil, odd, "TILED=YES", "COMPRESS=DEFLATE"),
		rasterFile(t, "strips.tif", godal.Float32, 333, 700, nil, odd, "COMPRESS=LZW"),
	}
	for _, workers := range []int{1, 2, 16} {
		var mu sync.Mutex
		seen := [2]map[[2]int]bool{{}, {}}
		err := Stream(t.Context(), files, func(w Window[float32]) error {
			mu.Lock()
			defer mu.Unlock()
			for y := range w.Height {
				for x, v := range w.Row(y) {
					at := [2]int{w.X + x, w.Y + y}
					if float64(v) != odd(at[0], at[1]) || seen[w.File][at] {
						t.Errorf("file %d: %v at %v, or there before", w.File, v, at)
					}
					seen[w.File][at] = true
				}
			}
			return nil
		}, ReadWorkers(workers), TaskBytes(1))
		if err != nil || len(seen[0]) != 700*333 || len(seen[1]) != 333*700 {
			t.Errorf("%d workers: %v, %d and %d pixels", workers, err, len(seen[0]), len(seen[1]))
		}
	}
	enough := errors.New("enough")
	var calls atomic.Int64
	if err := Stream(t.Context(), files, func(Window[float32]) error { calls.Add(1); return enough }, ReadWorkers(2), TaskBytes(1)); !errors.Is(err, enough) || calls.Load() > 2 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
	err := Stream(t.Context(), files, func(Window[int16]) error { return nil })
	if _, block := errors.AsType[*BlockError](err); err == nil || !strings.Contains(err.Error(), "stream it as float32") || block ||
		strings.Contains(err.Error(), "GDAL") || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "could be read") {
		t.Errorf("got %v; want one error, of the type", err)
	}
	if err := Stream(t.Context(), append(files, "none.tif"), func(Window[float32]) error { return nil }); err == nil || !strings.Contains(err.Error(), "none.tif") {
		t.Errorf("got %v", err)
	}
	if err := Stream(t.Context(), nil, func(Window[float32]) error { return nil }); !errors.Is(err, ErrNoFiles) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(enough)
	if err := Stream(ctx, files, func(Window[float32]) error { t.Error("called"); return nil }); !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
}

func TestLoad(t *testing.T) {
	at := func(x, y int) float64 { return float64((x*31+y*17)%251) - 3 }
	for name, options := range map[string][]string{"tiles": {"TILED=YES", "COMPRESS=DEFLATE"}, "strips": {"BLOCKYSIZE=7", "COMPRESS=DEFLATE"}} {
		path := rasterFile(t, "a.tif", godal.Int16, 700, 333, nil, at, options...)
		a, err := Load[int16](t.Context(), path, 1, ReadWorkers(3), TaskBytes(1))
		if err != nil || a.Width != 700 || a.Height != 333 {
			t.Fatal(name, err)
		}
		for y := range a.Height {
			for x := range a.Width {
				if float64(a.At(x, y)) != at(x, y) {
					t.Fatalf("%s: %v at %d, %d", name, a.At(x, y), x, y)
				}
			}
		}
	}
	path := rasterFile(t, "a.tif", godal.Int16, 70, 33, nil, at)
	a, err := Load[float64](t.Context(), path, 1)
	if err != nil || a.At(3, 4) != at(3, 4) || a.Stats.Count != 70*33 || a.Info.Type != "Int16" {
		t.Error(a.At(3, 4), err)
	}
	if _, err := Load[uint16](t.Context(), path, 1); err == nil || !strings.Contains(err.Error(), "load it as int16") {
		t.Errorf("got %v", err)
	}
	if _, err := Load[int16](t.Context(), path, 2); err == nil || !strings.Contains(err.Error(), "band 2 is wanted, and it has the bands 1 to 1") {
		t.Errorf("got %v", err)
	}
	if _, err := Load[int16](t.Context(), path, 1, Overview(1)); err == nil || !strings.Contains(err.Error(), "overview 1 is wanted, and it has 0") {
		t.Errorf("got %v", err)
	}
}
