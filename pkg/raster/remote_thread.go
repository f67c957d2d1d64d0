package raster

import (
	"runtime"
	"slices"

	"overlap/pkg/raster/internal/where"
)

// GDAL keeps its connections to servers for the thread of the system that made them, and closes
// them when it ends. Threads of Go's end seldom, and goroutines change them: so whatever may ask a
// server is called on threads that end with the run. Else a process would have ever more
// connections open, three files for each thread. The threads of GDAL's own, of which there are as
// many as CPUs, keep theirs.

// A thread calls functions for others, one after another, on a thread of the system of its own.
type thread chan func()

func newThread() thread {
	t := make(thread)
	go t.serve(make(chan bool))
	return t
}

func (t thread) serve(begun chan bool) {
	runtime.LockOSThread() // never unlocked: the system's thread ends with the goroutine
	close(begun)
	if onMainThread() { // which does not, so that another goroutine is started while this one has it
		begun = make(chan bool)
		go t.serve(begun)
		<-begun
		runtime.UnlockOSThread()
		return
	}
	for f := range t {
		f()
	}
}

// thread returns a thread that nobody else uses, until threadBack.
func (hs *handles) thread() thread {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	n := len(hs.rest)
	if n == 0 {
		return newThread()
	}
	t := hs.rest[n-1]
	hs.rest = hs.rest[:n-1]
	return t
}

func (hs *handles) threadBack(t thread) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if hs.closed {
		close(t)
		return
	}
	hs.rest = append(hs.rest, t)
}

// onOwnThread calls f, on a thread that ends with it where one of the files is remote.
func onOwnThread(files []string, f func()) {
	if !slices.ContainsFunc(files, where.IsRemote) {
		f()
		return
	}
	t, done := newThread(), make(chan bool)
	t <- func() {
		defer close(done)
		f()
	}
	<-done
	close(t)
}
