package fileserver_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"overlap/pkg/workload/reads/fileserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// folder makes a folder with "a.tif" of the bytes 0 to 9, and "더/b c#.txt".
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "더"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.tif": "0123456789", "더/b c#.txt": "text"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func serve(t *testing.T, f fileserver.Files, opts ...fileserver.Option) *fileserver.Server {
	t.Helper()
	s, err := fileserver.Serve(context.Background(), f, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// fetch returns the status, the body and the headers of an answer.
func fetch(ctx context.Context, method, address, bytes string) (int, string, http.Header, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return 0, "", nil, err
	}
	if bytes != "" {
		request.Header.Set("Range", "bytes="+bytes)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return 0, "", nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), response.Header, err
}

func TestFiles(t *testing.T) {
	dir := folder(t)
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	s := serve(t, fileserver.Files{Dir: dir})
	for _, c := range []struct {
		name, method, address, bytes string
		status                       int
		body                         string
	}{
		{"whole", "GET", s.File("a.tif"), "", 200, "0123456789"},
		{"range", "GET", s.File("a.tif"), "2-4", 206, "234"},
		{"to the end", "GET", s.File("a.tif"), "7-", 206, "789"},
		{"past the end", "GET", s.File("a.tif"), "8-99", 206, "89"},
		{"beyond", "GET", s.File("a.tif"), "10-12", 416, "invalid range: failed to overlap\n"},
		{"head", "HEAD", s.File("a.tif"), "", 200, ""},
		{"name", "GET", s.File("더/b c#.txt"), "", 200, "text"},
		{"query", "GET", s.File("a.tif") + "?run=3", "", 200, "0123456789"},
		{"missing", "GET", s.File("b.tif"), "", 404, "404 page not found\n"},
		{"folder", "GET", s.File("더"), "", 404, "404 page not found\n"},
		{"the folder itself", "GET", s.URL(), "", 404, "404 page not found\n"},
		{"out of the folder", "GET", s.URL() + "/%2e%2e/%2e%2e/etc/passwd", "", 404, "404 page not found\n"},
		{"a link out of it", "GET", s.File("out"), "", 404, "404 page not found\n"},
		{"post", "POST", s.File("a.tif"), "", 405, "GET or HEAD\n"},
		{"trouble that is not on", "GET", s.URL() + "/html/a.tif", "", 404, "404 page not found\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body, header, err := fetch(t.Context(), c.method, c.address, c.bytes)
			if err != nil || status != c.status || body != c.body {
				t.Errorf("%d %q, %v; want %d %q", status, body, err, c.status, c.body)
			}
			if c.name == "head" && (header.Get("Content-Length") != "10" || header.Get("Accept-Ranges") != "bytes" || header.Get("Content-Type") != "image/tiff") {
				t.Errorf("headers %v", header)
			}
		})
	}
}

func TestTrouble(t *testing.T) {
	s := serve(t, fileserver.Files{Dir: folder(t), Trouble: true})
	for _, c := range []struct {
		path   string
		status int
		kind   string
	}{
		{"/a.tif", 200, "image/tiff"},
		{"/status/404/a.tif", 404, "text/plain"},
		{"/status/429/a.tif", 429, "text/plain"},
		{"/status/7/a.tif", 404, "text/plain"},
		{"/flaky/2/a.tif", 503, "text/plain"},
		{"/flaky/2/a.tif", 503, "text/plain"},
		{"/flaky/2/a.tif", 200, "image/tiff"},
		{"/flaky/2/a.tif", 200, "image/tiff"},
		{"/flaky/many/a.tif", 404, "text/plain"},
		{"/flaky/0/none.tif", 404, "text/plain"},
		{"/html/a.tif", 200, "text/html"},
	} {
		status, _, header, err := fetch(t.Context(), "GET", s.URL()+c.path, "")
		if err != nil || status != c.status || !strings.HasPrefix(header.Get("Content-Type"), c.kind) {
			t.Errorf("%s: %d, %v, %v", c.path, status, header, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if status, _, _, err := fetch(ctx, "GET", s.URL()+"/hang/a.tif", ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hang: %d, %v", status, err)
	}
}

func TestTroubleWithParts(t *testing.T) {
	s := serve(t, fileserver.Files{Dir: folder(t), Trouble: true})
	for _, c := range []struct {
		method, path, bytes string
		status              int
		body                string
		header, value       string
	}{
		{"GET", "/whole/a.tif", "2-4", 200, "0123456789", "Content-Length", "10"},
		{"HEAD", "/whole/a.tif", "", 200, "", "Content-Length", "10"},
		{"HEAD", "/nohead/a.tif", "", 403, "", "", ""},
		{"GET", "/nohead/a.tif", "2-4", 206, "234", "", ""},
		{"HEAD", "/length/a.tif", "", 200, "", "Content-Length", "5"},
		{"GET", "/length/a.tif", "7-9", 206, "789", "Content-Range", "bytes 7-9/10"},
		{"GET", "/gzip/a.tif", "0-1", 206, "\x1f\x8b", "Content-Encoding", "gzip"},
		{"GET", "/moved/a.tif", "2-4", 206, "234", "", ""},
		{"GET", "/nodate/a.tif", "2-4", 206, "234", "ETag", `"a684c7c6"`},
		{"GET", "/nodate/a.tif", "2-4", 206, "234", "Last-Modified", ""},
		{"GET", "/cut/a.tif", "0-3", 206, "0123", "", ""},
		{"GET", "/slow/a.tif", "2-4", 206, "234", "", ""},
		{"GET", "/whole/none.tif", "", 404, "404 page not found\n", "", ""},
	} {
		status, body, header, err := fetch(t.Context(), c.method, s.URL()+c.path, c.bytes)
		if err != nil || status != c.status || body != c.body || c.header != "" && header.Get(c.header) != c.value {
			t.Errorf("%s %s: %d %q, %v, %v", c.method, c.path, status, body, header, err)
		}
	}
	if _, body, header, err := fetch(t.Context(), "GET", s.URL()+"/cut/a.tif", "4-9"); !errors.Is(err, io.ErrUnexpectedEOF) || body != "456" || header.Get("Content-Length") != "6" {
		t.Errorf("cut: %q, %v, %v", body, header, err)
	}
	if _, _, _, err := fetch(t.Context(), "GET", s.URL()+"/circle/a.tif", ""); err == nil || !strings.Contains(err.Error(), "stopped after 10 redirects") {
		t.Errorf("circle: %v", err)
	}
	start := time.Now()
	if _, body, _, err := fetch(t.Context(), "GET", s.URL()+"/slow/a.tif", "0-2"); err != nil || body != "012" || time.Since(start) < 150*time.Millisecond {
		t.Errorf("slow: %q after %v, %v", body, time.Since(start), err)
	}
}

func TestHangEndsWithServer(t *testing.T) {
	asked := make(chan bool, 1)
	s := serve(t, fileserver.Files{Dir: folder(t), Trouble: true}, fileserver.Before(func(*http.Request) { asked <- true }))
	ended := make(chan error)
	go func() {
		_, _, _, err := fetch(context.Background(), "GET", s.URL()+"/hang/a.tif", "")
		ended <- err
	}()
	<-asked
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("it was answered")
	}
}

func TestCounts(t *testing.T) {
	const clients = 5
	var barrier sync.WaitGroup
	barrier.Add(clients)
	s := serve(t, fileserver.Files{Dir: folder(t)}, fileserver.Before(func(r *http.Request) {
		if r.URL.RawQuery == "together" {
			barrier.Done()
			barrier.Wait()
		}
	}))
	var done sync.WaitGroup
	for range clients {
		done.Go(func() {
			if _, _, _, err := fetch(t.Context(), "GET", s.File("a.tif")+"?together", "0-3"); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	// A body's bytes are counted when all are sent, which its reader may see before.
	for s.Counts().Bytes < 20 {
		time.Sleep(time.Millisecond)
	}
	if got, want := s.Counts(), (fileserver.Counts{Requests: 5, Bytes: 20, InFlight: 5}); got != want {
		t.Errorf("%#v, want %#v", got, want)
	}
	s.Reset()
	for _, request := range [][2]string{{"HEAD", "a.tif"}, {"HEAD", "b.tif"}, {"HEAD", "a.tif"}} {
		if _, _, _, err := fetch(t.Context(), request[0], s.File(request[1]), ""); err != nil {
			t.Fatal(err)
		}
	}
	for s.Counts().Failed < 1 {
		time.Sleep(time.Millisecond)
	}
	want := fileserver.Counts{Requests: 3, Heads: 3, Failed: 1, InFlight: 1}
	if got := s.Counts(); got != want {
		t.Errorf("%#v, want %#v", got, want)
	}
	if got := want.String(); got != "3 requests, 0.0 MB, at most 1 in flight" {
		t.Error(got)
	}
}

func TestLatency(t *testing.T) {
	const latency = 30 * time.Millisecond
	s := serve(t, fileserver.Files{Dir: folder(t), Latency: latency})
	for _, method := range []string{"GET", "HEAD"} {
		start := time.Now()
		if _, _, _, err := fetch(t.Context(), method, s.File("a.tif"), ""); err != nil {
			t.Error(err)
		}
		if d := time.Since(start); d < latency {
			t.Errorf("%s was answered after %v", method, d)
		}
	}
}

func TestCheck(t *testing.T) {
	dir := folder(t)
	for _, c := range []struct {
		name  string
		files fileserver.Files
		says  string
	}{
		{"no folder", fileserver.Files{Dir: filepath.Join(dir, "none")}, "no such file"},
		{"empty", fileserver.Files{}, "no such file"},
		{"a file", fileserver.Files{Dir: filepath.Join(dir, "a.tif")}, "it is not a folder"},
		{"negative", fileserver.Files{Dir: dir, Latency: -1}, "latency -1ns"},
		{"long", fileserver.Files{Dir: dir, Latency: time.Hour}, "latency 1h"},
	} {
		_, err := fileserver.Serve(t.Context(), c.files)
		_, started := fileserver.Start(t.Context(), c.files)
		if err == nil || !strings.Contains(err.Error(), c.says) || started == nil || started.Error() != err.Error() {
			t.Errorf("%s: %v, %v", c.name, err, started)
		}
	}
}

func TestStart(t *testing.T) {
	p, err := fileserver.Start(t.Context(), fileserver.Files{Dir: folder(t), Latency: time.Millisecond, Trouble: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if p.PID() == os.Getpid() {
		t.Error("it is this process")
	}
	if status, body, _, err := fetch(t.Context(), "GET", p.File("a.tif"), "1-2"); status != 206 || body != "12" || err != nil {
		t.Errorf("%d %q, %v", status, body, err)
	}
	c, err := p.Counts(t.Context())
	for ; err == nil && c.Bytes < 2; c, err = p.Counts(t.Context()) {
		time.Sleep(time.Millisecond)
	}
	if want := (fileserver.Counts{Requests: 1, Bytes: 2, InFlight: 1}); err != nil || c != want {
		t.Errorf("%#v, %v; want %#v", c, err, want)
	}
	if err := p.Reset(t.Context()); err != nil {
		t.Error(err)
	}
	if c, err := p.Counts(t.Context()); err != nil || c != (fileserver.Counts{}) {
		t.Errorf("after a reset: %+v, %v", c, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Counts(t.Context()); err == nil || !strings.Contains(err.Error(), "ask for the counts") {
		t.Errorf("after Close: %v", err)
	}
	if err := p.Reset(t.Context()); err == nil {
		t.Error("after Close: no error")
	}
}
