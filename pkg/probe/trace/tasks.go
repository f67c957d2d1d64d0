package trace

import "time"

// shortWait is what a wait for something outside must last to count as one of
// a task's: below, it costs about as much to wait as to go on.
const shortWait = 100 * time.Microsecond

// A traceTask is a piece of the work under way: a goroutine or a region.
type traceTask struct {
	of            *taskGroup
	start, end    int64
	busy, outside float64
	waits         int32
	pending       int32 // calls whose CPU time is not known yet
	ended         bool
}

// A taskGroup is tasks of one kind: the goroutines, or the regions of a type.
type taskGroup struct {
	life, busy, outside spreads
	waits               int64
	longest             float64
	alive, most         int
	changed             int64
	integral            float64 // of alive, over time
}

func (g *taskGroup) begin(now int64) *traceTask {
	g.count(now, 1)
	return &traceTask{of: g, start: now}
}

func (g *taskGroup) count(now int64, by int) {
	if g.alive > 0 {
		g.integral += float64(g.alive) * float64(now-g.changed)
	}
	g.changed = now
	g.alive += by
	g.most = max(g.most, g.alive)
}

func (t *traceTask) add(s stateIndex, d float64) {
	switch {
	case s.onCPU():
		t.busy += d
	case s.outside():
		t.outside += d
	}
}

// stop ends a task; it is counted when the CPU time of its calls is known.
func (t *traceTask) stop(now int64) {
	if t == nil || t.ended {
		return
	}
	t.ended, t.end = true, now
	t.of.count(now, -1)
	t.settle()
}

func (t *traceTask) settle() {
	if !t.ended || t.pending > 0 {
		return
	}
	g := t.of
	g.life.add(t.end - t.start)
	g.busy.add(int64(t.busy))
	g.outside.add(int64(t.outside))
	g.waits += int64(t.waits)
	g.longest = max(g.longest, t.busy+t.outside)
}

// tasks sums the group up over a time of the given length.
func (g *taskGroup) tasks(by, region string, length int64) Tasks {
	out := Tasks{
		By: by, Region: region,
		Life: g.life.spread(), Busy: g.busy.spread(), Outside: g.outside.spread(),
		Longest: time.Duration(g.longest), AtOnceMax: g.most,
	}
	if g.life.n > 0 {
		out.Waits = float64(g.waits) / float64(g.life.n)
	}
	if length > 0 {
		out.AtOnceMean = g.integral / float64(length)
	}
	return out
}
