// Package peers makes schedulers of widely used pool libraries, so that they can be measured beside those of
// package sched on the same tasks:
//
//	Ants(n)  github.com/panjf2000/ants/v2
//	Conc(n)  github.com/sourcegraph/conc/pool
//	Pond(n)  github.com/alitto/pond/v2
//
// Each Run makes a pool of n workers and takes it down, and keeps all that [sched.Scheduler] promises; n below
// 1 is an error that Run returns. The libraries have queues and workers; panics, errors and cancellation each
// treats in its own way, or not at all: ants prints a panic, conc raises it again in Wait, pond makes an error
// of it. So [sched.Adapt] hands them functions that do that themselves, the same way for all. To add a
// library, write a function like these.
//
// With empty tasks, 100,000 of them on two CPUs, that adds 0.1 µs a task to the 0.07 µs of a bare pool of
// pond, 0.04 µs to the 0.25 µs of conc, and nothing that shows to the 0.46 µs of ants, whose users need a
// sync.WaitGroup as well. See the rows "raw" of BenchmarkEmptyTask.
package peers

import (
	"context"
	"fmt"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"
	"github.com/sourcegraph/conc/pool"

	"overlap/pkg/sched"
)

// peer returns the scheduler on a library's pool of n workers.
func peer(library string, n int, open func() (sched.TaskPool, error)) sched.Scheduler {
	return sched.Adapt(fmt.Sprintf("%s(%d)", library, n), n, open)
}

// Ants returns the scheduler that runs tasks on a pool of package ants with n workers. Its submitting goroutine
// waits when all are busy: the pool has no queue.
func Ants(n int) sched.Scheduler {
	return peer("ants", n, func() (sched.TaskPool, error) {
		// Workers are to stay for the run, so nothing has to look for idle ones.
		p, err := ants.NewPool(n, ants.WithDisablePurge(true))
		if err != nil {
			return sched.TaskPool{}, err
		}
		// Release would return while workers end. This waits for them, and has no other error than that the
		// pool is closed.
		return sched.TaskPool{Submit: p.Submit, Close: func() { _ = p.ReleaseContext(context.Background()) }}, nil
	})
}

// Conc returns the scheduler that runs tasks on a pool of package conc with n goroutines at most. Tasks go
// through an unbuffered channel, and the submitting goroutine waits when all are busy: with as many workers as
// CPUs that loses an eighth on tasks of 0.2 ms, as workers wait for the submitter's turn.
func Conc(n int) sched.Scheduler {
	return peer("conc", n, func() (sched.TaskPool, error) {
		p := pool.New().WithMaxGoroutines(n)
		return sched.TaskPool{Submit: func(f func()) error { p.Go(f); return nil }, Close: p.Wait}, nil
	})
}

// Pond returns the scheduler that runs tasks on a pool of package pond with n workers at most and a queue
// without bound.
func Pond(n int) sched.Scheduler {
	return peer("pond", n, func() (sched.TaskPool, error) {
		p := pond.NewPool(n)
		return sched.TaskPool{Submit: p.Go, Close: p.StopAndWait}, nil
	})
}
