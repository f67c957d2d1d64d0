package raster_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/airbusgeo/godal"

	. "overlap/pkg/raster"
	"overlap/pkg/sched"
	. "overlap/pkg/workload/reads"
	. "overlap/pkg/workload/terrain"
)

func TestWaysAgree(t *testing.T) {
	nodata := 7.0
	odd := func(x, y int) float64 { return float64((x*31+y*17)%251) - 3 }
	sets := map[string][]string{
		"terrain": {
			terrainFile(t, "a.tif", Terrain{Width: 700, Height: 333, Seed: 1, Level: 1}),
			terrainFile(t, "b.tif", Terrain{Width: 256, Height: 1024, Seed: 2, Level: 1}),
			terrainFile(t, "c.tif", Terrain{Width: 1500, Height: 300, Seed: 3, Level: 1}),
		},
		"1 x 1":         {terrainFile(t, "a.tif", Terrain{Width: 1, Height: 1, Seed: 1})},
		"1 x 700":       {terrainFile(t, "a.tif", Terrain{Width: 1, Height: 700, Seed: 1})},
		"700 x 1":       {terrainFile(t, "a.tif", Terrain{Width: 700, Height: 1, Seed: 1})},
		"strips":        {rasterFile(t, "a.tif", godal.Float32, 333, 700, nil, odd, "COMPRESS=LZW")},
		"no nodata set": {rasterFile(t, "a.tif", godal.Float32, 333, 70, nil, odd)},
		"nodata":        {rasterFile(t, "a.tif", godal.Float32, 333, 700, &nodata, odd, "TILED=YES")},
		"bytes":         {rasterFile(t, "a.tif", godal.Byte, 333, 300, &nodata, odd, "TILED=YES")},
		"int16":         {rasterFile(t, "a.tif", godal.Int16, 333, 300, &nodata, odd, "TILED=YES", "BLOCKXSIZE=48", "BLOCKYSIZE=16")},
		"int32":         {rasterFile(t, "a.tif", godal.Int32, 333, 300, &nodata, func(x, y int) float64 { return 2e9 + float64(x-y) })},
		"float64":       {rasterFile(t, "a.tif", godal.Float64, 333, 300, &nodata, func(x, y int) float64 { return math.Sqrt(float64(x*y)) - 1e-7 }, "TILED=YES")},
		"predictor 2":   {rasterFile(t, "a.tif", godal.Int32, 333, 300, nil, odd, "TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=2")},
		"predictor 3":   {rasterFile(t, "a.tif", godal.Float32, 333, 300, nil, odd, "TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3")},
		"small strips":  {rasterFile(t, "a.tif", godal.UInt16, 333, 300, nil, odd, "COMPRESS=DEFLATE", "BLOCKYSIZE=1")},
		"one strip":     {rasterFile(t, "a.tif", godal.Float32, 33, 3000, nil, odd, "COMPRESS=DEFLATE", "BLOCKYSIZE=3000")},
		"NaN": {rasterFile(t, "a.tif", godal.Float32, 333, 300, &nodata, func(x, y int) float64 {
			return []float64{1, math.NaN(), math.Inf(1), 7}[(x*y)%4]
		}, "TILED=YES")},
	}
	for name, files := range sets {
		t.Run(name, func(t *testing.T) {
			n := len(files)
			want := answer(t, WholeReads(files...), n, on(1))
			var counted, missing, infinite, pixels int64
			for _, f := range files {
				info, err := Inspect(f)
				if err != nil {
					t.Fatal(err)
				}
				pixels += int64(info.Width) * int64(info.Height)
			}
			if _, err := fmt.Sscanf(want, "count=%d nodata=%d notfinite=%d", &counted, &missing, &infinite); err != nil || counted+missing+infinite != pixels {
				t.Fatalf("%s: %v, %d pixels", want, err, pixels)
			}
			for _, w := range []workload{
				WholeReads(files...), WholeReads(files...).HugePages(),
				WindowReads(files...), WindowReads(files...).With(TaskBytes(1)), WindowReads(files...).With(TaskBytes(1 << 40)),
				WindowReads(files...).OneHandle(), WindowReads(files...).OpenEach(), WindowReads(files...).GDALThreads(2),
				CollectReads(files...), CollectReads(files...).With(TaskBytes(1)), ThreadReads(files...), ThreadReads(files...).GDALThreads(1),
			} {
				for _, s := range []sched.Scheduler{sched.Sequential(), sched.Goroutines(), sched.Pool(2), sched.Pool(7), sched.EventLoop(), sched.Threads()} {
					if got := answer(t, w, n, s.Run); got != want {
						_, spec := w.Spec()
						t.Errorf("%v under %s:\ngot  %s\nwant %s", spec, s.Name(), got, want)
					}
				}
			}
			if n == 1 {
				s, err := Read(t.Context(), files[0])
				if got := combine([]Stats{s}).String(); err != nil || got != want {
					t.Errorf("Read: %s, %v\nwant %s", got, err, want)
				}
			}
		})
	}
}

// The values themselves, by hand.
func TestStatistics(t *testing.T) {
	nodata := -1.0
	path := rasterFile(t, "a.tif", godal.Float32, 5, 2, &nodata, func(x, y int) float64 {
		return [][]float64{{1, 2, -1, 4, math.NaN()}, {-6, 0.5, -1, math.Inf(-1), 10}}[y][x]
	})
	s, err := Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Count != 6 || s.NoData != 2 || s.NotFinite != 2 || s.Min != -6 || s.Max != 10 || s.Sum() != 11.5 || s.Mean() != 11.5/6 {
		t.Error(s)
	}
}

func TestSizes(t *testing.T) {
	a := terrainFile(t, "a.tif", Terrain{Width: 30, Height: 20, Seed: 1})
	b := terrainFile(t, "b.tif", Terrain{Width: 30, Height: 20, Seed: 2})
	for _, w := range []workload{WholeReads(a, b), WindowReads(a, b), CollectReads(a, b), ThreadReads(a, b)} {
		for size, want := range map[int]string{
			0:  "raster: size 0: at least 1 raster must be read",
			-3: "raster: size -3: at least 1 raster must be read",
			3:  "raster: size 3: only 2 files given; give more files, or a smaller size",
		} {
			if _, _, err := w.Tasks(size); err == nil || err.Error() != want {
				t.Errorf("got %v, want %q", err, want)
			}
		}
		one, two := answer(t, w, 1, on(1)), answer(t, w, 2, on(1))
		if !strings.HasPrefix(one, "count=600 ") || !strings.HasPrefix(two, "count=1200 ") {
			t.Errorf("%s, %s", one, two)
		}
		kind, params := w.Spec()
		if kind != "raster-reads" || params["files"] != "a.tif,b.tif" || params["by"] == "" || w.Unit() != "rasters" {
			t.Error(kind, params)
		}
	}
	for _, w := range []workload{WholeReads(), WindowReads(), CollectReads(), ThreadReads()} {
		if _, _, err := w.Tasks(1); err == nil || !errors.Is(err, ErrNoFiles) {
			t.Errorf("got %v", err)
		}
	}
	if answer(t, WholeReads(a, b), 2, on(1)) == answer(t, WholeReads(b, a), 2, on(1)) {
		t.Error("exchanged files give the same answer")
	}
}

// A task that is dropped or run twice must show in the answer.
func TestAnswerNeedsEveryTaskOnce(t *testing.T) {
	a := terrainFile(t, "a.tif", Terrain{Width: 300, Height: 300, Seed: 1})
	for _, w := range []workload{WholeReads(a, a), WindowReads(a, a), CollectReads(a, a), ThreadReads(a, a)} {
		want := answer(t, w, 2, on(1))
		drop := answer(t, w, 2, func(ctx context.Context, tasks []sched.Task) error { return together(ctx, 1, tasks[1:]) })
		twice := answer(t, w, 2, func(ctx context.Context, tasks []sched.Task) error {
			return together(ctx, 1, append(tasks[:1:1], tasks...))
		})
		if drop == want || twice == want {
			t.Errorf("%s\n%s\n%s", want, drop, twice)
		}
	}
}

func TestHandles(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i := range 5 {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := (Terrain{Width: 512, Height: 512, Seed: uint64(i), Level: 1}).Write(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	w := WindowReads(files...).With(TaskBytes(1))
	want := answer(t, w, 5, on(1))
	for _, limit := range []int{1, 2, 3, 100} {
		for _, workers := range []int{1, 2, 8} {
			hs := NewPool(files, limit)
			var tasks []sched.Task
			for i := range 20 * 4 { // turn by turn over the files, the hard order for few handles
				file, block := i%5, i/5%4
				if i >= 20 {
					break
				}
				tasks = append(tasks, func(ctx context.Context) error {
					return hs.With(ctx, file, func(h *OpenFile) error {
						if n := descriptors(t, dir); n > 2*limit { // a handle takes two
							t.Errorf("%d files open, at most %d handles allowed", n, limit)
						}
						return h.FoldBlocks(ctx, block, block+1)
					})
				})
			}
			if err := together(t.Context(), workers, tasks); err != nil {
				t.Error(err)
			}
			if n := descriptors(t, dir); n > 2*min(limit, 5*workers) {
				t.Errorf("limit %d, %d workers: %d files open", limit, workers, n)
			}
			if got := hs.End(); got != want {
				t.Errorf("limit %d, %d workers:\ngot  %s\nwant %s", limit, workers, got, want)
			}
			if n := descriptors(t, dir); n != 0 {
				t.Errorf("limit %d, %d workers: %d handles left open", limit, workers, n)
			}
		}
	}
	// Waiting for a handle ends with the context.
	hs := NewPool(files, 1)
	err := hs.With(t.Context(), 0, func(*OpenFile) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		return hs.With(ctx, 1, func(*OpenFile) error { return nil })
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	hs.End()
}

func TestFailureClosesHandles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.tif")
	if err := (Terrain{Width: 600, Height: 600, Seed: 1}).Write(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	damage(t, path)
	for _, w := range []workload{WholeReads(path), WindowReads(path).With(TaskBytes(1)), WindowReads(path).OneHandle(), WindowReads(path).OpenEach(), CollectReads(path), ThreadReads(path)} {
		tasks, finish, err := w.Tasks(1)
		if err != nil {
			t.Fatal(err)
		}
		if err := sched.Pool(2).Run(t.Context(), tasks); err == nil || !strings.Contains(err.Error(), "damaged or cut short") {
			t.Errorf("got %v", err)
		}
		finish()
		if n := descriptors(t, dir); n != 0 {
			t.Errorf("%d handles left open", n)
		}
	}
}

func TestCancelledTask(t *testing.T) {
	path := terrainFile(t, "t.tif", Terrain{Width: 600, Height: 600, Seed: 1})
	for _, w := range []workload{WholeReads(path), WindowReads(path), WindowReads(path).OneHandle(), CollectReads(path), ThreadReads(path)} {
		tasks, finish, err := w.Tasks(1)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("enough")
		cancel(why)
		if err := tasks[0](ctx); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
		finish()
	}
}

func TestWindowsAllocateNothing(t *testing.T) {
	path := terrainFile(t, "t.tif", Terrain{Width: 1000, Height: 1000, Seed: 1, Level: 1})
	h, err := Handle(path)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	ctx := t.Context()
	if err := h.FoldBlocks(ctx, 0, 16); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(20, func() { h.FoldBlocks(ctx, 0, 16) }); n > 0 {
		t.Errorf("%v allocations for 16 blocks", n)
	}
}
