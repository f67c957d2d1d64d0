package verdict

import (
	"cmp"
	"math"
	"slices"
	"time"

	"overlap/pkg/internal/text"
	"overlap/pkg/probe/trace"
)

func (r *reading) covered() time.Duration {
	return cmp.Or(max(0, r.t.Covered), max(0, r.t.Wall))
}

func (r *reading) readTrace() {
	t := r.t
	r.tasked = true
	mean := func(s trace.State) float64 { return ratio(t.Time[s], r.covered()) }
	root := func(s trace.State) float64 { return ratio(t.RootTime[s], r.covered()) }
	r.computes = mean(trace.Running) + mean(trace.Native)
	r.outside = mean(trace.Sleep) + mean(trace.Network) + mean(trace.Syscall)
	r.ready = mean(trace.Runnable)
	r.lock = mean(trace.Lock)
	r.garbage = mean(trace.Garbage)
	r.channel = math.Max(0, mean(trace.Channel)+mean(trace.Cond)-root(trace.Channel)-root(trace.Cond))
	r.rootOn = root(trace.Running) + root(trace.Native) + root(trace.Sleep) + root(trace.Network) + root(trace.Syscall)
	r.tasks = t.Goroutines
	r.atOnce = float64(cmp.Or(t.Tasks.AtOnceMax, t.Peak))
	r.longest = ratio(t.Tasks.Longest, r.covered())
	r.busiest = r.longest
	if t.Tasks.By == "region" {
		r.busiest = 0
		for _, l := range t.Lives {
			if l.ID != 0 && !l.Service {
				active := func(s trace.State) bool { return s.OnCPU() || s.Outside() }
				r.busiest = math.Max(r.busiest, overlap(l, 0, r.covered(), active))
			}
		}
	}

	if l := r.e.Lab; l != nil && l.LongestTask > 0 { // also what others did for a task
		r.longest = math.Max(r.longest, ratio(l.LongestTask, r.e.Usage.Wall))
	}

	// Goroutines that only sleep beside the work are not work in flight.
	idle := r.idlers()
	r.timers = len(idle)
	for _, l := range idle {
		r.outside -= ratio(timeIn(l, trace.Sleep), r.covered())
	}
	r.outside = math.Max(0, r.outside)
	if r.polls = r.rootPolls(); r.polls {
		r.outside = math.Max(0, r.outside-root(trace.Sleep))
		r.rootOn -= root(trace.Sleep)
	}
	r.active = exact(r.computes + r.outside)
	r.stalled = r.unseen()

	// By the trace, demand is what goroutines and the collector were on. It
	// holds what the kernel calls run delay, and not that of threads of the
	// runtime that only look for work, of which a loaded machine has much.
	collector := ratio(max(0, t.GC-t.GCIdle), r.covered())
	r.demand = exact(math.Max(r.used, r.wants()+collector) / r.cpus)
	if slices.Contains(t.Missing, trace.ThreadClocks) && r.used >= limits.saturated*r.cpus && !r.loadedByOthers() {
		r.demand = math.Max(r.demand, r.wanted/r.cpus) // C code is not in the trace
	}

	r.readSteps(idle)
}

// idlers returns goroutines that sleep all the time and do nothing else, where
// they are too few to be workers, and others use a CPU: tickers, progress
// lines. So are sleepers that are left when the work is done, however many.
func (r *reading) idlers() []trace.Life {
	var idle, left []trace.Life
	wall := r.covered()
	for _, l := range r.t.Lives {
		if l.ID == 0 || l.Service {
			continue
		}
		life := l.End - l.Start
		on := timeIn(l, trace.Running) + timeIn(l, trace.Native)
		if life <= 0 || float64(timeIn(l, trace.Sleep)) < 0.8*float64(life) || float64(on) > 0.05*float64(life) {
			continue
		}
		if r.t.Left > 0 && !r.t.Truncated && l.End >= wall-wall/1000 {
			left = append(left, l)
		} else if float64(life) >= 0.8*float64(wall) && r.sleepsOften() {
			idle = append(idle, l)
		}
	}
	if len(idle) > 1 || r.computes < 0.5 {
		idle = nil
	}
	return append(idle, left[:min(len(left), max(0, r.t.Left))]...)
}

// sleepsOften reports whether goroutines other than the root slept many short
// times at one line, as a ticker does.
func (r *reading) sleepsOften() bool {
	return slices.ContainsFunc(r.t.Waits, func(w trace.Wait) bool {
		return w.State == trace.Sleep && !w.Root && w.N >= 5
	})
}

// rootPolls reports whether the root's sleeping only passes the time until
// others are done: it sleeps many short times, and meanwhile others are active.
func (r *reading) rootPolls() bool {
	t := r.t
	asleep := t.RootTime[trace.Sleep]
	if t.Goroutines == 0 || ratio(asleep, r.covered()) < 0.1 {
		return false
	}
	often := slices.ContainsFunc(t.Waits, func(w trace.Wait) bool {
		return w.State == trace.Sleep && w.Root && w.N >= 5
	})
	root := r.rootLife()
	if !often || root == nil {
		return false
	}
	var with, all float64
	for _, s := range t.Steps {
		length := (s.End - s.Start).Seconds()
		sleeps := overlap(*root, s.Start, s.End, func(s trace.State) bool { return s == trace.Sleep })
		all += sleeps * length
		if activity(s)-sleeps > 0.5 {
			with += sleeps * length
		}
	}
	return all > 0 && with > 0.5*all
}

func (r *reading) rootLife() *trace.Life {
	for i := range r.t.Lives {
		if r.t.Lives[i].ID == 0 {
			return &r.t.Lives[i]
		}
	}
	return nil
}

// readSteps reads how activity went over the time.
func (r *reading) readSteps(idle []trace.Life) {
	type part struct{ length, active, ready, root, waiting float64 }
	var parts []part
	var total float64
	root := r.rootLife()
	working := func(s trace.State) bool { return s.OnCPU() || s.Outside() && !(r.polls && s == trace.Sleep) }
	asleep := func(s trace.State) bool { return s == trace.Sleep }
	for _, s := range r.t.Steps {
		p := part{length: (s.End - s.Start).Seconds(), active: activity(s), ready: sane(s.Mean[trace.Runnable])}
		if p.length <= 0 {
			continue
		}
		if root != nil {
			p.root = exact(overlap(*root, s.Start, s.End, working))
			if r.polls {
				p.active -= overlap(*root, s.Start, s.End, asleep)
			}
		}
		for _, l := range idle {
			p.active -= overlap(l, s.Start, s.End, asleep)
		}
		p.active = exact(math.Max(0, p.active))
		for _, state := range []trace.State{trace.Lock, trace.Channel, trace.Cond} {
			p.waiting += sane(s.Mean[state])
		}
		if root != nil {
			p.waiting -= overlap(*root, s.Start, s.End, func(s trace.State) bool {
				return s == trace.Lock || s == trace.Channel || s == trace.Cond
			})
		}
		parts = append(parts, p)
		total += p.length
	}
	if total <= 0 {
		return
	}
	byActive := slices.Clone(parts)
	slices.SortFunc(byActive, func(a, b part) int { return cmp.Compare(b.active, a.active) })
	passed := 0.0
	for _, p := range byActive {
		if passed += p.length; exact(passed/total) >= limits.passing {
			r.peak = p.active
			break
		}
	}
	for _, p := range parts {
		if p.active >= 0.5 && p.active < limits.serial+0.1 && p.ready < 0.5 {
			r.single = exact(r.single + p.length/total)
		}
	}
	// end measures how long few are active from the first of the parts on,
	// but for passing goroutines.
	end := func(parts []part) (t tail) {
		var length, active, root, waiting, passing float64
		for _, p := range parts {
			length += p.length
			active += p.active * p.length
			root += p.root * p.length
			waiting += math.Max(0, p.waiting) * p.length
			if p.active >= r.bar() {
				if passing += p.length; exact(passing/total) > limits.passing {
					break
				}
				continue
			}
			passing = 0
			t = tail{exact(length / total), exact(active / length), exact(root / length), exact(waiting / length)}
		}
		return t
	}
	r.head = end(parts)
	slices.Reverse(parts)
	r.tail = end(parts)
}

func activity(s trace.Step) (sum float64) {
	for state, mean := range s.Mean {
		if (state.OnCPU() || state.Outside()) && text.Finite(mean) && mean > 0 {
			sum += mean
		}
	}
	return sum
}

func timeIn(l trace.Life, state trace.State) (sum time.Duration) {
	for _, s := range l.Spans {
		if s.State == state {
			sum += max(0, s.End-s.Start)
		}
	}
	return sum
}

// overlap returns for which share of the time from start to end a goroutine
// was in one of the states.
func overlap(l trace.Life, start, end time.Duration, in func(trace.State) bool) float64 {
	var sum time.Duration
	first, _ := slices.BinarySearchFunc(l.Spans, start,
		func(s trace.StateSpan, t time.Duration) int { return cmp.Compare(s.End, t) })
	for _, s := range l.Spans[first:] {
		if s.Start >= end {
			break
		}
		if in(s.State) {
			sum += max(0, min(s.End, end)-max(s.Start, start))
		}
	}
	return ratio(sum, end-start)
}
