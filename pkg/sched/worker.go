package sched

import (
	"context"
	"strconv"
)

// WorkerInfo says which worker of a scheduler a task is on.
type WorkerInfo struct {
	ID     int // counts from 1 within one Run, or within one Dispatchers
	Thread int // the OS thread's id where the worker is locked to one, else 0
}

// String returns "worker-3".
func (w WorkerInfo) String() string { return "worker-" + strconv.Itoa(w.ID) }

// Worker returns the worker that the task with this context runs on. It
// reports false where the scheduler has no workers: there each task has a
// goroutine of its own.
func Worker(ctx context.Context) (WorkerInfo, bool) {
	w, ok := ctx.Value(workerKey{}).(*WorkerInfo)
	if !ok {
		return WorkerInfo{}, false
	}
	return *w, true
}

type workerKey struct{}

// withWorker returns a context for the tasks that a worker runs. It is made
// once a worker, not once a task.
func withWorker(ctx context.Context, w WorkerInfo) context.Context {
	return context.WithValue(ctx, workerKey{}, &w)
}
