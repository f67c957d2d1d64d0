// Package localhost serves HTTP on 127.0.0.1 and ends without leaving anything
// behind.
package localhost

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A Server serves HTTP in this process. See [Serve].
type Server struct {
	url    string
	http   *http.Server
	cancel context.CancelFunc
	detach func() bool // from the context of Serve

	closing atomic.Bool
	conns   sync.WaitGroup
	served  chan struct{} // closed when no more connections are accepted
	failed  error         // why, if not by Close; read after served
}

// Serve serves with a handler on a free port of 127.0.0.1 until ctx is done or
// the server is closed. The contexts of requests are then done too. The error
// does not say what was to be served: that is for the caller to add.
func Serve(ctx context.Context, handler http.Handler) (*Server, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	server := &Server{
		url:    "http://" + listener.Addr().String(),
		cancel: cancel,
		served: make(chan struct{}),
	}
	server.http = &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // clients that go away are part of the game
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnState:         server.connState,
	}
	go func() {
		defer close(server.served)
		if err := server.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			server.failed = err
		}
	}()
	server.detach = context.AfterFunc(ctx, server.end)
	return server, nil
}

// connState counts the connections. net/http's own Close waits for none.
func (s *Server) connState(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
		// Accepted just before Close and known to net/http just after it: nobody
		// else would close it.
		if s.closing.Load() {
			conn.Close()
		}
	case http.StateClosed, http.StateHijacked:
		s.conns.Done()
	}
}

// URL returns where it serves, such as "http://127.0.0.1:40123": its address
// without a path.
func (s *Server) URL() string { return s.url }

// Done returns a channel that is closed when the server accepts no more
// connections.
func (s *Server) Done() <-chan struct{} { return s.served }

// Close ends the server and returns when nothing of it is left: requests under
// way are cut off. It returns why the server had failed, if it had. It may be
// called more than once.
func (s *Server) Close() error {
	s.detach()
	s.end()
	return s.failed
}

func (s *Server) end() {
	s.closing.Store(true)
	s.cancel()
	s.http.Close()
	<-s.served
	s.conns.Wait()
}
