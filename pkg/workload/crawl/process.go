package crawl

import (
	"context"

	"overlap/pkg/internal/proc"
)

// A Process serves a site in a process of its own. See [Start]. Its Close ends it; an error there
// means that the process had ended before, and that what was fetched since then are failures.
type Process struct {
	*proc.Process
	site Site
}

// Start serves a site on a free port of 127.0.0.1 in a process of its own, and returns when it can
// be fetched from. It ends with Process.Close, when ctx is done, when this process ends in whatever
// way, and after ten minutes.
//
// The process is the command overlap-site, which is built from the lab's sources as they are now: a
// moment where nothing has changed, some seconds the first time. It is an error where the site is
// not valid, the command cannot be built, as without Go, or the process does not start.
func Start(ctx context.Context, s Site) (*Process, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	p, err := proc.Kind{Package: "crawl", What: "site"}.Start(ctx, s)
	if err != nil {
		return nil, err
	}
	return &Process{p, s}, nil
}

// Site returns the site that is served.
func (p *Process) Site() Site { return p.site }
