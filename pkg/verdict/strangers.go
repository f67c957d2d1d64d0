package verdict

import (
	"fmt"
	"slices"

	"overlap/pkg/probe/trace"
)

// strangers is how many CPUs the process used beside the work's goroutines and
// the collector: goroutines from before, or another watched function. What the
// runtime itself uses is in it, too. It is 0 where the trace does not tell.
func (r *reading) strangers() float64 {
	if r.t == nil || !r.measured || r.t.Truncated || slices.Contains(r.t.Missing, trace.ThreadClocks) {
		return 0
	}
	return max(0, r.used-r.computes-ratio(r.t.GC, r.covered()))
}

// strangersCompute is for work beside which others in the same process use as
// much CPU time as it does: CPU time is the process's, so nothing can be said
// of the work by it.
func strangersCompute(r *reading) *finding {
	n := r.strangers()
	if n < limits.strangers*r.cpus || n < r.computes {
		return nil
	}
	// Goroutines in calls of C may wait for threads that C itself started: that
	// is the work's own.
	if ratio(r.t.Time[trace.Syscall]+r.t.Time[trace.Native], r.covered()) >= limits.strangers {
		return nil
	}
	f := cannotTell("other goroutines",
		fmt.Sprintf("%s CPUs were used by what is not the watched function's: goroutines from before, another Watch, "+
			"or the runtime. Its own were on %s.", digits(n), digits(r.computes)),
		"Watch it while nothing else runs in this process.")
	f.decided = []string{numUsed, numActive}
	return f
}
