package crawl_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"overlap/pkg/workload/crawl"
)

func TestFetch(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(`<title>A b</title><p>c&nbsp;d <a href="/x#y">e</a><a href=/x>f</a>`))
	}))
	defer server.Close()
	page, err := newClient(t, crawl.Limits{Body: 66}).Fetch(t.Context(), server.URL+"/here")
	if err != nil {
		t.Fatal(err)
	}
	if page.Words != 6 || page.Bytes != 66 || len(page.Links) != 1 || page.Links[0] != server.URL+"/x" || page.URL != server.URL+"/here" {
		t.Errorf("%+v", page)
	}
}

func TestFetchFailures(t *testing.T) {
	s := crawl.Site{Pages: 6, Failures: crawl.Failures{Pages: map[int]crawl.Failure{
		1: crawl.Status500, 2: crawl.Disconnect, 3: crawl.Silent, 4: crawl.Endless}}}
	site := serve(t, s).URL()
	mux := http.NewServeMux()
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.Write([]byte("<p>half"))
	})
	mux.HandleFunc("/stall", func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("<p>half"))
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
	})
	mux.HandleFunc("/empty", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/head", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X", strings.Repeat("x", 1<<20))
	})
	other := httptest.NewServer(mux)
	defer other.Close()
	nobody := "http://" + closedPort(t)

	for _, c := range []struct {
		name, url string
		timeout   time.Duration
		kind      crawl.Kind // "" for none
		says      string
	}{
		{"page", site + "/", time.Minute, "", ""},
		{"500", site + "/page/1", time.Minute, crawl.BadStatus, "500 Internal Server Error"},
		{"404", site + "/page/77", time.Minute, crawl.BadStatus, "404 Not Found"},
		{"redirect", other.URL + "/moved", time.Minute, crawl.BadStatus, "302 Found"},
		{"closes the connection", site + "/page/2", time.Minute, crawl.Connection, ""},
		{"never answers", site + "/page/3", 50 * time.Millisecond, crawl.Timeout, "not answered within 50ms"},
		{"never ends", site + "/page/4", time.Minute, crawl.TooLarge, "more than 65536 bytes"},
		{"ends early", other.URL + "/cut", time.Minute, crawl.Connection, "unexpected EOF"},
		{"stops", other.URL + "/stall", 50 * time.Millisecond, crawl.Timeout, "not answered within 50ms"},
		{"huge header", other.URL + "/head", time.Minute, crawl.Connection, "header"},
		{"empty", other.URL + "/empty", time.Minute, "", ""},
		{"nobody there", nobody + "/", time.Minute, crawl.Connection, "refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newClient(t, crawl.Limits{Body: 1 << 16, Timeout: c.timeout}).Fetch(t.Context(), c.url)
			if c.kind == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			failure, ok := errors.AsType[*crawl.FetchError](err)
			if !ok || failure.Kind != c.kind || failure.URL != c.url || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("%v, want kind %q and %q", err, c.kind, c.says)
			}
			if strings.Count(err.Error(), c.url) != 1 {
				t.Errorf("the address is not there once: %v", err)
			}
		})
	}
}

func closedPort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestFetchBadAddress(t *testing.T) {
	for _, address := range []string{
		"", "/", "127.0.0.1:80", "http://", "http:///x", "https://127.0.0.1/", "ftp://127.0.0.1/",
		"http://example.com/", "http://10.0.0.1/", "http://127.0.0.1.example.com/", "http://[::2]/", "http://127.0.0.1:port/", "http://a b/",
	} {
		_, err := newClient(t, crawl.Limits{}).Fetch(t.Context(), address)
		if _, ok := errors.AsType[*crawl.FetchError](err); ok || err == nil || !strings.HasPrefix(err.Error(), "crawl: address ") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestFetchCancelled(t *testing.T) {
	site := serve(t, crawl.Site{Pages: 2, Failures: crawl.Failures{Pages: map[int]crawl.Failure{1: crawl.Silent}}}).URL()
	c := newClient(t, crawl.Limits{Timeout: time.Minute, Requests: 1})
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var group sync.WaitGroup
	for range 3 { // one is on its way, two wait for their turn
		group.Go(func() {
			_, err := c.Fetch(ctx, site+"/page/1")
			if _, ok := errors.AsType[*crawl.FetchError](err); ok || !errors.Is(err, why) {
				t.Errorf("error %v, want %v", err, why)
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	cancel(why)
	group.Wait()
	if _, err := c.Fetch(t.Context(), site+"/"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestRequestsAtOnce(t *testing.T) {
	var within most
	var conns sync.Map
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		within.enter()
		defer within.leave()
		time.Sleep(5 * time.Millisecond)
	}))
	server.Config.ConnState = func(c net.Conn, _ http.ConnState) { conns.Store(c, true) }
	server.Start()
	defer server.Close()
	// 5 ms a page, four at once: the waiting of the last must not count for its timeout.
	c := newClient(t, crawl.Limits{Requests: 4, Timeout: 10 * time.Second})
	var group sync.WaitGroup
	for range 60 {
		group.Go(func() {
			if _, err := c.Fetch(t.Context(), server.URL); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if within.max < 2 || within.max > 4 {
		t.Errorf("%d requests at once, want up to 4", within.max)
	}
	n := 0
	conns.Range(func(any, any) bool { n++; return true })
	// net/http may dial one more than it needs when a connection becomes free meanwhile.
	if n > 12 {
		t.Errorf("%d connections for 4 requests at once: they are not kept", n)
	}
}

func TestLimits(t *testing.T) {
	for _, l := range []crawl.Limits{{Timeout: -1}, {Body: -1}, {Requests: -1}, {Pages: -1}} {
		if _, err := crawl.NewClient(l); err == nil || !strings.Contains(err.Error(), "-1") {
			t.Errorf("%+v: %v", l, err)
		}
		if _, _, err := (crawl.Pages{Site: crawl.Site{Pages: 1}, URL: "http://127.0.0.1:1", Limits: l}).Tasks(1); err == nil {
			t.Errorf("tasks with %+v", l)
		}
	}
}
