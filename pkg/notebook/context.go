package notebook

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"overlap/pkg/internal/guard"

	"github.com/janpfeifer/gonb/gonbui"
)

// Context returns the context of the whole program. It is cancelled by Kernel > Interrupt, by Ctrl-C, or
// by a request to end; one more request, a moment later, ends the program at once. In a notebook it is
// also cancelled when the kernel is gone.
//
// In a notebook a program that was asked to stop has two seconds to do so. Only runs of an experiment
// and of verdict.Watch with this context, which keep what they have measured, and what is being shown,
// may take four. Then it is ended, with a note: the kernel would kill it a second later without one, or
// not at all.
//
// [Show] ends the program as interrupted when it is given the error of what was cancelled.
func Context() context.Context {
	out()
	return programContext()
}

// sameRequest is how soon signals can follow each other that are one request to stop: one can come from
// the kernel, and one to all that the kernel started.
const sameRequest = 700 * time.Millisecond

// background is what the context is made of, and stopsUnderWay tells whether something goes on that
// ends by itself soon after the context is done.
var background, stopsUnderWay = guard.WithStops(context.Background())

var programContext = sync.OnceValue(func() context.Context {
	ctx, cancel := context.WithCancel(background)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		asked := time.Now()
		cancel()
		for range signals {
			if time.Since(asked) > sameRequest {
				endStopped()
			}
		}
	}()
	if gonbui.IsNotebook {
		go watchKernel(os.Getppid(), cancel)
		context.AfterFunc(ctx, endSoon)
	}
	return ctx
})

// interrupted reports whether the program was asked to stop.
func interrupted() bool { return programContext().Err() != nil }

// watchKernel cancels when the parent process is another one than it was, which says that the kernel
// ended.
func watchKernel(kernel int, cancel func()) {
	for os.Getppid() == kernel {
		time.Sleep(time.Second)
	}
	close(kernelGone)
	cancel()
}

// kernelGone is closed when the kernel has ended.
var kernelGone = make(chan struct{})

// How long a program may go on after it was asked to stop: anything, and what ends by itself.
const (
	stopLimit  = 1800 * time.Millisecond
	storeLimit = 4 * time.Second
)

// endSoon ends the program where it does not end by itself.
func endSoon() {
	time.Sleep(stopLimit)
	if stopsUnderWay() {
		time.Sleep(storeLimit - stopLimit)
	}
	said := make(chan error, 1)
	go func() {
		said <- cell{}.show(noteBlock("Stopped on request. The program went on, so it was ended; " +
			"what it had shown and saved is kept."))
	}()
	select {
	case <-said:
	case <-time.After(stopLimit / 4): // the kernel is slow
	}
	endStopped()
}

// GoNB runs the cells that wait for one also after that one failed or was interrupted, where other
// kernels drop them. So a program that was asked to stop leaves a mark in the kernel's folder, and one
// that GoNB takes up at once after it was waiting, and does not run.

// queueMark is the name of the mark.
const queueMark = "overlap-stopped"

// atOnce is how long GoNB may take to write down the code of a cell that it takes up. Somebody who
// reads what the interrupted cell says needs longer to start the next one.
const atOnce = time.Second

// markStopped leaves the mark.
func markStopped() {
	if dir := kernelDir(); dir != "" {
		// Without it what waits is run, which is what happens in other cells.
		_ = os.WriteFile(filepath.Join(dir, queueMark), nil, 0o600)
	}
}

// wasQueued reports whether the program is a cell that waited for one that was stopped. The code of a
// cell is written after the mark, if there is one.
func wasQueued(dir string) bool {
	mark, err := os.Stat(filepath.Join(dir, queueMark))
	code, codeErr := os.Stat(filepath.Join(dir, "main.go"))
	if err != nil || codeErr != nil {
		return false
	}
	after := code.ModTime().Sub(mark.ModTime())
	return after >= 0 && after < atOnce
}

// kernelDir is the folder in which GoNB builds the cells, "" where there is nobody who could have
// stopped one.
func kernelDir() string {
	if !gonbui.IsNotebook || os.Getenv(headlessVariable) != "" {
		return ""
	}
	return os.Getenv(protocol.GONB_TMP_DIR_ENV)
}

// endIfQueued ends the program if it waited for a cell that was stopped.
func endIfQueued() {
	if dir := kernelDir(); dir != "" && wasQueued(dir) {
		_ = cell{}.show(noteBlock("Not run: it waited for a cell that was stopped."))
		exit(errStopped)
	}
}
