package verdict_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overlap/pkg/probe/trace"
	"overlap/pkg/sched"
	"overlap/pkg/verdict"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noted reports whether one of the verdict's notes has the text.
func noted(v verdict.Verdict, text string) bool {
	return slices.ContainsFunc(v.Notes, func(n string) bool { return strings.Contains(n, text) })
}

func TestWatch(t *testing.T) {
	calls := 0
	v, err := verdict.Watch(t.Context(), func(context.Context) error {
		calls++
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { time.Sleep(100 * ms) })
		}
		wg.Wait()
		return nil
	}, verdict.Named("naps"))
	if err != nil || calls != 1 {
		t.Fatalf("%d calls, error %v", calls, err)
	}
	sound(t, v)
	if v.Subject != "naps" || !strings.HasPrefix(v.String(), "naps: ") {
		t.Errorf("about %q: %s", v.Subject, v)
	}
	if m := v.Evidence.Machine; m.Go != runtime.Version() || m.GOMAXPROCS != v.Evidence.Procs {
		t.Errorf("on %+v", m)
	}
	if v.Evidence.Trace == nil {
		t.Skip("a trace is already being taken")
	}
	if n := v.Evidence.Trace.Goroutines; n != 20 {
		t.Errorf("%d goroutines, want 20", n)
	}
	if v.Evidence.Trace.Tasks.AtOnceMax < 2 {
		t.Error("no two goroutines at once")
	}
	if v.Evidence.Usage.Wall < 100*ms {
		t.Errorf("took %v, want at least 100 ms", v.Evidence.Usage.Wall)
	}
	if v.Kind != verdict.Overlaps && v.Kind != verdict.CannotTell {
		t.Errorf("got %s", v)
	}
}

func TestWatchFails(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name string
		f    func(context.Context) error
		want func(error) bool
	}{
		{"error", func(context.Context) error { return broken }, func(err error) bool { return err == broken }},
		{"panic", func(context.Context) error { panic("out of paper") }, func(err error) bool {
			p := new(sched.PanicError)
			return errors.As(err, &p) && p.Value == "out of paper" && strings.Contains(err.Error(), "watch_test.go")
		}},
		{"panic with an error", func(context.Context) error { panic(broken) }, func(err error) bool { return errors.Is(err, broken) }},
		{"panic with nil", func(context.Context) error { panic(nil) }, func(err error) bool { return err != nil }},
		{"Goexit", func(context.Context) error { runtime.Goexit(); return nil }, func(err error) bool {
			return err != nil && strings.Contains(err.Error(), "Goexit")
		}},
	}
	for _, test := range tests {
		for _, opts := range [][]verdict.Option{nil, {verdict.Untraced()}, {verdict.Again()}} {
			t.Run(test.name, func(t *testing.T) {
				v, err := verdict.Watch(t.Context(), test.f, opts...)
				if !test.want(err) {
					t.Errorf("error %v", err)
				}
				sound(t, v)
				if !noted(v, "failed") {
					t.Errorf("notes do not say that it failed: %q", v.Notes)
				}
			})
		}
	}
	// A trace can be taken after each of them.
	if v, err := verdict.Watch(t.Context(), func(context.Context) error { return nil }); err != nil || v.Evidence.Trace == nil {
		t.Errorf("after failures: trace %v, error %v", v.Evidence.Trace, err)
	}
}

func TestWatchNothing(t *testing.T) {
	if v, err := verdict.Watch(t.Context(), nil); err == nil || v.Kind != verdict.CannotTell {
		t.Errorf("no function: %q, %v", v.Kind, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("closed")
	cancel(cause)
	called := false
	v, err := verdict.Watch(ctx, func(context.Context) error { called = true; return nil })
	if !errors.Is(err, cause) || called || v.Kind != verdict.CannotTell {
		t.Errorf("context done before: called %v, %q, %v", called, v.Kind, err)
	}
}

func TestWatchInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*ms, cancel)
	v, err := verdict.Watch(ctx, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, verdict.Again())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if !noted(v, "interrupted after") || !noted(v, "did not run again") {
		t.Errorf("notes %q", v.Notes)
	}
	sound(t, v)
}

func TestWatchIgnoresInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*ms, cancel)
	release, released := make(chan bool), make(chan bool)
	v, err := verdict.Watch(ctx, func(context.Context) error { defer close(released); <-release; return nil })
	if !errors.Is(err, verdict.ErrStuck) || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if !noted(v, "did not stop") {
		t.Errorf("notes %q", v.Notes)
	}
	sound(t, v)
	// The next one is told that it still runs.
	if v, _ := verdict.Watch(t.Context(), func(context.Context) error { return nil }); !noted(v, "1 task of an earlier run, which did not stop when told to, still ran") {
		t.Errorf("beside a function that goes on: notes %q", v.Notes)
	}
	close(release)
	<-released
	if v, err := verdict.Watch(t.Context(), func(context.Context) error { return nil }); err != nil || v.Evidence.Trace == nil {
		t.Errorf("afterwards: trace %v, error %v", v.Evidence.Trace, err)
	}
}

func TestWatchLeftBehind(t *testing.T) {
	release := make(chan bool)
	var wg sync.WaitGroup
	v, err := verdict.Watch(t.Context(), func(context.Context) error {
		for range 3 {
			wg.Go(func() { <-release })
		}
		time.Sleep(10 * ms)
		return nil
	})
	close(release)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if v.Evidence.Trace != nil && !noted(v, "3 goroutines were left behind") {
		t.Errorf("notes %q", v.Notes)
	}
}

// TestUntracedLeftBehind: without a trace, too, who only has to return is not
// left behind, and who waits is.
func TestUntracedLeftBehind(t *testing.T) {
	v, err := verdict.Watch(t.Context(), func(context.Context) error {
		done := make(chan bool)
		go func() {
			done <- true
			time.Sleep(2 * ms)
		}()
		<-done
		return nil
	}, verdict.Untraced())
	if err != nil || noted(v, "left behind") {
		t.Errorf("one that was about to end: error %v, notes %q", err, v.Notes)
	}
	release := make(chan bool)
	var wg sync.WaitGroup
	v, err = verdict.Watch(t.Context(), func(context.Context) error {
		for range 20 { // many, as one of before can end meanwhile
			wg.Go(func() { <-release })
		}
		return nil
	}, verdict.Untraced())
	close(release)
	wg.Wait()
	if err != nil || !noted(v, "goroutines were left behind") {
		t.Errorf("20 that wait: error %v, notes %q", err, v.Notes)
	}
}

// A longTrace takes as long to read as nobody drops it.
type longTrace struct{ dropped chan bool }

func (l longTrace) Stop() (*trace.Trace, error) {
	<-l.dropped
	return &trace.Trace{Truncated: true}, trace.ErrDropped
}

func (l longTrace) Discard() { close(l.dropped) }

// TestReadWithin: after an interrupt a long trace is not read to its end.
func TestReadWithin(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	later, cancelLater := context.WithCancel(t.Context())
	time.AfterFunc(ms, cancelLater)
	for name, ctx := range map[string]context.Context{"before": done, "meanwhile": later} {
		if tr, err := verdict.ReadWithin(ctx, longTrace{make(chan bool)}, ms); tr == nil || !errors.Is(err, trace.ErrDropped) {
			t.Errorf("interrupted %s: %v, error %v", name, tr, err)
		}
	}
	short := longTrace{make(chan bool)}
	close(short.dropped) // read at once: to drop it then would panic
	if tr, _ := verdict.ReadWithin(done, short, time.Hour); tr == nil {
		t.Error("nothing is read")
	}
}

func TestWatchNested(t *testing.T) {
	var inner verdict.Verdict
	var innerErr error
	outer, err := verdict.Watch(t.Context(), func(ctx context.Context) error {
		inner, innerErr = verdict.Watch(ctx, func(context.Context) error { time.Sleep(10 * ms); return nil })
		return nil
	})
	if err != nil || innerErr != nil {
		t.Fatal(err, innerErr)
	}
	if inner.Evidence.Trace != nil || outer.Evidence.Trace == nil {
		t.Error("want a trace of the outer one only")
	}
	if !noted(inner, "Another Watch") {
		t.Errorf("notes of the inner one: %q", inner.Notes)
	}
	if !strings.Contains(inner.Text+strings.Join(inner.Notes, ""), "another one was already being taken") {
		t.Errorf("the inner one does not say why it has no trace: %s", inner)
	}
	sound(t, inner)
	sound(t, outer)
}

func TestWatchTogether(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			v, err := verdict.Watch(t.Context(), func(context.Context) error { time.Sleep(10 * ms); return nil }, verdict.Again())
			if err != nil {
				t.Error(err)
			}
			sound(t, v)
		})
	}
	wg.Wait()
}

func TestAgain(t *testing.T) {
	before := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(before)
	var seen []int
	v, err := verdict.Watch(t.Context(), func(context.Context) error {
		seen = append(seen, runtime.GOMAXPROCS(0))
		return nil
	}, verdict.Again())
	if err != nil || v.Evidence.Alone == nil {
		t.Fatalf("alone %v, error %v", v.Evidence.Alone, err)
	}
	if want := []int{3, 1}; !slices.Equal(seen, want) {
		t.Errorf("ran with GOMAXPROCS %v, want %v", seen, want)
	}
	if n := runtime.GOMAXPROCS(0); n != 3 {
		t.Errorf("GOMAXPROCS is %d afterwards, want 3", n)
	}

	// Also where the second run panics.
	runs := 0
	v, err = verdict.Watch(t.Context(), func(context.Context) error {
		if runs++; runs == 2 {
			panic("once is enough")
		}
		return nil
	}, verdict.Again())
	if err != nil || v.Evidence.Alone != nil || !noted(v, "second run") {
		t.Errorf("alone %v, error %v, notes %q", v.Evidence.Alone, err, v.Notes)
	}
	if n := runtime.GOMAXPROCS(0); n != 3 {
		t.Errorf("GOMAXPROCS is %d after a panic, want 3", n)
	}
}

func TestUntraced(t *testing.T) {
	v, err := verdict.Watch(t.Context(), func(context.Context) error { time.Sleep(20 * ms); return nil }, verdict.Untraced(), nil)
	if err != nil || v.Evidence.Trace != nil {
		t.Fatalf("trace %v, error %v", v.Evidence.Trace, err)
	}
	if v.Kind != verdict.CannotTell || !strings.Contains(v.Text, "switched off") {
		t.Errorf("got %s", v)
	}
}

// What a function returns is passed on as it is, also where others would call it a panic.
func TestWatchReturnsErrorsAsTheyAre(t *testing.T) {
	for _, want := range []error{sched.ErrGoexit, &sched.PanicError{Value: "of another"}, context.Canceled} {
		if _, err := verdict.Watch(t.Context(), func(context.Context) error { return want }, verdict.Untraced()); err != want {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}
