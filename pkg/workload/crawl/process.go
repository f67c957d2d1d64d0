package crawl

import (
	"context"
	"encoding/json"
	"fmt"

	"overlap/pkg/internal/proc"
)

// MaxLife is how long a site's process lives at most. After that it ends by
// itself, whatever its parent does.
const MaxLife = proc.MaxLife

var process = proc.Kind{Package: "crawl", What: "site", Variable: "OVERLAP_SITE_OF", Serve: serveSpec}

func init() { process.Take() }

func serveSpec(spec []byte) (proc.Server, error) {
	var site Site
	if err := json.Unmarshal(spec, &site); err != nil {
		return nil, fmt.Errorf("crawl: read the site: %w", err)
	}
	server, err := Serve(context.Background(), site)
	if err != nil {
		return nil, err // and not a nil *Server
	}
	return server, nil
}

// A Process serves a site in a process of its own. See [Start]. Its Close ends
// it; an error there means that the process had ended before, and that what was
// fetched since then are failures.
type Process struct {
	*proc.Process
	site Site
}

// Start serves a site on a free port of 127.0.0.1 in a process of its own, and
// returns when it can be fetched from. It ends with Process.Close, when ctx is
// done, when this process ends in whatever way, and after [MaxLife].
//
// The process runs this program's own file again; a notebook's cell, a test and
// a command can all do so, without a compiler. Any program with this package in
// it then serves before its own main starts.
//
// It is an error where the site is not valid or the process does not start.
func Start(ctx context.Context, s Site) (*Process, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	p, err := process.Start(ctx, s)
	if err != nil {
		return nil, err
	}
	return &Process{p, s}, nil
}

// Site returns the site that is served.
func (p *Process) Site() Site { return p.site }
