package raster

import (
	"context"
	"sync"
)

// foldBlocks folds in the blocks from..to-1 of a file.
func (hs *handles) foldBlocks(ctx context.Context, file, from, to int) error {
	switch hs.how {
	case OnePerBlock:
		for i := from; i < to; i++ {
			err := hs.with(ctx, file, func(h *handle) error {
				_, err := h.foldBlocks(ctx, hs.files[file], i, i+1)
				return err
			})
			hs.mu.Lock()
			hs.drop(file) // others hold theirs
			hs.mu.Unlock()
			if err != nil {
				return err
			}
		}
		return nil
	case OneLocked, OneSafe, OneUnlocked:
		return hs.in(ctx, file, func() error {
			v, err := hs.share(ctx, file)
			if err != nil {
				return err
			}
			defer hs.unshare(file, v)
			_, err = v.foldBlocks(ctx, hs.files[file], from, to)
			return err
		})
	}
	return hs.with(ctx, file, func(h *handle) error {
		_, err := h.foldBlocks(ctx, hs.files[file], from, to)
		return err
	})
}

// shared is a handle that all tasks of a file use.
type shared struct {
	h       *handle // nil where it is not open
	opening bool
	err     error // why it could not be opened
	users   int
	lock    sync.Mutex // held while it is read from
}

// share returns a view of the one handle of a file, until unshare. Where as many files are open as
// may be, one that nobody reads is closed for it, or the task waits for that.
func (hs *handles) share(ctx context.Context, file int) (*handle, error) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	s := &hs.shared[file]
	for !hs.closed && s.err == nil && s.h == nil {
		if s.opening || !hs.mayOpen() {
			if err := hs.wait(ctx); err != nil {
				return nil, failed("read", hs.files[file], err)
			}
			continue
		}
		s.opening = true
		hs.open++
		hs.mu.Unlock()
		h, err := openFor(hs.files[file], hs.rd, hs.access)
		hs.mu.Lock()
		s.opening = false
		if err == nil {
			err = hs.admit(file, h)
		}
		if err == nil {
			s.h = h
		} else {
			s.err = err
			hs.open--
		}
		hs.freed.Broadcast()
	}
	switch {
	case s.err != nil:
		return nil, s.err
	case hs.closed:
		hs.closeShared(file)
		return nil, failed("read", hs.files[file], errClosed)
	}
	lock := &s.lock
	if hs.how != OneLocked {
		lock = nil
	}
	v := s.h.view(lock)
	v.scratch = hs.lend()
	s.users++
	return v, nil
}

func (hs *handles) unshare(file int, v *handle) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	hs.takeScratch(v.scratch)
	hs.close(file, v)
	hs.shared[file].users--
	if hs.closed {
		hs.closeShared(file)
	}
	hs.freed.Broadcast()
}

// memoryFor makes sure that one more file may be opened. It is called with the lock held, as are the
// next two.
func (hs *handles) mayOpen() bool {
	for file := 0; file < len(hs.files) && hs.open >= cap(hs.slots); file++ {
		hs.closeShared(file)
	}
	return hs.open < cap(hs.slots)
}

// closeShared closes the one handle of a file, unless somebody reads from it.
func (hs *handles) closeShared(file int) {
	if s := &hs.shared[file]; s.h != nil && s.users == 0 {
		hs.close(file, s.h)
		s.h = nil
	}
}

// wait waits until something was closed or opened.
func (hs *handles) wait(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		hs.mu.Lock()
		defer hs.mu.Unlock()
		hs.freed.Broadcast()
	})
	defer stop()
	if ctx.Err() == nil {
		hs.freed.Wait()
	}
	return context.Cause(ctx)
}
