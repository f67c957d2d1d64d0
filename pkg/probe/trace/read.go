package trace

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"golang.org/x/exp/trace"
)

// A traceReader makes a [Trace] of the runtime's events, in one pass, with
// memory for what is alive and not for what was.
type traceReader struct {
	out     *Trace
	sampler *sampler
	dropped func() bool // asked now and then: whether to stop reading

	now        int64 // the trace's clock, as all times here
	begin, end int64 // of the work, as far as it is known
	begun      bool
	ended      bool
	offset     int64 // from the samples' clock to the trace's
	aligned    bool

	goroutines map[trace.GoID]*traceGoroutine
	root       *traceGoroutine
	threads    map[trace.ThreadID]*traceThread
	unseen     []portion // on threads without readings
	alive      int       // of the work, without the root and service goroutines
	left       map[trace.GoID]*traceGoroutine

	procs          procsLog
	time, rootTime [len(states)]float64
	delays         spreads
	gc, gcIdle     float64
	length         int64 // of the work, estimated
	steps          *traceBins
	lives          []*traceLife

	byGoroutine taskGroup
	rootTask    taskGroup
	byRegion    map[string]*taskGroup
	regionTypes []string // in the order of appearance

	stacks map[stackKey]stackFacts // of this generation of the trace
	frames []trace.StackFrame      // scratch
	places []tracePlace
	index  map[Place]int
	waits  map[waitKey]*Wait
}

// A stackKey is a stack as a trace names it, and why it stopped there.
type stackKey struct {
	stack  trace.Stack
	reason string
}

type stackFacts struct {
	state stateIndex
	place int
	outer string // the function that the goroutine started with
}

type tracePlace struct {
	Place
	path string
}

type waitKey struct {
	place int
	state stateIndex
	root  bool
}

// maxRegionTypes is how many types of regions are told apart: there are meant
// to be few.
const maxRegionTypes = 64

func newTraceReader(length time.Duration, s *sampler) *traceReader {
	r := &traceReader{
		out:        &Trace{Time: map[State]time.Duration{}, RootTime: map[State]time.Duration{}},
		sampler:    s,
		length:     max(1, int64(length)),
		goroutines: map[trace.GoID]*traceGoroutine{},
		threads:    map[trace.ThreadID]*traceThread{},
		left:       map[trace.GoID]*traceGoroutine{},
		byRegion:   map[string]*taskGroup{},
		stacks:     map[stackKey]stackFacts{},
		index:      map[Place]int{},
		waits:      map[waitKey]*Wait{},
	}
	r.steps = newTraceBins(r.length, MaxSteps)
	return r
}

// read reads all events. Where it fails what was read before stands.
func (r *traceReader) read(from io.Reader) (err error) {
	// The reader checks what it reads, and panics where it missed something.
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the trace is broken: %v", v)
		}
	}()
	events, err := trace.NewReader(from)
	if err != nil {
		return err
	}
	for n := 0; ; {
		e, err := events.ReadEvent()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n++; n%1024 == 1 && r.dropped != nil && r.dropped() {
			return ErrDropped
		}
		if r.begun && !r.ended {
			r.out.Events++
		}
		r.event(&e)
	}
}

func (r *traceReader) event(e *trace.Event) {
	r.now = int64(e.Time())
	switch e.Kind() {
	case trace.EventSync:
		clear(r.stacks) // they are named anew
	case trace.EventStateTransition:
		if s := e.StateTransition(); s.Resource.Kind == trace.ResourceGoroutine {
			r.transition(e, &s)
		}
	case trace.EventMetric:
		if m := e.Metric(); m.Name == "/sched/gomaxprocs:threads" && m.Value.Kind() == trace.ValueUint64 {
			r.procs.set(r, int(m.Value.Uint64()))
		}
	case trace.EventRegionBegin, trace.EventRegionEnd:
		r.region(e)
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		if x := e.Range(); x.Name == "GC mark assist" && x.Scope.Kind == trace.ResourceGoroutine {
			if g := r.goroutines[x.Scope.Goroutine()]; g != nil {
				r.cut(g)
				g.assist = e.Kind() != trace.EventRangeEnd
				if g.state == inRunning || g.state == inGarbage && g.running {
					g.state = g.runningState()
				}
			}
		}
	case trace.EventLabel:
		if l := e.Label(); l.Resource.Kind == trace.ResourceGoroutine {
			if g := r.goroutines[l.Resource.Goroutine()]; g != nil {
				g.collector, g.idleCollector = true, l.Label == "GC (idle)"
				g.kind = kindSystem
			}
		}
	case trace.EventLog:
		switch l := e.Log(); l.Category {
		case rootLog:
			r.mark(e, l.Message == rootEnd)
		case clockLog:
			if since, err := strconv.ParseInt(l.Message, 10, 64); err == nil {
				if offset := r.now - since; !r.aligned || offset < r.offset {
					r.aligned, r.offset = true, offset
				}
			}
		}
	}
}

// mark begins or ends the work.
func (r *traceReader) mark(e *trace.Event, end bool) {
	g := r.goroutines[e.Goroutine()]
	switch {
	case g == nil:
	case end && g == r.root && !r.ended:
		r.close()
		r.ended = true
	case !end && !r.begun:
		r.cut(g)
		r.begun, r.begin, r.root = true, r.now, g
		for id, t := range r.threads {
			r.attach(id, t)
		}
		g.kind, g.ran = kindUser, true
		if g.function == "" {
			g.function = r.factsOf(e.Stack(), "").outer
		}
		r.join(g, false)
		g.task = r.rootTask.begin(r.now)
	}
}

// region follows the regions that the work marks.
func (r *traceReader) region(e *trace.Event) {
	x := e.Region()
	g := r.goroutines[e.Goroutine()]
	if g == nil {
		return
	}
	switch {
	case !r.counts(g) || g.service():
	case e.Kind() == trace.EventRegionBegin:
		group := r.byRegion[x.Type]
		if group == nil {
			if len(r.byRegion) == maxRegionTypes {
				return
			}
			group = &taskGroup{}
			r.byRegion[x.Type] = group
			r.regionTypes = append(r.regionTypes, x.Type)
		}
		r.cut(g)
		// A new slice, as calls keep the old one.
		g.regions = append(slices.Clip(g.regions), group.begin(r.now))
	default:
		if n := len(g.regions); n > 0 && g.regions[n-1].of == r.byRegion[x.Type] {
			r.cut(g)
			g.regions[n-1].stop(r.now)
			g.regions = slices.Clip(g.regions[:n-1])
		}
	}
}

// counts reports whether what the goroutine does now counts.
func (r *traceReader) counts(g *traceGoroutine) bool { return r.begun && !r.ended && g.family }

// factsOf reads a stack, once for each.
func (r *traceReader) factsOf(stack trace.Stack, reason string) stackFacts {
	key := stackKey{stack, reason}
	facts, known := r.stacks[key]
	if known {
		return facts
	}
	r.frames = r.frames[:0]
	if stack != trace.NoStack {
		r.frames = slices.AppendSeq(r.frames, stack.Frames())
	}
	facts.state = waitState(reason, r.frames)
	if n := len(r.frames); n > 0 {
		facts.outer = r.frames[n-1].Func
	}
	p, path := place(reason, r.frames)
	var seen bool
	if facts.place, seen = r.index[p]; !seen {
		facts.place = len(r.places)
		r.index[p] = facts.place
		r.places = append(r.places, tracePlace{p, path})
	}
	r.stacks[key] = facts
	return facts
}

// count adds the share w of a time in a state to all sums.
func (r *traceReader) count(
	g *traceGoroutine, task *traceTask, regions []*traceTask, s stateIndex, from, to int64, w float64,
) {
	if from = max(from, r.begin); to <= from || w <= 0 || s == inNone {
		return
	}
	if g.service() && s.waits() && s != inGarbage {
		return
	}
	d := w * float64(to-from)
	r.time[s] += d
	if g == r.root {
		r.rootTime[s] += d
	}
	r.steps.add(s, from-r.begin, to-r.begin, w)
	if g.life != nil {
		g.life.add(s, from-r.begin, to-r.begin, w)
	}
	if task != nil {
		task.add(s, d)
	}
	for _, t := range regions {
		t.add(s, d)
	}
}

// waited counts a wait at a place.
func (r *traceReader) waited(s stateIndex, place int, root bool, d, n int64) {
	key := waitKey{place, s, root}
	w := r.waits[key]
	if w == nil {
		w = &Wait{State: states[s], Root: root}
		r.waits[key] = w
	}
	w.Time += time.Duration(d)
	w.N += n
	w.Longest = max(w.Longest, time.Duration(d))
}
