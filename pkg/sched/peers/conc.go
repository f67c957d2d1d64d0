package peers

import (
	"github.com/sourcegraph/conc/pool"

	"overlap/pkg/sched"
)

// Conc returns the scheduler that runs tasks on a pool of package conc with n
// goroutines at most. Tasks go through an unbuffered channel, and the
// submitting goroutine waits when all are busy: with as many workers as CPUs
// that loses an eighth on tasks of 0.2 ms, as workers wait for the submitter's
// turn. n below 1 is an error that Run returns.
func Conc(n int) sched.Scheduler { return peer("conc", n, openConc) }

func openConc(n int) (sched.TaskPool, error) {
	p := pool.New().WithMaxGoroutines(n)
	return sched.TaskPool{Submit: func(f func()) error { p.Go(f); return nil }, Close: p.Wait}, nil
}
