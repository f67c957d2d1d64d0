package raster_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	. "overlap/pkg/raster"
	"overlap/pkg/sched"
	. "overlap/pkg/workload/reads"
	"overlap/pkg/workload/reads/fileserver"
)

// Servers that answer, and not as one that reading by parts needs, are told apart from each other and from damage.
func TestRemoteTrouble(t *testing.T) {
	s := serveFiles(t, hills(t))
	for _, c := range []struct{ name, file, says string }{
		{"no parts", "whole/a.tif", "the server sends whole files only, and no parts of them; fetch the file (curl -O)"},
		{"in a circle", "circle/a.tif", "the server answered 302 (Found); it sends on in a circle"},
		{"compressed", "gzip/a.tif", "the server sends it compressed (Content-Encoding: gzip)"},
		{"breaks off", "cut/a.tif", "a part of it did not come, or not within 6s, and now the server answers again"},
		{"half as long", "length/a.tif", "it was changed, or the server tells HEAD another length than GET"},
	} {
		for way, read := range everyWay() {
			err := read(t.Context(), s.File(c.file))
			abandoned.Wait() // what is still under way may change what GDAL knows of the file
			if err == nil && c.name == "half as long" && (way == "GDALThreads" || way == "ThreadReads") {
				continue // they ask for several blocks at once, without regard to the length
			}
			if err == nil && way == "RandomReads" && (c.name == "breaks off" || c.name == "half as long") {
				continue // some blocks are whole
			}
			if !errors.Is(err, ErrRemote) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "damaged") {
				t.Errorf("%s, %s: %v", c.name, way, err)
			}
		}
	}
}

// What servers may do is no trouble.
func TestRemoteNoTrouble(t *testing.T) {
	dir := hills(t)
	s := serveFiles(t, dir)
	want := answer(t, WindowReads(filepath.Join(dir, "a.tif")), 1, on(1))
	for _, trouble := range []string{"nohead/", "moved/", "nodate/"} {
		for way, read := range everyWay() {
			if err := read(t.Context(), s.File(trouble+"a.tif")); err != nil {
				t.Errorf("%s%s: %v", trouble, way, err)
			}
		}
		for _, w := range []workload{WindowReads(s.File(trouble + "a.tif")), WholeReads(s.File(trouble + "a.tif")), CollectReads(s.File(trouble + "a.tif"))} {
			if got := answer(t, w, 1, on(3)); got != want {
				t.Errorf("%s: %s\nwant %s", trouble, got, want)
			}
		}
	}
}

// GDAL keeps what came of a part that broke off; that does not outlive the trouble.
func TestRemoteAfterTrouble(t *testing.T) {
	dir := hills(t)
	var well atomic.Bool
	s := serveFiles(t, dir, fileserver.Before(func(r *http.Request) {
		if !well.Load() {
			r.URL.Path = "/cut" + r.URL.Path
		}
	}))
	for way, read := range everyWay() {
		well.Store(false)
		err := read(t.Context(), s.File("a.tif"))
		if err == nil && way != "RandomReads" {
			t.Errorf("%s: no error of a server that breaks off", way)
		}
		abandoned.Wait() // else what is still under way may break off
		well.Store(true)
		if err := read(t.Context(), s.File("a.tif")); err != nil {
			t.Errorf("%s, when the server is well again: %v", way, err)
		}
	}
}

// A file that was cut short before it came to the server is damaged, and not the server: its other blocks are read.
func TestRemoteCutShort(t *testing.T) {
	dir := hills(t)
	whole, err := os.ReadFile(filepath.Join(dir, "a.tif"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "half.tif"), whole[:len(whole)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	s := serveFiles(t, dir)
	near, nearErr := ReadBands(t.Context(), filepath.Join(dir, "half.tif"))
	far, err := ReadBands(t.Context(), s.File("half.tif"), ReadWorkers(3))
	var damage *BlockError
	if !errors.As(err, &damage) || errors.Is(err, ErrRemote) || !strings.Contains(err.Error(), "damaged or cut short") {
		t.Errorf("got %v", err)
	}
	if nearErr == nil || far.Read != near.Read || far.Total() != near.Total() || far.Read < 1 {
		t.Errorf("%d blocks, %v; of the file here %d blocks, %v, %v", far.Read, far.Total(), near.Read, near.Total(), nearErr)
	}
}

// A server that sends without end, and slowly, is given up as one that sends nothing.
func TestRemoteSlow(t *testing.T) {
	if !inChild(t, "GDAL_HTTP_TIMEOUT=0.5") {
		return
	}
	var slow atomic.Bool
	s := serveFiles(t, hills(t), fileserver.Before(func(r *http.Request) {
		if slow.Load() && r.Method == http.MethodGet {
			r.URL.Path = "/slow" + r.URL.Path
		}
	}))
	tasks, finish, err := WindowReads(s.File("a.tif")).Tasks(1)
	if err != nil {
		t.Fatal(err)
	}
	slow.Store(true)
	err = sched.Pool(2).Run(t.Context(), tasks)
	if !errors.Is(err, ErrRemote) || strings.Contains(err.Error(), "damaged") {
		t.Errorf("reading: %v", err)
	}
	finish()
	if _, err := Inspect(s.File("a.tif")); !errors.Is(err, ErrRemote) {
		t.Errorf("opening: %v", err)
	}
}

// The environment's proxy knows nothing of servers of this machine, and is named where it is what fails.
func TestRemoteProxy(t *testing.T) {
	if !inChild(t, "http_proxy=http://127.0.0.1:1", "https_proxy=http://127.0.0.1:1", "no_proxy=", "NO_PROXY=") {
		return
	}
	s := serveFiles(t, hills(t))
	for way, read := range everyWay() {
		if err := read(t.Context(), s.File("a.tif")); err != nil {
			t.Errorf("%s: %v", way, err)
		}
	}
	if err := Explained(s.File("text.tif"), "not recognized as a supported file format"); err == nil || !strings.Contains(err.Error(), "answered 404") {
		t.Errorf("a question that only serves a better message: %v", err)
	}
	for _, address := range []string{"http://example.invalid/a.tif", "https://example.invalid/a.tif"} {
		_, err := Read(t.Context(), address)
		if !errors.Is(err, ErrRemote) || !strings.Contains(err.Error(), "the proxy 127.0.0.1 port 1 could not be reached; check http_proxy") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// The package's settings of GDAL hold during its calls, and what the program set stays.
func TestSettingsOfTheProgramStay(t *testing.T) {
	s := serveFiles(t, hills(t))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const mine = "GDAL_DISABLE_READDIR_ON_OPEN"
	setForThread(mine, "TRUE")
	setForThread("GDAL_NUM_THREADS", "3")
	defer setForThread(mine, "")
	defer setForThread("GDAL_NUM_THREADS", "")
	if _, err := Inspect(s.File("a.tif")); err != nil {
		t.Fatal(err)
	}
	if a, b := config(mine), config("GDAL_NUM_THREADS"); a != "TRUE" || b != "3" {
		t.Errorf("%s is %q, GDAL_NUM_THREADS %q", mine, a, b)
	}
	if _, err := Read(t.Context(), s.File("a.tif"), ReadWorkers(3)); err != nil {
		t.Fatal(err)
	}
	if _, err := Inspect(s.File("none.tif")); err == nil {
		t.Error("no error")
	}
	for _, o := range RemoteOptions() {
		if got := config(o.Name); o.Name != mine && got != os.Getenv(o.Name) {
			t.Errorf("%s is %q for the program", o.Name, got)
		}
	}
	for _, name := range []string{"GDAL_HTTP_PROXY", "CPL_VSIL_CURL_USE_HEAD", "CPL_CURL_GZIP"} {
		if got := config(name); got != os.Getenv(name) {
			t.Errorf("%s is %q for the program", name, got)
		}
	}
}

// Whatever GDAL fetches has the limits of time, by whichever of its names for files on the network.
func TestRemoteNames(t *testing.T) {
	for path, want := range map[string]bool{
		"/vsicurl/ftp://example.org/a.tif":                   true,
		"/vsicurl?max_retry=2&url=https%3A%2F%2Fexample.org": true,
		"/vsicurl_streaming/http://example.org/a.tif":        true,
		"/vsis3/bucket/a.tif":                                true,
		"/vsigs_streaming/bucket/a.tif":                      true,
		"/vsiaz/container/a.tif":                             true,
		"/vsizip//vsicurl/https://example.org/a.zip/b.tif":   true,
		"/vsizip/{/vsicurl/https://example.org/a.zip}/b.tif": true,
		"GTIFF_DIR:2:/vsicurl/https://example.org/a.tif":     true,
		"NETCDF:\"/vsicurl/https://example.org/a.nc\":t2m":   true,
		"/vsizip/archive.zip/b.tif":                          false,
		"/vsimem/a.tif":                                      false,
		"/data/vsicurl/http.tif":                             false,
		"vsicurl/a.tif":                                      false,
		"NETCDF:\"a.nc\":t2m":                                false,
	} {
		if isRemote(path) != want {
			t.Errorf("%s: remote %v", path, !want)
		}
	}
	dir := hills(t)
	s := serveFiles(t, dir)
	want, err := Read(t.Context(), filepath.Join(dir, "a.tif"))
	if err != nil {
		t.Fatal(err)
	}
	escaped := strings.ReplaceAll(strings.ReplaceAll(s.File("a.tif"), ":", "%3A"), "/", "%2F")
	for _, path := range []string{"/vsicurl?max_retry=2&url=" + escaped, "GTIFF_DIR:1:/vsicurl/" + s.File("a.tif"), "/vsicurl_streaming/" + s.File("a.tif")} {
		if got, err := Read(t.Context(), path); err != nil || got != want {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	if err := os.Rename(filepath.Join(dir, "a.tif"), filepath.Join(dir, "가 나.tif")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{s.URL() + "/가 나.tif", s.File("가 나.tif")} {
		if got, err := Read(t.Context(), path); err != nil || got != want {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	for path, says := range map[string]string{
		"s3://bucket/a.tif": `GDAL's name for it is "/vsis3/bucket/a.tif"`, "GS://bucket/a.tif": `"/vsigs/bucket/a.tif"`, "az://c/a.tif": `"/vsiaz/c/a.tif"`,
		"ftp://example.org/a.tif": `"/vsicurl/ftp://example.org/a.tif"`, "http://": "it is no address that can be asked for", "https://127.0.0.1:99999/a.tif": "it is no address",
		"/vsicurl/": "it is no address", "/vsicurl?x=1": "it is no address",
	} {
		if _, err := Read(t.Context(), path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want %q", path, err, says)
		}
	}
	_, err = Read(t.Context(), "/vsicurl?url="+strings.Replace(escaped, "a.tif", "none.tif", 1))
	if e, ok := errors.AsType[*RemoteError](err); !ok || e.Status != 404 || e.Error() == "" {
		t.Errorf("got %v", err)
	}
}
