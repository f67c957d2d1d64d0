package verdict

import (
	"math"

	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
)

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
	inLine += ratio(u.Steal, u.Wall) + r.computes*r.stopped()
	running := ratio(r.t.Time[trace.Running], r.covered()) // C code is there by its thread's clock
	return exact(math.Max(0, math.Min(running, r.computes-r.used-inLine)))
}

// stopped is the share of the makespan for which a quota stopped the process.
// The time is added up over the CPUs that it had then, which are those that it
// used and those that were kept from it.
func (r *reading) stopped() float64 {
	kept := ratio(r.e.Usage.Throttled, r.e.Usage.Wall)
	return exact(kept / math.Max(1, r.used+kept))
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

// collectorShare is the share of the CPU time that the garbage collector took.
func (r *reading) collectorShare() float64 {
	if r.t != nil {
		// Of the trace's own times: these are the same on a loaded machine.
		gc := max(0, r.t.GC-r.t.GCIdle)
		on := r.t.Time[trace.Running] + r.t.Time[trace.Native]
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
	if r.t.Service > 0 || len(r.t.Waits) >= trace.MaxWaits {
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
