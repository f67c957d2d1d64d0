package peers

import (
	"context"

	"github.com/panjf2000/ants/v2"

	"overlap/pkg/sched"
)

// Ants returns the scheduler that runs tasks on a pool of package ants with n
// workers. Its submitting goroutine waits when all are busy: the pool has no
// queue. n below 1 is an error that Run returns.
func Ants(n int) sched.Scheduler { return peer("ants", n, openAnts) }

func openAnts(n int) (sched.TaskPool, error) {
	// Workers are to stay for the run, so nothing has to look for idle ones.
	p, err := ants.NewPool(n, ants.WithDisablePurge(true))
	if err != nil {
		return sched.TaskPool{}, err
	}
	// Release would return while workers end. This waits for them, and has no
	// other error than that the pool is closed.
	return sched.TaskPool{Submit: p.Submit, Close: func() { _ = p.ReleaseContext(context.Background()) }}, nil
}
