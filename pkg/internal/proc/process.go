package proc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// MaxLife is how long a server's process lives at most. After that it ends by itself, whatever its
// parent does.
const MaxLife = 10 * time.Minute

const (
	startTime = 15 * time.Second // a busy laptop included; what it takes to build is not
	endTime   = 2 * time.Second  // for a process to end by itself before it is killed
)

// A Kind is a kind of server that the command overlap-site knows as --child [Kind.Package].
type Kind struct {
	Package string // prefix of errors, such as "crawl"
	What    string // what is served, in words: "site"
}

// A Process serves in a process of its own. See [Kind.Start].
type Process struct {
	kind  Kind
	url   string
	stdin io.WriteCloser // the child lives as long as this is open
	cmd   *exec.Cmd
	done  chan struct{}

	closing atomic.Bool // by Close: an end is no surprise
	early   error       // an end that was one; read after done

	complaint complaint // what the child wrote to standard error
}

// Start serves what spec says in a process of its own, and returns when it can be fetched from. The
// spec is sent as JSON. The process ends with [Process.Close], when ctx is done, when this process
// ends in whatever way, and after [MaxLife].
func (k Kind) Start(ctx context.Context, spec any) (*Process, error) {
	p, err := k.start(ctx, spec)
	if ctx.Err() != nil && err != nil {
		err = context.Cause(ctx) // os/exec only tells that it is done
	}
	if err != nil {
		return nil, fmt.Errorf("%s: start the %s: %w", k.Package, k.What, err)
	}
	return p, nil
}

func (k Kind) start(ctx context.Context, spec any) (*Process, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	p, out, err := k.spawn(ctx)
	// Another process may be replacing the file that it has built at the same time.
	for tries := 2; tries > 0 && (errors.Is(err, syscall.ETXTBSY) || errors.Is(err, fs.ErrNotExist)); tries-- {
		time.Sleep(100 * time.Millisecond)
		p, out, err = k.spawn(ctx)
	}
	if err != nil {
		return nil, err
	}
	p.url, err = p.greet(text, out)
	out.Close()
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("%w%s", err, p.complaint.text())
	}
	return p, nil
}

// spawn starts the process and a goroutine that waits for its end.
func (k Kind) spawn(ctx context.Context) (*Process, *os.File, error) {
	program, err := build(ctx, "overlap-site", "CGO_ENABLED=0") // no C compiler is needed to serve
	if err != nil {
		return nil, nil, fmt.Errorf("%w; or serve in this process, with %s.Serve", err, k.Package)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer childOut.Close()
	p := &Process{kind: k, done: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, program, "--child", k.Package)
	p.cmd.Stdout = childOut
	p.cmd.Stderr = &p.complaint
	p.cmd.WaitDelay = endTime
	p.cmd.SysProcAttr = EndWithParent()
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		out.Close()
		return nil, nil, err
	}
	started := make(chan error)
	go func() {
		// Linux ends the child with the parent's thread that started it, not with the parent. A thread
		// that goes back to Go's runtime can end at any time: tasks locked to threads end theirs. So
		// this one is kept.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.cmd.Wait() // its error is in ProcessState
			if ctx.Err() == nil && !p.closing.Load() {
				p.early = fmt.Errorf("%s: the %s's process ended before it was closed: %v%s; it lives for %v at most",
					k.Package, k.What, p.cmd.ProcessState, p.complaint.text(), MaxLife)
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

// greet gives the child its spec and returns the address that it answers.
func (p *Process) greet(spec []byte, out *os.File) (url string, err error) {
	if err := out.SetReadDeadline(time.Now().Add(startTime)); err != nil {
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
	line, err := bufio.NewReader(out).ReadString('\n')
	switch {
	case err == nil:
		return strings.TrimSuffix(line, "/\n"), nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "", fmt.Errorf("its process did not answer within %v", startTime)
	case !errors.Is(err, io.EOF):
		return "", err
	}
	return "", errors.New("its process ended before it served")
}

// URL returns where it serves, such as "http://127.0.0.1:40123": its address without a path.
func (p *Process) URL() string { return p.url }

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

// Close ends the process and returns when it has ended. It kills a process that does not end by
// itself within 2 seconds. It returns an error where the process had ended before, other than by the
// context of Start. It may be called more than once.
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
