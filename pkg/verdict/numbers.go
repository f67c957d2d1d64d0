package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
)

// The names of the numbers.
const (
	numActive    = "active at once"
	numUsed      = "CPU used"
	numWanted    = "CPU wanted"
	numCPUs      = "CPUs available"
	numPhi       = "active on a CPU"
	numReady     = "ready, without a turn"
	numQueued    = "ready or queued, without a turn"
	numLock      = "waiting for a lock"
	numChannel   = "waiting at a channel"
	numInFlight  = "in flight"
	numTasks     = "goroutines"
	numAtOnce    = "in flight, at most"
	numLongest   = "longest task"
	numMeanTask  = "mean task"
	numBusy      = "CPU of a task, median"
	numBusyMean  = "CPU of a task, mean"
	numTail      = "few active at the end"
	numHead      = "few active at the beginning"
	numSingle    = "one active"
	numInflation = "CPU time against alone"
	numGC        = "garbage collector"
	numStalled   = "on a CPU without using one"
	numFaults    = "page faults that read the disk"
	numGarbage   = "waiting for the collector"
	numMutex     = "mutex wait"
	numDelay     = "wait for a turn, median"
	numTurns     = "turns on a CPU"
	numStretch   = "CPU of a turn, mean"
	numOverhead  = "CPU outside of tasks"
	numSwitches  = "context switches"
	numThrottled = "held back by the quota, all CPUs"
	numOutside   = "CPU used by others"
	numSteal     = "taken by the host"
	numChildren  = "CPU used by child processes"
	numWall      = "makespan"
)

const (
	fromTrace   = "execution trace"
	fromLab     = "tasks' times"
	fromRusage  = "getrusage"
	fromMetrics = "runtime/metrics"
	fromStat    = "/proc/stat"
)

// A numberList is numbers as they are gathered, and the names of those that decided.
type numberList struct {
	list    []Number
	decided []string
}

func (l *numberList) add(name string, value float64, unit, source, format string, args ...any) {
	l.list = append(l.list, Number{
		Name: name, Value: sane(value), Unit: unit, Source: source,
		Text:    fmt.Sprintf(format, args...),
		Decided: slices.Contains(l.decided, name),
	})
}

func (l *numberList) percent(name string, share float64, source string) {
	share = math.Min(sane(share), 1e6)
	l.add(name, 100*share, "%", source, "%.0f %%", 100*share)
}

func (l *numberList) duration(name string, d time.Duration, source string) {
	l.add(name, d.Seconds(), "s", source, "%s", seconds(d.Seconds()))
}

// numbers lists the evidence that there is, what decided first.
func (r *reading) numbers(decided []string) []Number {
	l, u := &numberList{decided: decided}, r.e.Usage
	l.add(numWall, r.wall, "s", "clock", "%s", seconds(r.wall))
	l.add(numCPUs, r.cpus, "CPUs", r.boundSource(), "%s (%s)", cpus(r.cpus), r.bound)
	if r.measured {
		l.add(numUsed, r.used, "CPUs", fromRusage, "%.2f of %s", sane(r.used), cpus(r.cpus))
	}
	if r.measured && u.Has(probe.RunDelay) || r.t != nil {
		source := fromTrace
		if r.t == nil {
			source = fromRusage + ", schedstat"
		}
		l.add(numWanted, r.demand*r.cpus, "CPUs", source, "%.2f of %s", sane(r.demand*r.cpus), cpus(r.cpus))
	}
	if r.tasked {
		r.taskNumbers(l)
	}
	if r.t != nil {
		r.traceNumbers(l)
	} else if r.tasked {
		l.add(numInFlight, r.inFlight(), "", fromLab, "%s on average", digits(r.inFlight()))
		l.duration(numMeanTask, r.e.Lab.MeanTask, fromLab)
		l.add(numTasks, float64(r.tasks), "", fromLab, "%s tasks", count(int64(r.tasks)))
	}
	if i := r.inflation(); i > 0 {
		l.add(numInflation, i, "", fromRusage, "%.3g times", i)
	}
	if r.collectorShare() > 0 {
		source := fromMetrics
		if r.t != nil {
			source = fromTrace
		}
		l.percent(numGC, r.collectorShare(), source)
	}
	if r.e.MutexWait > 0 {
		l.duration(numMutex, r.e.MutexWait, fromMetrics)
	}
	if r.measured {
		l.add(numSwitches, float64(u.Voluntary+u.Involuntary), "", fromRusage, "%s because a thread waited, %s because the "+
			"system took the CPU", count(u.Voluntary), count(u.Involuntary))
	}
	if r.measured && u.MajorFaults > 0 {
		l.add(numFaults, float64(u.MajorFaults), "", fromRusage, "%s", count(u.MajorFaults))
	}
	if u.Throttled > 0 {
		l.duration(numThrottled, u.Throttled, "cgroup cpu.stat")
	}
	if u.Children > 0 {
		l.add(numChildren, ratio(u.Children, u.Wall), "CPUs", fromRusage, "%.2f CPUs", ratio(u.Children, u.Wall))
	}
	if u.Has(probe.HostLoad) && u.Wall >= limits.ticks {
		l.add(numOutside, r.others(), "CPUs", fromStat, "%.2f CPUs", r.others())
		l.add(numSteal, ratio(u.Steal, u.Wall), "CPUs", fromStat, "%.2f CPUs", ratio(u.Steal, u.Wall))
	}
	slices.SortStableFunc(l.list, func(a, b Number) int { return rank(a, decided) - rank(b, decided) })
	return l.list
}

// taskNumbers are those that a trace and a lab's tasks both give.
func (r *reading) taskNumbers(l *numberList) {
	source := fromLab
	if r.t != nil {
		source = fromTrace
	}
	l.add(numActive, r.active, "", source, "%s", digits(r.active))
	l.percent(numPhi, r.phi(), source)
	l.percent(numLongest, r.longest, source)
	l.add(numAtOnce, r.atOnce, "", source, "%s", digits(r.atOnce))
	if r.t != nil || r.e.Lab.Tail > 0 {
		l.percent(numTail, r.tail.share, source)
	}
}

// traceNumbers are those that only a trace gives.
func (r *reading) traceNumbers(l *numberList) {
	t := r.t
	l.add(numInFlight, r.active+r.ready, "", fromTrace, "%s on average", digits(r.active+r.ready))
	l.add(numReady, r.ready, "", fromTrace, "%s on average", digits(r.ready))
	l.add(numQueued, r.queuedToo(), "", fromTrace, "%s on average", digits(r.queuedToo()))
	l.add(numLock, r.lock, "", fromTrace, "%s on average", digits(r.lock))
	l.add(numChannel, r.channel, "", fromTrace, "%s on average", digits(r.channel))
	l.add(numStalled, r.stalled, "", fromTrace+", "+fromRusage, "%s on average", digits(r.stalled))
	l.add(numGarbage, r.garbage, "", fromTrace, "%s on average", digits(r.garbage))
	l.add(numTasks, float64(t.Goroutines), "", fromTrace, "%s", count(int64(t.Goroutines)))
	l.percent(numHead, r.head.share, fromTrace)
	l.percent(numSingle, r.single, fromTrace)
	if t.SchedDelay.N > 0 {
		l.duration(numDelay, t.SchedDelay.Median, fromTrace)
	}
	if turns := r.turns(); turns > 0 {
		l.add(numTurns, float64(turns), "", fromTrace, "%s", count(turns))
		l.duration(numStretch, time.Duration(r.ownCPU()/float64(turns)*1e9), fromTrace)
	}
	if t.Tasks.Busy.N > 0 {
		l.duration(numBusy, t.Tasks.Busy.Median, fromTrace)
	}
	if r.measured && !t.Truncated {
		rest, task := r.outsideOfTasks()
		l.percent(numOverhead, rest, fromTrace+", "+fromRusage)
		l.duration(numBusyMean, time.Duration(task*1e9), fromTrace+", "+fromRusage)
	}
}

// rank orders what decided first, in the order of the rule.
func rank(n Number, decided []string) int {
	if i := slices.Index(decided, n.Name); i >= 0 {
		return i
	}
	return len(decided)
}

func (r *reading) boundSource() string {
	switch r.bound {
	case "GOMAXPROCS":
		return "runtime"
	case "affinity":
		return "sched_getaffinity"
	case "quota":
		return "cgroup"
	}
	return "system"
}

// others is how many CPUs other programs used.
func (r *reading) others() float64 {
	return math.Max(0, ratio(r.e.Usage.Outside(), r.e.Usage.Wall))
}

// machine is how many CPUs the machine has, as far as that is known.
func (r *reading) machine() float64 {
	return float64(max(1, r.e.CPUs.Affinity, int(math.Min(1e6, sane(r.e.CPUs.Count)))))
}

// loadedByOthers reports whether other programs used so much that times are
// not to be trusted.
func (r *reading) loadedByOthers() bool {
	u := r.e.Usage
	return u.Has(probe.HostLoad) && u.Wall >= limits.ticks && r.others() > limits.outside*r.machine()
}

// notes says what qualifies the finding.
func (r *reading) notes(f *finding) []string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	u, t := r.e.Usage, r.t
	if r.loadedByOthers() {
		note("Other programs used %s meanwhile: the verdict stands, but do not trust times.",
			cpus(math.Round(100*r.others())/100))
	}
	if n := ratio(u.Children, u.Wall); n >= limits.someChildren {
		note("Child processes used %s meanwhile: that is not in what it used itself, and the time for which goroutines "+
			"waited for them is waiting.", cpus(math.Round(100*n)/100))
	}
	if machine := r.machine(); u.Has(probe.HostLoad) && u.Wall >= limits.ticks {
		if s := ratio(u.Steal, u.Wall); s > limits.stolen*machine {
			note("The host of this virtual machine took %.2g CPUs for others.", s)
		}
	}
	if u.Suspended > 0 && r.e.Lab == nil { // of a lab's trials the result tells it
		note("The machine slept for %s meanwhile, which is not in the time: what waited for another machine then waited "+
			"longer than it seems.", seconds(u.Suspended.Seconds()))
	}
	switch end := u.GOMAXPROCS; {
	case t != nil && t.ProcsMost > 0 && r.e.Procs > 0 && t.ProcsMost != r.e.Procs:
		note("GOMAXPROCS was %d at the start and %d for most of the time.", r.e.Procs, t.ProcsMost)
	case end > 0 && r.e.Procs > 0 && end != r.e.Procs:
		note("GOMAXPROCS was %d at the start and %d at the end: figures of CPUs are for %d.", r.e.Procs, end, r.procs)
	}
	if f.kind != Quota && r.stopped() >= limits.throttled {
		note("A CPU quota kept CPUs from the process for %s, added up over the CPUs.", seconds(u.Throttled.Seconds()))
	}
	if gc := r.collectorShare(); f.kind != Collector && gc >= limits.collector {
		note("The garbage collector took %.0f %% of the CPU time.", 100*gc)
	}
	if i := r.inflation(); f.kind != Shared && i > limits.inflation && f.kind != CannotTell {
		note("It took %.2g times the CPU time of the same work alone.", i)
	}
	if r.cpus < limits.oneCPU && f.by != "GOMAXPROCS" && f.by != "one CPU" && f.kind != CannotTell {
		together := "nothing can run at the same moment"
		if r.bound == "quota" { // of several CPUs, each for a part of the time
			together = "no more than that can run at a time, on average"
		}
		note("%s (%s): %s.", thereAre(r.cpus), r.boundText(), together)
	}
	if t != nil {
		r.traceNotes(f, note)
	}
	for _, m := range u.Missing {
		if m == probe.CPUTime || m == probe.RunDelay {
			note("Not measured on this system: %s.", m)
		}
	}
	if r.e.Untraced != "" && r.tasked {
		note("Without a trace: %s.", r.e.Untraced)
	}
	return notes
}

// traceNotes are those that only a trace tells.
func (r *reading) traceNotes(f *finding, note func(format string, args ...any)) {
	t := r.t
	if s := r.lockShare(); s >= limits.someLock && f.kind != HeldByLock && !strings.Contains(f.by, "lock") {
		if w, ok := r.waits(false, trace.Lock); ok {
			note("%.0f %% of the goroutines waited for a lock, most at %s.", 100*s, at(w))
		}
	}
	if t.Truncated {
		note("The trace ended early%s: it covers the first %s of %s.",
			traceEnd(t), seconds(t.Covered.Seconds()), seconds(t.Wall.Seconds()))
	}
	if t.Left > 0 {
		note("%s left behind, still alive when the function returned%s.", leftBehind(t.Left), r.leftWhere())
	}
	if r.timers > 0 && t.Left == 0 {
		note("A goroutine that only slept beside the work is not counted.")
	}
	if _, ok := r.pace(); ok && r.polls {
		note("The function itself slept before it started the next; that is not counted as work in flight.")
	} else if r.polls {
		note("The function itself slept until others were done; that is not counted as work in flight.")
	}
	if cost := r.watchCost(); cost > limits.watchCost && !t.Truncated {
		note("Watching itself made it about %.0f %% longer: the tasks are short.", 100*math.Min(1, cost))
	}
	for _, m := range t.Missing {
		note("Not measured on this system: %s.", m)
	}
}

// watchCost estimates by how much the trace made it longer, as a share of what
// it would be without: of the CPU time where a CPU or more was used, else of the
// makespan.
func (r *reading) watchCost() float64 {
	cost, all := r.traceCost(), r.wall*math.Max(1, r.used)
	if cost >= all {
		return 1
	}
	return share(cost, all-cost)
}

// traceEnd says why a trace ended before the work, in brackets.
func traceEnd(t *trace.Trace) string {
	switch t.Ended {
	case trace.AtLimit:
		return " (it met its limit of memory)"
	case trace.ByOthers:
		return " (the work itself or another part of the program stopped it)"
	case trace.Unread:
		return " (the rest of it was not read)"
	}
	return " (its limit of memory, or the work stopped it)"
}

func leftBehind(n int) string {
	if n == 1 {
		return "1 goroutine was"
	}
	return count(int64(n)) + " goroutines were"
}

// leftWhere names the functions of goroutines that were left behind.
func (r *reading) leftWhere() string {
	var names []string
	for _, l := range r.t.Lives {
		if l.ID != 0 && l.End >= r.covered()-r.covered()/1000 && l.Func != "" && !slices.Contains(names, l.Func) {
			names = append(names, l.Func)
		}
	}
	if len(names) == 0 || r.t.Truncated {
		return ""
	}
	if len(names) > 3 {
		names = append(names[:3], "others")
	}
	return " (" + strings.Join(names, ", ") + ")"
}
