package fileserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"overlap/pkg/internal/proc"
)

// A Process serves files in a process of its own. See [Start].
type Process struct {
	*proc.Process
	client *http.Client
}

// Start serves files on a free port of 127.0.0.1 in a process of its own, and
// returns when they can be fetched. It ends with Process.Close, when ctx is done,
// when this process ends in whatever way, and after ten minutes. The process is the
// command overlap-site, built as crawl.Start does.
func Start(ctx context.Context, f Files) (*Process, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	// A notebook's kernel may give its children another working directory.
	dir, err := filepath.Abs(f.Dir)
	if err != nil {
		return nil, fmt.Errorf("fileserver: folder %q: %w", f.Dir, err)
	}
	f.Dir = dir
	p, err := proc.Kind{Package: "fileserver", What: "file server"}.Start(ctx, f)
	if err != nil {
		return nil, err
	}
	// Neither a proxy nor connections that are kept: asking leaves nothing behind.
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	return &Process{p, client}, nil
}

// File returns the address of a file by its name in the folder, in which "/"
// separates folders.
func (p *Process) File(name string) string { return address(p.URL(), name) }

// Counts returns what the server was asked for.
func (p *Process) Counts(ctx context.Context) (Counts, error) {
	var c Counts
	response, err := p.ask(ctx, http.MethodGet)
	if err == nil {
		err = json.NewDecoder(response.Body).Decode(&c)
		response.Body.Close()
	}
	if err != nil {
		return Counts{}, fmt.Errorf("fileserver: ask for the counts: %w", err)
	}
	return c, nil
}

// Reset starts the counts anew.
func (p *Process) Reset(ctx context.Context) error {
	response, err := p.ask(ctx, http.MethodDelete)
	if err != nil {
		return fmt.Errorf("fileserver: reset the counts: %w", err)
	}
	return response.Body.Close()
}

func (p *Process) ask(ctx context.Context, method string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, p.URL()+countsPath, nil)
	if err != nil {
		return nil, err
	}
	return p.client.Do(request)
}
