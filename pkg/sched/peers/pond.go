package peers

import (
	"github.com/alitto/pond/v2"

	"overlap/pkg/sched"
)

// Pond returns the scheduler that runs tasks on a pool of package pond with n
// workers at most and a queue without bound. n below 1 is an error that Run
// returns.
func Pond(n int) sched.Scheduler { return peer("pond", n, openPond) }

func openPond(n int) (sched.TaskPool, error) {
	p := pond.NewPool(n)
	return sched.TaskPool{Submit: p.Go, Close: p.StopAndWait}, nil
}
