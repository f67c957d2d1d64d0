package verdict

import (
	"math"
	"slices"
	"strings"

	"overlap/pkg/probe/trace"
)

// longestWait returns the wait of the longest time that ok accepts.
func (r *reading) longestWait(ok func(w trace.Wait) bool) (most trace.Wait, found bool) {
	if r.t == nil {
		return most, false
	}
	for _, w := range r.t.Waits {
		if ok(w) && (!found || w.Time > most.Time) {
			most, found = w, true
		}
	}
	return most, found
}

// waits returns the longest wait in one of the states, of the root or of the
// others.
func (r *reading) waits(root bool, states ...trace.State) (trace.Wait, bool) {
	return r.longestWait(func(w trace.Wait) bool { return w.Root == root && slices.Contains(states, w.State) })
}

// outsideWait returns the longest wait outside, of anybody.
func (r *reading) outsideWait() (trace.Wait, bool) {
	return r.longestWait(func(w trace.Wait) bool {
		return w.State.Outside() && !(r.polls && w.Root && w.State == trace.Sleep)
	})
}

// repeats returns at which line each goroutine waits outside most often, one
// wait after another, and how often. Reading a stream piece by piece does not
// count: its pieces come in turn.
func (r *reading) repeats() (w trace.Wait, each float64) {
	if r.t == nil || r.t.Goroutines == 0 {
		return w, 0
	}
	workers := float64(min(r.t.Goroutines, max(1, r.t.Tasks.AtOnceMax, int(r.peak+0.5))))
	for _, c := range r.t.Waits {
		if c.Root || !c.State.Outside() || c.N == 0 || isStream(c.Place.What) {
			continue
		}
		// Waits that are a small part of the time do not hold anything up.
		if ratio(c.Time, r.covered()) < 0.25*r.outside {
			continue
		}
		// There can be many short ones among them: as many count as would be
		// there if all were as long as the longest.
		if n := math.Min(float64(c.N), ratio(c.Time, c.Longest)) / workers; n > each {
			w, each = c, n
		}
	}
	return w, each
}

func isStream(what string) bool {
	return strings.Contains(what, "Read") || strings.Contains(what, "Copy")
}
