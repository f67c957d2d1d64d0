package corpus

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// A site is a web server on the loopback network, and a client of it with
// connections of its own.
type site struct {
	url    string
	client *http.Client
	close  func()
}

// newSite starts a site that answers every request after latency with the path
// that was asked for. At most conns connections are open to it, 0 for any
// number.
func newSite(latency time.Duration, conns int) (*site, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("corpus: start a web server: %w", err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(latency)
		io.WriteString(w, r.URL.Path)
	})}
	var served sync.WaitGroup
	served.Go(func() { server.Serve(listener) }) // returns when closed
	transport := &http.Transport{MaxConnsPerHost: conns, MaxIdleConnsPerHost: 1000}
	return &site{
		url:    "http://" + listener.Addr().String(),
		client: &http.Client{Transport: transport},
		close: func() {
			transport.CloseIdleConnections()
			server.Close()
			served.Wait()
		},
	}, nil
}

// get asks for a path and reads the whole answer.
func (s *site) get(ctx context.Context, path string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return "", err
	}
	answer, err := s.client.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return string(body), err
}

// onSite sets a program's Before and Run such that the site is there before
// the program runs, as other people's servers are.
func (p Program) onSite(latency time.Duration, conns int, run func(ctx context.Context, s *site) error) Program {
	var ready *site
	p.Before = func() (func(), error) {
		s, err := newSite(latency, conns)
		if err != nil {
			return nil, err
		}
		ready = s
		return func() { ready = nil; s.close() }, nil
	}
	p.Run = func(ctx context.Context) error {
		if ready != nil {
			return run(ctx, ready)
		}
		s, err := newSite(latency, conns)
		if err != nil {
			return err
		}
		defer s.close()
		return run(ctx, s)
	}
	return p
}

// nap waits for d, as for an answer from outside.
func nap(ctx context.Context, d time.Duration) error {
	time.Sleep(d)
	return ctx.Err()
}
