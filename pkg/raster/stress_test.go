package raster

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/airbusgeo/godal"
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
		t.Errorf("%s of memory, %s before", amount(int64(now)), amount(int64(before)))
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
	for _, w := range []workload{WindowReads(path).TaskBytes(1), WindowReads(path).TaskBytes(1).OneHandle(), CollectReads(path).TaskBytes(1)} {
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

// What comes of the mistake cannot be said beforehand, but that this process
// survives it.
func TestReadUnlocked(t *testing.T) {
	path := terrainFile(t, "t.tif", Terrain{Width: 2000, Height: 2000, Seed: 1, Level: 1})
	u, err := ReadUnlocked(t.Context(), path, 8)
	if err != nil || u.Took <= 0 {
		t.Fatalf("%v, %v", u, err)
	}
	t.Log(u, u.Took)
	if _, err := ReadUnlocked(t.Context(), "none.tif", 8); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("got %v", err)
	}
	for _, c := range []struct {
		u    Unlocked
		want string
	}{
		{Unlocked{Crashed: "SIGSEGV"}, "crashed: SIGSEGV"},
		{Unlocked{Hung: true}, "hung"},
		{Unlocked{Errors: 3, Said: "x"}, "3 reads failed: x"},
		{Unlocked{Wrong: true}, "wrong pixels, and no error"},
		{Unlocked{}, "nothing happened this time, which proves nothing"},
	} {
		if c.u.String() != c.want {
			t.Error(c.u)
		}
	}
}

// A dataset in disorder may have GDAL go round for ever: the limit runs from the first word of the process, while
// the rest of what it says is still awaited.
func TestUnlockedLimitBegins(t *testing.T) {
	r, w, err := os.Pipe() // as package exec reads from the process
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	begun := make(chan bool, 8)
	out := &answerOf{begun: func() *time.Timer { begun <- true; return time.NewTimer(time.Hour) }}
	defer out.stop()
	done := make(chan bool)
	go func() {
		defer close(done)
		io.Copy(out, r)
	}()
	io.WriteString(w, unlockedBegins)
	select {
	case <-begun:
	case <-time.After(time.Minute):
		t.Error("the process has said its first word, and its time does not run")
	}
	io.WriteString(w, "{}")
	w.Close()
	<-done
	r.Close()
	if len(begun) != 0 || out.said.String() != unlockedBegins+"{}" {
		t.Errorf("begun %d times more; %q", len(begun), out.said.String())
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
