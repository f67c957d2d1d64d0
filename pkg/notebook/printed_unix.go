//go:build unix

package notebook

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"overlap/pkg/internal/home"
)

// The files of the process beside its stdout and stderr, which are the kernel's.
const (
	printedOut    = 3 + iota // what is printed on stdout
	printedErr               // and on stderr
	printedBeyond            // text of which the last lines are shown
	printedAsk               // a byte for each question whether all is through
	printedAnswer            // and for each answer
)

// startSieve starts the process and has stdout and stderr go to it. It returns
// nil where that cannot be.
func startSieve() (p *printing) {
	var theirs, ours []*os.File
	defer func() {
		closeAll(theirs)
		if p == nil {
			closeAll(ours)
		}
	}()
	for at := printedOut; at <= printedAnswer; at++ {
		r, w, err := os.Pipe()
		if err != nil {
			return nil
		}
		if at == printedAnswer {
			r, w = w, r
		}
		theirs, ours = append(theirs, r), append(ours, w)
	}
	self, err := home.Program()
	if err != nil {
		return nil
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), printedVariable+"="+printedSieve)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = os.Stdout, os.Stderr, theirs
	if err := cmd.Start(); err != nil {
		return nil
	}
	_ = cmd.Process.Release() // it outlives the program
	at := func(fd int) *os.File { return ours[fd-printedOut] }
	for fd, f := range map[int]*os.File{1: at(printedOut), 2: at(printedErr)} {
		// It makes the pipe block, as Go takes these two to be.
		_ = unix.Dup2(int(f.Fd()), fd)
		f.Close()
	}
	return &printing{beyond: at(printedBeyond), ask: at(printedAsk), answer: at(printedAnswer)}
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// exchange asks whether all is through, and waits for the answer. It takes
// longer only where the kernel does not take what is printed.
func (p *printing) exchange() error {
	if _, err := p.ask.Write([]byte{0}); err != nil {
		return err
	}
	if err := p.answer.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return err
	}
	_, err := p.answer.Read(make([]byte, 1))
	return err
}

// A stream is something that the program prints to.
type stream struct {
	fd int
	*sieve
}

// sift is what the process does.
func sift() {
	// Who interrupts the program may interrupt all of its group. What it still
	// prints is to be seen, and without it there is nothing to do here.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	streams := []stream{
		{printedOut, newSieve(os.Stdout, "on stdout", mostLines, mostBytes)},
		{printedErr, newSieve(os.Stderr, "on stderr", mostLines, mostBytes)},
		{printedBeyond, newSieve(os.Stdout, "of text", 0, 0)},
	}
	buf := make([]byte, 1<<16)
	for asking := true; len(streams) > 0; {
		fds := make([]unix.PollFd, len(streams), len(streams)+1)
		for i, s := range streams {
			fds[i] = unix.PollFd{Fd: int32(s.fd), Events: unix.POLLIN}
		}
		if asking {
			fds = append(fds, unix.PollFd{Fd: printedAsk, Events: unix.POLLIN})
		}
		if err := poll(fds, -1); err != nil {
			return
		}
		if asked := asking && fds[len(streams)].Revents != 0; asked {
			// What was printed before the question is there by now.
			if err := poll(fds[:len(streams)], 0); err != nil {
				return
			}
			quiet := true
			for i := range streams {
				quiet = quiet && fds[i].Revents == 0
			}
			if quiet {
				if n, _ := unix.Read(printedAsk, buf[:1]); n <= 0 {
					asking = false
					continue
				}
				if passed(streams) {
					taken()
				}
				_, _ = unix.Write(printedAnswer, buf[:1])
				continue
			}
		}
		open := streams[:0]
		for i, s := range streams {
			if fds[i].Revents != 0 {
				n, err := unix.Read(s.fd, buf)
				if n <= 0 && err != unix.EINTR && err != unix.EAGAIN {
					_ = s.end()
					continue
				}
				_, _ = s.Write(buf[:max(n, 0)])
			}
			open = append(open, s)
		}
		streams = open
	}
}

// passed reports whether something passed since it was asked last.
func passed(streams []stream) (any bool) {
	for _, s := range streams {
		any = any || s.passed
		s.passed = false
	}
	return any
}

func poll(fds []unix.PollFd, timeout int) error {
	for {
		if _, err := unix.Poll(fds, timeout); err != unix.EINTR {
			return err
		}
	}
}

// taken waits until the kernel has taken what it was given, and a moment more:
// it then still has to send it to the page.
func taken() {
	for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(200 * time.Microsecond) {
		left := 0
		for fd := 1; fd <= 2; fd++ {
			left += notRead(fd)
		}
		if left == 0 {
			break
		}
	}
	time.Sleep(3 * time.Millisecond)
}
