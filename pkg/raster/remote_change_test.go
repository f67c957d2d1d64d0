package raster_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/airbusgeo/godal"

	. "overlap/pkg/raster"
	"overlap/pkg/sched"
	. "overlap/pkg/workload/reads"
	"overlap/pkg/workload/reads/fileserver"
)

// everyWay are all ways to read one file of float32 to its end, or to the error.
func everyWay() map[string]func(context.Context, string) error {
	tasks := func(w workload, size int) func(context.Context) error {
		return func(ctx context.Context) error {
			tasks, finish, err := w.Tasks(size)
			if err != nil {
				return err
			}
			err = sched.Pool(2).Run(ctx, tasks)
			_, ferr := finish()
			return errors.Join(err, ferr)
		}
	}
	return map[string]func(context.Context, string) error{
		"Read": func(ctx context.Context, path string) error { _, err := Read(ctx, path, ReadWorkers(2)); return err },
		"ReadMany": func(ctx context.Context, path string) error {
			_, err := ReadMany(ctx, []string{path}, TaskBytes(1))
			return err
		},
		"Load": func(ctx context.Context, path string) error { _, err := Load[float32](ctx, path, 1); return err },
		"Stream": func(ctx context.Context, path string) error {
			return Stream(ctx, []string{path}, func(Window[float32]) error { return nil })
		},
		"WindowReads": func(ctx context.Context, path string) error { return tasks(WindowReads(path), 1)(ctx) },
		"OneHandle":   func(ctx context.Context, path string) error { return tasks(WindowReads(path).OneHandle(), 1)(ctx) },
		"OpenEach":    func(ctx context.Context, path string) error { return tasks(WindowReads(path).OpenEach(), 1)(ctx) },
		"ByGDAL":      func(ctx context.Context, path string) error { return tasks(WindowReads(path).ByGDAL(), 1)(ctx) },
		"GDALThreads": func(ctx context.Context, path string) error { return tasks(WindowReads(path).GDALThreads(2), 1)(ctx) },
		"WholeReads":  func(ctx context.Context, path string) error { return tasks(WholeReads(path), 1)(ctx) },
		"CollectReads": func(ctx context.Context, path string) error {
			return tasks(CollectReads(path), 1)(ctx)
		},
		"ThreadReads": func(ctx context.Context, path string) error { return tasks(ThreadReads(path), 1)(ctx) },
		"RandomReads": func(ctx context.Context, path string) error { return tasks(RandomReads(path), 6)(ctx) },
	}
}

// plainFile writes a file of 6 tiles that all take the same place in it, whatever their pixels.
func plainFile(t *testing.T, value float64, changed time.Time) string {
	t.Helper()
	path := rasterFile(t, "a.tif", godal.Float32, 700, 500, nil, func(int, int) float64 { return value }, "TILED=YES")
	if err := os.Chtimes(path, changed, changed); err != nil {
		t.Fatal(err)
	}
	return path
}

// A file that is replaced by another of its length on the server, after its head was read, does not pass for one of
// which some blocks are the old one's and others the new one's: neither by its time of change nor, where
// the server tells none, by its tag.
func TestRemoteChanged(t *testing.T) {
	begin := time.Now().Add(-time.Hour)
	for _, trouble := range []string{"", "nodate/"} {
		for name, read := range everyWay() {
			old, other := plainFile(t, 1, begin), plainFile(t, 2, begin.Add(time.Minute))
			var replaced atomic.Bool
			s := serveFiles(t, filepath.Dir(old), fileserver.Before(func(r *http.Request) {
				if from := r.Header.Get("Range"); from != "" && !strings.HasPrefix(from, "bytes=0-") && !replaced.Swap(true) {
					if err := os.Rename(other, old); err != nil {
						t.Error(err)
					}
				}
			}))
			err := read(t.Context(), s.File(trouble+"a.tif"))
			if !errors.Is(err, errChanged) || !replaced.Load() {
				t.Errorf("%s%s: %v", trouble, name, err)
			}
			replaced.Store(true)
			if err := read(t.Context(), s.File(trouble+"a.tif")); err != nil {
				t.Errorf("%s%s, once more: %v", trouble, name, err)
			}
			s.Close()
		}
	}
}

// An answer of before that comes after those of the new file.
func TestRemoteChangedWithALateAnswer(t *testing.T) {
	begin := time.Now().Add(-time.Hour)
	var files [2][]byte
	for i := range files {
		var err error
		if files[i], err = os.ReadFile(plainFile(t, float64(1+i), begin)); err != nil {
			t.Fatal(err)
		}
	}
	var blocks atomic.Int64
	newer := make(chan bool)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := 1
		if from := r.Header.Get("Range"); r.Method == http.MethodGet && (from == "" || strings.HasPrefix(from, "bytes=0-")) || blocks.Load() == 0 && r.Method == http.MethodHead {
			now = 0
		} else if r.Method == http.MethodGet {
			switch blocks.Add(1) {
			case 1:
				now = 0
				select {
				case <-newer:
				case <-r.Context().Done(): // nobody else asks
				}
			case 6: // the last
				defer close(newer)
			}
		}
		http.ServeContent(w, r, "a.tif", begin.Add(time.Duration(now)*time.Minute), bytes.NewReader(files[now]))
	}))
	defer s.Close()
	if err := everyWay()["RandomReads"](t.Context(), s.URL+"/a.tif"); !errors.Is(err, errChanged) {
		t.Errorf("old and new blocks, and: %v", err)
	}
}

// What servers say of the time of change is no proof: some say that all they send was changed just now, and several that
// stand behind one address have clocks of their own.
func TestRemoteTimesOfChange(t *testing.T) {
	data, err := os.ReadFile(plainFile(t, 1, time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		changed func(n int64) time.Time
		pause   time.Duration // before the first block
	}{
		"now":             {func(int64) time.Time { return time.Now() }, 1100 * time.Millisecond},
		"several servers": {func(n int64) time.Time { return time.Unix(1_700_000_000+n%3, 0) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests, blocks atomic.Int64
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n := requests.Add(1)
				if r.Method == http.MethodHead && n > 1 {
					n = 1 // the one that was asked at first answers again
				}
				if from := r.Header.Get("Range"); from != "" && !strings.HasPrefix(from, "bytes=0-") && blocks.Add(1) == 1 {
					time.Sleep(c.pause)
				}
				http.ServeContent(w, r, "a.tif", c.changed(n), bytes.NewReader(data))
			}))
			defer s.Close()
			if _, err := Read(t.Context(), s.URL+"/a.tif", ReadWorkers(2)); err != nil {
				t.Error(err)
			}
		})
	}
}

// Whatever is at a file's name when tasks run is the file that they were made for, or an error.
func TestReplacedBeforeTasks(t *testing.T) {
	at := time.Now()
	for name, w := range map[string]func(string) workload{
		"WindowReads":  func(p string) workload { return WindowReads(p) },
		"OneHandle":    func(p string) workload { return WindowReads(p).OneHandle() },
		"WholeReads":   func(p string) workload { return WholeReads(p) },
		"CollectReads": func(p string) workload { return CollectReads(p) },
		"ThreadReads":  func(p string) workload { return ThreadReads(p) },
		"RandomReads":  func(p string) workload { return RandomReads(p) },
	} {
		path := plainFile(t, 1, at)
		tasks, finish, err := w(path).Tasks(1)
		if err != nil {
			t.Fatal(err)
		}
		small := rasterFile(t, "b.tif", godal.Byte, 100, 100, nil, flat)
		if err := os.Rename(small, path); err != nil {
			t.Fatal(err)
		}
		err = sched.Pool(2).Run(t.Context(), tasks)
		if !errors.Is(err, errReplaced) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := finish(); !errors.Is(err, errReplaced) {
			t.Errorf("%s: finish: %v", name, err)
		}
		if n := descriptors(t, filepath.Dir(path)); n != 0 {
			t.Errorf("%s: %d files left open", name, n)
		}
	}
}

// A file is asked for its size before it is loaded. Another one that is at its name by then is an error, or is
// loaded as it is, and never goes into an array of the other's size.
func TestReplacedWhileLoading(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i, side := range []int{100, 300} {
		made := rasterFile(t, "a.tif", godal.Float32, side, side, nil, func(int, int) float64 { return float64(side) }, "TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=64")
		files = append(files, filepath.Join(dir, string(rune('a'+i))))
		if err := os.Rename(made, files[i]); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "link.tif")
	if err := os.Symlink(files[0], path); err != nil {
		t.Fatal(err)
	}
	stop := make(chan bool)
	ended := make(chan bool)
	go func() {
		defer close(ended)
		for i := 1; ; i++ {
			os.Remove(path + ".new")
			if os.Symlink(files[i%2], path+".new") != nil || os.Rename(path+".new", path) != nil {
				t.Error("cannot replace a link")
				return
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	loaded, failed := 0, 0
	for loaded < 50 {
		a, err := Load[float32](t.Context(), path, 1)
		if errors.Is(err, errReplaced) {
			failed++
			continue
		} else if err != nil {
			t.Error(err)
			break
		}
		loaded++
		if len(a.Pixels) != a.Width*a.Height {
			t.Fatalf("%d pixels of %d x %d", len(a.Pixels), a.Width, a.Height)
		}
		for _, v := range a.Pixels {
			if v != float32(a.Width) {
				t.Fatalf("%v in a file of %v", v, a.Width)
			}
		}
	}
	close(stop)
	<-ended
	t.Log(failed, "of", loaded+failed, "found another file")
}
