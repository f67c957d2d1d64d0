package verdict

import (
	"fmt"
	"strings"

	"overlap/pkg/probe/trace"
)

// Rules about goroutines that wait for each other, at locks and channels.

// turnsText is for tasks that wait for each other, of which it is not known
// where.
func (r *reading) turnsText() (text, try string) {
	return fmt.Sprintf("On average %s of %s tasks were in flight, but %s, no more were wanted, and nobody else took "+
			"the rest: alone the tasks only compute, together they wait for each other.",
			digits(r.e.Lab.InFlightMean), count(int64(r.e.Lab.Tasks)), r.usedText()),
		"Run it traced, which says where they wait: at a lock, most likely."
}

// waitForEachOther is for tasks that leave CPUs free, though alone they only
// compute.
func waitForEachOther(r *reading) *finding {
	if share(r.each, r.active+r.each) < limits.lock || r.demand >= limits.saturated {
		return nil
	}
	text, try := r.turnsText()
	return cannotTell("waiting for each other", text, try, numInFlight, numUsed, numWanted)
}

func heldByLock(r *reading) *finding {
	if r.t == nil {
		if wait := share(r.e.MutexWait.Seconds(), r.wall); share(wait, r.active+r.each) >= limits.lock {
			return &finding{kind: HeldByLock, by: "a mutex",
				text: fmt.Sprintf("On average %s of %s tasks in flight waited for a mutex, while %s.",
					digits(wait), digits(r.inFlight()), r.usedText()),
				try:     "Hold the lock only while touching what it guards; a traced run says which one it is.",
				decided: []string{numMutex, numInFlight, numUsed}}
		}
		return nil
	}
	least := limits.lock
	if r.demand >= limits.saturated {
		if !r.loaded() {
			return nil
		}
		// Who holds the lock stood still without a CPU, and others with it, so
		// that it only seems that all CPUs were used.
		least = limits.longQueue
	}
	if w, ok := r.waits(false, trace.Lock); ok && r.lockShare() >= least {
		f := &finding{kind: HeldByLock, decided: []string{numLock, numActive, numUsed}}
		f.text = fmt.Sprintf("Of %s goroutines %s waited for a lock, most of them at %s, while %s.",
			digits(r.active+r.ready+r.lock), digits(r.lock), at(w), r.usedText())
		f.try = "Hold the lock only while touching what it guards, or split what it guards (one lock for each part)."
		if r.active <= limits.serial {
			f.text = fmt.Sprintf("One at a time: on average %s active, and %s waited for a lock, most of them at %s.",
				isAre(r.active), digits(r.lock), at(w))
			f.try = "Do not hold the lock while computing or waiting, only while touching what it guards; or give each " +
				"goroutine its own."
		}
		return f
	}
	return nil
}

// heldAtChannel is for goroutines that wait at a channel to hand something over
// while CPUs are free.
func heldAtChannel(r *reading) *finding {
	if r.t == nil || r.demand >= limits.saturated && !r.loaded() {
		return nil
	}
	least := limits.lock
	if r.demand >= limits.saturated {
		least = limits.longQueue
	}
	// Waiting at a channel holds up computing where goroutines wait to hand
	// something over; where they wait to get something, there is none.
	if w, ok := r.waits(false, trace.Channel, trace.Cond); ok && r.channelShare() >= least && r.phi() >= limits.waiting &&
		(w.State == trace.Cond || strings.Contains(w.Place.What, "send")) {
		return &finding{kind: HeldByLock, by: "a channel",
			text: fmt.Sprintf("Of %s goroutines %s waited at a channel or condition, most of them at %s, while %s.",
				digits(r.active+r.ready+r.channel), digits(r.channel), at(w), r.usedText()),
			try:     "Give the channel a buffer, or let more goroutines serve its other end.",
			decided: []string{numChannel, numActive, numUsed}}
	}
	return nil
}
