package raster

import (
	"context"
	"errors"
	"slices"
	"sync"
	"syscall"
)

// MaxHandles returns how many handles one run of reads keeps open at most: an
// eighth of the files that the process may open (RLIMIT_NOFILE), since a
// handle may take four, with a mask and overviews beside the file, and never more than 256, since each blocks an OS thread
// while it reads.
func MaxHandles() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 64
	}
	return int(max(1, min(256, limit.Cur/8)))
}

// errClosed is what reading gives after the end of a run, or after Close.
var errClosed = errors.New("it was closed; open it again")

// handles are the open handles of a run.
type handles struct {
	files  []string
	rd     reading
	access access
	how    sharing
	shared []shared
	slots  chan struct{} // one for each handle that tasks may hold at once

	mu     sync.Mutex
	idle   [][]*handle // by file, last used last: its buffer may still be in a CPU's cache
	spare  []*scratch  // used last, last
	open   int         // idle and held
	closed bool
	tally  []tally // by file
}

// A tally is what has been learnt of a file from handles that were closed.
type tally struct {
	known    bool // whether info is
	info     Info // of the first handle
	layout   layout
	stats    []Stats // by band read
	warnings []string
	own      *ownShare // nil where GDAL is to read all
}

func newHandles(files []string, limit int, rd reading) *handles {
	return &handles{
		files:  files,
		rd:     rd,
		shared: make([]shared, len(files)),
		slots:  make(chan struct{}, limit),
		idle:   make([][]*handle, len(files)),
		tally:  make([]tally, len(files)),
	}
}

// take returns a handle of a file that nobody else uses, until give.
func (hs *handles) take(ctx context.Context, file int) (*handle, error) {
	select {
	case hs.slots <- struct{}{}:
	default:
		select {
		case hs.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, failed("read", hs.files[file], context.Cause(ctx))
		}
	}
	hs.mu.Lock()
	if hs.closed {
		hs.mu.Unlock()
		<-hs.slots
		return nil, failed("read", hs.files[file], errClosed)
	}
	s := hs.lend()
	if n := len(hs.idle[file]); n > 0 {
		h := hs.idle[file][n-1]
		hs.idle[file] = hs.idle[file][:n-1]
		hs.mu.Unlock()
		h.scratch = s
		return h, nil
	}
	// This task has a slot, so fewer than all are held: if as many as allowed
	// are open, one of them is idle.
	if hs.open == cap(hs.slots) {
		hs.closeIdle()
	}
	hs.open++
	hs.mu.Unlock()
	h, err := openFor(hs.files[file], hs.rd, hs.access)
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if err == nil {
		err = hs.admit(file, h)
	}
	if err != nil {
		hs.open--
		hs.takeBack(s)
		<-hs.slots
		return nil, err
	}
	h.scratch = s
	return h, nil
}

// lend returns memory to read with. It is called with the lock held.
func (hs *handles) lend() *scratch {
	n := len(hs.spare)
	if n == 0 {
		return new(scratch)
	}
	s := hs.spare[n-1]
	hs.spare = hs.spare[:n-1]
	return s
}

// takeBack is the end of lend. It is called with the lock held.
func (hs *handles) takeBack(s *scratch) {
	if hs.closed {
		s.close()
		return
	}
	hs.spare = append(hs.spare, s)
}

// admit makes sure that a new handle is of the same file as those before it.
func (hs *handles) admit(file int, h *handle) error {
	t := &hs.tally[file]
	if !t.known {
		t.known, t.info, t.layout = true, h.Info, h.layout
		t.info.Warnings = nil
		t.stats = make([]Stats, len(h.bands))
		if !hs.access.safe { // else the way is to show what GDAL does
			t.own = new(ownShare)
		}
	} else if t.info.id.info != nil {
		if err := t.info.id.same(h.id); err != nil {
			h.close()
			return failed("read", hs.files[file], err)
		}
	}
	h.share = t.own
	return nil
}

func (hs *handles) give(file int, h *handle) {
	hs.mu.Lock()
	hs.takeBack(h.scratch)
	h.scratch = nil
	hs.idle[file] = append(hs.idle[file], h)
	if hs.closed {
		hs.drop(file)
	}
	hs.mu.Unlock()
	<-hs.slots
}

// drop closes the idle handles of a file.
func (hs *handles) drop(file int) {
	for _, h := range hs.idle[file] {
		hs.close(file, h)
	}
	hs.idle[file] = nil
}

// closeIdle closes one idle handle.
func (hs *handles) closeIdle() {
	for file, idle := range hs.idle {
		if n := len(idle); n > 0 {
			hs.idle[file] = idle[:n-1]
			hs.close(file, idle[n-1])
			return
		}
	}
}

func (hs *handles) close(file int, h *handle) {
	t := &hs.tally[file]
	for i, b := range h.bands {
		t.stats[i].Merge(b.stats)
	}
	h.hear()
	for _, w := range h.Warnings {
		if !slices.Contains(t.warnings, w) {
			t.warnings = append(t.warnings, w)
		}
	}
	h.close()
	hs.open--
}

// end closes all handles: those that are held, when they are given back.
func (hs *handles) end() {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	hs.closed = true
	for file := range hs.files {
		hs.drop(file)
		if s := &hs.shared[file]; s.h != nil && s.err == nil {
			hs.mu.Unlock()
			s.used.Wait()
			hs.mu.Lock()
			if s.h != nil {
				hs.close(file, s.h)
				s.h = nil
			}
		}
	}
	for _, s := range hs.spare {
		s.close()
	}
	hs.spare = nil
}

// bands returns what the closed handles have read of a file.
func (hs *handles) bands(file int) Bands {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	t := &hs.tally[file]
	b := Bands{Info: t.info, Stats: slices.Clone(t.stats), Blocks: t.layout.count()}
	b.Warnings = slices.Clone(t.warnings)
	return b
}
