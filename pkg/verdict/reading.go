package verdict

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"overlap/pkg/probe"
)

// A reading is the evidence in the quantities that the rules compare: means
// over the time, in goroutines and in CPUs. See the package's documentation
// for what they mean.
type reading struct {
	e Evidence
	t *probe.Trace // nil where there is none

	wall  float64 // seconds
	procs int     // GOMAXPROCS that held for most of the time
	cpus  float64 // the least of the bounds
	bound string  // which one that is: "GOMAXPROCS", "online", "affinity", "quota"

	measured bool    // CPU time is known
	used     float64 // CPUs used
	delay    float64 // CPUs that threads waited for
	wanted   float64 // CPUs that were used or waited for, by the kernel
	demand   float64 // share of the CPUs' time that was used or wanted, and would be without other load

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

func (r *reading) covered() time.Duration {
	return cmp.Or(max(0, r.t.Covered), max(0, r.t.Wall))
}

func (r *reading) readTrace() {
	t := r.t
	r.tasked = true
	mean := func(s probe.State) float64 { return ratio(t.Time[s], r.covered()) }
	root := func(s probe.State) float64 { return ratio(t.RootTime[s], r.covered()) }
	r.computes = mean(probe.Running) + mean(probe.Native)
	r.outside = mean(probe.Sleep) + mean(probe.Network) + mean(probe.Syscall)
	r.ready = mean(probe.Runnable)
	r.lock = mean(probe.Lock)
	r.garbage = mean(probe.Garbage)
	r.channel = math.Max(0, mean(probe.Channel)+mean(probe.Cond)-root(probe.Channel)-root(probe.Cond))
	r.rootOn = root(probe.Running) + root(probe.Native) + root(probe.Sleep) + root(probe.Network) + root(probe.Syscall)
	r.tasks = t.Goroutines
	r.atOnce = float64(cmp.Or(t.Tasks.AtOnceMax, t.Peak))
	r.longest = ratio(t.Tasks.Longest, r.covered())
	r.busiest = r.longest
	if t.Tasks.By == "region" {
		r.busiest = 0
		for _, l := range t.Lives {
			if l.ID != 0 && !l.Service {
				r.busiest = math.Max(r.busiest, overlap(l, 0, r.covered(), func(s probe.State) bool { return s.OnCPU() || s.Outside() }))
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
		r.outside -= ratio(timeIn(l, probe.Sleep), r.covered())
	}
	r.outside = math.Max(0, r.outside)
	if r.polls = r.rootPolls(); r.polls {
		r.outside = math.Max(0, r.outside-root(probe.Sleep))
		r.rootOn -= root(probe.Sleep)
	}
	r.active = exact(r.computes + r.outside)
	r.stalled = r.unseen()

	// By the trace, demand is what goroutines and the collector were on. It
	// holds what the kernel calls run delay, and not that of threads of the
	// runtime that only look for work, of which a loaded machine has much.
	collector := ratio(max(0, t.GC-t.GCIdle), r.covered())
	r.demand = exact(math.Max(r.used, r.wants()+collector) / r.cpus)
	if slices.Contains(t.Missing, probe.ThreadClocks) && r.used >= limits.saturated*r.cpus && !r.loadedByOthers() {
		r.demand = math.Max(r.demand, r.wanted/r.cpus) // C code is not in the trace
	}

	r.readSteps(idle)
}

// idlers returns goroutines that sleep all the time and do nothing else, where
// they are too few to be workers, and others use a CPU: tickers, progress
// lines. So are sleepers that are left when the work is done, however many.
func (r *reading) idlers() []probe.Life {
	var idle, left []probe.Life
	wall := r.covered()
	for _, l := range r.t.Lives {
		if l.ID == 0 || l.Service {
			continue
		}
		life := l.End - l.Start
		on := timeIn(l, probe.Running) + timeIn(l, probe.Native)
		if life <= 0 || float64(timeIn(l, probe.Sleep)) < 0.8*float64(life) || float64(on) > 0.05*float64(life) {
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
	return slices.ContainsFunc(r.t.Waits, func(w probe.Wait) bool {
		return w.State == probe.Sleep && !w.Root && w.N >= 5
	})
}

// rootPolls reports whether the root's sleeping only passes the time until
// others are done: it sleeps many short times, and meanwhile others are active.
func (r *reading) rootPolls() bool {
	t := r.t
	asleep := t.RootTime[probe.Sleep]
	if t.Goroutines == 0 || ratio(asleep, r.covered()) < 0.1 {
		return false
	}
	often := slices.ContainsFunc(t.Waits, func(w probe.Wait) bool {
		return w.State == probe.Sleep && w.Root && w.N >= 5
	})
	root := r.rootLife()
	if !often || root == nil {
		return false
	}
	var with, all float64
	for _, s := range t.Steps {
		length := (s.End - s.Start).Seconds()
		sleeps := overlap(*root, s.Start, s.End, func(s probe.State) bool { return s == probe.Sleep })
		all += sleeps * length
		if activity(s)-sleeps > 0.5 {
			with += sleeps * length
		}
	}
	return all > 0 && with > 0.5*all
}

func (r *reading) rootLife() *probe.Life {
	for i := range r.t.Lives {
		if r.t.Lives[i].ID == 0 {
			return &r.t.Lives[i]
		}
	}
	return nil
}

// readSteps reads how activity went over the time.
func (r *reading) readSteps(idle []probe.Life) {
	type part struct{ length, active, ready, root, waiting float64 }
	var parts []part
	var total float64
	root := r.rootLife()
	working := func(s probe.State) bool { return s.OnCPU() || s.Outside() && !(r.polls && s == probe.Sleep) }
	asleep := func(s probe.State) bool { return s == probe.Sleep }
	for _, s := range r.t.Steps {
		p := part{length: (s.End - s.Start).Seconds(), active: activity(s), ready: sane(s.Mean[probe.Runnable])}
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
		for _, state := range []probe.State{probe.Lock, probe.Channel, probe.Cond} {
			p.waiting += sane(s.Mean[state])
		}
		if root != nil {
			p.waiting -= overlap(*root, s.Start, s.End, func(s probe.State) bool {
				return s == probe.Lock || s == probe.Channel || s == probe.Cond
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

// readLab takes the quantities from what a lab knows of its tasks, without a
// trace: what they waited for is not known.
func (r *reading) readLab() {
	l := r.e.Lab
	if l.Tasks <= 0 || l.InFlightMean <= 0 || r.wall <= 0 || !finite(l.InFlightMean) {
		return
	}
	r.tasked = true
	r.tasks = l.Tasks
	r.atOnce = float64(l.InFlightMax)
	r.longest = float64(l.LongestTask) / (r.wall * 1e9)
	r.active = l.InFlightMean
	r.computes = math.Min(r.active, r.used+r.delay)
	r.hidden = r.used < limits.saturated*r.cpus && r.wanted >= limits.saturated*r.cpus && r.active > limits.threadDemand*r.cpus
	if alone := r.e.Alone; alone != nil && alone.Has(probe.CPUTime) && alone.Wall > 0 {
		// One at a time, a task's share on a CPU is the process's.
		used := ratio(alone.CPU(), alone.Wall)
		switch wanted := math.Min(1, used+ratio(alone.RunDelay, alone.Wall)); {
		case wanted < 0.5:
			r.hidden = false
			r.computes = math.Min(r.computes, math.Max(r.active*wanted, math.Min(r.active, r.used)))
		case used >= limits.saturated:
			r.hidden = false
			r.computes = math.Min(r.active, math.Max(r.computes, r.cpus))
			r.ready = r.active - r.computes
			r.active = r.computes
		}
	}
	r.outside = math.Max(0, r.active-r.computes)
	if r.measured {
		r.demand = exact(math.Max(r.used, r.wants()) / r.cpus)
	}
	r.peak = r.atOnce
	r.tail = tail{share: l.Tail, mean: 1}
}

// own is how many of the goroutines on a CPU really used one. The others were
// there, too, and their thread waited: for a CPU that other programs used, or
// other threads of its own.
func (r *reading) own() float64 {
	if !r.measured || r.t != nil && r.t.Truncated {
		return r.computes
	}
	return math.Min(r.used, r.computes)
}

// unseen is how many of the goroutines that the trace has on a CPU neither used
// one nor stood in line for one: the trace has them there while their thread is
// in a page fault, too. It errs towards none, as threads of the runtime that
// only look for work stand in line as well.
func (r *reading) unseen() float64 {
	u := r.e.Usage
	if !r.measured || r.t.Truncated {
		return 0
	}
	inLine := ratio(max(u.RunDelay, r.t.RunDelay), u.Wall)
	if !u.Has(probe.RunDelay) && u.Has(probe.HostLoad) && u.Wall >= limits.ticks {
		inLine = r.others() * math.Max(1, share(r.computes, r.cpus))
	}
	// A host or a quota that stops the process is not in the run delay.
	inLine += ratio(u.Steal, u.Wall) + r.computes*ratio(u.Throttled, u.Wall)
	running := ratio(r.t.Time[probe.Running], r.covered()) // C code is there by its thread's clock
	return exact(math.Max(0, math.Min(running, r.computes-r.used-inLine)))
}

// phi is the share of the active goroutines' time that they use a CPU: the
// time for which they only stand in line for one does not count, as it is
// longer the more CPUs others use, and what they wait for outside is not. To
// wait for a page is to wait outside.
func (r *reading) phi() float64 {
	own := r.own()
	if own <= 0 { // less than the clock can tell
		own = r.computes
	}
	return share(own, own+r.outside+r.stalled)
}

// wants is how many CPUs the goroutines would be on if no one else used any:
// of those in flight the share phi, but no more than were.
func (r *reading) wants() float64 {
	return math.Min(math.Max(0, r.computes-r.stalled), (r.active+r.ready)*r.phi())
}

// stretch is how many times as long as without others on the CPUs the
// goroutines were active, on average.
func (r *reading) stretch() float64 {
	return math.Max(1, share(r.computes+r.outside, r.own()+r.stalled+r.outside))
}

// lockShare is the share of goroutines in flight that wait for a lock.
func (r *reading) lockShare() float64 { return share(r.lock, r.active+r.ready+r.lock) }

// channelShare is the same for channels and conditions.
func (r *reading) channelShare() float64 {
	return share(r.channel, r.active+r.ready+r.channel)
}

// collectorShare is the share of the CPU time that the garbage collector took.
func (r *reading) collectorShare() float64 {
	if r.t != nil {
		// Of the trace's own times: these are the same on a loaded machine.
		gc := max(0, r.t.GC-r.t.GCIdle)
		on := r.t.Time[probe.Running] + r.t.Time[probe.Native]
		of := ratio(gc, gc+max(0, on))
		if r.measured && !r.t.Truncated {
			// Nor more than of the whole process: beside work that only sleeps
			// any collection would be most of what it did.
			of = math.Min(of, ratio(gc, r.e.Usage.CPU()))
		}
		return of
	}
	return math.Min(1, share(r.e.GC.Seconds(), r.e.Usage.CPU().Seconds()))
}

// inflation is the CPU time against that of the same work alone, 0 where that
// was not measured. What the trace cost is left out: Watch's second run has
// none. (A lab's sequential variant is traced, too.)
func (r *reading) inflation() float64 {
	if r.e.Alone == nil || !r.e.Alone.Has(probe.CPUTime) || !r.measured {
		return 0
	}
	cpu := r.e.Usage.CPU().Seconds()
	if r.t != nil && r.e.Lab == nil {
		cpu -= math.Min(cpu/2, r.traceCost())
	}
	return share(cpu, r.e.Alone.CPU().Seconds())
}

// growth is an estimate of the inflation while all CPUs are used. Goroutines
// hinder each other only while they run at the same moment: where others took
// CPUs, that was for a part of the time.
func (r *reading) growth() float64 {
	i := r.inflation()
	if i <= limits.inflationNoise || r.used <= 0 || r.used >= r.cpus {
		return i
	}
	return sane(1 + (i-1)*r.cpus/r.used)
}

// loaded reports whether others took so much CPU time that goroutines which had
// a turn often stood still. What they were in a page fault is not that.
func (r *reading) loaded() bool {
	return r.t != nil && r.measured && !r.t.Truncated && r.used < limits.saturated*math.Min(r.computes-r.stalled, r.cpus)
}

// ownCPU is the CPU time of the work's goroutines in seconds. On a loaded
// machine the trace has them on a CPU for longer than they were.
func (r *reading) ownCPU() float64 {
	cpu := r.computes * r.covered().Seconds()
	if r.measured && !r.t.Truncated {
		cpu = math.Min(cpu, r.e.Usage.CPU().Seconds())
	}
	return cpu
}

// turns is how often a goroutine began to run after its start or a wait. After
// it gave its turn away (runtime.Gosched, as in a spin lock) or lost it, it has
// waited for nothing; that is not in the waits, and does not count where all of
// them are known.
func (r *reading) turns() int64 {
	n := r.t.SchedDelay.N
	if r.t.Service > 0 || len(r.t.Waits) >= probe.MaxWaits {
		return n
	}
	began := int64(r.t.Goroutines)
	for _, w := range r.t.Waits {
		began += w.N
	}
	return min(n, began)
}

// traceCost estimates the CPU time of taking the trace, in seconds.
func (r *reading) traceCost() float64 {
	return float64(r.t.Events) * limits.eventCost.Seconds()
}

// longestWait returns the wait of the longest time that ok accepts.
func (r *reading) longestWait(ok func(w probe.Wait) bool) (most probe.Wait, found bool) {
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
func (r *reading) waits(root bool, states ...probe.State) (probe.Wait, bool) {
	return r.longestWait(func(w probe.Wait) bool { return w.Root == root && slices.Contains(states, w.State) })
}

// outsideWait returns the longest wait outside, of anybody.
func (r *reading) outsideWait() (probe.Wait, bool) {
	return r.longestWait(func(w probe.Wait) bool {
		return w.State.Outside() && !(r.polls && w.Root && w.State == probe.Sleep)
	})
}

// repeats returns at which line each goroutine waits outside most often, one
// wait after another, and how often. Reading a stream piece by piece does not
// count: its pieces come in turn.
func (r *reading) repeats() (w probe.Wait, each float64) {
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

func activity(s probe.Step) (sum float64) {
	for state, mean := range s.Mean {
		if (state.OnCPU() || state.Outside()) && finite(mean) && mean > 0 {
			sum += mean
		}
	}
	return sum
}

func timeIn(l probe.Life, state probe.State) (sum time.Duration) {
	for _, s := range l.Spans {
		if s.State == state {
			sum += max(0, s.End-s.Start)
		}
	}
	return sum
}

// overlap returns for which share of the time from start to end a goroutine
// was in one of the states.
func overlap(l probe.Life, start, end time.Duration, in func(probe.State) bool) float64 {
	var sum time.Duration
	first, _ := slices.BinarySearchFunc(l.Spans, start, func(s probe.StateSpan, t time.Duration) int { return cmp.Compare(s.End, t) })
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

// ratio returns a/b, 0 where that is not a number above 0.
func ratio(a, b time.Duration) float64 { return share(float64(a), float64(b)) }

// share returns a/b, 0 where that is not a finite number above 0.
func share(a, b float64) float64 {
	if !(a > 0) || !(b > 0) {
		return 0
	}
	if q := a / b; finite(q) {
		return q
	}
	return 0
}

// exact rounds off what the order of a sum does to it, so that what is just at
// a threshold stays there.
func exact(x float64) float64 {
	if y := math.Round(x*1e9) / 1e9; finite(y) {
		return y
	}
	return x
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
