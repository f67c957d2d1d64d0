package crawl

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
)

func TestFetch(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(`<title>A b</title><p>c&nbsp;d <a href="/x#y">e</a><a href=/x>f</a>`))
	}))
	defer server.Close()
	page, err := testClient(t, limits{body: 66}).fetch(t.Context(), server.URL+"/here")
	if err != nil {
		t.Fatal(err)
	}
	if page.words != 6 || page.bytes != 66 || len(page.links) != 1 || page.links[0] != server.URL+"/x" {
		t.Errorf("%+v", page)
	}
}

func TestFetchFailures(t *testing.T) {
	s := Site{Pages: 6, Failures: Failures{Pages: map[int]Failure{
		1: Status500, 2: Disconnect, 3: Silent, 4: Endless}}}
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
		kind      kind // "" for none
		says      string
	}{
		{"page", site + "/", time.Minute, "", ""},
		{"500", site + "/page/1", time.Minute, badStatus, "500 Internal Server Error"},
		{"404", site + "/page/77", time.Minute, badStatus, "404 Not Found"},
		{"redirect", other.URL + "/moved", time.Minute, badStatus, "302 Found"},
		{"closes the connection", site + "/page/2", time.Minute, noConnection, ""},
		{"never answers", site + "/page/3", 50 * time.Millisecond, timedOut, "not answered within 50ms"},
		{"never ends", site + "/page/4", time.Minute, tooLarge, "more than 65536 bytes"},
		{"ends early", other.URL + "/cut", time.Minute, noConnection, "unexpected EOF"},
		{"stops", other.URL + "/stall", 50 * time.Millisecond, timedOut, "not answered within 50ms"},
		{"huge header", other.URL + "/head", time.Minute, noConnection, "header"},
		{"empty", other.URL + "/empty", time.Minute, "", ""},
		{"nobody there", nobody + "/", time.Minute, noConnection, "refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := testClient(t, limits{body: 1 << 16, timeout: c.timeout}).fetch(t.Context(), c.url)
			if c.kind == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			failure, ok := errors.AsType[*fetchError](err)
			if !ok || failure.kind != c.kind || failure.url != c.url || !strings.Contains(err.Error(), c.says) {
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
		_, err := testClient(t, limits{}).fetch(t.Context(), address)
		if _, ok := errors.AsType[*fetchError](err); ok || err == nil || !strings.HasPrefix(err.Error(), "crawl: address ") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestFetchCancelled(t *testing.T) {
	site := serve(t, Site{Pages: 2, Failures: Failures{Pages: map[int]Failure{1: Silent}}}).URL()
	c := testClient(t, limits{timeout: time.Minute, requests: 1})
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var group sync.WaitGroup
	for range 3 { // one is on its way, two wait for their turn
		group.Go(func() {
			_, err := c.fetch(ctx, site+"/page/1")
			if _, ok := errors.AsType[*fetchError](err); ok || !errors.Is(err, why) {
				t.Errorf("error %v, want %v", err, why)
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	cancel(why)
	group.Wait()
	if _, err := c.fetch(t.Context(), site+"/"); err != nil {
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
	c := testClient(t, limits{requests: 4, timeout: 10 * time.Second})
	var group sync.WaitGroup
	for range 60 {
		group.Go(func() {
			if _, err := c.fetch(t.Context(), server.URL); err != nil {
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
