// Package probe says what the process and its machine did during a piece of
// work, and what machine that is. It judges nothing.
//
//	meter := probe.Start()
//	work()
//	usage := meter.Stop()
//
// Figures come from the kernel's own accounting: getrusage(2), and on Linux
// proc(5) and the cgroup file systems. They are the whole process's, so only
// one thing at a time can be measured. One Start and Stop cost some tens of
// microseconds, and about 20 more for each OS thread.
//
// What the goroutines of a piece of work did meanwhile, and where they waited,
// tells an execution trace: see package trace. It costs about 1 % of
// the CPU time of tasks of 0.25 ms, and 5 to 7 % of tasks of 5 µs, on goroutines of
// their own (BenchmarkTraceOverhead), and the time to read it afterwards.
package probe

import (
	"runtime"
	"slices"
	"time"
)

// A Meter is a measurement under way.
type Meter struct {
	before counters
	start  time.Time
}

// counters are the running totals that a Usage is the difference of.
type counters struct {
	user, system, children  time.Duration
	voluntary, involuntary  int64
	minorFaults, majorFault int64
	runDelay                map[int]time.Duration // by thread
	steal, hostBusy         time.Duration
	throttled               map[string]time.Duration // by cgroup
	suspended               time.Duration
	missing                 []string
}

// Start begins a measurement. It resets the kernel's note of the process's
// peak memory.
func Start() *Meter {
	m := &Meter{}
	var missing []string
	if !resetPeakMemory() {
		missing = append(missing, PeakMemory)
	}
	// The process's own figures are read last here and first in Stop, so that
	// reading the others is not measured.
	m.before.readSystem()
	m.before.readProcess()
	m.before.missing = append(m.before.missing, missing...)
	m.start = time.Now()
	return m
}

// Stop returns what happened since Start. It may be called again for a longer
// measurement.
func (m *Meter) Stop() Usage {
	wall := time.Since(m.start)
	var after counters
	runtime.LockOSThread()
	own := ownThread()
	after.readProcess()
	own = ownThread() - own
	runtime.UnlockOSThread()
	after.readSystem()
	u := Usage{
		Wall:        wall,
		User:        after.user - m.before.user,
		System:      after.system - m.before.system,
		Children:    after.children - m.before.children,
		Voluntary:   after.voluntary - m.before.voluntary,
		Involuntary: after.involuntary - m.before.involuntary,
		MinorFaults: after.minorFaults - m.before.minorFaults,
		MajorFaults: after.majorFault - m.before.majorFault,
		Steal:       after.steal - m.before.steal,
		HostBusy:    after.hostBusy - m.before.hostBusy,
		Throttled:   stopped(m.before.throttled, after.throttled),
		Suspended:   slept(after.suspended - m.before.suspended),
		CPUs:        CPUs().Count,
		GOMAXPROCS:  runtime.GOMAXPROCS(0),
		Missing:     slices.Concat(m.before.missing, after.missing),
	}
	u.limit(min(u.CPU()-own, wall*time.Duration(online())))
	for thread, delay := range after.runDelay {
		// A thread that took the id of one that ended begins at 0 again.
		u.RunDelay += max(0, delay-m.before.runDelay[thread])
	}
	var ok bool
	if u.PeakMemory, ok = peakMemory(); !ok {
		u.Missing = append(u.Missing, PeakMemory)
	}
	slices.Sort(u.Missing)
	u.Missing = slices.Compact(u.Missing)
	return u
}

// limit takes off the CPU time what surely is not of the measured time: what
// reading itself cost, and what is more than all CPUs can give. That much other
// threads used while this one, having read the clock, was kept from reading the
// rest.
func (u *Usage) limit(most time.Duration) {
	over := max(0, u.CPU()-max(0, most))
	fromSystem := min(over, u.System)
	u.System -= fromSystem
	u.User -= over - fromSystem
}

// slept leaves out what two clocks differ by that are read one after the other,
// with a pause between them on a busy machine.
func slept(d time.Duration) time.Duration {
	if d < time.Second {
		return 0
	}
	return d
}

// stopped returns how long quotas stopped a process, from the totals of its
// cgroups before and after. The group that was stopped longest counts: a process
// that its group and the group above hold back waits once.
func stopped(before, after map[string]time.Duration) (longest time.Duration) {
	for group, total := range after {
		if was, ok := before[group]; ok { // not what happened to a group that it was moved to
			longest = max(longest, total-was)
		}
	}
	return longest
}
