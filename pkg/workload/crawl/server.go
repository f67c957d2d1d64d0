package crawl

import (
	"context"
	"fmt"

	"overlap/pkg/internal/localhost"
)

// A Server serves a site in this process. See [Serve].
type Server struct{ *localhost.Server }

// Serve serves a site on a free port of 127.0.0.1, in this process, until ctx is done or the server
// is closed. Serving uses CPU time of the process: to measure a crawl, use [Start]. It is an error
// where the site is not valid or no port can be had.
func Serve(ctx context.Context, s Site) (*Server, error) {
	handler, err := s.handler()
	if err != nil {
		return nil, err
	}
	server, err := localhost.Serve(ctx, handler)
	if err != nil {
		return nil, fmt.Errorf("crawl: serve the site: %w", err)
	}
	return &Server{server}, nil
}

// Close ends the server and returns when nothing of it is left: requests under way are cut off. It
// returns why the server had failed, if it had. It may be called more than once.
func (s *Server) Close() error {
	if err := s.Server.Close(); err != nil {
		return fmt.Errorf("crawl: serve the site: %w", err)
	}
	return nil
}
