package verdict

import (
	"fmt"
	"math"
	"time"

	"overlap/pkg/internal/text"
	"overlap/pkg/probe/trace"
)

// Rules about CPU time.

func quotaReached(r *reading) *finding {
	stopped := r.stopped()
	wants := r.demand * r.cpus
	if r.tasked {
		wants = r.computes + r.ready
	}
	if stopped < limits.throttled &&
		!(r.bound == "quota" && r.demand >= limits.saturated && wants >= limits.wantsMore*r.cpus) {
		return nil
	}
	if r.demand < limits.saturated && stopped < 2*limits.throttled {
		return nil // stopped now and then, and for the most part not for want of CPUs
	}
	quota := r.e.CPUs.Quota
	if quota <= 0 {
		quota = r.cpus
	}
	f := &finding{kind: Quota, try: "Raise the container's CPU quota.",
		decided: []string{numWanted, numThrottled, numUsed}}
	if whole := math.Ceil(quota); float64(r.procs) > whole && r.demand*r.cpus > whole {
		f.try = fmt.Sprintf("Raise the container's CPU quota; or set GOMAXPROCS from %d to %.0f: each stop is then "+
			"shorter, but the whole takes as long.", r.procs, whole)
	}
	f.text = fmt.Sprintf("The quota gives %s, and the work wanted %.2f", cpus(quota), sane(r.demand*r.cpus))
	if r.tasked && r.ready >= limits.someReady {
		f.text += fmt.Sprintf(", while on average %s ready and had no turn", isAre(r.ready))
		f.decided = append(f.decided, numReady)
	}
	f.text += "."
	if stopped > 0 {
		f.text += fmt.Sprintf(" In %s the system kept CPUs from it for %s, added up over the CPUs.",
			seconds(r.wall), seconds(r.e.Usage.Throttled.Seconds()))
		if r.demand*r.cpus < quota {
			f.text += " A quota holds for each period (100 ms as a rule): what is used up early in one is waited for until " +
				"the next, though the mean is below it."
		}
	}
	return f
}

// tasksTooSmall compares what starting and switching goroutines costs with the
// CPU time.
func tasksTooSmall(r *reading) *finding {
	if r.t == nil {
		if l := r.e.Lab; r.tasked && l.Tasks >= limits.tinyTasks && l.MeanTask < limits.tinyStretch &&
			r.demand*r.cpus >= 0.5 {
			return &finding{kind: TooSmall, by: "short tasks",
				text: fmt.Sprintf("A task lasts %s on average; handing it to another goroutine costs about as much.",
					seconds(l.MeanTask.Seconds())),
				try:     moreEach(l.MeanTask),
				decided: []string{numMeanTask}}
		}
		return nil
	}
	cpu := r.ownCPU()
	turns := r.turns()
	if cpu <= 0 || turns <= 0 || r.phi() < limits.waiting || r.collectorShare() >= limits.mostlyCollector {
		return nil
	}
	stretch := time.Duration(cpu / float64(turns) * 1e9)
	cost := (float64(turns)*limits.switchCost.Seconds() + float64(r.t.Goroutines)*limits.startCost.Seconds()) / cpu
	switch {
	case r.computes >= 0.3 && turns >= int64(limits.tinyTasks) && stretch < limits.tinyStretch && cost >= limits.overhead:
		what := "between two waits"
		if float64(r.t.Goroutines) > 0.5*float64(turns) {
			what = "for each goroutine"
		}
		return &finding{kind: TooSmall, by: "starting and switching",
			text: fmt.Sprintf("%s turns of %s on a CPU %s: starting and switching goroutines costs about as much "+
				"as the work itself.",
				count(turns), seconds(stretch.Seconds()), what),
			try:     moreEach(stretch),
			decided: []string{numStretch, numTurns}}
	case r.t.Goroutines >= limits.tinyTasks/5 && r.measured && !r.t.Truncated:
		rest, task := r.outsideOfTasks()
		if rest >= limits.runtimeShare && task > 0 && task < limits.runtimeTask.Seconds() {
			return &finding{kind: TooSmall, by: "starting threads",
				text: fmt.Sprintf("%.0f %% of the CPU time was spent outside of the tasks, which are %s long on average: on "+
					"starting and ending what runs them.", 100*rest, seconds(task)),
				try:     moreEach(time.Duration(task * 1e9)),
				decided: []string{numOverhead, numBusyMean}}
		}
	}
	return nil
}

// outsideOfTasks is the share of the CPU time that is neither the tasks', nor
// the function's own work, nor the collector's, nor the trace's: the runtime's
// and the kernel's, for starting threads, for one. task is the CPU time of a
// task in seconds, the mean: a few that do nearly all the work count as such.
func (r *reading) outsideOfTasks() (rest, task float64) {
	// On a loaded machine the times hold some without a CPU.
	slower := math.Min(1, share(r.own(), r.computes))
	busy := r.t.Tasks.Busy
	task = slower * share(busy.Sum.Seconds(), float64(busy.N))
	cpu := slower * busy.Sum.Seconds()
	// What the root did is work, unless it was just enough to start them.
	root := r.t.RootTime[trace.Running] + r.t.RootTime[trace.Native]
	if root > limits.runtimeTask/2*time.Duration(r.t.Goroutines) {
		cpu += slower * root.Seconds()
	}
	cpu += slower * max(0, r.t.GC-r.t.GCIdle).Seconds()
	cpu += r.traceCost()
	return math.Max(0, 1-share(cpu, r.e.Usage.CPU().Seconds())), task
}

// moreEach says how many tasks to put together for 100 µs of work, beside
// which a switch costs less than a hundredth.
func moreEach(task time.Duration) string {
	n := math.Min(1e6, math.Ceil(float64(100*time.Microsecond)/math.Max(1, float64(task))))
	return fmt.Sprintf("Give each goroutine about %s tasks, one after another, so that it has 100 μs of work or more.",
		count(int64(nice(n))))
}

// callsCollector is for goroutines that wait for collections which they asked
// for.
func callsCollector(r *reading) *finding {
	if w, ok := r.waits(false, trace.Garbage); ok && w.Place.What == "wait until GC ends" {
		return waitsForCollector(r)
	}
	return nil
}

// waitsForCollector is for goroutines that wait for the garbage collector.
func waitsForCollector(r *reading) *finding {
	if r.lock > r.garbage && r.boundByLock() {
		return nil
	}
	if w, ok := r.waits(false, trace.Garbage); ok && share(r.garbage, r.active+r.ready+r.garbage) >= limits.collectorWait {
		return &finding{kind: Collector, by: "waiting for the collector",
			text: fmt.Sprintf("Of %s goroutines %s waited for the garbage collector, most of them at %s.",
				digits(r.active+r.ready+r.garbage), digits(r.garbage), at(w)),
			try: "Do not call runtime.GC, allocate less (reuse buffers), or let the heap grow: GOGC=400, with " +
				"GOMEMLIMIT as its bound.",
			decided: []string{numGarbage, numGC, numUsed}}
	}
	return nil
}

// collectorBusy is for a collector that takes much of the CPU time.
func collectorBusy(r *reading) *finding {
	gc := r.collectorShare()
	if gc < limits.collector || r.demand*r.cpus < limits.idle/2 {
		return nil
	}
	if r.tasked && r.demand < limits.saturated && r.active+r.ready > limits.serial && r.phi() < limits.waiting {
		return nil // it waits for other things
	}
	if r.boundByLock() {
		return nil
	}
	return &finding{kind: Collector, by: "allocation",
		text:    fmt.Sprintf("The garbage collector took %.0f %% of the CPU time that was used (%s).", 100*gc, r.usedText()),
		try:     "Allocate less (reuse buffers), or let the heap grow: GOGC=400, with GOMEMLIMIT as its bound.",
		decided: []string{numGC, numUsed}}
}

// boundByLock reports whether a lock is what bounds the whole, also where who
// holds it allocates.
func (r *reading) boundByLock() bool {
	return r.lockShare() >= limits.longQueue && (r.demand < limits.saturated || r.loaded())
}

// threadsQueue is oversubscription by threads of the system.
func threadsQueue(r *reading) *finding {
	wanted := r.demand * r.cpus
	if wanted < limits.threadDemand*r.cpus {
		return nil
	}
	// On a loaded machine the runtime's own threads wait for a CPU too, and
	// only a trace tells them from those that have something to do.
	if r.t == nil && (r.used < limits.saturated*r.cpus || r.loadedByOthers()) {
		return nil
	}
	f := &finding{kind: Oversubscribed, by: "threads",
		text: fmt.Sprintf("Its threads wanted %.1f CPUs where there are %s: they take turns, and each is later.",
			sane(wanted), cpus(r.cpus)),
		try:     fmt.Sprintf("Let at most %d at a time use a CPU.", int(math.Ceil(r.cpus))),
		decided: []string{numWanted, numUsed}}
	if float64(r.procs) > math.Ceil(r.cpus) {
		f.by = "GOMAXPROCS"
		f.try = fmt.Sprintf("Set GOMAXPROCS from %d to %d.", r.procs, int(math.Ceil(r.cpus)))
	}
	return f
}

// queuedToo is how many goroutines could have run and had no turn, on average,
// those that had never run included.
func (r *reading) queuedToo() float64 {
	return r.ready + ratio(r.t.Time[trace.Queued], r.covered())
}

// oneCPU is for work that would use more CPUs than the one that there is.
func oneCPU(r *reading) *finding {
	if r.cpus >= limits.oneCPU || r.demand < limits.saturated {
		return nil
	}
	others := math.Max(0, r.active-1)
	if r.t != nil {
		others = r.queuedToo()
	}
	if others < 0.5 {
		return nil
	}
	f := &finding{kind: OneAtATime, decided: []string{numCPUs, numUsed, numQueued}}
	f.text = fmt.Sprintf("%s (%s): on average %s more could have run and waited for it. It is concurrent, but nothing "+
		"runs at the same moment.",
		thereAre(r.cpus), r.boundText(), goroutines(others))
	f.by, f.try = r.moreCPUs()
	return f
}

// moreCPUs says what leaves the process one CPU, and what to do about it.
func (r *reading) moreCPUs() (by, try string) {
	if r.bound == "GOMAXPROCS" {
		return "GOMAXPROCS", fmt.Sprintf("Raise GOMAXPROCS from %d: the process may use %s.", r.procs, cpus(r.e.CPUs.Count))
	}
	return "one CPU", "Run it where more CPUs are allowed."
}

func allCPUs(r *reading) *finding {
	if r.demand < limits.saturated || r.cpus < limits.oneCPU {
		return nil
	}
	if f := sharedResource(r); f != nil {
		return f
	}
	if r.e.Alone != nil && r.measured && r.used < limits.together*r.cpus {
		return cannotTell("outside load",
			fmt.Sprintf("It wanted all of %s, but others left it only %s of them: so its goroutines seldom ran at the same "+
				"moment, and whether they then hinder each other was not seen.", cpus(r.cpus), digits(r.used)),
			"Run it again while no other program uses the CPUs.", numUsed, numWanted, numInflation)
	}
	if part := max(r.head.root*r.head.share, r.tail.root*r.tail.share); r.loaded() && part >= limits.serialLoaded {
		return cannotTell("outside load",
			fmt.Sprintf("It wanted all of %s for most of the time, but for %.0f %% only the function itself was active, and "+
				"others took CPUs meanwhile: how much that part weighs without them was not seen.", cpus(r.cpus), 100*part),
			"Run it again while no other program uses the CPUs.", numUsed, numWanted, numHead, numTail)
	}
	if r.loaded() && 1-r.phi() >= limits.waitsLoaded {
		return cannotTell("outside load",
			fmt.Sprintf("It wanted all of %s, but %.0f %% of its active goroutines waited for something outside, and others "+
				"took CPUs meanwhile: whether it would wait for CPUs without them was not seen.", cpus(r.cpus), 100*(1-r.phi())),
			"Run it again while no other program uses the CPUs.", numUsed, numWanted, numPhi)
	}
	if r.t != nil && r.active+r.ready >= limits.crowd*r.cpus && r.phi() >= limits.waiting &&
		float64(r.t.Tasks.Busy.Median)*share(r.own(), r.computes) >= float64(limits.slice) && r.ready >= r.cpus {
		return &finding{kind: Oversubscribed, by: "goroutines",
			text: fmt.Sprintf("All of %s is used, but %s goroutines shared it at a time: they take turns, and each ends "+
				"about %s times later than it could.",
				cpus(r.cpus), digits(r.active+r.ready), digits((r.active+r.ready)/r.cpus)),
			try: fmt.Sprintf("Let %d run at a time (errgroup's SetLimit): the whole takes as long, each of them "+
				"less, with less memory.", int(math.Ceil(r.cpus))),
			decided: []string{numInFlight, numUsed, numBusy}}
	}
	return goodCPUs(r)
}

// sharedResource is for CPU time that grows with the CPUs.
func sharedResource(r *reading) *finding {
	i := r.growth()
	if i <= limits.inflation || r.demand < limits.nearlySaturated {
		return nil
	}
	f := &finding{kind: Shared, by: "CPU time that grows",
		text: fmt.Sprintf("%s, but it took %s times the CPU time of the same work alone: what one gains, the others lose.",
			text.Capital(r.usedText()), digits(i)),
		try: "Look for what all of them write: a shared counter, neighbouring fields of one cache line, a spin lock; " +
			"or for memory traffic. Let each sum up for itself and add up at the end.",
		decided: []string{numInflation, numUsed, numWanted}}
	if measured := r.inflation(); digits(measured) != digits(i) {
		f.text = fmt.Sprintf("%s, and it took %s times the CPU time of the same work alone, about %s times while its "+
			"goroutines run at the same moment: what one gains, the others lose.",
			text.Capital(r.usedText()), digits(measured), digits(i))
	}
	return f
}

// growsAtLock is for work that only computes and leaves CPUs free, as its
// goroutines meet at a lock too short to wait long for: the CPU time that they
// spend on meeting tells.
func growsAtLock(r *reading) *finding {
	if r.t == nil || r.loaded() || r.loadedByOthers() || r.cpus < limits.oneCPU || r.inflation() <= limits.inflation ||
		1-r.phi() >= limits.passing || r.collectorShare() >= limits.someLock {
		return nil
	}
	w, ok := r.waits(false, trace.Lock)
	if !ok || w.N < int64(limits.tinyTasks)/10 || r.lock < limits.contended {
		return nil
	}
	return &finding{kind: Shared, by: "CPU time that grows at a lock",
		text: fmt.Sprintf("%s, but it took %s times the CPU time of the same work alone: goroutines met at a lock, %s "+
			"times so that they had to wait at %s.",
			text.Capital(r.usedText()), digits(r.inflation()), count(w.N), at(w)),
		try: "Let each goroutine go there less often: sum up for itself and add up at the end, or split " +
			"what the lock guards.",
		decided: []string{numInflation, numLock, numUsed}}
}

func goodCPUs(r *reading) *finding {
	f := &finding{kind: AllCPUs, by: "",
		text:    fmt.Sprintf("It %s for all of its time.", r.usesText()),
		try:     "Nothing about its concurrency. To be faster it has to do less work, or needs more CPUs.",
		decided: []string{numUsed, numWanted}}
	if r.measured && r.used < limits.saturated*r.cpus {
		f.text = fmt.Sprintf("It %s and wanted the rest, too, which others had: all that it could get.", r.usesText())
	}
	switch i := r.inflation(); {
	case i > limits.inflationNoise:
		f.notes = append(f.notes, fmt.Sprintf("It took %s times the CPU time of the same work alone: that is little, and "+
			"can be cost of running at the same time.", digits(i)))
		f.decided = append(f.decided, numInflation)
	case i > limits.inflationNone:
		f.notes = append(f.notes, fmt.Sprintf("It took %s times the CPU time of the same work alone: up to %s is noise.",
			digits(i), digits(limits.inflationNoise)))
		f.decided = append(f.decided, numInflation)
	case i > 0:
		f.notes = append(f.notes, fmt.Sprintf("It took %s times the CPU time of the same work alone: each CPU second "+
			"does as much as it should.", digits(i)))
		f.decided = append(f.decided, numInflation)
	default:
		f.notes = append(f.notes, "Whether each CPU second does as much as it would alone was not measured; the option "+
			"Again measures it.")
	}
	return f
}

// nearlyAllCPUs is for work that only computes, on most of the CPUs.
func nearlyAllCPUs(r *reading) *finding {
	if r.cpus < limits.oneCPU || r.phi() < limits.waiting {
		return nil
	}
	if f := sharedResource(r); f != nil {
		return f
	}
	if r.loaded() {
		// A goroutine that is ready finds no thread that has a CPU: both count.
		if r.computes+r.ready < limits.saturated*r.cpus || r.busiest > limits.busiestLoaded*r.active ||
			r.lockShare()+r.channelShare() >= limits.lock ||
			r.e.Alone != nil || r.single >= limits.tail {
			return nil
		}
		f := goodCPUs(r)
		if r.demand < limits.saturated {
			f.text = fmt.Sprintf("It %s, and on average %s ready and had no turn, while others used CPUs: all "+
				"that it could get.", r.usesText(), isAre(r.ready))
			f.decided = append([]string{numUsed, numReady}, f.decided...)
		}
		return f
	}
	if r.demand < limits.nearlySaturated || r.single >= limits.serialPart {
		return nil
	}
	f := goodCPUs(r)
	f.text = fmt.Sprintf("It %s, and no single cause explains the rest.", r.usesText())
	f.try = "If the rest matters, give each CPU more and smaller pieces, so that none is without work at the end."
	return f
}
