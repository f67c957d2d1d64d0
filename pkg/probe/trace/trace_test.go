package trace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sync/errgroup"

	"overlap/pkg/probe/trace/internal/native"
)

// traceOf traces a piece of work, and skips the test where the tests
// themselves are traced.
func traceOf(t testing.TB, limit int64, f func(context.Context)) *Trace {
	t.Helper()
	tracer, err := Start(limit)
	if errors.Is(err, ErrTracing) {
		t.Skip("the tests are being traced")
	}
	if err != nil {
		t.Fatal(err)
	}
	tracer.Root(context.Background(), f)
	tr, err := tracer.Stop()
	if err != nil {
		t.Fatal(err)
	}
	consistent(t, tr)
	if t.Failed() {
		text, _ := json.MarshalIndent(tr, "", " ")
		t.Logf("%s", text)
	}
	return tr
}

// consistent checks what holds for every trace.
func consistent(t testing.TB, tr *Trace) {
	t.Helper()
	var sum, steps float64
	for s, d := range tr.Time {
		if d < tr.RootTime[s] {
			t.Errorf("%s: the root has %v, all together %v", s, tr.RootTime[s], d)
		}
		sum += float64(d)
	}
	var at time.Duration
	for _, s := range tr.Steps {
		if s.Start != at || s.End <= s.Start {
			t.Errorf("a step goes from %v to %v, where %v is next", s.Start, s.End, at)
		}
		at = s.End
		for _, n := range s.Mean {
			steps += n * float64(s.End-s.Start)
		}
	}
	if at != tr.Covered || len(tr.Steps) > MaxSteps {
		t.Errorf("%d steps end at %v of %v", len(tr.Steps), at, tr.Covered)
	}
	if d := steps - sum; d > 1e-3*sum+1e4 || d < -1e-3*sum-1e4 {
		t.Errorf("the steps hold %v, all states %v", time.Duration(steps), time.Duration(sum))
	}
	if tr.Covered > tr.Wall || tr.Peak > tr.Goroutines || tr.Left > tr.Goroutines || len(tr.Waits) > MaxWaits {
		t.Errorf("covered %v of %v; %d goroutines, at most %d, left %d; %d waits", tr.Covered, tr.Wall, tr.Goroutines, tr.Peak, tr.Left, len(tr.Waits))
	}
	// Each goroutine is in one state at a time, but for those that iter.Pull
	// switched away from.
	coroutine := slices.ContainsFunc(tr.Lives, func(l Life) bool { return l.Func == "runtime.corostart" })
	if tr.Service == 0 && tr.Goroutines < MaxLives && !coroutine {
		var lives float64
		for _, l := range tr.Lives {
			lives += float64(l.End - l.Start)
		}
		if len(tr.Lives) != tr.Goroutines+1 || sum > lives+1e3 || sum < lives-1e3 {
			t.Errorf("%d lives together %v, all states %v", len(tr.Lives), time.Duration(lives), time.Duration(sum))
		}
	}
	for i, w := range tr.Waits {
		if i > 0 && tr.Waits[i-1].Time < w.Time {
			t.Errorf("wait %d is longer than the one before", i)
		}
		if w.Longest > w.Time || w.Time <= 0 {
			t.Errorf("wait %d: %v in all, the longest %v", i, w.Time, w.Longest)
		}
	}
	for _, l := range tr.Lives {
		end := l.Start
		for _, s := range l.Spans {
			if s.Start < end || s.End <= s.Start || s.End > l.End {
				t.Errorf("life %d from %v to %v: a span from %v to %v after %v", l.ID, l.Start, l.End, s.Start, s.End, end)
			}
			end = s.End
		}
	}
}

// here returns the line of its caller, by some lines.
func here(by int) int {
	_, _, line, _ := runtime.Caller(1)
	return line + by
}

func waitAt(tr *Trace, s State, line int) (w Wait) {
	for _, x := range tr.Waits {
		if x.State == s && x.Place.Line == line && x.Place.File == "trace_test.go" {
			w.Time += x.Time
			w.N += x.N
			w.Place = x.Place
		}
	}
	return w
}

func wantWait(t *testing.T, tr *Trace, s State, line int, least time.Duration, what string) {
	t.Helper()
	w := waitAt(tr, s, line)
	if w.Time < least || w.Place.What != what || w.Place.Code == "" || w.N == 0 {
		t.Errorf("%s at line %d: %v in %d, at %+v; want at least %v in %s", s, line, w.Time, w.N, w.Place, least, what)
		for _, w := range tr.Waits {
			t.Logf("%+v", w)
		}
	}
}

func TestTraceSleep(t *testing.T) {
	line := 0
	tr := traceOf(t, 0, func(context.Context) {
		var all sync.WaitGroup
		line = here(5)
		for range 4 {
			all.Add(1)
			go func() {
				defer all.Done()
				time.Sleep(50 * time.Millisecond)
			}()
			runtime.Gosched()
		}
		all.Wait()
	})
	wantWait(t, tr, Sleep, line, 200*time.Millisecond, "time.Sleep")
	if tr.Goroutines != 4 || tr.Left != 0 || tr.Service != 0 {
		t.Errorf("%d goroutines, %d left, %d of the library; want 4, 0, 0", tr.Goroutines, tr.Left, tr.Service)
	}
	if tr.RootTime[Join] == 0 || tr.Time[Sleep] < 200*time.Millisecond {
		t.Errorf("the root's %v, all %v", tr.RootTime, tr.Time)
	}
	if tr.Tasks.By != "goroutine" || tr.Tasks.Life.N != 4 || tr.Tasks.Waits != 1 || tr.Tasks.Outside.Sum < 200*time.Millisecond {
		t.Errorf("tasks %+v", tr.Tasks)
	}
	if len(tr.Lives) != 5 {
		t.Errorf("%d lives, want 5", len(tr.Lives))
	}
}

func TestTracePeak(t *testing.T) {
	tr := traceOf(t, 0, func(context.Context) {
		var all sync.WaitGroup
		gate := make(chan int)
		for range 4 {
			all.Go(func() { <-gate })
		}
		close(gate)
		all.Wait()
	})
	if tr.Goroutines != 4 || tr.Peak != 4 {
		t.Errorf("%d goroutines, peak %d; want 4 and 4", tr.Goroutines, tr.Peak)
	}
}

func TestTraceLock(t *testing.T) {
	line := 0
	tr := traceOf(t, 0, func(context.Context) {
		var lock sync.Mutex
		var all sync.WaitGroup
		line = here(4)
		for range 20 { // so often that some wait, however slow the machine is
			all.Go(func() {
				for range 5 {
					lock.Lock()
					time.Sleep(100 * time.Microsecond)
					lock.Unlock()
				}
			})
		}
		all.Wait()
	})
	wantWait(t, tr, Lock, line, 1, "sync.(*Mutex).Lock")
}

func TestTraceChannel(t *testing.T) {
	line := 0
	tr := traceOf(t, 0, func(context.Context) {
		answer := make(chan int)
		go func() {
			defer close(answer)
			for range 50 {
				time.Sleep(100 * time.Microsecond)
				answer <- 1
			}
		}()
		line = here(1)
		for range answer {
		}
	})
	wantWait(t, tr, Channel, line, 1, "chan receive")
	if w := waitAt(tr, Channel, line); w.N > 51 {
		t.Errorf("%d waits for 50 answers and the end", w.N)
	}
	if tr.RootTime[Channel] == 0 || tr.RootTime[Sleep] > 0 || tr.Time[Sleep] < 50*100*time.Microsecond {
		t.Errorf("the root's %v, all %v", tr.RootTime, tr.Time)
	}
}

func TestTraceTimer(t *testing.T) {
	tests := []struct {
		name string
		wait func(context.Context)
	}{
		{"after", func(context.Context) { <-time.After(30 * time.Millisecond) }},
		{"select", func(ctx context.Context) {
			select {
			case <-ctx.Done():
			case <-time.After(30 * time.Millisecond):
			}
		}},
		{"deadline", func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
			defer cancel()
			<-ctx.Done()
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tr := traceOf(t, 0, test.wait)
			if tr.Time[Sleep] < 20*time.Millisecond || tr.Time[Channel] > 0 {
				t.Errorf("a timer is %v", tr.Time)
			}
		})
	}
}

func TestTraceHTTP(t *testing.T) {
	tr := traceOf(t, 0, func(context.Context) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(30 * time.Millisecond)
			io.WriteString(w, "hello")
		}))
		defer server.Close()
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				res, err := server.Client().Get(server.URL)
				if err == nil {
					io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
			})
		}
		all.Wait()
		server.Client().CloseIdleConnections()
	})
	if tr.Time[Network] < 90*time.Millisecond {
		t.Errorf("three requests of 30 ms each: %v", tr.Time)
	}
	if tr.Time[Sleep] > 0 || tr.Goroutines != 3 || tr.Service == 0 {
		t.Errorf("the server's own waits count: %v, %d goroutines and %d of the library", tr.Time, tr.Goroutines, tr.Service)
	}
	if w := tr.Waits[0]; w.State == Network && w.Place.What != "net/http.(*Client).Get" {
		t.Errorf("the longest wait is %+v", w)
	}
}

func TestTraceCommand(t *testing.T) {
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip("no sleep command")
	}
	tr := traceOf(t, 0, func(ctx context.Context) { exec.CommandContext(ctx, "sleep", "0.1").Run() })
	if tr.Time[Syscall] < 50*time.Millisecond {
		t.Errorf("a command of 100 ms: %v", tr.Time)
	}
}

func TestTraceNative(t *testing.T) {
	if !native.Available {
		t.Skip("no C")
	}
	const each, short = 100 * time.Millisecond, 200 * time.Microsecond
	tests := []struct {
		name    string
		compute bool
		run     func()
	}{
		{"one long computation", true, func() { native.Compute(each) }},
		{"many short computations", true, func() {
			for range int(each / short) {
				native.Compute(short)
			}
		}},
		{"one long wait", false, func() { native.Wait(each) }},
		{"many short waits", false, func() {
			for range 50 {
				native.Wait(2 * time.Millisecond)
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tr := traceOf(t, 0, func(context.Context) { test.run() })
			if len(tr.Missing) > 0 {
				t.Skip("no clocks of threads here")
			}
			if test.compute && tr.Time[Native] < 70*time.Millisecond {
				t.Errorf("100 ms of computing in C: %v, run delay %v", tr.Time, tr.RunDelay)
			}
			if !test.compute && tr.Time[Syscall] < 70*time.Millisecond {
				t.Errorf("100 ms of waiting in C: %v, run delay %v", tr.Time, tr.RunDelay)
			}
			if w := tr.Waits; !test.compute && (len(w) == 0 || w[0].State != Syscall || w[0].Place.What != "C.wait_us" || !w[0].Root) {
				t.Errorf("waits %+v", w)
			}
		})
	}
}

func TestTraceRegions(t *testing.T) {
	tr := traceOf(t, 0, func(ctx context.Context) {
		trace.WithRegion(ctx, "all", func() {
			var all sync.WaitGroup
			for range 2 { // workers
				all.Go(func() {
					for range 5 {
						trace.WithRegion(ctx, "task", func() { time.Sleep(2 * time.Millisecond) })
					}
				})
			}
			all.Wait()
		})
	})
	if k := tr.Tasks; k.By != "region" || k.Region != "task" || k.Life.N != 10 || k.AtOnceMax > 2 || k.Outside.Sum < 20*time.Millisecond || k.Waits != 1 {
		t.Errorf("tasks %+v", k)
	}
}

// A pool from before the work is part of it once it is used.
func TestTraceAdopts(t *testing.T) {
	work, done := make(chan int), make(chan int)
	for range 2 {
		go func() {
			for range work {
				time.Sleep(10 * time.Millisecond)
				done <- 1
			}
		}()
	}
	idle := make(chan int) // somebody else's goroutine
	go func() { <-idle }()
	defer close(idle)
	defer close(work)
	// They must wait already, for else they take the work without being woken.
	for stacks := make([]byte, 1<<20); ; time.Sleep(time.Millisecond) {
		n := 0
		for one := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(one, "[chan receive") && strings.Contains(one, "TestTraceAdopts.func") {
				n++
			}
		}
		if n == 3 {
			break
		}
	}
	tr := traceOf(t, 0, func(context.Context) {
		for range 2 {
			work <- 1
		}
		<-done
		<-done
	})
	if tr.Time[Sleep] < 20*time.Millisecond || tr.Goroutines != 2 || tr.Left != 0 {
		t.Errorf("%d goroutines, %d left, %v", tr.Goroutines, tr.Left, tr.Time)
	}
}

// A timer's function belongs to the work that runs then.
func TestTraceAfterFunc(t *testing.T) {
	tr := traceOf(t, 0, func(context.Context) {
		done := make(chan int)
		time.AfterFunc(time.Millisecond, func() {
			time.Sleep(10 * time.Millisecond)
			close(done)
		})
		<-done
	})
	if tr.Goroutines != 1 || tr.Time[Sleep] < 10*time.Millisecond {
		t.Errorf("%d goroutines, %v", tr.Goroutines, tr.Time)
	}
}

// The two goroutines of iter.Pull are in a state by turns.
func TestTraceCoroutine(t *testing.T) {
	const naps = 5
	tr := traceOf(t, 0, func(context.Context) {
		next, stop := iter.Pull(func(yield func(int) bool) {
			for i := range naps {
				time.Sleep(2 * time.Millisecond)
				if !yield(i) {
					return
				}
			}
		})
		defer stop()
		for range naps {
			next()
			time.Sleep(2 * time.Millisecond)
		}
	})
	var all time.Duration
	for _, d := range tr.Time {
		all += d
	}
	if tr.Time[Sleep] < 2*naps*2*time.Millisecond || all > tr.Covered+time.Millisecond {
		t.Errorf("%v together %v, of %v", tr.Time, all, tr.Covered)
	}
}

// A limit of somebody else's library is a wait at the line that calls it.
func TestTraceLimit(t *testing.T) {
	line := 0
	tr := traceOf(t, 0, func(context.Context) {
		var group errgroup.Group
		group.SetLimit(1)
		line = here(2)
		for range 30 {
			group.Go(func() error {
				time.Sleep(time.Millisecond)
				return nil
			})
		}
		group.Wait()
	})
	w := waitAt(tr, Channel, line)
	if w.N == 0 || w.Place.Via != "golang.org/x/sync/errgroup.(*Group).Go" || w.Place.What != "chan send" {
		t.Errorf("%+v", tr.Waits)
	}
}

// Who waits for a goroutine of its own waits for its end, whether by a
// WaitGroup or a channel. Who hands something over to it waits at a channel.
func TestTraceAwaits(t *testing.T) {
	lines := [2]int{}
	tr := traceOf(t, 0, func(context.Context) {
		var all sync.WaitGroup
		all.Go(func() {
			for range 5 {
				done := make(chan bool)
				go func() { time.Sleep(2 * time.Millisecond); done <- true }()
				select {
				case <-done:
				case <-t.Context().Done():
				}
				lines[0] = here(-4)
			}
			slow := make(chan int)
			go func() {
				for range slow {
					time.Sleep(2 * time.Millisecond)
				}
			}()
			for i := range 5 {
				slow <- i
			}
			lines[1] = here(-2)
			close(slow)
		})
		all.Wait()
	})
	wantWait(t, tr, Join, lines[0], 5*time.Millisecond, "select")
	wantWait(t, tr, Channel, lines[1], 4*time.Millisecond, "chan send")
}

// The work may set GOMAXPROCS and set it back.
func TestTraceProcs(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	tr := traceOf(t, 0, func(context.Context) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(before + 3))
		time.Sleep(20 * time.Millisecond)
	})
	if tr.Procs != before || tr.ProcsMost != before+3 {
		t.Errorf("%d at the start, mostly %d; want %d and %d", tr.Procs, tr.ProcsMost, before, before+3)
	}
	tr = traceOf(t, 0, func(context.Context) { time.Sleep(time.Millisecond) })
	if tr.ProcsMost != before {
		t.Errorf("mostly %d, want %d", tr.ProcsMost, before)
	}
}

// Goroutines that have not run yet are queued, those that have are runnable.
func TestTraceQueue(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	tr := traceOf(t, 0, func(context.Context) {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for end := time.Now().Add(5 * time.Millisecond); time.Now().Before(end); {
				}
			})
		}
		all.Wait()
	})
	if tr.Procs != 1 || tr.Time[Running] == 0 || tr.Time[Running] > tr.Covered || tr.Time[Queued] == 0 || tr.SchedDelay.N < 4 {
		t.Errorf("%d processors, %v, delays %+v", tr.Procs, tr.Time, tr.SchedDelay)
	}
}

func TestTraceLeft(t *testing.T) {
	stop := make(chan int)
	var all sync.WaitGroup
	tr := traceOf(t, 0, func(context.Context) {
		for range 3 {
			all.Go(func() { <-stop })
		}
	})
	close(stop)
	all.Wait()
	if tr.Left != 3 {
		t.Errorf("%d left behind, want 3", tr.Left)
	}
}

func TestTraceAlone(t *testing.T) {
	tr := traceOf(t, 0, func(context.Context) {
		for range 3 {
			time.Sleep(time.Millisecond)
		}
	})
	if k := tr.Tasks; tr.Goroutines != 0 || k.Life.N != 1 || k.Waits != 3 || k.AtOnceMax != 1 {
		t.Errorf("%d goroutines, tasks %+v", tr.Goroutines, k)
	}
}

var garbage [][]*int

func TestTraceCollector(t *testing.T) {
	tr := traceOf(t, 0, func(context.Context) {
		for range 1000 {
			garbage = append(garbage, make([]*int, 1000))
		}
		runtime.GC()
		garbage = nil
	})
	if tr.GC <= 0 || tr.Goroutines != 0 {
		t.Errorf("GC took %v, with %d goroutines", tr.GC, tr.Goroutines)
	}
}

func TestTracePanic(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	tracer, err := Start(0)
	if err != nil {
		t.Skip(err)
	}
	func() {
		defer func() {
			if v := recover(); v != "oops" {
				t.Errorf("recovered %v", v)
			}
		}()
		tracer.Root(t.Context(), func(context.Context) {
			time.Sleep(time.Millisecond)
			panic("oops")
		})
	}()
	if trace.IsEnabled() {
		t.Error("the trace goes on after the panic")
	}
	tr, err := tracer.Stop()
	if err != nil || tr.Time[Sleep] < time.Millisecond || tr.Truncated {
		t.Errorf("%v: %+v", err, tr)
	}
}

func TestTraceTruncated(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	const limit = 256 << 10
	tr := traceOf(t, limit, func(context.Context) {
		done := make(chan int)
		for trace.IsEnabled() { // until it was stopped
			go func() { done <- 1 }()
			<-done
		}
		time.Sleep(10 * time.Millisecond)
	})
	if !tr.Truncated || tr.Ended != AtLimit || tr.Covered <= 0 || tr.Covered > tr.Wall-10*time.Millisecond {
		t.Errorf("truncated %v, ended %q, covered %v of %v", tr.Truncated, tr.Ended, tr.Covered, tr.Wall)
	}
	if tr.Goroutines == 0 || tr.Bytes < limit || tr.Bytes > limit+traceRest {
		t.Errorf("%d goroutines in %d bytes", tr.Goroutines, tr.Bytes)
	}
}

func TestTraceTaken(t *testing.T) {
	tracer, err := Start(0)
	if err != nil {
		t.Skip(err)
	}
	if _, err := Start(0); !errors.Is(err, ErrTracing) {
		t.Errorf("a second tracer: %v", err)
	}
	if err := trace.Start(io.Discard); err == nil {
		t.Error("a trace of somebody else's could start")
	}
	if tr, err := tracer.Stop(); tr != nil || err == nil {
		t.Errorf("without work: %v, %v", tr, err)
	}
	if err := trace.Start(io.Discard); err != nil {
		t.Fatal(err)
	}
	defer trace.Stop()
	if _, err := Start(0); !errors.Is(err, ErrTracing) {
		t.Errorf("with a trace of somebody else's: %v", err)
	}
}

func TestTraceBesideFlightRecorder(t *testing.T) {
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{})
	if err := recorder.Start(); err != nil {
		t.Skip(err)
	}
	defer recorder.Stop()
	tr := traceOf(t, 0, func(context.Context) { time.Sleep(5 * time.Millisecond) })
	if tr.Time[Sleep] < 5*time.Millisecond {
		t.Errorf("%v", tr.Time)
	}
}

// The work may end the trace itself.
func TestTraceStopped(t *testing.T) {
	tr := traceOf(t, 0, func(context.Context) {
		time.Sleep(5 * time.Millisecond)
		trace.Stop()
		time.Sleep(5 * time.Millisecond)
	})
	if !tr.Truncated || tr.Ended != ByOthers || tr.Covered > tr.Wall-5*time.Millisecond || tr.Time[Sleep] < 5*time.Millisecond {
		t.Errorf("truncated %v, ended %q, covered %v of %v, %v", tr.Truncated, tr.Ended, tr.Covered, tr.Wall, tr.Time)
	}
}

// A trace that is dropped while it is read is left at that.
func TestTraceDropped(t *testing.T) {
	tracer, err := Start(0)
	if err != nil {
		t.Skip(err)
	}
	tracer.Root(t.Context(), func(context.Context) {
		done := make(chan int)
		for range 2000 {
			go func() { done <- 1 }()
			<-done
		}
	})
	tracer.halt()
	tracer.dropped.Store(true) // as Discard does once Stop reads
	tr, err := tracer.read()
	if !errors.Is(err, ErrDropped) || !tr.Truncated || tr.Ended != Unread || tr.Goroutines >= 2000 || tr.Wall <= 0 {
		t.Errorf("truncated %v, ended %q, %d goroutines, %v, error %v", tr.Truncated, tr.Ended, tr.Goroutines, tr.Wall, err)
	}
}

// Where the work is not over, what there was until then counts.
func TestTraceUnfinished(t *testing.T) {
	tracer, err := Start(0)
	if err != nil {
		t.Skip(err)
	}
	begun, stop, ended := make(chan int), make(chan int), make(chan int)
	go func() {
		defer close(ended)
		tracer.Root(t.Context(), func(context.Context) {
			time.Sleep(5 * time.Millisecond)
			close(begun)
			<-stop
		})
	}()
	<-begun
	tr, err := tracer.Stop()
	close(stop)
	<-ended
	if err != nil || tr.Time[Sleep] < 5*time.Millisecond {
		t.Errorf("%v: %+v", err, tr)
	}
}

func TestTraceBroken(t *testing.T) {
	tracer, err := Start(0)
	if err != nil {
		t.Skip(err)
	}
	tracer.Root(t.Context(), func(context.Context) {
		time.Sleep(time.Millisecond)
		// It begins a new part of the trace, which is what can be read alone.
		recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{})
		if err := recorder.Start(); err != nil {
			t.Error(err)
		}
		recorder.Stop()
	})
	tracer.halt()
	whole := tracer.buffer.chunks
	last := &whole[len(whole)-1]
	*last = (*last)[:len(*last)-100]
	tr, err := tracer.Stop()
	if err == nil || tr == nil || tr.Covered <= 0 || tr.Time[Sleep] <= 0 {
		t.Errorf("%v: %+v", err, tr)
	}
}

func TestTraceStands(t *testing.T) {
	text, err := os.ReadFile("trace_test.go")
	if err != nil {
		t.Fatal(err)
	}
	tr := traceOf(t, 0, func(context.Context) { time.Sleep(time.Millisecond) })
	w := tr.Waits[0]
	if !w.Root || !strings.Contains(string(text), w.Place.Code) || w.Place.Func != "overlap/pkg/probe/trace.TestTraceStands.func1" {
		t.Errorf("%+v", w)
	}
	data, err := json.Marshal(tr)
	if err != nil {
		t.Fatal(err)
	}
	var again Trace
	if err := json.Unmarshal(data, &again); err != nil || fmt.Sprint(again) != fmt.Sprint(*tr) {
		t.Errorf("%v: %+v came back as %+v", err, *tr, again)
	}
}
