package raster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"overlap/pkg/internal/fault"
	"overlap/pkg/internal/guard"
)

// A Window is a part of one band of a raster, as [Stream] hands it out.
type Window[T Pixel] struct {
	File                int // its number in the list of files
	Band                int // from 1
	X, Y, Width, Height int // the place of its pixels in the raster

	// Pixels holds rows of Width pixels that start every Stride pixels. They are gone when the
	// function returns.
	Pixels []T
	Stride int
	// Mask has a byte for each pixel, without gaps between rows, and 0 for one that is not valid.
	// It is nil where the band has no mask but a nodata value.
	Mask []byte

	none nodata
}

// Row returns a row of the window, counted from 0.
func (w Window[T]) Row(y int) []T { return w.Pixels[y*w.Stride:][:w.Width] }

// Valid reports whether the pixel in column x of the window's row y is one that statistics are of:
// not nodata, not NaN or infinite, and not masked.
func (w Window[T]) Valid(x, y int) bool {
	if w.Mask != nil && w.Mask[y*w.Width+x] == 0 {
		return false
	}
	v := w.Row(y)[x]
	f := float64(v)
	return f-f == 0 && !(w.none.has && v == noneOf[T](w.none))
}

// A Folder is the memory that [Window.Fold] works with. It is for one goroutine at a time; the zero
// value is ready to use.
type Folder struct{ folder }

// Fold adds the window's pixels to s, as [Read] does for all windows. A Window that Stream has not
// made has no nodata value. f allocates for the first windows, and then nothing.
func (w Window[T]) Fold(f *Folder, s *Stats) {
	if w.Width < 1 || w.Height < 1 {
		return
	}
	_, _ = w.Row(w.Height-1), w.Row(0) // so that C stays within them
	if w.Mask != nil {
		_ = w.Mask[w.Width*w.Height-1]
	}
	f.fold(s, kindFor[T](), w.none, unsafe.Pointer(&w.Pixels[0]), w.Stride, w.X, w.Y, w.Width, w.Height, w.Mask)
}

// Stream reads rasters and calls f with each window of them, in no order and from several
// goroutines at once. Memory is a window for each worker, whatever the size of the rasters, and
// nothing is allocated for a window. T must be the type of the bands that are read.
//
// An error of f ends the reading and is returned. So is a panic of f, with its value and stack, and
// a call of [runtime.Goexit], as t.FailNow makes it. A file that cannot be read is an error too,
// because f has had the other parts of it.
func Stream[T Pixel](ctx context.Context, files []string, f func(Window[T]) error, opts ...ReadOption) error {
	if len(files) == 0 {
		return ErrNoFiles
	}
	switch {
	case ctx == nil:
		return fmt.Errorf("raster: stream: %w", errNoContext)
	case f == nil:
		return errors.New("raster: stream: there is no function to call with the windows; give one")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	rd := readingOf(opts)
	forget(files...)
	want := kindFor[T]()
	// A read of a remote file may be left to end by itself. It must not call f then.
	var calls sync.RWMutex
	ended := false
	defer func() {
		calls.Lock()
		ended = true
		calls.Unlock()
	}()
	results := readFiles(ctx, files, rd, func(file int, h *handle) error {
		if h.sink != nil {
			return nil
		}
		for _, b := range h.bands {
			if b.kind != want {
				err := failed("read", files[file], fmt.Errorf("band %d is %s; stream it as %s", b.number, kinds[b.kind].name,
					strings.ToLower(kinds[b.kind].name)))
				cancel(err) // f has been written for another type
				return err
			}
		}
		h.unread = true
		h.sink = func(b *band, p unsafe.Pointer, stride int, w window, mask []byte) error {
			calls.RLock()
			defer calls.RUnlock()
			if ended {
				return context.Canceled
			}
			if ctx.Err() != nil { // f has had its say
				return context.Cause(ctx)
			}
			return call(f, Window[T]{
				File: file, Band: b.number, X: w.x, Y: w.y, Width: w.width, Height: w.height,
				Pixels: unsafe.Slice((*T)(p), (w.height-1)*stride+w.width), Stride: stride, Mask: mask, none: b.none,
			}, files[file], cancel)
		}
		return nil
	})
	var all []error
	for _, r := range results {
		all = append(all, r.Err)
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return errors.Join(all...)
}

// call calls f, and cancels with whatever keeps f from returning nil.
func call[T Pixel](f func(Window[T]) error, w Window[T], file string, cancel context.CancelCauseFunc) (err error) {
	returned := false
	defer func() {
		if !returned { // and after runtime.Goexit nothing keeps the goroutine from its end
			err = failed("stream", file, ended(guard.Ended(recover())))
		}
		if err != nil {
			cancel(err)
		}
	}()
	err = f(w)
	returned = true
	return err
}

// ended is the error of a function of the caller's that did not return.
func ended(err error) error {
	if p := (*guard.PanicError)(nil); errors.As(err, &p) {
		return fault.Because(err, fmt.Sprintf("the function panicked: %v\n\n%s", p.Value, p.Stack))
	}
	return fault.Because(err, "the function called runtime.Goexit, as t.FailNow and t.Fatal do; return an error instead")
}
