package verdict

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"overlap/pkg/internal/guard"
	"overlap/pkg/internal/text"
	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
)

// An Option changes how [Watch] watches.
type Option func(*watch)

// Again has the function run once more, with GOMAXPROCS 1, to compare its CPU
// time: CPU time that grows with the CPUs is lost to something that all share,
// which nothing else shows.
//
// All side effects of the function then happen twice, and for the time of the
// second run GOMAXPROCS is 1 for the whole process. It is set back whatever
// happens; from then on the runtime does not follow changes of a container's
// quota by itself (see [runtime.SetDefaultGOMAXPROCS]).
func Again() Option { return func(w *watch) { w.again = true } }

// Untraced has the function watched without an execution trace, where even its
// small cost is too much or another trace is to run. What goroutines wait for
// is then not known, and many a verdict is [CannotTell].
func Untraced() Option {
	return func(w *watch) { w.untraced = "it was switched off" }
}

// Named says what is watched: it becomes the verdict's Subject.
func Named(subject string) Option { return func(w *watch) { w.subject = subject } }

// ErrStuck is the error of [Watch] where the function went on after its
// context was done. It may still be running, and using CPUs.
var ErrStuck = errors.New("the watched function does not stop")

// readLimit is how long Watch reads a trace at most once ctx is done, for the
// same reason.
const readLimit = 1500 * time.Millisecond

// settleTime is how long to wait at most for goroutines that have reported
// their end and not ended yet, before any is said to be left behind.
const settleTime = 100 * time.Millisecond

// watching are the calls of Watch under way.
var watching probe.Company

// oneProc guards GOMAXPROCS.
var oneProc sync.Mutex

type watch struct {
	again    bool
	subject  string
	untraced string
	notes    []string
}

// Watch runs f and says how concurrent it was. f runs on a goroutine of its
// own. CPU time is the whole process's, so nothing else should run meanwhile.
//
// The error is f's own. Where f panics or ends its goroutine with
// runtime.Goexit, the error says so: with the stack, and errors.As finds a
// *sched.PanicError. Where ctx is done and f does not return within 2 s, or
// within 0.5 s of ctx's deadline, Watch leaves it running and returns an error
// that wraps [ErrStuck] and ctx's cause. In all these cases the verdict is of
// what was measured until then. Once ctx is done the trace is read for about
// 1.5 s at most, and a note says if that was not enough. A panic on a goroutine
// that f started ends the process, as always.
//
// Only one execution trace can run at a time. Where one already does, as within
// another Watch or with go test -trace, the verdict comes from CPU time alone,
// and a note says so. The trace is kept in memory, at most
// [trace.DefaultLimit] of it; of a longer run it covers the beginning.
//
// On tasks of 0.25 ms and longer watching costs less than 3 % of the time
// (BenchmarkWatch). Where it costs more, a note says so.
func Watch(ctx context.Context, f func(context.Context) error, opts ...Option) (Verdict, error) {
	w := &watch{}
	for _, opt := range opts {
		if opt != nil {
			opt(w)
		}
	}
	if f == nil {
		return w.judge(Evidence{}), errors.New("verdict: Watch: the function is nil; give one that does the work")
	}
	if ctx == nil {
		return w.judge(Evidence{}), errors.New("verdict: Watch: the context is nil; " +
			"give context.Background() if there is none")
	}
	if err := context.Cause(ctx); err != nil {
		return w.judge(Evidence{}), fmt.Errorf("verdict: Watch: nothing was run, as the context was done before: %w", err)
	}
	defer guard.Stops(ctx)()
	here := watching.Enter()
	defer here.Leave()
	left := probe.Left()

	e, err := w.first(ctx, f)
	switch {
	case left > 0:
		w.note("%s of an earlier run, which did not stop when told to, still ran in this process: CPU time "+
			"is of all together.", text.Counted(left, "tasks"))
	case here.Beside():
		w.note("Another Watch was under way: CPU time is of both together.")
	}
	if w.again {
		switch {
		case errors.Is(err, ErrStuck), context.Cause(ctx) != nil:
			w.note("It was interrupted, so it did not run again.")
		case err != nil:
			w.note("It failed, so it did not run again.")
		default:
			w.second(ctx, f, &e)
		}
	}
	return w.judge(e), err
}

// judge adds to a verdict what the evidence does not hold.
func (w *watch) judge(e Evidence) Verdict {
	v := Judge(e)
	v.Subject = w.subject
	v.Notes = append(w.notes, v.Notes...)
	return v
}

func (w *watch) note(format string, args ...any) {
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

// first runs f under the trace.
func (w *watch) first(ctx context.Context, f func(context.Context) error) (Evidence, error) {
	machine := probe.Describe(nil)
	e := Evidence{Procs: machine.GOMAXPROCS, CPUs: machine.Usable, Machine: machine, Untraced: w.untraced}
	before := runtime.NumGoroutine()
	var tracer *trace.Tracer
	if w.untraced == "" {
		var err error
		if tracer, err = trace.Start(0); err != nil {
			tracer = nil
			e.Untraced = "none could be started"
			if errors.Is(err, trace.ErrTracing) {
				e.Untraced = "another one was already being taken, as within another Watch or go test -trace"
			}
		}
	}
	o := measure(ctx, f, tracer)
	e.Usage, e.MutexWait, e.GC = o.usage, o.mutexWait, o.gc
	if tracer != nil {
		seen, err := readWithin(ctx, tracer, readLimit)
		if seen != nil && seen.Covered > 0 {
			e.Trace = seen
		}
		switch {
		case errors.Is(err, trace.ErrDropped):
			w.note("After the interrupt there was no time to read all of the trace, so the verdict comes from what was read " +
				"of it and from CPU time.")
			e.Untraced = "after the interrupt there was no time to read it"
		case err != nil:
			w.note("The trace could not be read to its end: %v.", err)
			e.Untraced = "it could not be read"
		}
		if e.Trace != nil {
			e.Untraced = ""
		}
	} else if left := leftOver(before); left > 0 && !o.stuck {
		w.note("There is no trace to say where, but %s.", leftBehind(left)+" left behind")
	}
	switch {
	case o.stuck:
		w.note("It did not stop within %v of being interrupted and may still be running; this is what was "+
			"measured until then.", guard.StopWithin(ctx))
	case context.Cause(ctx) != nil:
		w.note("It was interrupted after %s: this is what was measured until then.", seconds(e.Usage.Wall.Seconds()))
	case o.err != nil:
		w.note("It failed after %s: this is what it did until then.", seconds(e.Usage.Wall.Seconds()))
	}
	return e, o.err
}

// readWithin ends a trace and reads it. Once ctx is done, now or meanwhile, it
// reads for so long at most, and gives what it has then.
func readWithin(ctx context.Context, tracer interface {
	Stop() (*trace.Trace, error)
	Discard()
}, limit time.Duration) (*trace.Trace, error) {
	read := make(chan struct{})
	defer close(read)
	defer context.AfterFunc(ctx, func() {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		select {
		case <-read:
		case <-timer.C:
			tracer.Discard()
		}
	})()
	return tracer.Stop()
}

// leftOver is how many more goroutines there are than before, once those that
// are about to end have done so.
func leftOver(before int) int {
	for end := time.Now().Add(settleTime); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(settleTime / 1000)
	}
	return runtime.NumGoroutine() - before
}

// second runs f with one CPU.
func (w *watch) second(ctx context.Context, f func(context.Context) error, e *Evidence) {
	oneProc.Lock()
	defer oneProc.Unlock()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	o := measure(ctx, f, nil)
	if o.err != nil {
		w.note("Its second run, with GOMAXPROCS 1, failed: %v.", o.err)
		return
	}
	e.Alone = &o.usage
}

// An outcome is what one run gave.
type outcome struct {
	usage         probe.Usage
	mutexWait, gc time.Duration
	err           error
	stuck         bool
}

// measure runs f on a goroutine of its own, under the tracer if there is one.
func measure(ctx context.Context, f func(context.Context) error, tracer *trace.Tracer) outcome {
	runtime.GC() // so that f does not pay for the garbage of others
	before := readMetrics()
	meter := probe.Start()
	done := make(chan outcome, 1)
	finish := func(err error) outcome {
		o := outcome{usage: meter.Stop(), err: err}
		after := readMetrics()
		o.mutexWait = after.mutexWait - before.mutexWait
		o.gc = after.gc - before.gc
		return o
	}
	go func() {
		err, returned := guard.ErrGoexit, false
		defer func() {
			if !returned {
				err = own(err)
			}
			done <- finish(err)
		}()
		run := func(ctx context.Context) {
			err = guard.Call(func() error {
				err := f(ctx)
				returned = true
				return err
			})
		}
		if tracer != nil {
			tracer.Root(ctx, run)
		} else {
			run(ctx)
		}
	}()
	o, ended := guard.Await(ctx, done, func() time.Duration { return guard.StopWithin(ctx) })
	if !ended {
		probe.Leave(func() int { return 1 - len(done) })
		o = finish(fmt.Errorf("verdict: %w: it was told to %v ago: %w", ErrStuck, guard.StopWithin(ctx), context.Cause(ctx)))
		o.stuck = true
	}
	return o
}

// own words what the watched function did instead of returning.
func own(err error) error {
	if p, ok := err.(*guard.PanicError); ok {
		return fmt.Errorf("verdict: the watched function: %w\n%s", p, p.Stack)
	}
	return errors.New("verdict: the watched function called runtime.Goexit instead of returning")
}
