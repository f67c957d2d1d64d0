package raster_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/airbusgeo/godal"

	. "overlap/pkg/raster"
	"overlap/pkg/sched"
	. "overlap/pkg/workload/reads"
	"overlap/pkg/workload/reads/fileserver"
)

// withLimit runs a test in a process of its own that may open few files at once, and reports whether this is that process.
func withLimit(t *testing.T, files int) bool {
	t.Helper()
	if os.Getenv(remoteChild) != "" {
		return true
	}
	// What C has opened, such as connections, would be open there, too.
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		for _, e := range entries {
			if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
				syscall.CloseOnExec(fd)
			}
		}
	}
	script := fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, files)
	child := exec.CommandContext(t.Context(), "sh", "-c", script, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), remoteChild+"=1")
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// Many files and workers do with few open files, in every way to read, and nothing is used up by it.
func TestFewFilesMayBeOpen(t *testing.T) {
	const limit, count = 48, 100
	if !withLimit(t, limit) {
		return
	}
	if n := MaxHandles(); n != limit/8 {
		t.Errorf("%d handles of %d files", n, limit)
	}
	dir := t.TempDir()
	files := make([]string, count)
	for i := range files {
		files[i] = filepath.Join(dir, fmt.Sprintf("%03d.tif", i))
		made := rasterFile(t, "a.tif", godal.Byte, 64, 64, nil, func(x, y int) float64 { return float64((x*y + i) % 251) }, "TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=32")
		if err := os.Rename(made, files[i]); err != nil {
			t.Fatal(err)
		}
	}
	want := answer(t, WindowReads(files...), count, on(1))
	results, err := ReadMany(t.Context(), files, ReadWorkers(count))
	if err != nil {
		t.Error(err)
	}
	totals := make([]Stats, count)
	for i, r := range results {
		totals[i] = r.Total()
	}
	if got := combine(totals).String(); got != want {
		t.Errorf("ReadMany: %s\nwant %s", got, want)
	}
	if err := Stream(t.Context(), files, func(Window[uint8]) error { return nil }, ReadWorkers(count)); err != nil {
		t.Errorf("Stream: %v", err)
	}
	for name, w := range map[string]workload{
		"windows": WindowReads(files...).With(TaskBytes(1)), "one handle": WindowReads(files...).With(TaskBytes(1)).OneHandle(), "open each": WindowReads(files...).OpenEach(),
		"by GDAL": WindowReads(files...).ByGDAL(), "GDAL's threads": WindowReads(files...).GDALThreads(2),
		"whole": WholeReads(files...), "collected": CollectReads(files...), "threads": ThreadReads(files...),
	} {
		for _, s := range []sched.Scheduler{sched.Pool(count), sched.Goroutines()} {
			if got := answer(t, w, count, s.Run); got != want {
				t.Errorf("%s, %s: %s\nwant %s", name, s.Name(), got, want)
			}
		}
	}
	if got := answer(t, RandomReads(files...), 4*count, sched.Goroutines().Run); got != want {
		t.Errorf("random: %s\nwant %s", got, want)
	}
	if _, err := Read(t.Context(), files[0]); err != nil {
		t.Errorf("one more: %v", err)
	}
	if n := descriptors(t, dir); n != 0 {
		t.Errorf("%d files left open", n)
	}
}

// Connections to servers are closed when a run ends, also where its workers were on many threads of the system. (GDAL's
// own threads, which ThreadReads uses, never end, and keep theirs: as many as there are CPUs.)
func TestConnectionsAreClosed(t *testing.T) {
	dir := hills(t)
	s, err := fileserver.Start(t.Context(), fileserver.Files{Dir: dir, Latency: 2 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	far := []string{s.File("a.tif"), s.File("b.tif")}
	before := descriptors(t, "socket:")
	for range 3 {
		if _, err := ReadMany(t.Context(), far, ReadWorkers(16), TaskBytes(1)); err != nil {
			t.Error(err)
		}
		for _, w := range []workload{WindowReads(far...).With(TaskBytes(1)), WindowReads(far...).With(TaskBytes(1)).OneHandle(), CollectReads(far...).With(TaskBytes(1)), WholeReads(far...)} {
			answer(t, w, 2, sched.Goroutines().Run)
		}
		answer(t, RandomReads(far...), 27, sched.Goroutines().Run)
		if _, err := Inspect(s.File("none.tif")); err == nil {
			t.Error("no error")
		}
	}
	// The system's threads end a little after their goroutines.
	now := descriptors(t, "socket:")
	for end := time.Now().Add(10 * time.Second); now > before && time.Now().Before(end); now = descriptors(t, "socket:") {
		time.Sleep(10 * time.Millisecond)
	}
	if now > before {
		t.Errorf("%d sockets, %d before", now, before)
	}
}

// Calls that were left to themselves, as their context was done, leave neither connections nor files once their server has ended
// them, and no thread.
func TestInterruptLeavesNothing(t *testing.T) {
	dir := hills(t)
	before := descriptors(t, "socket:")
	var hang atomic.Bool
	s := serveFiles(t, dir, fileserver.Before(func(r *http.Request) {
		if hang.Load() {
			<-r.Context().Done()
		}
	}))
	for _, w := range []workload{WindowReads(s.File("a.tif")).With(TaskBytes(1)), WindowReads(s.File("a.tif")).With(TaskBytes(1)).OneHandle(), WindowReads(s.File("a.tif")).OpenEach(), WholeReads(s.File("a.tif")), RandomReads(s.File("a.tif"))} {
		hang.Store(false)
		tasks, finish, err := w.Tasks(1)
		if err != nil {
			t.Fatal(err)
		}
		hang.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if err := sched.Goroutines().Run(ctx, tasks); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		cancel()
		if answer, err := finish(); err != nil || !strings.HasPrefix(answer, "incomplete, ") {
			t.Errorf("%s, %v", answer, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	abandoned.Wait()
	now := descriptors(t, "socket:")
	for end := time.Now().Add(10 * time.Second); now > before && time.Now().Before(end); now = descriptors(t, "socket:") {
		time.Sleep(10 * time.Millisecond)
	}
	if now > before {
		t.Errorf("%d sockets, %d before", now, before)
	}
}

// A process that may open no more files gets an error that says so, or the right answer: not one without the nodata, the
// mask or the overviews that are beside a file, for which GDAL found no place.
func TestNoMoreFilesMayBeOpen(t *testing.T) {
	if !withLimit(t, 64) {
		return
	}
	beside := rasterFile(t, "a.tif", godal.Byte, 64, 64, nil, func(x, y int) float64 { return float64(x) })
	const aux = `<PAMDataset><PAMRasterBand band="1"><NoDataValue>7</NoDataValue></PAMRasterBand></PAMDataset>`
	if err := os.WriteFile(beside+".aux.xml", []byte(aux), 0o644); err != nil {
		t.Fatal(err)
	}
	type reading struct {
		path string
		opts []ReadOption
	}
	readings := []reading{{path: beside}, {"testdata/overviews-external.tif", []ReadOption{Overview(1)}}, {"testdata/overviews-planes.tif", []ReadOption{Overview(1)}}}
	for _, name := range []string{"mask-sidecar.tif", "mask-each.tif", "uint8.tif", "codec-lzw.tif", "grid.asc", "mosaic.vrt"} {
		readings = append(readings, reading{path: "testdata/" + name})
	}
	want := map[string]Stats{}
	for _, r := range readings {
		s, err := Read(t.Context(), r.path, append(r.opts, ReadWorkers(1))...)
		if err != nil {
			t.Fatal(err)
		}
		want[r.path] = s
	}
	if s := want[beside]; s.NoData != 64 {
		t.Fatalf("%v", s)
	}
	var taken []*os.File
	defer func() {
		for _, f := range taken {
			f.Close()
		}
	}()
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		taken = append(taken, f)
	}
	for free := range 8 {
		for _, r := range readings {
			s, err := Read(t.Context(), r.path, append(r.opts, ReadWorkers(1))...)
			if err != nil && (!errors.Is(err, syscall.EMFILE) || !strings.Contains(err.Error(), tooMany) || free >= 6) {
				t.Errorf("%d free, %s: %v", free, r.path, err)
			} else if err == nil && (s != want[r.path] || free == 0) {
				t.Errorf("%d free, %s: %v\nwant %v", free, r.path, s, want[r.path])
			}
		}
		taken[len(taken)-1].Close()
		taken = taken[:len(taken)-1]
	}
}
