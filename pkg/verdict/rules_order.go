package verdict

import (
	"fmt"
	"math"
	"strings"
	"time"

	"overlap/pkg/probe/trace"
)

// Rules about who is active while the others wait.

// oneAtATime finds out who holds the others up where only one is active.
func oneAtATime(r *reading) *finding {
	f := oneActive(r)
	if f != nil && f.kind == OneAtATime && r.e.Lab != nil {
		if by := r.labCause(); by != "" {
			f.by = by
			f.text, f.try = r.labText()
		} else if r.cpus < limits.oneCPU && r.phi() >= limits.waiting {
			// Whoever came first had done it all before others had a turn.
			f.text, _ = r.labText()
			f.text += fmt.Sprintf(" %s (%s), so nothing runs at the same moment.", thereAre(r.cpus), r.boundText())
			f.by, f.try = r.moreCPUs()
		}
	}
	return f
}

// oneAtMost reports whether about one goroutine was active, of what could have been more.
func (r *reading) oneAtMost() bool {
	most := limits.serial
	if r.t != nil && r.busiest >= limits.alone*r.active {
		most = limits.serialStage // the others only bring and take away
	}
	if r.loaded() && r.cpus >= limits.oneCPU {
		// More could run, and had no turn as others used the CPUs. Where one does
		// it all, those that bring and take away are not more than one together.
		one := math.Max(r.busiest, r.rootOn) >= limits.alone*r.active
		if r.ready >= 1 || !one && r.active+r.ready+r.garbage > limits.serialReady {
			return false
		}
	}
	return !(r.active > most || r.active < limits.idle || r.demand >= limits.saturated && r.cpus >= limits.oneCPU)
}

// oneActive is oneAtATime without what a lab knows of its scheduler.
func oneActive(r *reading) *finding {
	if !r.oneAtMost() {
		return nil
	}
	if r.t == nil {
		return oneTaskAtATime(r)
	}
	f := &finding{kind: OneAtATime, decided: []string{numActive, numUsed}}
	mean := fmt.Sprintf("On average %s active, and %s", isAre(r.active), r.usedText())

	if r.t.Goroutines == 0 {
		return plainLoop(r, f, mean)
	}
	rootShare := share(r.rootOn, r.active)
	w, waited := r.waits(false, trace.Channel, trace.Cond)
	held := waited && r.channelShare() >= limits.lock
	switch alone := share(r.busiest, r.active); {
	case rootShare >= limits.alone && held:
		f.by = "one goroutine that all wait for"
		f.text = fmt.Sprintf("%s: it is the function itself, and %s for it, most of them at %s.",
			mean, wait(r.channel), at(w))
		f.try = "Let the others do that part, and give them what they need for it in advance."
		f.decided = append(f.decided, numChannel)
	case rootShare >= limits.alone:
		return plainLoop(r, f, mean)
	case r.oneAfterAnother():
		r.awaitsEach(f, mean)
	case held && alone >= limits.alone:
		f.by = "one goroutine that all wait for"
		f.text = fmt.Sprintf("%s: one goroutine does it, and %s for it, most of them at %s.", mean, wait(r.channel), at(w))
		f.try = "Let several goroutines do that part."
		f.decided = append(f.decided, numChannel)
	case held:
		f.kind, f.by = HeldByLock, "a channel used as a lock"
		f.text = fmt.Sprintf("%s: they take turns, and %s at a channel or condition, most of them at %s.",
			mean, wait(r.channel), at(w))
		f.try = "Let more than one pass there (a buffer, a bound above one), or do the work outside of it."
		f.decided = append(f.decided, numChannel)
	case alone >= limits.alone && r.othersEnded():
		f.kind, f.by = LongTask, "uneven shares"
		f.text = fmt.Sprintf("%s: of %s goroutines one took %.0f %% of the time, the others ended long before.",
			mean, count(int64(r.tasks)), 100*math.Min(1, r.longest))
		f.try = "Divide the work into more and smaller pieces, and let whoever is free take the next."
		f.decided = append(f.decided, numLongest, numTasks)
	case alone >= limits.alone:
		f.by = "one goroutine"
		f.text = fmt.Sprintf("%s: one of the %s goroutines does it all.", mean, count(int64(r.tasks)))
		if r.othersDid() >= limits.passing {
			f.text = fmt.Sprintf("%s: one of the %s goroutines does most of it.", mean, count(int64(r.tasks)))
		}
		if r.tasks == 1 {
			f.by = "one worker"
			f.text = mean + ": the one goroutine that was started does it all."
		}
		f.try = "Divide its work among several goroutines (errgroup with SetLimit)."
		f.decided = append(f.decided, numTasks)
	default:
		r.takeTurns(f, mean)
	}
	return f
}

// awaitsEach tells of goroutines that are started one after another.
func (r *reading) awaitsEach(f *finding, mean string) {
	f.by = "awaiting each"
	place, _ := r.awaited()
	f.text = fmt.Sprintf("%s: %s goroutines were started, each after the one before had ended",
		mean, count(int64(r.tasks)))
	f.try = "Start all of them before waiting for the first."
	if place.N > 0 {
		f.text += fmt.Sprintf("; they are waited for at %s", at(place))
		if strings.Contains(place.Place.What, "send") || strings.Contains(place.Place.Func, "semaphore") ||
			strings.Contains(place.Place.Func, "errgroup") {
			f.by = "a bound of one"
			f.try = fmt.Sprintf("Raise the bound: to %d where they compute, to more where they wait.", int(math.Ceil(r.cpus)))
		}
	}
	f.text += "."
	f.decided = append(f.decided, numTasks, numAtOnce)
}

// takeTurns tells of goroutines of which none does it all, and none holds the others up.
func (r *reading) takeTurns(f *finding, mean string) {
	switch {
	case r.inBatches():
		w, _ := r.waits(true, trace.Join, trace.Channel)
		f.by = "the longest of each batch"
		f.text = fmt.Sprintf("%s: %s goroutines in %s batches, each of which waits for its longest at %s.",
			mean, count(int64(r.tasks)), count(w.N), at(w))
		f.try = "Let whoever is free take the next, instead of waiting for all of a batch; or make its parts alike."
		f.decided = append(f.decided, numTasks)
	case r.onOneThread() >= 0.5:
		f.by = "coroutines of one thread"
		f.text = fmt.Sprintf("%s: %s goroutines take turns on one thread, as coroutines do.", mean, count(int64(r.tasks)))
		f.try = "Let several threads run them, or give them less to compute."
		if w, ok := r.outsideWait(); ok && r.phi() < 0.5 {
			f.text = fmt.Sprintf("%s: %s goroutines take turns on one thread, as coroutines do, and it waits with them at %s.",
				mean, count(int64(r.tasks)), at(w))
			f.try = "Wait such that the others can go on meanwhile: give the turn away (await) before the call, or make it " +
				"on a thread of its own."
		}
		f.decided = append(f.decided, numTasks)
	default:
		f.by = "taking turns"
		f.text = fmt.Sprintf("%s: %s goroutines take turns.", mean, count(int64(r.tasks)))
		f.try = "Let them run at the same time: look at what each waits for before it goes on."
		if w, ok := r.longestWait(waitsForOthers); ok {
			f.text = fmt.Sprintf("%s: %s goroutines take turns; the longest waits, %s, are at %s.",
				mean, count(int64(r.tasks)), seconds(w.Time.Seconds()), at(w))
		}
		f.decided = append(f.decided, numTasks)
	}
}

// oneAfterAnother reports whether the goroutines' lives do not overlap, but for
// the moment in which one that has reported its end is still about to end.
func (r *reading) oneAfterAnother() bool {
	w, ok := r.awaited()
	if !ok || r.tasks < 2 {
		return false
	}
	if r.t.Peak == 1 {
		return true
	}
	// The one that awaits is alive all the time, where it is not the root.
	most := limits.handOver
	if !w.Root {
		most++
	}
	return r.t.Tasks.By == "goroutine" && r.t.Tasks.AtOnceMean <= most
}

// awaited returns the wait of who awaits each goroutine: it waits about as
// often as there are goroutines.
func (r *reading) awaited() (w trace.Wait, ok bool) {
	return r.longestWait(func(w trace.Wait) bool {
		if w.N < 2 || float64(w.N) < limits.awaitsEach*float64(r.tasks) {
			return false
		}
		switch w.State {
		case trace.Join:
			return true
		case trace.Channel, trace.Cond, trace.Lock:
			return w.Root
		}
		return false
	})
}

// inBatches reports whether the function starts some, waits for all of them,
// and starts the next.
func (r *reading) inBatches() bool {
	w, ok := r.waits(true, trace.Join, trace.Channel)
	return ok && w.N >= int64(limits.repeats) && float64(r.tasks) >= limits.batch*float64(w.N) &&
		float64(r.t.Tasks.AtOnceMax) <= 2*ratio(time.Duration(r.tasks), time.Duration(w.N))
}

// onOneThread is how many goroutines are alive on average and in no state:
// coroutines that were switched away from, as another has their thread.
func (r *reading) onOneThread() float64 {
	if r.t.Tasks.By != "goroutine" {
		return 0
	}
	alive := r.t.Tasks.AtOnceMean
	for state, d := range r.t.Time {
		if state != trace.Queued {
			alive -= ratio(d-r.t.RootTime[state], r.covered())
		}
	}
	return math.Max(0, alive)
}

// othersEnded reports whether the others had work of their own and ended long
// before the longest.
func (r *reading) othersEnded() bool {
	t := r.t.Tasks
	if t.By != "goroutine" || t.Life.N < 2 || r.othersDid() < limits.passing {
		return false
	}
	if 2*t.Life.Median < t.Life.Max {
		return true
	}
	early := 0
	for _, l := range r.t.Lives {
		if l.ID != 0 && !l.Service && float64(l.End) < (1-limits.tail)*float64(r.covered()) {
			early++
		}
	}
	return 2*early >= r.tasks-1 && early > 0
}

// othersDid is the part of the time for which goroutines other than the longest
// were active.
func (r *reading) othersDid() float64 {
	t := r.t.Tasks
	return ratio(t.Busy.Sum+t.Outside.Sum-t.Longest, r.covered())
}

// plainLoop says without accusation that the function does it all itself.
func plainLoop(r *reading, f *finding, mean string) *finding {
	f.by = "one goroutine"
	f.text = fmt.Sprintf("%s: one goroutine does it all.", mean)
	f.try = "If its parts do not need each other, give them to several goroutines (errgroup with SetLimit)."
	if w, ok := r.outsideWait(); ok && r.phi() < 0.5 {
		if w.N >= int64(limits.repeats) {
			f.by = "awaiting each"
		}
		f.text = fmt.Sprintf("%s: one goroutine does it all, and waits %s times in turn at %s.", mean, count(w.N), at(w))
		if w.N == 1 {
			f.text = fmt.Sprintf("%s: one goroutine does it all, and waits once, at %s.", mean, at(w))
		}
		f.try = "If its waits do not need each other, start them all and then wait (errgroup with SetLimit)."
	}
	return f
}

// oneTaskAtATime is the same by a lab's tasks.
func oneTaskAtATime(r *reading) *finding {
	if r.each >= limits.idle {
		f := &finding{kind: OneAtATime, by: "taking turns", decided: []string{numInFlight, numUsed, numWanted}}
		f.text, f.try = r.turnsText()
		return f
	}
	// Of few tasks one can be half of the time, or be what bounds the whole. What
	// the scheduler is known to do is no matter of that.
	if r.tasks < 1 || r.tasks == 1 && r.used > limits.serial || r.longest >= limits.longTask && r.labCause() == "" {
		return nil
	}
	f := &finding{kind: OneAtATime, decided: []string{numInFlight, numUsed}}
	f.text, f.try = r.labText()
	return f
}

func (r *reading) labText() (text, try string) {
	if r.e.Lab.Tasks == 1 {
		return "There was one task, and nothing to run beside it, whatever the scheduler and however many its workers.",
			"Cut the work into more tasks, or give it a larger size."
	}
	return fmt.Sprintf("On average %.2f of %s tasks were in flight, and %s.",
			r.e.Lab.InFlightMean, count(int64(r.e.Lab.Tasks)), r.usedText()),
		"Give them to a scheduler that runs more than one at a time, such as Pool or Goroutines."
}

// labCause names the scheduler as the cause, where it is one.
func (r *reading) labCause() string {
	switch kind := r.e.Lab.Kind; {
	case r.e.Lab.Tasks == 1:
		return "one task"
	case kind == Loop:
		return "a plain loop"
	case kind == EventLoop:
		return "an event loop: one goroutine"
	case kind == AwaitEach:
		return "awaiting each"
	case r.e.Lab.Workers == 1 && r.e.Lab.Limit == 1:
		return "a pool of one"
	case r.e.Lab.Workers == 1 && r.cpus >= limits.oneCPU:
		return "one worker"
	}
	return ""
}

func waitsForOthers(w trace.Wait) bool {
	switch w.State {
	case trace.Lock, trace.Cond, trace.Channel, trace.Other:
		return !w.Root
	}
	return false
}
