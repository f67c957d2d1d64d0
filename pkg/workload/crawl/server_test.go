package crawl

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestHandler(t *testing.T) {
	handler, err := Site{Pages: 3, Failures: Failures{Pages: map[int]Failure{2: Status500}}}.handler()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/", 200}, {"GET", "/page/1", 200}, {"GET", "/page/2", 500}, {"HEAD", "/page/1", 200},
		{"GET", "/page/0", 404}, {"GET", "/page/3", 404}, {"GET", "/page/-1", 404}, {"GET", "/page/01", 404},
		{"GET", "/page/x", 404}, {"GET", "/page/99999999999999999999", 404}, {"GET", "/favicon.ico", 404},
		{"POST", "/", 405},
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.status {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, w.Code, c.status)
		}
		if c.status == 200 && w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s %s: type %q", c.method, c.path, w.Header().Get("Content-Type"))
		}
	}
}

// In a bubble time is virtual, so a latency can be compared exactly.
func TestHandlerWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Site{Pages: 20, Latency: LogNormal(100*time.Millisecond, 1, time.Second), Failures: Failures{Pages: map[int]Failure{19: Silent}}}
		handler, err := s.handler()
		if err != nil {
			t.Fatal(err)
		}
		for page := range 19 {
			start := time.Now()
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest("GET", s.path(page), nil))
			if d := time.Since(start); d != s.latencyOf(page) {
				t.Errorf("page %d after %v, want %v", page, d, s.latencyOf(page))
			}
		}
		start := time.Now()
		func() {
			defer func() {
				if recover() != http.ErrAbortHandler {
					t.Error("the silent page answered")
				}
			}()
			handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", s.path(19), nil))
		}()
		if d := time.Since(start); d > 3*time.Minute {
			t.Errorf("silent for %v", d)
		}
	})
}

func TestServeEnds(t *testing.T) {
	s := Site{Pages: 2, Failures: Failures{Pages: map[int]Failure{1: Silent}}}
	for _, c := range []struct {
		name string
		end  func(server *Server, cancel func())
	}{
		{"close", func(server *Server, _ func()) { server.Close() }},
		{"context", func(_ *Server, cancel func()) { cancel() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			server, err := Serve(ctx, s)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(server.URL(), "http://127.0.0.1:") {
				t.Errorf("address %q", server.URL())
			}
			// A request that is never answered and a connection without a request.
			idle, err := net.Dial("tcp", strings.TrimPrefix(server.URL(), "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer idle.Close()
			cut := make(chan error)
			go func() {
				response, err := http.Get(server.URL() + "/page/1")
				if err == nil {
					response.Body.Close()
				}
				cut <- err
			}()
			if !answers(server.URL()) {
				t.Fatal("no answer")
			}
			c.end(server, cancel)
			if err := <-cut; err == nil {
				t.Error("the silent page answered")
			}
			<-server.Done()
			if err := server.Close(); err != nil {
				t.Error(err)
			}
			if answers(server.URL()) {
				t.Error("it still answers")
			}
			idle.SetReadDeadline(time.Now().Add(10 * time.Second))
			if _, err := idle.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !strings.Contains(err.Error(), "reset") {
				t.Errorf("the idle connection: %v", err)
			}
		})
	}
	cancelled, cancel := context.WithCancelCause(t.Context())
	why := errors.New("no more")
	cancel(why)
	if _, err := Serve(cancelled, s); !errors.Is(err, why) {
		t.Errorf("with a context that is done: %v", err)
	}
}
