package guard

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestGo(t *testing.T) {
	carried := &PanicError{Value: "elsewhere", Stack: []byte("its stack")}
	for name, c := range map[string]struct {
		f    func() error
		want func(error) bool
	}{
		"returns":     {func() error { return nil }, func(err error) bool { return err == nil }},
		"fails":       {func() error { return io.EOF }, func(err error) bool { return err == io.EOF }},
		"goexit":      {func() error { runtime.Goexit(); return nil }, func(err error) bool { return err == ErrGoexit }},
		"an error":    {func() error { panic(io.EOF) }, func(err error) bool { return errors.Is(err, io.EOF) }},
		"carried":     {func() error { panic(carried) }, func(err error) bool { return err == error(carried) }},
		"nil pointer": {func() error { var p *int; *p = 1; return nil }, func(err error) bool { var e runtime.Error; return errors.As(err, &e) }},
		"with its stack": {func() error { panic("boom") }, func(err error) bool {
			var p *PanicError
			return errors.As(err, &p) && p.Value == "boom" && strings.Contains(string(p.Stack), "TestGo")
		}},
	} {
		if err := <-Go(c.f); !c.want(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAwait(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	full := make(chan int, 1)
	full <- 7
	if n, ok := Await(over, full, nil); n != 7 || !ok { // both have come
		t.Errorf("%d, %v", n, ok)
	}
	if _, ok := Await(over, full, func() time.Duration { return time.Millisecond }); ok {
		t.Error("something came of nothing")
	}
	go func() { full <- 8 }()
	if n, ok := Await(over, full, func() time.Duration { return time.Hour }); n != 8 || !ok { // late, and in time
		t.Errorf("%d, %v", n, ok)
	}
	close(full)
	if n, ok := Await(t.Context(), full, nil); n != 0 || !ok {
		t.Errorf("%d, %v", n, ok)
	}
}

func TestStopWithin(t *testing.T) {
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	told, cancel := context.WithCancel(t.Context())
	cancel()
	if StopWithin(late) != lateLimit || StopWithin(told) != StopLimit {
		t.Errorf("%v, %v", StopWithin(late), StopWithin(told))
	}
}

//go:noinline
func writeTo(m map[string]int) { m["x"] = 1 }

// The names of Go's functions that Frames goes by are those of this Go.
func TestFramesBeginWhereItPanicked(t *testing.T) {
	var list []int
	var none *int
	for name, c := range map[string]struct {
		f     func() error
		first string // ends with it
	}{
		"panic":       {func() error { panic("boom") }, ".func1"},
		"nil map":     {func() error { writeTo(nil); return nil }, ".writeTo"},
		"nil pointer": {func() error { *none = 1; return nil }, ".func3"},
		"index":       {func() error { list[len(list)+2]++; return nil }, ".func4"},
		"while it unwinds": {func() error {
			defer func() { panic("second") }()
			panic("first")
		}, ".func5"},
	} {
		var p *PanicError
		if err := <-Go(c.f); !errors.As(err, &p) {
			t.Fatalf("%s: %v", name, err)
		}
		frames := p.Frames()
		if len(frames) == 0 || !strings.HasSuffix(frames[0].Function, c.first) || !strings.HasSuffix(frames[0].File, "guard_test.go") {
			t.Errorf("%s: frames %+v of\n%s", name, frames, p.Stack)
		}
	}
	if frames := (&PanicError{Value: 1}).Frames(); frames != nil {
		t.Errorf("frames %+v of nothing", frames)
	}
}

func TestStops(t *testing.T) {
	Stops(t.Context())() // nobody asked
	ctx, stops := WithStops(t.Context())
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	if stops() {
		t.Error("nothing is under way")
	}
	first, second := Stops(inner), Stops(ctx)
	first()
	if !stops() {
		t.Error("one is under way")
	}
	second()
	if stops() {
		t.Error("all are done")
	}
}
