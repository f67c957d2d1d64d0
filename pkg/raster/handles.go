package raster

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"overlap/pkg/raster/internal/where"
)

// MaxHandles returns how many handles one run of reads keeps open at most: an eighth of the files
// that the process may open (RLIMIT_NOFILE), since a handle may take four, with a mask and
// overviews beside the file, and never more than 256, since each blocks an OS thread while it
// reads.
func MaxHandles() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 64
	}
	return int(max(1, min(256, limit.Cur/(2*where.HandleFiles))))
}

// errClosed is what reading gives after the end of a run, or after Close.
var errClosed = errors.New("it was closed; open it again")

// handles are the open handles of a run.
type handles struct {
	files  []string
	rd     reading
	access access
	how    Handles
	shared []shared
	slots  chan struct{} // one for each handle that tasks may hold at once
	ranges bool          // whether GDAL may ask for several parts of a file at once
	leaves bool          // whether calls that wait for a server are left to themselves when their context is done

	done atomic.Int64 // tasks that ended well

	mu     sync.Mutex
	freed  *sync.Cond  // of mu: a file of shared was opened or closed, or the run has ended
	idle   [][]*handle // by file, last used last: its buffer may still be in a CPU's cache
	spare  []*scratch  // used last, last
	rest   []thread    // that nobody uses, used last, last
	open   int         // idle, held and shared
	closed bool
	tally  []tally // by file
}

// A tally is what has been learnt of a file from handles that were closed.
type tally struct {
	expected *expected
	doubted  bool // an answer of the server was of another time than at first
	known    bool // whether info is
	info     Info // of the first handle
	layout   layout
	stats    []Stats // by band read
	warnings []string
	own      *ownShare // nil where GDAL is to read all
}

func newHandles(files []string, limit int, rd reading) *handles {
	hs := &handles{
		files:  files,
		rd:     rd,
		shared: make([]shared, len(files)),
		slots:  make(chan struct{}, limit),
		idle:   make([][]*handle, len(files)),
		tally:  make([]tally, len(files)),
	}
	hs.freed = sync.NewCond(&hs.mu)
	return hs
}

// with calls f with a handle of a file that nobody else uses meanwhile.
func (hs *handles) with(ctx context.Context, file int, f func(*handle) error) error {
	return hs.in(ctx, file, func() error {
		h, err := hs.borrow(file)
		if err != nil {
			return err
		}
		defer hs.giveBack(file, h)
		return f(h)
	})
}

// in calls f when not too many others use files. For a remote file it does so on a thread of the
// run's, and where the run leaves its calls it does not wait longer than for ctx: f then goes on by
// itself, so that it must look at ctx after each call of GDAL, and touch nothing that is used after
// ctx is done.
func (hs *handles) in(ctx context.Context, file int, f func() error) error {
	if ctx.Err() != nil {
		return failed("read", hs.files[file], context.Cause(ctx))
	}
	select {
	case hs.slots <- struct{}{}:
	default:
		select {
		case hs.slots <- struct{}{}:
		case <-ctx.Done():
			return failed("read", hs.files[file], context.Cause(ctx))
		}
	}
	if !where.IsRemote(hs.files[file]) {
		defer func() { <-hs.slots }()
		return f()
	}
	done := make(chan error, 1)
	t := hs.thread()
	abandoned.Add(1)
	t <- func() {
		defer abandoned.Done()
		err := f()
		hs.notice(file)
		if hs.leaves && ctx.Err() != nil {
			forget(hs.files[file]) // what it has fetched since is not for those who read the file by now
		}
		<-hs.slots
		hs.threadBack(t)
		done <- err
	}
	if !hs.leaves {
		return <-done
	}
	result, err := await(ctx, done)
	if err != nil {
		return failed("read", hs.files[file], err)
	}
	return result
}

// borrow returns a handle of a file that nobody else uses, until giveBack. It is called inside of in.
func (hs *handles) borrow(file int) (*handle, error) {
	hs.mu.Lock()
	if hs.closed {
		hs.mu.Unlock()
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
	// This task has a slot, so fewer than all are held: if as many as allowed are open, one of them
	// is idle.
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
		hs.takeScratch(s)
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

// takeScratch is the end of lend. It is called with the lock held.
func (hs *handles) takeScratch(s *scratch) {
	if hs.closed {
		s.close()
		return
	}
	hs.spare = append(hs.spare, s)
}

// expect notes for which files the tasks were made: whoever is at their names by then must be them.
func (hs *handles) expect(layouts []layout, infos []Info) {
	for i, info := range infos {
		hs.tally[i].expected = &expected{info, layouts[i]}
	}
}

// An expected is a file as it was when it was first opened.
type expected struct {
	info   Info
	layout layout
}

// same makes sure that a handle is of that file. What goes into arrays of one size must not come
// from a file of another, also where nobody can say whether it is the same file.
func (e *expected) same(h *handle) error {
	if e.info.id.info != nil {
		if err := e.info.id.same(h.id); err != nil {
			return err
		}
	}
	l := h.layout
	l.stored, l.joined = e.layout.stored, e.layout.joined // these are of the way to read, too
	if l != e.layout || e.info.Width != h.Width || e.info.Height != h.Height ||
		!slices.EqualFunc(e.info.Layers, h.Layers, func(a, b Layer) bool { return a.kind == b.kind }) {
		return errReplaced
	}
	return nil
}

// admit makes sure that a new handle is of the same file as those before it.
func (hs *handles) admit(file int, h *handle) error {
	t := &hs.tally[file]
	if t.expected == nil {
		t.expected = &expected{h.Info, h.layout}
	} else if err := t.expected.same(h); err != nil {
		h.close()
		return failed("read", hs.files[file], err)
	}
	if !t.known {
		t.known, t.info, t.layout = true, h.Info, h.layout
		t.info.Warnings = nil
		t.stats = make([]Stats, len(h.bands))
		if hs.how != OneSafe && hs.how != OneUnlocked { // else the way is to show what GDAL does
			t.own = new(ownShare)
		}
	}
	h.share = t.own
	return nil
}

func (hs *handles) giveBack(file int, h *handle) {
	hs.mu.Lock()
	hs.takeScratch(h.scratch)
	h.scratch = nil
	hs.idle[file] = append(hs.idle[file], h)
	if hs.closed {
		hs.drop(file)
	}
	hs.mu.Unlock()
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
	if !h.lent {
		hs.open--
	}
	h.close()
}

// end closes all handles: those that are held, when they are given back.
func (hs *handles) end() {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	hs.closed = true
	for file := range hs.files {
		hs.drop(file)
		hs.closeShared(file)
	}
	hs.freed.Broadcast()
	for _, s := range hs.spare {
		s.close()
	}
	hs.spare = nil
	for _, t := range hs.rest {
		close(t)
	}
	hs.rest = nil
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
