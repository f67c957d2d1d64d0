//go:build unix

package notebook

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"overlap/pkg/internal/sieve"
)

// A printing is the process that what the program prints goes through: see package sieve.
type printing struct {
	overflow io.Writer // takes lines of text of which only the last are shown

	mu          sync.Mutex
	ask, answer *os.File
}

// startSieve starts the process and has stdout and stderr go to it. It returns nil where that cannot
// be: all is then printed as it comes.
func startSieve() (p *printing) {
	program := os.Getenv(sieve.Variable)
	os.Unsetenv(sieve.Variable) // what the program starts prints to the same process
	if program == "" {
		return nil
	}
	var theirs, ours []*os.File // from sieve.Out on
	defer func() {
		for _, f := range theirs {
			f.Close() // or its end could not be seen
		}
		for _, f := range ours {
			if p == nil {
				f.Close()
			}
		}
	}()
	for fd := sieve.Out; fd <= sieve.Answer; fd++ {
		r, w, err := os.Pipe()
		if err != nil {
			return nil
		}
		if fd == sieve.Answer {
			r, w = w, r
		}
		theirs, ours = append(theirs, r), append(ours, w)
	}
	cmd := exec.Command(program, sieve.Argument)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = os.Stdout, os.Stderr, theirs
	if cmd.Start() != nil {
		return nil
	}
	_ = cmd.Process.Release() // it outlives the program
	for _, f := range theirs {
		f.Close() // a second time, below, does nothing
	}
	at := func(fd int) *os.File { return ours[fd-sieve.Out] }
	p = &printing{overflow: at(sieve.Overflow), ask: at(sieve.Ask), answer: at(sieve.Answer)}
	if !p.wait() {
		return nil // it is no sieve
	}
	for fd, f := range map[int]*os.File{1: at(sieve.Out), 2: at(sieve.Err)} {
		// Fd makes the pipe block, as Go takes these two to be.
		_ = unix.Dup2(int(f.Fd()), fd)
		f.Close()
	}
	return p
}

// wait waits until what was printed before is on its way to the page, and reports whether it is. It
// takes longer only where the kernel does not take what is printed. What is answered late would be for
// an earlier question, so one that is not answered is the last.
func (p *printing) wait() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ask == nil {
		return false
	}
	_, err := p.ask.Write([]byte{0})
	if err == nil {
		err = p.answer.SetReadDeadline(time.Now().Add(10 * time.Second))
	}
	if err == nil {
		_, err = p.answer.Read(make([]byte, 1))
	}
	if err != nil {
		p.ask = nil
	}
	return err == nil
}
