package fileserver

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"overlap/pkg/internal/localhost"
)

// A Server serves files in this process. See [Serve].
type Server struct {
	server  *localhost.Server
	handler *handler
}

// An Option changes how [Serve] serves.
type Option func(*handler)

// Before calls f with each request before it waits and is answered, on the request's goroutine: a
// test can hold requests back until as many are there as it wants. f must return when the request's
// context is done.
func Before(f func(*http.Request)) Option { return func(h *handler) { h.before = f } }

// Serve serves files on a free port of 127.0.0.1, in this process, until ctx is done or the server
// is closed. Serving uses CPU time of the process: to measure reading, use [Start]. It is an error
// where the folder cannot be read, a field is not valid, or no port can be had.
func Serve(ctx context.Context, f Files, opts ...Option) (*Server, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return nil, fmt.Errorf("fileserver: %w", err)
	}
	h := &handler{files: f, root: root, flaky: map[string]int{}}
	for _, o := range opts {
		o(h)
	}
	server, err := localhost.Serve(ctx, h)
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("fileserver: serve %q: %w", f.Dir, err)
	}
	return &Server{server, h}, nil
}

// URL returns where the server is, such as "http://127.0.0.1:40123".
func (s *Server) URL() string { return s.server.URL() }

// File returns the address of a file by its name in the folder, in which "/" separates folders.
func (s *Server) File(name string) string { return address(s.URL(), name) }

func address(base, name string) string { return base + (&url.URL{Path: "/" + name}).EscapedPath() }

// Counts returns what the server was asked for.
func (s *Server) Counts() Counts { return s.handler.tally.counts() }

// Reset starts the counts anew.
func (s *Server) Reset() { s.handler.tally.reset() }

// Done returns a channel that is closed when the server accepts no more connections.
func (s *Server) Done() <-chan struct{} { return s.server.Done() }

// Close ends the server and returns when nothing of it is left: requests under way are cut off. It
// returns why the server had failed, if it had. It may be called more than once.
func (s *Server) Close() error {
	err := s.server.Close()
	s.handler.root.Close()
	if err != nil {
		return fmt.Errorf("fileserver: serve %q: %w", s.handler.files.Dir, err)
	}
	return nil
}
