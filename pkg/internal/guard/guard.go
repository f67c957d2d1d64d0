// Package guard keeps code that is not the lab's own within bounds: its panics and
// runtime.Goexit become errors, and what does not stop when told to is left behind
// after a time that is the same everywhere.
package guard

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"
)

// ErrGoexit is the error of a function that ended its goroutine with
// runtime.Goexit, as testing's FailNow does, instead of returning.
var ErrGoexit = errors.New("task called runtime.Goexit instead of returning")

// A PanicError is a panic that nothing recovered from: see [Panicked].
type PanicError struct {
	Value any    // what was given to panic
	Stack []byte // the stack of its goroutine, as debug.Stack formats it

	callers []uintptr // that stack, as runtime.Callers has it
}

// Panicked returns the error of a panic with v, which a deferred function has recovered and
// which calls it while the stack is still there.
func Panicked(v any) *PanicError {
	callers := make([]uintptr, 512) // beyond them a stack is a recursion
	return &PanicError{Value: v, Stack: debug.Stack(), callers: callers[:runtime.Callers(1, callers)]}
}

// panicking is Go's function that calls what was deferred while a panic unwinds the stack.
const panicking = "runtime.gopanic"

// Frames returns the functions that had been called where it panicked, the innermost first,
// without those of Go's runtime. There are none where [Panicked] did not make the error.
func (e *PanicError) Frames() (frames []runtime.Frame) {
	callers := runtime.CallersFrames(e.callers)
	for more := len(e.callers) > 0; more; {
		var f runtime.Frame
		f, more = callers.Next()
		switch {
		case f.Function == panicking: // the last is of the first that happened: the others came while it unwound
			frames = nil
		case !strings.HasPrefix(f.Function, "runtime."):
			frames = append(frames, f)
		}
	}
	return frames
}

// Error returns the panic's value, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value where that is an error, else nil.
func (e *PanicError) Unwrap() error { err, _ := e.Value.(error); return err }

// Ended returns the error of a function that did not return, of which a deferred
// function has recovered v: [ErrGoexit] where that is nil, else a [*PanicError]. It
// is called while the stack is still there. A *PanicError that was carried here from
// another goroutine keeps that one's stack.
func Ended(v any) error {
	switch e, ok := v.(*PanicError); {
	case v == nil:
		return ErrGoexit
	case ok:
		return e
	}
	return Panicked(v)
}

// Call calls f and returns its error, or its panic as one. A runtime.Goexit of f
// goes on through the caller.
func Call(f func() error) (err error) {
	returned := false
	defer func() {
		if !returned {
			if v := recover(); v != nil {
				err = Ended(v)
			}
		}
	}()
	err = f()
	returned = true
	return err
}

// Go calls f on a goroutine of its own. The channel, which has room for it, gets what
// f returned, or its panic or runtime.Goexit as an error.
func Go(f func() error) <-chan error {
	done := make(chan error, 1)
	go func() {
		err := ErrGoexit
		defer func() { done <- err }()
		err = Call(f)
	}()
	return done
}

// How long what was told to stop may go on. A notebook's kernel kills a program five
// seconds after an interrupt, and what was measured is still to be saved and shown;
// a deadline says itself when the result is wanted.
const (
	StopLimit = 2 * time.Second
	lateLimit = 500 * time.Millisecond
)

// StopWithin returns how long what was told to stop may go on, now that ctx is
// done, before it is left running: 2 s, and 0.5 s where ctx had a deadline.
func StopWithin(ctx context.Context) time.Duration {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return lateLimit
	}
	return StopLimit
}

// Await receives from done. Once ctx is done it waits for as long as late then says,
// and reports false where nothing came. What has come by then is always received, as
// on a loaded machine both can have come. A nil late allows no time at all.
func Await[T any](ctx context.Context, done <-chan T, late func() time.Duration) (result T, ok bool) {
	select {
	case result = <-done:
		return result, true
	case <-ctx.Done():
	}
	if late != nil {
		timer := time.NewTimer(late())
		defer timer.Stop()
		select {
		case result = <-done:
			return result, true
		case <-timer.C:
		}
	}
	select {
	case result = <-done:
		return result, true
	default:
		return result, false
	}
}

// stopsKey is the key of the value that [WithStops] adds to a context.
type stopsKey struct{}

// WithStops returns a context that knows of the calls that [Stops] announces on it, and
// whether one is under way.
func WithStops(ctx context.Context) (context.Context, func() bool) {
	running := new(atomic.Int32)
	return context.WithValue(ctx, stopsKey{}, running), func() bool { return running.Load() > 0 }
}

// Stops announces that a call, until it calls done, ends by itself soon after ctx is done,
// with something that is worth the wait: whoever ends the program gives it that time.
func Stops(ctx context.Context) (done func()) {
	running, ok := ctx.Value(stopsKey{}).(*atomic.Int32)
	if !ok {
		return func() {}
	}
	running.Add(1)
	return func() { running.Add(-1) }
}
