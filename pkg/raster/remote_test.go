package raster_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "overlap/pkg/raster"
	"overlap/pkg/sched"
	. "overlap/pkg/workload/reads"
	"overlap/pkg/workload/reads/fileserver"
	. "overlap/pkg/workload/terrain"
)

// hills are two files of 12 and 15 blocks of about 45 kB, which is more than GDAL
// fetches at least.
func hills(t testing.TB) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, terrain := range map[string]Terrain{
		"a.tif": {Width: 1000, Height: 700, Seed: 1, Level: 1},
		"b.tif": {Width: 1280, Height: 768, Seed: 2, Level: 1},
	} {
		if err := terrain.Write(t.Context(), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func serveFiles(t testing.TB, dir string, opts ...fileserver.Option) *fileserver.Server {
	t.Helper()
	s, err := fileserver.Serve(context.Background(), fileserver.Files{Dir: dir, Trouble: true}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		abandoned.Wait() // a closed server ends the calls that waited for it
	})
	return s
}

func TestRemotePath(t *testing.T) {
	for path, want := range map[string]string{
		"http://127.0.0.1:1/a.tif":         "/vsicurl/http://127.0.0.1:1/a.tif",
		"https://example.org/a b.tif?c=d":  "/vsicurl/https://example.org/a%20b.tif?c=d",
		"https://example.org/가.tif?c=|%20": "/vsicurl/https://example.org/%EA%B0%80.tif?c=%7C%20",
		"https://한국.example/a":             "/vsicurl/https://한국.example/a",
		"/vsicurl/http://127.0.0.1:1/a":    "/vsicurl/http://127.0.0.1:1/a",
		"/vsicurl/ftp://127.0.0.1/a.tif":   "/vsicurl/ftp://127.0.0.1/a.tif",
		"/vsimem/a.tif":                    "/vsimem/a.tif",
		"a.tif":                            "a.tif",
		"http:/a.tif":                      "http:/a.tif",
		"./http://127.0.0.1/a.tif":         "./http://127.0.0.1/a.tif",
		"":                                 "",
	} {
		if got := gdalPath(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

// Every way to read gives the answer that it gives for the local files, and
// each run fetches what it reads.
func TestRemoteAnswers(t *testing.T) {
	dir := hills(t)
	s := serveFiles(t, dir)
	local := []string{filepath.Join(dir, "a.tif"), filepath.Join(dir, "b.tif")}
	remote := []string{s.File("a.tif"), s.File("b.tif")}
	for _, c := range []struct {
		name        string
		size, least int // requests of a run
		work        func(...string) workload
	}{
		{"windows", 2, 10, func(f ...string) workload { return WindowReads(f...) }},
		{"windows of a block", 2, 10, func(f ...string) workload { return WindowReads(f...).With(TaskBytes(1)) }},
		{"whole", 2, 4, func(f ...string) workload { return WholeReads(f...) }},
		{"random", 20, 20, func(f ...string) workload { return RandomReads(f...) }},
		{"random, all", 27, 20, func(f ...string) workload { return RandomReads(f...).Seed(7) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := answer(t, c.work(local...), c.size, on(1))
			for _, scheduler := range []sched.Scheduler{sched.Sequential(), sched.Pool(4), sched.Pool(16), sched.Goroutines()} {
				s.Reset()
				if got := answer(t, c.work(remote...), c.size, scheduler.Run); got != want {
					t.Errorf("%s: %s\nwant %s", scheduler.Name(), got, want)
				}
				if n := s.Counts(); n.Requests < c.least || n.Bytes < 100_000 || n.Failed > 0 {
					t.Errorf("%s: %v, %d failed; want at least %d requests", scheduler.Name(), n, n.Failed, c.least)
				}
			}
		})
	}
}

func TestRemoteRead(t *testing.T) {
	dir := hills(t)
	s := serveFiles(t, dir)
	want, err := Read(t.Context(), filepath.Join(dir, "a.tif"))
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{s.File("a.tif"), "/vsicurl/" + s.File("a.tif"), s.File("a.tif") + "?run=1"} {
		info, err := Inspect(address)
		if err != nil || info.Width != 1000 || info.Driver != "GTiff" || info.FileBytes != 0 {
			t.Errorf("%s: %v, %v", address, info, err)
		}
		s.Reset()
		if got, err := Read(t.Context(), address, ReadWorkers(4)); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", address, got, err, want)
		}
		if n := s.Counts().Requests; n < 4 {
			t.Errorf("%s: %d requests", address, n)
		}
	}
	// GDAL has them in memory now, as they were.
	b, err := os.ReadFile(filepath.Join(dir, "b.tif"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.tif"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	if want, err = Read(t.Context(), filepath.Join(dir, "b.tif")); err != nil {
		t.Fatal(err)
	}
	address := s.File("a.tif")
	if got, err := Read(t.Context(), address); err != nil || got != want {
		t.Errorf("Read of what was there before: %v, %v", got, err)
	}
	if info, err := Inspect(address); err != nil || info.Width != 1280 {
		t.Errorf("Inspect of what was there before: %v, %v", info, err)
	}
	if results, err := ReadMany(t.Context(), []string{address}); err != nil || results[0].Total() != want {
		t.Errorf("ReadMany of what was there before: %v", err)
	}
	if a, err := Load[float32](t.Context(), address, 1); err != nil || a.Stats != want {
		t.Errorf("Load of what was there before: %v, %v", a.Stats, err)
	}
	var count atomic.Int64
	if err := Stream(t.Context(), []string{address}, func(w Window[float32]) error {
		count.Add(int64(w.Width * w.Height))
		return nil
	}); err != nil || count.Load() != want.Count {
		t.Errorf("Stream of what was there before: %d pixels, %v", count.Load(), err)
	}
}

// The number of workers is that of the requests in flight. The server holds back
// the first answers until all workers have asked, so that it does not depend on
// how fast anything is.
func TestRemoteInFlight(t *testing.T) {
	dir := hills(t)
	for _, workers := range []int{1, 2, 8, 20} {
		var open atomic.Bool // the files are known, and blocks are read
		var asked atomic.Int64
		var barrier sync.WaitGroup
		barrier.Add(workers)
		s := serveFiles(t, dir, fileserver.Before(func(r *http.Request) {
			if open.Load() && asked.Add(1) <= int64(workers) {
				barrier.Done()
				barrier.Wait()
			}
		}))
		tasks, finish, err := RandomReads(s.File("a.tif"), s.File("b.tif")).Tasks(27)
		if err != nil {
			t.Fatal(err)
		}
		s.Reset()
		open.Store(true)
		if err := sched.Pool(workers).Run(t.Context(), tasks); err != nil {
			t.Error(err)
		}
		if _, err := finish(); err != nil {
			t.Error(err)
		}
		if n := s.Counts(); n.InFlight != workers || n.Heads != 0 {
			t.Errorf("%d workers: %v, %d of them heads", workers, n, n.Heads)
		}
	}
}

func TestRandomReads(t *testing.T) {
	dir := hills(t)
	files := []string{filepath.Join(dir, "a.tif"), filepath.Join(dir, "b.tif")}
	r := RandomReads(files...)
	if a, b := answer(t, r, 27, on(3)), answer(t, WindowReads(files...), 2, on(1)); a != b {
		t.Errorf("all blocks: %s\nwant %s", a, b)
	}
	few := answer(t, r, 5, on(1))
	if again := answer(t, r, 5, on(3)); again != few {
		t.Errorf("the same seed: %s and %s", few, again)
	}
	if other := answer(t, r.Seed(2), 5, on(1)); other == few {
		t.Errorf("another seed reads the same blocks: %s", few)
	}
	for _, size := range []int{-1, 0, 28} {
		if _, _, err := r.Tasks(size); err == nil || !strings.Contains(err.Error(), "1 to 27 blocks") {
			t.Errorf("size %d: %v", size, err)
		}
	}
	if _, _, err := RandomReads().Tasks(1); !errors.Is(err, ErrNoFiles) {
		t.Errorf("no files: %v", err)
	}
	_, far := RandomReads("http://127.0.0.1:1/a.tif", "http://127.0.0.1:1/b.tif").Spec()
	_, farther := RandomReads("http://127.0.0.1:2/a.tif", "http://127.0.0.1:2/b.tif").Spec()
	if far["remote"] != "2" || far["page_cache"] != "" || far["files"] != "a.tif,b.tif" || !maps.Equal(far, farther) {
		t.Errorf("where a server is must not matter: %v, %v", far, farther)
	}
	_, one := r.Spec()
	_, two := r.Seed(2).Spec()
	if one["by"] != "random blocks" || one["seed"] == two["seed"] || r.Unit() != "blocks" {
		t.Errorf("%v and %v", one, two)
	}
}

// What goes wrong with a server says so, with the address, each time it is
// asked.
func TestRemoteErrors(t *testing.T) {
	dir := hills(t)
	if err := os.WriteFile(filepath.Join(dir, "text.tif"), []byte("Dear reader,\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "empty.tif"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := serveFiles(t, dir)
	gone := serveFiles(t, dir)
	gone.Close()
	for _, c := range []struct {
		name, address, says string
		status              int
		is                  error // besides ErrRemote
	}{
		{"missing", s.File("missing.tif"), "the server answered 404 (Not Found); check the address", 404, fs.ErrNotExist},
		{"gone", s.File("status/410/a.tif"), "410 (Gone)", 410, fs.ErrNotExist},
		{"login", s.File("status/401/a.tif"), "401 (Unauthorized); it wants a login", 401, fs.ErrPermission},
		{"forbidden", s.File("status/403/a.tif"), "403 (Forbidden)", 403, fs.ErrPermission},
		{"busy", s.File("status/503/a.tif"), "503 (Service Unavailable); it is busy; try again later", 503, nil},
		{"broken", s.File("status/500/a.tif"), "500 (Internal Server Error); the fault is the server's", 500, nil},
		{"unknown status", s.File("status/599/a.tif"), "the server answered 599;", 599, nil},
		{"web page", s.File("html/a.tif"), "not a raster: the server sent text/html", 200, nil},
		{"text", s.File("text.tif"), "not a raster in a format that GDAL knows: the server sent image/tiff", 206, nil},
		{"empty", s.File("empty.tif"), "not a raster: the server sent nothing", 200, nil},
		{"nobody there", gone.File("a.tif"), "nothing answers at 127.0.0.1:", 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 {
				_, err := Inspect(c.address)
				_, read := Read(t.Context(), c.address)
				_, _, windows := WindowReads(c.address).Tasks(1)
				for way, err := range map[string]error{"Inspect": err, "Read": read, "WindowReads": windows} {
					if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), `"`+c.address+`"`) {
						t.Errorf("%s: %v; want it to say %q", way, err, c.says)
					}
					if !errors.Is(err, ErrRemote) || c.is != nil && !errors.Is(err, c.is) {
						t.Errorf("%s: %v is not %v", way, err, c.is)
					}
					if e, ok := errors.AsType[*RemoteError](err); !ok || e.Status != c.status || e.URL != c.address {
						t.Errorf("%s: %#v", way, e)
					}
				}
			}
		})
	}
}

// A file that cannot be had does not keep the others from being read.
func TestRemoteMany(t *testing.T) {
	dir := hills(t)
	s := serveFiles(t, dir)
	files := []string{s.File("a.tif"), s.File("missing.tif"), filepath.Join(dir, "b.tif")}
	results, err := ReadMany(t.Context(), files, ReadWorkers(4))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for i, r := range results {
		want := []int64{700_000, 0, 983_040}[i]
		if r.Err == nil && r.Total().Count != want || (r.Err == nil) != (i != 1) {
			t.Errorf("%s: %v, %v", r.Path, r.Bands, r.Err)
		}
	}
}

// Trouble that begins while blocks are read ends the file, and does not pass
// for damage.
func TestRemoteErrorsWhileReading(t *testing.T) {
	var left atomic.Int64
	s := serveFiles(t, hills(t), fileserver.Before(func(r *http.Request) {
		if left.Add(-1) < 0 {
			r.URL.Path = "/status/503/a.tif"
		}
	}))
	left.Store(4)
	_, err := Read(t.Context(), s.File("b.tif"), ReadWorkers(2))
	if !errors.Is(err, ErrRemote) || !strings.Contains(err.Error(), "answered 503") || !strings.Contains(err.Error(), "block ") {
		t.Errorf("Read: %v", err)
	}
	forget(s.File("b.tif"))
	left.Store(2)
	tasks, finish, err := WindowReads(s.File("b.tif")).With(TaskBytes(1)).Tasks(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := sched.Pool(3).Run(t.Context(), tasks); !errors.Is(err, ErrRemote) || !strings.Contains(err.Error(), "answered 503") {
		t.Errorf("WindowReads: %v", err)
	}
	finish()
}

// Nothing waits for a server longer than for its context.
func TestRemoteInterrupt(t *testing.T) {
	dir := hills(t)
	asked := make(chan bool, 100)
	var hang atomic.Bool
	s := serveFiles(t, dir, fileserver.Before(func(r *http.Request) {
		if hang.Load() {
			r.URL.Path = "/hang/a.tif"
			asked <- true
		}
	}))
	why := errors.New("enough")
	for _, c := range []struct {
		name string
		read func(context.Context) error
	}{
		{"Read", func(ctx context.Context) error {
			hang.Store(true)
			_, err := Read(ctx, s.File("a.tif"))
			return err
		}},
		{"ReadMany", func(ctx context.Context) error {
			hang.Store(true)
			results, err := ReadMany(ctx, []string{s.File("a.tif"), filepath.Join(dir, "b.tif")})
			if len(results) != 2 || !errors.Is(results[0].Err, why) || results[0].Path != s.File("a.tif") {
				t.Errorf("results %v", results)
			}
			return err
		}},
		{"Load", func(ctx context.Context) error {
			hang.Store(true)
			_, err := Load[float32](ctx, s.File("a.tif"), 1)
			return err
		}},
		{"Stream", func(ctx context.Context) error {
			hang.Store(true)
			return Stream(ctx, []string{s.File("a.tif")}, func(Window[float32]) error { return nil })
		}},
		{"WindowReads", func(ctx context.Context) error { return hanging(t, ctx, &hang, WindowReads(s.File("a.tif")), 1) }},
		{"WholeReads", func(ctx context.Context) error { return hanging(t, ctx, &hang, WholeReads(s.File("a.tif")), 1) }},
		{"OneHandle", func(ctx context.Context) error {
			return hanging(t, ctx, &hang, WindowReads(s.File("a.tif")).OneHandle(), 1)
		}},
		{"OpenEach", func(ctx context.Context) error {
			return hanging(t, ctx, &hang, WindowReads(s.File("a.tif")).OpenEach(), 1)
		}},
		{"ThreadReads", func(ctx context.Context) error { return hanging(t, ctx, &hang, ThreadReads(s.File("a.tif")), 1) }},
		{"RandomReads", func(ctx context.Context) error { return hanging(t, ctx, &hang, RandomReads(s.File("a.tif")), 12) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			hang.Store(false)
			forget(s.File("a.tif"))
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				<-asked
				cancel(why)
			}()
			start := time.Now()
			if err := c.read(ctx); !errors.Is(err, why) {
				t.Errorf("got %v, want %v", err, why)
			}
			if d := time.Since(start); d > requestLimit() {
				t.Errorf("it took %v", d)
			}
			if err := c.read(ctx); !errors.Is(err, why) {
				t.Errorf("with a context that is done: %v", err)
			}
			for len(asked) > 0 {
				<-asked
			}
		})
	}
}

// hanging runs tasks with a server that answers until they are made.
func hanging(t *testing.T, ctx context.Context, hang *atomic.Bool, w workload, size int) error {
	t.Helper()
	hang.Store(false)
	tasks, finish, err := w.Tasks(size)
	if err != nil {
		t.Error(err)
		return err
	}
	hang.Store(true)
	defer finish()
	return sched.Pool(4).Run(ctx, tasks)
}

// childVariable tells a test that it is in a process of its own, whose
// environment sets GDAL's options.
const remoteChild = "RASTER_TEST_REMOTE_CHILD"

// inChild runs a test in a process of its own with settings of GDAL in the
// environment, and reports whether this is that process.
func inChild(t *testing.T, settings ...string) bool {
	t.Helper()
	if os.Getenv(remoteChild) != "" {
		return true
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(append(os.Environ(), remoteChild+"=1"), settings...)
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// A server that is busy at first is asked again, if the user wants it.
func TestRemoteRetries(t *testing.T) {
	if !inChild(t, "GDAL_HTTP_MAX_RETRY=3", "GDAL_HTTP_RETRY_DELAY=0.05") {
		return
	}
	dir := hills(t)
	var busy atomic.Int64
	s := serveFiles(t, dir, fileserver.Before(func(r *http.Request) {
		if busy.Add(-1) >= 0 {
			r.URL.Path = "/status/503/a.tif"
		}
	}))
	want, err := Read(t.Context(), filepath.Join(dir, "a.tif"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		address string
	}{
		{"opening", s.File("flaky/2/a.tif")},
		{"reading", s.File("a.tif")},
	} {
		if c.name == "reading" {
			if _, err := Inspect(c.address); err != nil {
				t.Fatal(err)
			}
			busy.Store(2)
		}
		got, err := Read(t.Context(), c.address, ReadWorkers(4))
		if err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, want)
		}
	}
	if info, err := Inspect(s.File("flaky/1/b.tif")); err != nil || len(info.Warnings) > 0 {
		t.Errorf("a retry is no warning about the file: %v, %v", info, err)
	}
	// More trouble than retries.
	if _, err := Read(t.Context(), s.File("flaky/4/a.tif")); !errors.Is(err, ErrRemote) || !strings.Contains(err.Error(), "answered 503") {
		t.Errorf("got %v", err)
	}
}

func TestRemoteNoRetries(t *testing.T) {
	s := serveFiles(t, hills(t))
	if _, err := Read(t.Context(), s.File("flaky/2/a.tif"), ReadWorkers(4)); err == nil || !strings.Contains(err.Error(), "answered 503") {
		t.Errorf("got %v", err)
	}
}

// A server that never answers is given up.
func TestRemoteTimeout(t *testing.T) {
	if !inChild(t, "GDAL_HTTP_TIMEOUT=1") {
		return
	}
	var hang atomic.Bool
	s := serveFiles(t, hills(t), fileserver.Before(func(r *http.Request) {
		if hang.Load() {
			r.URL.Path = "/hang/a.tif"
		}
	}))
	_, err := Read(t.Context(), s.File("hang/a.tif"), ReadWorkers(4))
	if !errors.Is(err, os.ErrDeadlineExceeded) || !errors.Is(err, ErrRemote) || !strings.Contains(err.Error(), "did not answer within 1s") {
		t.Errorf("opening: %v", err)
	}
	tasks, finish, err := WindowReads(s.File("b.tif")).Tasks(1)
	if err != nil {
		t.Fatal(err)
	}
	hang.Store(true)
	err = sched.Pool(2).Run(t.Context(), tasks)
	if !errors.Is(err, ErrRemote) || !strings.Contains(err.Error(), "block ") {
		t.Errorf("reading: %v", err)
	}
	if answer, err := finish(); err != nil || !strings.HasPrefix(answer, "incomplete, ") {
		t.Errorf("%s, %v", answer, err)
	}
}

func TestRemoteOptions(t *testing.T) {
	values := map[string]string{}
	for _, o := range RemoteOptions() {
		if o.Why == "" {
			t.Errorf("%s: no reason", o.Name)
		}
		values[o.Name] = o.Value
	}
	if inChild(t, "GDAL_HTTP_TIMEOUT=7", "CPL_VSIL_CURL_CHUNK_SIZE=65536") {
		if values["GDAL_HTTP_TIMEOUT"] != "7" || values["CPL_VSIL_CURL_CHUNK_SIZE"] != "65536" || requestLimit() != 7*time.Second {
			t.Errorf("the environment does not go before: %v", values)
		}
		return
	}
	// What is promised: a server that hangs is given up within ten seconds.
	if limit := requestLimit(); limit <= 0 || limit+askLimit > 10*time.Second || values["GDAL_HTTP_MAX_RETRY"] != "0" {
		t.Errorf("limit %v, %v", limit, values)
	}
}
