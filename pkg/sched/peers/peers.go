// Package peers makes schedulers of widely used pool libraries, so that they
// can be measured beside those of package sched on the same tasks:
//
//	Ants(n)  github.com/panjf2000/ants/v2
//	Conc(n)  github.com/sourcegraph/conc/pool
//	Pond(n)  github.com/alitto/pond/v2
//
// Each Run makes a pool of n workers and takes it down, and keeps all that
// [sched.Scheduler] promises. The libraries have queues and workers; panics,
// errors and cancellation each treats in its own way, or not at all: ants
// prints a panic, conc raises it again in Wait, pond makes an error of it. So
// [sched.Adapt] hands them functions that do that themselves, the same way for
// all.
//
// With empty tasks, 100,000 of them on two CPUs, that adds 0.1 µs a task to the
// 0.07 µs of a bare pool of pond, 0.04 µs to the 0.25 µs of conc, and nothing
// that shows to the 0.46 µs of ants, whose users need a sync.WaitGroup as well.
// See the rows "raw" of BenchmarkEmptyTask.
package peers

import (
	"fmt"

	"overlap/pkg/sched"
)

// peer returns the scheduler on a library's pool of n workers.
func peer(library string, n int, open func(n int) (sched.TaskPool, error)) sched.Scheduler {
	return sched.Adapt(fmt.Sprintf("%s(%d)", library, n), n, func() (sched.TaskPool, error) { return open(n) })
}
