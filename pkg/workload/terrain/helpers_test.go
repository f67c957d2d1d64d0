package terrain

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"overlap/pkg/raster"

	"github.com/airbusgeo/godal"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("RASTER_TEST_SMALL_LIMIT"); dir != "" {
		os.Exit(writeBeyondLimit(dir))
	}
	goleak.VerifyTestMain(m)
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

// rasterFile writes a TIFF of any type from the values of a function.
func rasterFile(t testing.TB, name string, dtype godal.DataType, width, height int, nodata *float64, at func(x, y int) float64, options ...string) string {
	t.Helper()
	raster.Prepare()
	path := filepath.Join(t.TempDir(), name)
	ds, err := godal.Create(godal.GTiff, path, 1, dtype, width, height, godal.CreationOption(options...), godal.ErrLogger(heed))
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
