package verdict

import (
	"fmt"
	"math"

	"overlap/pkg/internal/text"
	"overlap/pkg/probe"
)

// Rules for evidence that is too thin.

func cannotTell(by, text, try string, decided ...string) *finding {
	return &finding{kind: CannotTell, by: by, text: text, try: try, decided: decided}
}

func nothingMeasured(r *reading) *finding {
	if r.wall > 0 && (r.measured || r.tasked) {
		return nil
	}
	if r.wall <= 0 && r.e.Lab != nil {
		return cannotTell("too short", "The clock gave a time of 0, so it was too short to measure.",
			"Let it do some milliseconds of work.", numWall)
	}
	if r.wall <= 0 {
		return cannotTell("nothing measured", "No time was measured.",
			"Give Watch a function that does the work, or a lab's result that has trials.")
	}
	return cannotTell("nothing measured", "Neither CPU time nor a trace is there.",
		"Watch it where no other trace runs, or on a system that gives CPU times.", numWall)
}

// oneShortTask is for a lab's trial of a single task that is too short to
// measure: nobody needs a clock to see that nothing can have run beside it.
func oneShortTask(r *reading) *finding {
	if r.e.Lab == nil || r.e.Lab.Tasks != 1 || tooShort(r) == nil || r.t != nil && r.active > limits.serial {
		return nil
	}
	f := &finding{kind: OneAtATime, by: "one task", decided: []string{numAtOnce}}
	if !r.tasked { // it took less than the clock can tell
		f.decided = []string{numWall}
	}
	f.text, f.try = r.labText()
	return f
}

func tooShort(r *reading) *finding {
	did := r.wall
	if r.t != nil { // on a loaded machine a little work can take long
		did = math.Min(did, r.ownCPU()+r.outside*r.covered().Seconds())
		if r.lock+r.channel+r.ready > 0.5 {
			did = r.wall
		}
	}
	if r.wall >= limits.shortWall.Seconds() && (did >= limits.shortWall.Seconds() || r.active < limits.idle) {
		return nil
	}
	times := math.Ceil(10 * limits.shortWall.Seconds() / math.Max(did, 1e-9))
	try := fmt.Sprintf("Let it do at least %s times as much.", text.Count(int(math.Min(times, 1e6))))
	if times >= 1e6 {
		try = "Let it do some milliseconds of work."
	}
	return cannotTell("too short",
		fmt.Sprintf("It had only %s of work: below %s a single pause of the system is most of what is measured.",
			seconds(did), seconds(limits.shortWall.Seconds())),
		try, numWall)
}

// usageOnly judges by CPU time alone.
func usageOnly(r *reading) *finding {
	if r.tasked {
		return nil
	}
	why := "There is no trace"
	if r.e.Untraced != "" {
		why += " (" + r.e.Untraced + ")"
	}
	if q := quotaReached(r); q != nil {
		return q
	}
	if r.cpus >= limits.oneCPU && r.used >= limits.saturated*r.cpus {
		if c := collectorBusy(r); c != nil {
			return c
		}
		if t := threadsQueue(r); t != nil {
			return t
		}
		f := allCPUs(r)
		f.notes = append(f.notes, why+": what goroutines waited for is not known.")
		return f
	}
	if wait := share(r.e.MutexWait.Seconds(), r.wall); wait >= 0.5 && r.demand < limits.saturated {
		return &finding{kind: HeldByLock, by: "a mutex",
			text:    fmt.Sprintf("On average %s waited for a mutex, while %s.", goroutines(wait), r.usedText()),
			try:     "Watch it with the trace, which says which lock; then hold it for less, or split what it guards.",
			decided: []string{numMutex, numUsed},
			notes:   []string{why + "."},
		}
	}
	return cannotTell("no trace",
		fmt.Sprintf("%s, and %s: that can be one goroutine, a lock, or waiting for something outside.", why, r.usedText()),
		"Watch it with the trace and while no other trace runs.", numUsed, numWanted)
}

// loadHides is for a lab's tasks without a trace, where threads waited for
// CPUs that others used, and more tasks were under way than that: the others may
// have waited for something outside, or for their turn.
func loadHides(r *reading) *finding {
	if !r.hidden {
		return nil
	}
	return cannotTell("outside load",
		fmt.Sprintf("On average %s of %s tasks were in flight, and the threads used %.2f of %s and waited for %s more, "+
			"as others used them: whether the tasks waited for a CPU or for something outside was not seen.",
			digits(r.active), count(int64(r.tasks)), r.used, cpus(r.cpus), digits(r.delay)),
		"Run it while no other program uses the CPUs, or traced; a sequential variant tells how much a task waits, too.",
		numUsed, numInFlight, numWanted)
}

// nothingHappens is for evidence that misses what the program waited for.
func nothingHappens(r *reading) *finding {
	if r.active+r.ready >= limits.idle {
		return nil
	}
	text := fmt.Sprintf("On average only %s active, and what the others waited for is not in the evidence.",
		isAre(r.active))
	if w, ok := r.longestWait(waitsForOthers); ok {
		text = fmt.Sprintf("On average only %s active; the longest wait, %s, was at %s, and nobody was seen "+
			"working meanwhile.", isAre(r.active), seconds(w.Time.Seconds()), at(w))
	}
	return cannotTell("waits for something unseen", text,
		"Watch the part that does the work: a timer, another process or a goroutine from before does not count as work.",
		numActive)
}

// unseenWait is for goroutines that the trace has on a CPU, while their threads
// neither used one nor stood in line for one. Who is alone, holds a lock or is
// the last is told by other rules, whatever it does.
func unseenWait(r *reading) *finding {
	if r.t == nil || r.stalled < limits.stalled*r.active {
		return nil
	}
	u := r.e.Usage
	f := cannotTell("waits for something unseen",
		fmt.Sprintf("By the trace %s on a CPU on average, but %s, and for %s of them the thread neither used a CPU nor "+
			"stood in line for one: it waited for memory or a disk, which the trace does not show.",
			isAre(r.computes), r.usedText(), digits(r.stalled)),
		"Read files with read calls instead of mapping them, which the trace shows as waiting; see that all fits into "+
			"memory; then watch again.",
		numStalled, numUsed)
	if u.MajorFaults > 0 {
		f.by = "page faults"
		f.text = fmt.Sprintf("By the trace %s on a CPU on average, but %s, and for %s of them the thread neither used a "+
			"CPU nor stood in line for one: most likely it waited in page faults, of which %s read the disk.",
			isAre(r.computes), r.usedText(), digits(r.stalled), count(u.MajorFaults))
		f.decided = append(f.decided, numFaults)
	}
	if !u.Has(probe.RunDelay) {
		f.text += " How long threads stand in line is not measured on this system, so it can also be that " +
			"others used the CPUs."
	}
	return f
}

func noCause(r *reading) *finding {
	f := cannotTell("no single cause",
		fmt.Sprintf("%s active on average, %s, and no single cause explains what is missing.",
			goroutines(r.active), r.usedText()),
		"Watch a smaller part of it, or the same part for longer.", numActive, numUsed, numPhi)
	if w, ok := r.longestWait(waitsForOthers); ok {
		f.text = fmt.Sprintf("%s active on average, %s, and no single cause explains what is missing; most was waited at %s.",
			goroutines(r.active), r.usedText(), at(w))
	}
	if r.t == nil {
		f.try = "Run it traced, which says what the tasks waited for."
	}
	return f
}
