package raster_test

import (
	"fmt"
	"hash/maphash"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/airbusgeo/godal"

	. "overlap/pkg/raster"
	"overlap/pkg/sched"
	. "overlap/pkg/workload/reads"
)

// sharedFile writes a raster of 8 x 8 tiles, no two of them alike.
func sharedFile(t *testing.T, options ...string) string {
	t.Helper()
	return rasterFile(t, "a.tif", godal.Byte, 512, 512, nil, func(x, y int) float64 { return float64((x*x + 3*y*y + x*y/7) % 251) },
		append([]string{"TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=64"}, options...)...)
}

// Each tile is what it is however many read, tile by tile, and with a block cache of GDAL's that holds few of them: whoever reads has
// a handle of its own, or a lock.
func TestTilesOfManyWorkers(t *testing.T) {
	if !inChild(t, "GDAL_CACHEMAX=1") {
		return
	}
	seed := maphash.MakeSeed()
	for _, path := range []string{sharedFile(t, "COMPRESS=DEFLATE"), sharedFile(t, "COMPRESS=LZW"), sharedFile(t)} {
		tiles := func(workers int) map[string]uint64 {
			var mu sync.Mutex
			found := map[string]uint64{}
			err := Stream(t.Context(), []string{path}, func(w Window[uint8]) error {
				for x := 0; x < w.Width; x += 64 {
					for y := 0; y < w.Height; y += 64 {
						var h maphash.Hash
						h.SetSeed(seed)
						for row := range min(64, w.Height-y) {
							h.Write(w.Row(y + row)[x:min(x+64, w.Width)])
						}
						mu.Lock()
						found[fmt.Sprint(w.X+x, w.Y+y)] = h.Sum64()
						mu.Unlock()
					}
				}
				return nil
			}, ReadWorkers(workers), TaskBytes(1))
			if err != nil {
				t.Error(err)
			}
			return found
		}
		want := tiles(1)
		if len(want) != 64 {
			t.Fatalf("%d tiles", len(want))
		}
		for range 15 {
			got := tiles(8)
			if len(got) != len(want) {
				t.Fatalf("%d tiles", len(got))
			}
			for at, sum := range want {
				if got[at] != sum {
					t.Errorf("the tile at %s differs", at)
				}
			}
		}
		once := answer(t, WindowReads(path), 1, on(1))
		for range 5 {
			for name, w := range map[string]workload{"windows": WindowReads(path).With(TaskBytes(1)), "by GDAL": WindowReads(path).With(TaskBytes(1)).ByGDAL(),
				"one handle": WindowReads(path).With(TaskBytes(1)).OneHandle(), "open each": WindowReads(path).With(TaskBytes(1)).OpenEach(), "collected": CollectReads(path).With(TaskBytes(1))} {
				if got := answer(t, w, 1, sched.Pool(8).Run); got != once {
					t.Errorf("%s: %s\nwant %s", name, got, once)
				}
			}
		}
	}
}

// A number that makes no sense is taken for the nearest that does, and a huge one takes no memory.
func TestAnyNumberOfWorkers(t *testing.T) {
	path := sharedFile(t, "COMPRESS=DEFLATE")
	want, err := Read(t.Context(), path, ReadWorkers(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{math.MinInt, -1, 0, 1, 2, 63, 64, 1000, math.MaxInt} {
		for _, bytes := range []int{math.MinInt, 0, 1, 4096, math.MaxInt} {
			if got, err := Read(t.Context(), path, ReadWorkers(n), TaskBytes(bytes)); err != nil || got != want {
				t.Errorf("%d workers, tasks of %d bytes: %v, %v", n, bytes, got, err)
			}
		}
		if got := answer(t, ThreadReads(path).GDALThreads(n), 1, on(1)); !strings.Contains(got, fmt.Sprintf("count=%d ", want.Count)) {
			t.Errorf("%d threads: %s", n, got)
		}
		_, params := ThreadReads(path).GDALThreads(n).Spec()
		if threads := params["gdal_threads"]; n < 1 && threads != "ALL_CPUS" || n > 1024 && threads != "1024" {
			t.Errorf("%d threads are %q", n, threads)
		}
	}
	for _, bytes := range []int{math.MinInt, 0, 1, math.MaxInt} {
		for name, w := range map[string]workload{"windows": WindowReads(path).With(TaskBytes(bytes)), "collected": CollectReads(path).With(TaskBytes(bytes))} {
			tasks, finish, err := w.Tasks(1)
			if err != nil {
				t.Fatal(err)
			}
			if n := map[bool]int{true: 64, false: 1}[bytes < 2]; len(tasks) != n {
				t.Errorf("%s: %d tasks of %d bytes, want %d", name, len(tasks), bytes, n)
			}
			finish()
		}
	}
}

// A raster of one tile is one task, so that workers beside the first have nothing to do and open nothing.
func TestOneTile(t *testing.T) {
	path := rasterFile(t, "a.tif", godal.Byte, 200, 200, nil, func(x, y int) float64 { return float64((x + y) % 251) }, "TILED=YES", "COMPRESS=DEFLATE")
	want, err := Read(t.Context(), path, ReadWorkers(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 64, 1000} {
		if got, err := Read(t.Context(), path, ReadWorkers(workers)); err != nil || got != want {
			t.Errorf("%d workers: %v, %v", workers, got, err)
		}
		for name, w := range map[string]workload{"windows": WindowReads(path).With(TaskBytes(1)), "whole": WholeReads(path), "collected": CollectReads(path)} {
			tasks, finish, err := w.Tasks(1)
			if err != nil || len(tasks) != 1 {
				t.Fatalf("%s: %d tasks, %v", name, len(tasks), err)
			}
			if err := sched.Pool(workers).Run(t.Context(), tasks); err != nil {
				t.Error(err)
			}
			if _, err := finish(); err != nil {
				t.Error(err)
			}
		}
	}
	if n := descriptors(t, filepath.Dir(path)); n != 0 {
		t.Errorf("%d files left open", n)
	}
}

// Bands that are stored apart are read one by one, with the environment's wish for GDAL's threads and without, by
// any number of workers: these threads crash on them before GDAL 3.7.
func TestPlanesBandByBand(t *testing.T) {
	if os.Getenv("GDAL_NUM_THREADS") != "ALL_CPUS" && !inChild(t, "GDAL_NUM_THREADS=ALL_CPUS") {
		return
	}
	if _, params := WindowReads("a.tif").Spec(); params["gdal_threads"] != "1" {
		t.Errorf("the setting is not told: %v", params)
	}
	for _, name := range []string{"bands-band.tif", "bands-band-jpeg.tif", "bands-band-strips.tif"} {
		path := "testdata/" + name
		all, err := ReadBands(t.Context(), path, ReadWorkers(1))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range all.Stats {
			for _, workers := range []int{1, 4} {
				if got, err := Read(t.Context(), path, OnlyBands(i+1), ReadWorkers(workers), TaskBytes(1)); err != nil || got != want {
					t.Errorf("%s, band %d, %d workers: %v, %v; want %v", name, i+1, workers, got, err, want)
				}
				for way, w := range map[string]workload{"windows": WindowReads(path).With(OnlyBands(i + 1)).With(TaskBytes(1)), "by GDAL": WindowReads(path).With(OnlyBands(i + 1)).ByGDAL(),
					"whole": WholeReads(path).With(OnlyBands(i + 1)), "collected": CollectReads(path).With(OnlyBands(i + 1))} {
					if got := answer(t, w, 1, on(workers)); got != combine([]Stats{want}).String() {
						t.Errorf("%s, %s, band %d, %d workers: %s; want %v", name, way, i+1, workers, got, want)
					}
				}
			}
		}
	}
}
