package raster_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/airbusgeo/godal"

	"overlap/pkg/internal/text"
	. "overlap/pkg/raster"
	. "overlap/pkg/workload/reads"
	. "overlap/pkg/workload/terrain"
)

// resident is the memory of the process, in bytes.
func resident(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("needs /proc")
	}
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmRSS:")); ok {
			kb, err := strconv.Atoi(strings.Fields(string(rest))[0])
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Skip("no VmRSS here")
	return 0
}

func TestManyWorkersOnOneFile(t *testing.T) {
	path := terrainFile(t, "t.tif", Terrain{Width: 2000, Height: 2000, Seed: 1, Level: 1})
	want, err := Read(t.Context(), path, ReadWorkers(1))
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		got, err := Read(t.Context(), path, ReadWorkers(64), TaskBytes(1))
		if err != nil || got != want {
			t.Fatalf("%v, %v; want %v", got, err, want)
		}
	}
	if n := descriptors(t, filepath.Dir(path)); n != 0 {
		t.Errorf("%d files left open", n)
	}
}

func TestNothingIsLeftOver(t *testing.T) {
	tiles := terrainFile(t, "t.tif", Terrain{Width: 600, Height: 600, Seed: 1, Level: 1})
	third := rasterFile(t, "p.tif", godal.Float32, 300, 300, nil, func(x, y int) float64 { return float64(x * y % 99) }, "TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3")
	bad := rasterFile(t, "bad.tif", godal.Float32, 300, 300, nil, func(x, y int) float64 { return float64(x * y % 99) }, "TILED=YES", "COMPRESS=DEFLATE")
	damage(t, bad)
	some := func(n int) {
		for range n {
			ReadMany(t.Context(), []string{tiles, third, bad, "none.tif"}, ReadWorkers(4))
			if _, err := Load[float32](t.Context(), tiles, 1); err != nil {
				t.Fatal(err)
			}
			for _, w := range []workload{WindowReads(tiles, third).OneHandle(), CollectReads(tiles, third), WholeReads(tiles, third).HugePages()} {
				answer(t, w, 2, on(2))
			}
		}
	}
	some(10)
	debug.FreeOSMemory()
	files, before := descriptors(t, "/"), resident(t)
	some(60)
	debug.FreeOSMemory()
	if n := descriptors(t, "/"); n > files {
		t.Errorf("%d files open, %d before", n, files)
	}
	if now := resident(t); now > before+64<<20 {
		t.Errorf("%s of memory, %s before", text.Bytes(int64(now)), text.Bytes(int64(before)))
	}
}

func TestTaskAfterFinish(t *testing.T) {
	path := terrainFile(t, "t.tif", Terrain{Width: 600, Height: 600, Seed: 1, Level: 1})
	for _, w := range []workload{WholeReads(path), WindowReads(path), WindowReads(path).OneHandle(), CollectReads(path), ThreadReads(path)} {
		tasks, finish, err := w.Tasks(1)
		if err != nil {
			t.Fatal(err)
		}
		if err := together(t.Context(), 2, tasks); err != nil {
			t.Fatal(err)
		}
		first, err := finish()
		if err != nil {
			t.Fatal(err)
		}
		if err := tasks[0](t.Context()); !errors.Is(err, errClosed) {
			t.Errorf("got %v", err)
		}
		if again, err := finish(); err != nil || again != first {
			t.Errorf("%s, %v; first %s", again, err, first)
		}
		if n := descriptors(t, filepath.Dir(path)); n != 0 {
			t.Errorf("%d files left open", n)
		}
	}
}

func TestFinishWhileTasksRead(t *testing.T) {
	path := terrainFile(t, "t.tif", Terrain{Width: 1500, Height: 1500, Seed: 1, Level: 1})
	for _, w := range []workload{WindowReads(path).With(TaskBytes(1)), WindowReads(path).With(TaskBytes(1)).OneHandle(), CollectReads(path).With(TaskBytes(1))} {
		tasks, finish, err := w.Tasks(1)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() { done <- together(t.Context(), 4, tasks) }()
		finish()
		if err := <-done; err != nil && !errors.Is(err, errClosed) {
			t.Errorf("got %v", err)
		}
		if n := descriptors(t, filepath.Dir(path)); n != 0 {
			t.Errorf("%d files left open", n)
		}
	}
}

func TestUnsupported(t *testing.T) {
	path := terrainFile(t, "t.tif", Terrain{Width: 100, Height: 100, Seed: 1, Level: 1})
	_, _, err := WindowReads(path).ThreadSafe().Tasks(1)
	if version() >= firstThreadSafe {
		if err != nil {
			t.Error(err)
		}
	} else if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), Version()) {
		t.Errorf("got %v", err)
	}
}
