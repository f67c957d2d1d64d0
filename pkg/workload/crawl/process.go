package crawl

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// MaxLife is how long a site's process lives at most. After that it ends by
// itself, whatever its parent does.
const MaxLife = 10 * time.Minute

const (
	startTime = 15 * time.Second // a busy laptop that starts a race-built binary included
	endTime   = 2 * time.Second  // for a process to end by itself before it is killed
)

// A Process serves a site in a process of its own. See [Start].
type Process struct {
	url   string
	site  Site
	stdin io.WriteCloser // the child lives as long as this is open
	cmd   *exec.Cmd
	done  chan struct{}

	closing atomic.Bool // by Close: an end is no surprise
	early   error       // an end that was one; read after done

	complaint complaint // what the child wrote to standard error
}

// Start serves a site on a free port of 127.0.0.1 in a process of its own, and
// returns when it can be fetched from. It ends with [Process.Close], when ctx is
// done, when this process ends in whatever way, and after [MaxLife].
//
// The process runs this program's own file again; a notebook's cell, a test and
// a command can all do so, without a compiler. Any program with this package in
// it then serves before its own main starts: see serveAsChild.
//
// It is an error where the site is not valid or the process does not start.
func Start(ctx context.Context, s Site) (*Process, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	spec, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("crawl: start the site: %w", err)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("crawl: start the site: %w", context.Cause(ctx))
	}
	p, out, err := spawn(ctx, s)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx) // os/exec only tells that it is done
		}
		return nil, fmt.Errorf("crawl: start the site: %w", err)
	}
	p.url, err = p.greet(ctx, spec, out)
	out.Close()
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("crawl: start the site: %w%s", err, p.complaint.text())
	}
	return p, nil
}

// spawn starts the process and a goroutine that waits for its end.
func spawn(ctx context.Context, s Site) (*Process, *os.File, error) {
	self, err := executable()
	if err != nil {
		return nil, nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer childOut.Close()
	p := &Process{site: s, done: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, self)
	p.cmd.Env = append(os.Environ(), childVariable+"="+strconv.Itoa(os.Getpid()))
	p.cmd.Stdout = childOut
	p.cmd.Stderr = &p.complaint
	p.cmd.WaitDelay = endTime
	p.cmd.SysProcAttr = endWithParent()
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		out.Close()
		return nil, nil, err
	}
	started := make(chan error)
	go func() {
		// Linux ends the child with the parent's thread that started it, not with
		// the parent. A thread that goes back to Go's runtime can end at any time:
		// tasks locked to threads end theirs. So this one is kept.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.cmd.Wait() // its error is in ProcessState
			if ctx.Err() == nil && !p.closing.Load() {
				p.early = fmt.Errorf("crawl: the site's process ended before it was closed: %v%s; it lives for %v at most",
					p.cmd.ProcessState, p.complaint.text(), MaxLife)
			}
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		out.Close()
		return nil, nil, err
	}
	return p, out, nil
}

// greet gives the child its site and takes its address.
func (p *Process) greet(ctx context.Context, spec []byte, out *os.File) (url string, err error) {
	late := time.Now().Add(startTime)
	if err := out.SetReadDeadline(late); err != nil {
		return "", err
	}
	// A done context kills the child, which closes its end of the pipes.
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		io.WriteString(p.stdin, string(spec)+"\n") // a child that does not read it does not answer either
	}()
	defer func() {
		if err != nil {
			p.stdin.Close() // ends the write
		}
		<-sent
	}()
	// The child may have other packages that print something before.
	lines := bufio.NewScanner(io.LimitReader(out, 64<<10))
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), greeting); ok {
			return url, nil
		}
	}
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(lines.Err(), os.ErrDeadlineExceeded):
		return "", fmt.Errorf("its process did not answer within %v", startTime)
	case lines.Err() != nil:
		return "", lines.Err()
	}
	return "", errors.New("its process ended before it served")
}

// URL returns where the site is, such as "http://127.0.0.1:40123": its address
// without a path.
func (p *Process) URL() string { return p.url }

// Site returns the site that is served.
func (p *Process) Site() Site { return p.site }

// PID returns the process's id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done returns a channel that is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// CPU returns the CPU time that the process used. It is 0 while it lives.
func (p *Process) CPU() time.Duration {
	select {
	case <-p.done:
		return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
	default:
		return 0
	}
}

// Close ends the process and returns when it has ended. It kills a process that
// does not end by itself within 2 seconds. It returns an error where the process
// had ended before, other than by the context of Start: what was fetched since
// then are failures. It may be called more than once.
func (p *Process) Close() error {
	p.closing.Store(true)
	p.stdin.Close()
	timer := time.NewTimer(endTime)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		p.cmd.Process.Kill()
		<-p.done
	}
	return p.early
}

// A complaint keeps the start of what a process writes.
type complaint struct {
	mu   sync.Mutex
	kept []byte
}

func (c *complaint) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = append(c.kept, p[:min(len(p), 4096-len(c.kept))]...)
	return len(p), nil
}

// text returns what was written after a colon, or nothing.
func (c *complaint) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := strings.TrimSpace(string(c.kept))
	if text == "" {
		return ""
	}
	return ": " + text
}
