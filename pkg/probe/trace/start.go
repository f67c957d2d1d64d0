package trace

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/trace"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultLimit is how much of a trace is kept in memory where no limit is
// given.
const DefaultLimit = 64 << 20

// traceRest is how much may follow once a trace has met its limit: what the
// runtime still holds in its buffers (64 KiB a thread), its tables, and the state
// of each goroutine (about 14 bytes), without which the last second cannot be
// read. A program of four million goroutines fits.
const traceRest = 64 << 20

// The marks of our own in a trace. They are log entries, as a region of the
// work's that was never ended would make it impossible to end one around it.
const (
	rootLog  = "overlap: the work"
	rootEnd  = "end"
	clockLog = "overlap: clock"
)

// ErrTracing is the error of [Start] where the runtime already writes a
// trace for somebody: go test -trace, the trace page of net/http/pprof, another
// [Tracer]. A flight recorder does not stand in the way.
var ErrTracing = errors.New("an execution trace is already being taken")

// ErrDropped is the error of [Tracer.Stop] where [Tracer.Discard] came before
// it, or while it read.
var ErrDropped = errors.New("it was dropped before it was read to its end")

// A Tracer is an execution trace under way. There can be one at a time in a
// process. Its methods may be called from several goroutines.
type Tracer struct {
	buffer  *traceBuffer
	sampler *sampler
	begun   time.Time
	halting sync.Once
	halted  chan struct{}
	dropped atomic.Bool

	mu      sync.Mutex
	root    bool // Root has been called
	done    bool // and has returned
	procs   int
	before  int // goroutines before Root
	start   time.Time
	wall    time.Duration
	stopped time.Duration // when the trace ended, since start
	early   bool          // it ended at its limit

	stop  sync.Once
	trace *Trace
	err   error
}

// Start begins an execution trace of the whole process and, where the
// system has them, samples the CPU clocks of its threads. At most limit bytes
// are collected, [DefaultLimit] where it is 0: then the trace ends and
// covers no more. What the runtime has to write to end it comes on top: some 100
// KiB, and 14 bytes for each goroutine that is alive. Reading takes about as
// much memory again, and some 400 bytes for each goroutine that is alive.
//
// The error wraps [ErrTracing] where a trace already runs. Stop must be called,
// even where nothing came of the work.
func Start(limit int64) (*Tracer, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	t := &Tracer{
		buffer: newTraceBuffer(limit),
		begun:  time.Now(),
		halted: make(chan struct{}),
		procs:  runtime.GOMAXPROCS(0),
	}
	if err := trace.Start(t.buffer); err != nil {
		return nil, fmt.Errorf("probe: start a trace: %w (%v); stop that one, or run without -trace", ErrTracing, err)
	}
	t.sampler = startSampler(t.begun)
	// The samples and the trace have clocks of their own. The least difference
	// of several is the one that was not interrupted.
	for range 4 {
		trace.Log(context.Background(), clockLog, strconv.FormatInt(int64(time.Since(t.begun)), 10))
	}
	go t.watchLimit()
	return t, nil
}

// watchLimit ends the trace at its limit. It is a goroutine of its own, as the
// writer of a trace cannot wait for its end.
func (t *Tracer) watchLimit() {
	select {
	case <-t.buffer.full:
		t.mu.Lock()
		t.early = true
		t.mu.Unlock()
		t.halt()
	case <-t.halted:
	}
}

// halt ends the trace and the sampling.
func (t *Tracer) halt() {
	t.halting.Do(func() {
		t.sampler.stop()
		t.mu.Lock()
		t.stopped = time.Since(t.start)
		t.mu.Unlock()
		trace.Stop()
		close(t.halted)
	})
	<-t.halted
}

// Root runs f on the calling goroutine and marks it as the root of the work:
// the trace counts from its beginning to its end. Only the first call counts. A
// panic of f passes through, and ends the trace.
func (t *Tracer) Root(ctx context.Context, f func(context.Context)) {
	t.mu.Lock()
	again := t.root
	t.root = true
	t.mu.Unlock()
	if again {
		f(ctx)
		return
	}
	t.sampler.sample()
	t.mu.Lock()
	t.procs, t.before = runtime.GOMAXPROCS(0), runtime.NumGoroutine()
	t.start = time.Now()
	t.mu.Unlock()
	returned := false
	defer func() {
		trace.Log(ctx, rootLog, rootEnd)
		wall := time.Since(t.start)
		t.sampler.sample()
		t.mu.Lock()
		t.wall, t.done = wall, true
		t.mu.Unlock()
		if !returned {
			t.halt()
		}
	}()
	trace.Log(ctx, rootLog, "begin")
	f(ctx)
	returned = true
}

// settleTime is how long Stop waits at most for goroutines that have done
// their work and not ended yet.
const settleTime = 2 * time.Millisecond

// Stop ends the trace and reads it, all of it or until Discard is called. Where part of it could not be read the
// Trace is what was read before, and the error says why. Without a Root there
// is nothing to tell, and the Trace is nil. Calling it again gives the same.
//
// Reading a million events, which are about 5 MiB, takes 0.2 to 0.5 s of a CPU:
// some seconds for the default limit.
func (t *Tracer) Stop() (*Trace, error) {
	t.stop.Do(func() {
		t.mu.Lock()
		root, done, before := t.root, t.done, t.before
		t.mu.Unlock()
		if done {
			// A goroutine that reported its end, as to a WaitGroup, may still be
			// about to return, and would look left behind.
			for end := time.Now().Add(settleTime); runtime.NumGoroutine() > before && time.Now().Before(end); {
				time.Sleep(settleTime / 20)
			}
		}
		t.halt()
		if !root {
			t.err = errors.New("probe: read a trace: no work was traced; run it in Root, between Start and Stop")
			return
		}
		t.trace, t.err = t.read()
	})
	return t.trace, t.err
}

// Discard ends the trace and drops it unread, for somebody who has no time to
// read it. A Stop that reads already ends early, with what it has; one that
// comes later has nothing but an error.
func (t *Tracer) Discard() {
	t.dropped.Store(true)
	t.halt()
	t.buffer.mu.Lock()
	t.buffer.chunks = nil
	t.buffer.mu.Unlock()
	t.stop.Do(func() {
		t.err = fmt.Errorf("probe: read a trace: %w; call Stop instead of Discard to read it", ErrDropped)
	})
}

// read reads the trace that was taken.
func (t *Tracer) read() (*Trace, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	wall := t.wall
	if !t.done {
		wall = time.Since(t.start)
	}
	size := t.buffer.size
	r := newTraceReader(min(wall, t.stopped), t.sampler)
	r.dropped = t.dropped.Load
	err := r.read(t.buffer)
	if t.dropped.Load() && err != nil {
		err = ErrDropped
	}
	if t.buffer.lost {
		err = errors.Join(err, fmt.Errorf("the runtime wrote more than %d bytes past the limit", traceRest))
	}
	out := r.finish()
	out.Procs, out.Bytes = t.procs, size
	out.Truncated = !r.ended && (t.early || t.done || err != nil)
	switch {
	case !out.Truncated:
	case err != nil:
		out.Ended = Unread
	case t.early:
		out.Ended = AtLimit
	case t.done:
		out.Ended = ByOthers
	}
	out.Missing = t.sampler.missing
	if out.Truncated {
		out.Wall = max(wall, out.Covered)
		out.Left = 0
	}
	if err != nil {
		err = fmt.Errorf("probe: read a trace of %d bytes: after %v of %v: %w", size, out.Covered, wall, err)
	}
	return out, err
}
