package raster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/airbusgeo/godal"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	. "overlap/pkg/raster"
	"overlap/pkg/sched"
	. "overlap/pkg/workload/reads"
	. "overlap/pkg/workload/terrain"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// workload is lab.Workload, which this package does not import.
type workload interface {
	Spec() (string, map[string]string)
	Unit() string
	Tasks(int) ([]sched.Task, func() (string, error), error)
}

var _ workload = Workload{}

// together runs tasks on n goroutines, each taking the next one, and returns
// one of the errors.
func together(ctx context.Context, n int, tasks []sched.Task) error {
	var next atomic.Int64
	var failure atomic.Pointer[error]
	var done sync.WaitGroup
	for range n {
		done.Go(func() {
			for {
				i := int(next.Add(1) - 1)
				if i >= len(tasks) {
					return
				}
				if err := tasks[i](ctx); err != nil {
					failure.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	done.Wait()
	if err := failure.Load(); err != nil {
		return *err
	}
	return nil
}

// answer runs a workload.
func answer(t *testing.T, w workload, size int, run func(context.Context, []sched.Task) error) string {
	t.Helper()
	tasks, finish, err := w.Tasks(size)
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), tasks); err != nil {
		t.Error(err)
	}
	a, err := finish()
	if err != nil {
		t.Error(err)
	}
	return a
}

func on(workers int) func(context.Context, []sched.Task) error {
	return func(ctx context.Context, tasks []sched.Task) error { return together(ctx, workers, tasks) }
}

// terrainFile writes a small terrain and returns its path.
func terrainFile(t testing.TB, name string, terrain Terrain) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := terrain.Write(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return path
}

// rasterFile writes a TIFF of any type from the values of a function.
func rasterFile(t testing.TB, name string, dtype godal.DataType, width, height int, nodata *float64, at func(x, y int) float64, options ...string) string {
	t.Helper()
	setup()
	path := filepath.Join(t.TempDir(), name)
	ds, err := godal.Create(godal.GTiff, path, 1, dtype, width, height, godal.CreationOption(options...), godal.ErrLogger(failures))
	if err != nil {
		t.Fatal(err)
	}
	if nodata != nil {
		if err := ds.SetNoData(*nodata); err != nil {
			t.Fatal(err)
		}
	}
	row := make([]float64, width)
	for y := range height {
		for x := range row {
			row[x] = at(x, y)
		}
		if err := ds.Bands()[0].Write(0, y, row, width, 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := ds.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// failures lets GDAL's warnings go.
func failures(category godal.ErrorCategory, _ int, msg string) error {
	if category >= godal.CE_Failure {
		return errors.New(msg)
	}
	return nil
}

// asNobody runs f without root's power to ignore permissions, by the
// filesystem user id, which Linux keeps for each thread.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		unix.SetfsuidRetUid(65534)
		if now, _ := unix.SetfsuidRetUid(-1); now != 65534 {
			return
		}
		f()
		done <- true
	}()
	if !<-done {
		t.Skip("cannot give up root's permissions on this system")
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// damage overwrites the head of a TIFF's second block with zeros.
func damage(t *testing.T, path string) {
	t.Helper()
	h, err := Handle(path)
	if err != nil {
		t.Fatal(err)
	}
	at, _ := h.Extent(1, 0)
	h.Close()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(make([]byte, 64), at); err != nil {
		t.Fatal(err)
	}
}

// names lists a folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

// descriptors counts the open files below a folder.
func descriptors(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("needs /proc")
	}
	n := 0
	for _, e := range entries {
		if to, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%s", e.Name())); err == nil && strings.HasPrefix(to, dir) {
			n++
		}
	}
	return n
}
