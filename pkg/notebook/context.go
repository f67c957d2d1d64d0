package notebook

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
)

// Context returns the context of the whole program. It is cancelled by Kernel >
// Interrupt, by Ctrl-C, or by a request to end; a second signal ends the
// program at once. In a notebook it is also cancelled when the kernel is gone,
// and a program that does not end by itself then is ended after ten seconds:
// nothing else would end it.
//
// [Show] ends the program as interrupted when it is given the error of what was
// cancelled.
//
// The kernel kills a cell five seconds after an interrupt, so what is still to
// be shown must be shown by then.
func Context() context.Context {
	admit()
	return programContext()
}

var programContext = sync.OnceValue(func() context.Context {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, cancel) // gives the signals their usual effect back
	if gonbui.IsNotebook {
		go watchKernel(os.Getppid(), cancel)
	}
	return ctx
})

// interrupted reports whether the program was asked to stop.
func interrupted() bool { return programContext().Err() != nil }

// watchKernel ends the program soon after its parent process is another one
// than it was, which says that the kernel ended.
func watchKernel(kernel int, cancel func()) {
	for os.Getppid() == kernel {
		time.Sleep(time.Second)
	}
	cancel()
	time.Sleep(10 * time.Second)
	os.Exit(1)
}
