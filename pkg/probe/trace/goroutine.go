package trace

import "golang.org/x/exp/trace"

// A traceGoroutine is what is known of a goroutine that is alive.
type traceGoroutine struct {
	id       trace.GoID
	parent   trace.GoID // that started it
	function string     // that it started with
	kind     kind
	family   bool // of the work
	adopted  bool // from before it
	ran      bool // at least once
	byTimer  bool // started by no goroutine
	assist   bool // helps the garbage collector
	running  bool

	collector, idleCollector bool

	state  stateIndex
	since  int64
	place  int
	thread *traceThread
	call   *traceCall

	life    *traceLife
	task    *traceTask
	regions []*traceTask

	held  []heldSpan // until its kind is known
	after int64      // since when it runs on after the end of the work
	spent int64      // its running after that
}

// A heldSpan is a time that counts if the goroutine turns out to be none of the
// runtime's own.
type heldSpan struct {
	state    stateIndex
	from, to int64
	place    int // of a wait
}

func (g *traceGoroutine) service() bool { return g.kind == kindService }

func (g *traceGoroutine) runningState() stateIndex {
	if g.assist {
		return inGarbage
	}
	return inRunning
}

// transition follows a goroutine from one state to the next.
func (r *traceReader) transition(e *trace.Event, s *trace.StateTransition) {
	id := s.Resource.Goroutine()
	from, to := s.Goroutine()
	if from == to { // told again
		return
	}
	g := r.goroutines[id]
	if g == nil {
		g = &traceGoroutine{id: id, state: inNone, since: r.now, ran: from != trace.GoNotExist}
		r.goroutines[id] = g
	}
	var facts stackFacts
	known := false
	if s.Stack != trace.NoStack {
		facts, known = r.factsOf(s.Stack, s.Reason), true
	}
	if from == trace.GoNotExist {
		r.created(e, g, facts.outer, to)
		return
	}
	if known && g.kind == kindUnknown && facts.outer != "" {
		g.function = facts.outer
		g.decide(r, kindOf(facts.outer))
	}
	switch {
	case from == trace.GoWaiting && to == trace.GoRunnable:
		r.wake(e, g)
	case from == trace.GoRunnable && g.family && g.kind != kindSystem && r.counts(g):
		if d := r.now - max(g.since, r.begin); d > clockTick { // less is iter.Pull's switch, which waits for nothing
			r.delays.add(d)
		}
	}
	r.cut(g)

	g.running = false
	switch to {
	case trace.GoRunning:
		g.running = true
		g.state = g.runningState()
		g.thread = r.thread(e.Thread())
		g.ran = true
		if g.task == nil && r.counts(g) && g.kind == kindUser {
			g.task = r.byGoroutine.begin(r.now)
		}
	case trace.GoRunnable:
		g.state = inRunnable
		if !g.ran && !g.service() {
			g.state = inQueued
		}
	case trace.GoWaiting:
		if !known {
			facts = r.factsOf(trace.NoStack, s.Reason)
		}
		g.state, g.place = facts.state, facts.place
	case trace.GoSyscall:
		if !known {
			facts = r.factsOf(trace.NoStack, "system call")
		}
		g.state, g.place = inSyscall, facts.place
		g.thread = nil
		if from == trace.GoRunning { // else it was told by another thread than its own
			g.thread = r.thread(e.Thread())
			if r.counts(g) {
				r.call(g)
			}
		}
	case trace.GoNotExist:
		r.gone(g)
	}
}

// created notes a new goroutine, of the work if its creator is.
func (r *traceReader) created(e *trace.Event, g *traceGoroutine, function string, to trace.GoState) {
	g.function, g.kind = function, kindOf(function)
	g.parent, g.since = e.Goroutine(), r.now
	creator := r.goroutines[e.Goroutine()]
	// A timer runs time.AfterFunc's function, and C code its callbacks; whose
	// they are is not told. They count while the work runs.
	g.byTimer = e.Goroutine() == trace.NoGoroutine
	if g.kind != kindSystem && r.begun && !r.ended &&
		(g.byTimer || creator != nil && creator.family && creator.kind != kindSystem) {
		r.join(g, false)
	}
	switch to {
	case trace.GoRunnable:
		g.state = inQueued
		if g.service() {
			g.state = inRunnable
		}
	case trace.GoSyscall:
		g.state, g.ran = inSyscall, true
		g.thread = r.thread(e.Thread())
	default: // a coroutine of iter.Pull, which the other side starts when it needs it
		g.state, g.ran = inNone, true
	}
}

// join makes a goroutine one of the work.
func (r *traceReader) join(g *traceGoroutine, adopted bool) {
	g.family, g.adopted, g.since = true, adopted, r.now
	if len(r.lives) < MaxLives+1 && (g == r.root || g.kind != kindUnknown) {
		r.live(g)
	}
	if g != r.root && g.kind == kindUser {
		r.enter()
	} else if g.kind == kindService {
		r.out.Service++
	}
}

func (r *traceReader) enter() {
	r.out.Goroutines++
	r.alive++
	r.out.Peak = max(r.out.Peak, r.alive)
}

func (r *traceReader) live(g *traceGoroutine) {
	width := max(1, r.length/lifeBins)
	start := g.since - r.begin
	g.life = &traceLife{function: g.function, service: g.service(), start: start, end: start, width: width,
		first: int(start / width)}
	r.lives = append(r.lives, g.life)
}

// decide learns whose a goroutine from before is. What it did meanwhile counts
// if it is not the runtime's own.
func (g *traceGoroutine) decide(r *traceReader, k kind) {
	if g.kind != kindUnknown {
		return
	}
	g.kind = k
	held := g.held
	g.held = nil
	if !g.family {
		return
	}
	if k == kindSystem {
		g.family = false
		return
	}
	if len(r.lives) < MaxLives+1 {
		since := g.since
		if len(held) > 0 {
			g.since = held[0].from
		}
		r.live(g)
		g.since = since
	}
	if k == kindService {
		r.out.Service++
	} else {
		g.task = r.byGoroutine.begin(r.now)
		if len(held) > 0 {
			g.task.start = held[0].from
		}
		r.enter()
	}
	for _, s := range held {
		r.count(g, g.task, nil, s.state, s.from, s.to, 1)
		if s.state.waits() && !g.service() {
			r.waitOver(g, s.state, s.place, s.to-s.from)
		}
	}
}

// wake notes what ended a wait: it can make a goroutine from before one of the
// work, and tells a clock from another goroutine.
func (r *traceReader) wake(e *trace.Event, g *traceGoroutine) {
	waker := r.goroutines[e.Goroutine()]
	if g.state == inChannel && (e.Goroutine() == trace.NoGoroutine || waker != nil && waker.byTimer && waker.service()) {
		g.state = inSleep // a timer's channel, or the context that a timer ended
	}
	if g.state == inChannel && g != r.root && waker != nil && waker.parent == g.id && r.places[g.place].awaits() {
		g.state = inJoin // it waits for the result of a goroutine of its own
	}
	if g.family || waker == nil || !r.counts(waker) || waker.kind == kindSystem || g.kind == kindSystem ||
		g.kind == kindUnknown && waker.kind != kindUser {
		return
	}
	switch g.state {
	case inSleep, inNetwork, inGarbage:
		return // woken on the way, by a goroutine that started the world again
	}
	g.state = inNone
	r.join(g, true)
}

// thread returns a thread.
func (r *traceReader) thread(id trace.ThreadID) *traceThread {
	t := r.threads[id]
	if t == nil {
		t = &traceThread{}
		r.threads[id] = t
		if r.begun {
			r.attach(id, t)
		}
	}
	return t
}

// attach gives a thread its readings, with the trace's times. The two clocks
// are known when the work begins.
func (r *traceReader) attach(id trace.ThreadID, t *traceThread) {
	log := r.sampler.threads[int64(id)] // on Linux both are the kernel's number of the thread
	if log == nil || !r.aligned {
		return
	}
	t.readings = make([]traceReading, len(log.readings))
	for i, d := range log.demand() {
		t.readings[i] = traceReading{int64(log.readings[i].at) + r.offset, float64(d)}
	}
}

// call begins a system call or C code.
func (r *traceReader) call(g *traceGoroutine) {
	g.call = &traceCall{g: g, task: g.task, regions: g.regions, place: g.place, start: r.now, thread: g.thread}
	for _, t := range g.call.tasks() {
		t.pending++
	}
}

// cut counts the time since the goroutine's last change of state or last cut.
func (r *traceReader) cut(g *traceGoroutine) {
	from, to := g.since, r.now
	g.since = to
	if to <= from {
		if g.call != nil {
			g.call.stop(r, to)
			g.call = nil
		}
		return
	}
	inCall := g.state == inSyscall
	if r.begun && (g.running || inCall) && g.thread != nil {
		g.thread.occupy(r, inCall, g.call, from, to)
	}
	if g.running && g.after > 0 {
		g.spent += to - from
	}
	if !r.begun || r.ended {
		if g.call != nil {
			g.call.stop(r, to)
			g.call = nil
		}
		return
	}
	if g.running && (g.collector || g.family && g.assist) {
		d := float64(to - max(from, r.begin))
		r.gc += d
		if g.idleCollector {
			r.gcIdle += d
		}
	}
	if g.call != nil {
		g.call.stop(r, to)
		g.call = nil
		return
	}
	if !g.family || g.kind == kindSystem || inCall {
		return
	}
	if g.kind == kindUnknown && g != r.root {
		if len(g.held) < maxHeld {
			g.held = append(g.held, heldSpan{g.state, from, to, g.place})
			return
		}
		g.decide(r, kindUser)
	}
	r.count(g, g.task, g.regions, g.state, from, to, 1)
	if g.state.waits() && !g.running && !g.service() {
		r.waitOver(g, g.state, g.place, to-from)
	}
}

// clockTick is less than the trace's clock can tell apart, 64 ns.
const clockTick = 32

// maxHeld is how many times of a goroutine are held until its kind is known.
const maxHeld = 64

// waitOver counts a wait that is over.
func (r *traceReader) waitOver(g *traceGoroutine, s stateIndex, place int, d int64) {
	r.waited(s, place, g == r.root, d, 1)
	if s.outside() && d >= int64(shortWait) {
		if g.task != nil {
			g.task.waits++
		}
		for _, t := range g.regions {
			t.waits++
		}
	}
}

// endTasks ends a goroutine's tasks.
func (r *traceReader) endTasks(g *traceGoroutine) {
	for i := len(g.regions) - 1; i >= 0; i-- {
		g.regions[i].stop(r.now)
	}
	g.regions = nil
	g.task.stop(r.now)
	g.task = nil
}

// gone lets go of a goroutine that ended.
func (r *traceReader) gone(g *traceGoroutine) {
	delete(r.goroutines, g.id)
	delete(r.left, g.id)
	if !r.counts(g) {
		return
	}
	g.decide(r, kindUser)
	r.endTasks(g)
	if g.life != nil {
		g.life.end = r.now - r.begin
	}
	if g != r.root && g.kind == kindUser {
		r.alive--
	}
}

// returning is how long a goroutine may run after the work returned and still
// count as about to end.
const returning = 100_000

// leftBehind reports whether a goroutine that is alive at the end of the trace
// is more than about to return.
func (g *traceGoroutine) leftBehind(now int64) bool {
	switch {
	case g.state == inQueued, g.state != inRunnable && !g.running:
		return true
	case g.running:
		return g.spent+now-max(g.since, g.after) > returning
	}
	return g.spent > returning
}
