//go:build unix

package sieve

import (
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// A stream is something that the cell prints to.
type stream struct {
	conn syscall.RawConn
	*sieve
}

// A process is what its streams share.
type process struct {
	mu      sync.Mutex // held by who passes something on
	buf     []byte
	streams []stream
}

// Main is all that the process does. It returns the status to end with.
func Main() int {
	// Who interrupts the cell may interrupt all of its group. What it still prints is to be seen, and
	// without it there is nothing to do here.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	p := process{buf: make([]byte, 1<<16)} // as much as a pipe holds
	for i, s := range []*sieve{
		// What had been printed before there was a sieve is to be through, too, when it answers first.
		{to: os.Stdout, what: "on stdout", lines: MostLines, bytes: MostBytes, passed: true},
		{to: os.Stderr, what: "on stderr", lines: MostLines, bytes: MostBytes},
		{to: os.Stdout, what: "of text"},
	} {
		err := syscall.SetNonblock(Out+i, true)
		conn, connErr := os.NewFile(uintptr(Out+i), s.what).SyscallConn()
		if err != nil || connErr != nil {
			return 1 // nobody started it for a cell
		}
		p.streams = append(p.streams, stream{conn, s})
	}
	go p.answer(os.NewFile(Ask, "questions"), os.NewFile(Answer, "answers"))
	var open sync.WaitGroup
	for _, s := range p.streams {
		open.Go(func() {
			_ = s.conn.Read(func(fd uintptr) bool { // called again when there is something
				for {
					switch p.pass(s, fd) {
					case nil, syscall.EINTR:
					case syscall.EAGAIN:
						return false
					default:
						return true
					}
				}
			})
			p.mu.Lock()
			defer p.mu.Unlock()
			_ = s.end() // nobody is there to be told
		})
	}
	open.Wait()
	return 0
}

// pass passes on what a stream's pipe holds. Its error is EAGAIN where that is nothing now, and io.EOF
// where nobody can print any more.
func (p *process) pass(s stream, fd uintptr) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := syscall.Read(int(fd), p.buf)
	if n > 0 {
		_, _ = s.Write(p.buf[:n]) // that the kernel is gone the cell notices by itself
	} else if err == nil {
		err = io.EOF
	}
	return err
}

// answer answers each question when all that was printed before it is through.
func (p *process) answer(questions, answers *os.File) {
	question := make([]byte, 1)
	for {
		if n, _ := questions.Read(question); n == 0 {
			return
		}
		passed := false
		for _, s := range p.streams {
			_ = s.conn.Control(func(fd uintptr) { _ = p.pass(s, fd) })
			p.mu.Lock()
			passed, s.passed = passed || s.passed, false
			p.mu.Unlock()
		}
		if passed {
			kernelTakes()
		}
		if _, err := answers.Write(question); err != nil {
			return
		}
	}
}

// kernelTakes waits until the kernel has taken what it was given, and a moment more: it then still
// has to send it to the page.
func kernelTakes() {
	for end := time.Now().Add(time.Second); unread(1)+unread(2) > 0 && time.Now().Before(end); {
		time.Sleep(200 * time.Microsecond)
	}
	time.Sleep(3 * time.Millisecond)
}
