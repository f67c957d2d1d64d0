// Package corpus holds small Go programs, each with the verdict that a careful
// engineer would give it. They were written, and their verdicts settled, before
// package verdict's thresholds were: they test its judgement and are not made
// from it.
//
// Every program keeps to one process and the loopback network, takes 60 to
// 400 ms on an idle 2-core machine unless its point is to be short, stops when
// its context ends, and leaves no goroutine behind. Work on the CPU is a fixed
// amount that is calibrated once, so that a busy machine makes a program
// slower and does not give it less to do. The amount grows with the CPUs of
// the machine and not with GOMAXPROCS: run again with GOMAXPROCS 1, a program
// does the same work.
package corpus

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/verdict"
)

// A Program is a small piece of concurrent or seemingly concurrent code and
// what is right to say of it.
type Program struct {
	Name  string // unique, lower case with hyphens
	Group string // what it is made of: "CPU", "waits", "HTTP", "locks", ...

	// Right are the verdicts that are right. The first is the best one. There
	// are more where two causes mix, and where two verdicts are two names of
	// one fact: work that a lock lets through one at a time is both held up by
	// a lock and one at a time.
	Right []verdict.Kind
	By    string // what makes it so, in a few words
	Why   string // the reasoning, in a sentence

	// Before, where it is not nil, makes what the program finds in place: a
	// pool that is older than the work, a server that is somebody else's. It
	// is called before the program is watched, and after it what Before
	// returned. Run works without it too, and then makes these things itself.
	Before func() (after func(), err error)

	// Run is what is watched.
	Run func(ctx context.Context) error

	Again bool // to be watched with verdict.Again
	Hard  bool // easily judged wrong

	// Quota, where it is not 0, is the CPU quota in CPUs under which the
	// program has to run. A process cannot well set its own: the command
	// overlap-verdicts runs these in a child process in a cgroup, and package
	// corpus holds evidence that was recorded so. Without the quota they run
	// as well, but the verdict is another. All of them suppose two CPUs or
	// more.
	Quota float64
}

// Programs returns the programs that may be used to settle thresholds. Their
// right verdicts are those for the CPUs that this process may use.
func Programs() []Program { return ProgramsOn(width()) }

// HoldOut returns the programs that are kept for the end: no threshold may be
// chosen by them. Their right verdicts are those for the CPUs that this
// process may use.
func HoldOut() []Program { return HoldOutOn(width()) }

// ProgramsOn returns [Programs] with the verdicts that are right on a machine
// of so many CPUs, for evidence that was recorded on one.
func ProgramsOn(cpus int) []Program {
	return slices.Concat(cpuPrograms(cpus), waitPrograms(), oneAtATimePrograms(cpus), tooFewPrograms(),
		oversubscribedPrograms(), lockPrograms(cpus), longTaskPrograms(cpus), tooSmallPrograms(),
		sharedPrograms(cpus), quotaPrograms(), collectorPrograms(cpus), cannotTellPrograms(cpus))
}

// width returns how many CPUs this process may use, a fraction of one counted
// as one. GOMAXPROCS is not among what bounds it: a program does the same work
// whatever that is.
var width = sync.OnceValue(func() int {
	return max(1, int(math.Ceil(probe.CPUs().Count)))
})

// ByName returns the program of that name.
func ByName(programs []Program, name string) (Program, error) {
	for _, p := range programs {
		if p.Name == name {
			return p, nil
		}
	}
	return Program{}, fmt.Errorf("corpus: program %q: there is none of that name", name)
}

// Mixed reports whether the honest answer is that one cannot tell, or whether
// more than one verdict is right.
func (p Program) Mixed() bool {
	return len(p.Right) > 1 || p.Right[0] == verdict.CannotTell
}

const ms = time.Millisecond

// kinds is a list of right verdicts, the best one first.
func kinds(k ...verdict.Kind) []verdict.Kind { return k }

// several picks the verdicts for a machine of several CPUs, or those for one
// CPU, on which there is nothing that could run at the same time.
func several(cpus int, many []verdict.Kind, one ...verdict.Kind) []verdict.Kind {
	if cpus > 1 {
		return many
	}
	return one
}
