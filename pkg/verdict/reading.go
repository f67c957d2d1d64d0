package verdict

import (
	"math"

	"overlap/pkg/internal/text"
	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
)

// A reading is the evidence in the quantities that the rules compare: means
// over the time, in goroutines and in CPUs. See the package's documentation
// for what they mean.
type reading struct {
	e Evidence
	t *trace.Trace // nil where there is none

	wall  float64 // seconds
	procs int     // GOMAXPROCS that held for most of the time
	cpus  float64 // the least of the bounds
	bound string  // which one that is: "GOMAXPROCS", "online", "affinity", "quota"

	measured bool    // CPU time is known
	used     float64 // CPUs used
	delay    float64 // CPUs that threads waited for
	wanted   float64 // CPUs that were used or waited for, by the kernel
	demand   float64 // share of the CPUs' time that was used or wanted, and would be without other load

	each float64 // of a lab's tasks, in flight and waiting for each other, as alone they only compute and CPUs were free

	hidden bool // by a lab's tasks and with others on the CPUs: whether they waited for a CPU or for something outside

	tasked bool // the quantities below are known: there is a trace, or a lab's tasks

	active   float64 // goroutines on a CPU or waiting outside
	computes float64 // of these, on a CPU
	outside  float64 // of these, waiting outside
	stalled  float64 // of those on a CPU by the trace, without one and not in line for one: in a page fault, swapped out
	ready    float64 // have run, could run, wait for a turn
	lock     float64 // wait for a mutex
	garbage  float64 // wait for the garbage collector
	channel  float64 // wait at a channel or a condition, the root not counted
	rootOn   float64 // the root on a CPU or waiting outside, unless it only polls

	tasks   int     // goroutines of the work, the root not counted, or the lab's tasks
	atOnce  float64 // most in flight at once
	longest float64 // longest task, share of the time
	busiest float64 // the goroutine that was active for longest, the root not counted, share of the time
	polls   bool    // the root sleeps while others work
	timers  int     // goroutines that only sleep, and are not counted above
	peak    float64 // most goroutines active at once, but for the top fiftieth of the time
	single  float64 // share of the time with one active and none ready
	tail    tail    // the end, with fewer active than would fit
	head    tail    // the beginning, the same
}

// A tail is a time at the end or the beginning in which few were active.
type tail struct {
	share   float64 // of the whole
	mean    float64 // active in it
	root    float64 // the root's part of that
	waiting float64 // in it, at a lock, channel or condition, the root not counted
}

// bar is the number of active goroutines below which few are active: half of
// what fits at least, and more than one.
func (r *reading) bar() float64 { return math.Max(1.5, math.Min(r.peak, r.cpus)/2) }

func read(e Evidence) *reading {
	r := &reading{e: e, t: e.Trace, wall: e.Usage.Wall.Seconds(), procs: e.Procs}
	if r.t != nil && (r.covered() <= 0 || len(r.t.Time) == 0) {
		r.t = nil
	}
	if r.t != nil && r.t.ProcsMost > 0 {
		r.procs = r.t.ProcsMost // the work set it itself
	}
	r.cpus, r.bound = available(e, r.procs)
	if r.wall <= 0 && r.t != nil {
		r.wall = r.t.Wall.Seconds()
	}
	if r.measured = e.Usage.Has(probe.CPUTime) && e.Usage.Wall > 0 && e.Usage.CPU() >= 0; r.measured {
		r.used = ratio(e.Usage.CPU(), e.Usage.Wall)
		r.delay = ratio(e.Usage.RunDelay, e.Usage.Wall)
		r.wanted = r.used + r.delay
		r.demand = r.wanted / r.cpus
	}
	switch {
	case r.t != nil:
		r.readTrace()
	case e.Lab != nil:
		r.readLab()
	}
	r.longest = math.Min(1, r.longest) // figures of two runs can differ
	return r
}

// available returns the least bound on the CPUs, and its name.
func available(e Evidence, procs int) (float64, string) {
	cpus, bound := e.CPUs.Count, e.CPUs.Bound
	if cpus <= 0 || math.IsNaN(cpus) || math.IsInf(cpus, 0) {
		cpus, bound = e.Usage.CPUs, "online"
	}
	if cpus <= 0 || math.IsNaN(cpus) || math.IsInf(cpus, 0) {
		cpus, bound = float64(max(1, procs)), "online"
	}
	if procs > 0 && float64(procs) < cpus {
		cpus, bound = float64(procs), "GOMAXPROCS"
	}
	return math.Min(cpus, 1e6), bound
}

// readLab takes the quantities from what a lab knows of its tasks, without a
// trace: what they waited for is not known.
func (r *reading) readLab() {
	l := r.e.Lab
	if l.Tasks <= 0 || l.InFlightMean <= 0 || r.wall <= 0 || !text.Finite(l.InFlightMean) {
		return
	}
	r.tasked = true
	r.tasks = l.Tasks
	r.atOnce = float64(l.InFlightMax)
	r.longest = float64(l.LongestTask) / (r.wall * 1e9)
	r.active = l.InFlightMean
	r.computes = math.Min(r.active, r.used+r.delay)
	r.hidden = r.used < limits.saturated*r.cpus && r.wanted >= limits.saturated*r.cpus &&
		r.active > limits.threadDemand*r.cpus
	if alone := r.e.Alone; alone != nil && alone.Has(probe.CPUTime) && alone.Wall > 0 {
		// One at a time, a task's share on a CPU is the process's.
		used := ratio(alone.CPU(), alone.Wall)
		switch wanted := math.Min(1, used+ratio(alone.RunDelay, alone.Wall)); {
		case wanted < 0.5:
			r.hidden = false
			r.computes = math.Min(r.computes, math.Max(r.active*wanted, math.Min(r.active, r.used)))
		case used >= limits.saturated:
			r.hidden = false
			spare := r.spareCPUs()
			if !spare {
				r.computes = math.Min(r.active, math.Max(r.computes, r.cpus))
			}
			// Who only computes, and is in flight without a CPU, waits for a turn; or
			// for the others, where many turns were left over.
			if rest := r.active - r.computes; spare && r.wanted < limits.nearlySaturated*r.cpus {
				r.each = rest
			} else {
				r.ready = rest
			}
			r.active = r.computes
		case r.loadedByOthers() && r.active >= limits.serialReady:
			r.hidden = true // alone, too, a task had a CPU for too little of the time to tell
		}
	}
	r.outside = math.Max(0, r.active-r.computes)
	if r.measured {
		r.demand = exact(math.Max(r.used, r.wants()) / r.cpus)
	}
	r.peak = r.atOnce
	r.tail = tail{share: l.Tail, mean: 1}
}

// inFlight is how many of a lab's tasks were in flight on average.
func (r *reading) inFlight() float64 { return r.active + r.ready + r.each }

// lockShare is the share of goroutines in flight that wait for a lock.
func (r *reading) lockShare() float64 { return share(r.lock, r.active+r.ready+r.lock) }

// channelShare is the same for channels and conditions.
func (r *reading) channelShare() float64 {
	return share(r.channel, r.active+r.ready+r.channel)
}

// spareCPUs reports whether there were CPUs that the process neither used nor
// wanted, nor anybody else took.
func (r *reading) spareCPUs() bool {
	u := r.e.Usage
	return r.measured && u.Has(probe.RunDelay) && r.wanted < limits.saturated*r.cpus &&
		!r.loadedByOthers() && ratio(u.Steal, u.Wall) <= limits.stolen*r.machine() && r.stopped() < limits.throttled
}
