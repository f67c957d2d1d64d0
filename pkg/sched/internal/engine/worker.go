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
// reports false where the scheduler has no workers: with [Goroutines] each task
// has a goroutine of its own, also if a task that has a worker calls Run.
// [Sequential] and [Dispatchers.Unconfined] run their tasks where they are
// called, and so these are on the worker that the caller is on.
//
// A goroutine that a task starts by itself is on no worker. With the task's
// context, Worker returns the task's there.
func Worker(ctx context.Context) (WorkerInfo, bool) {
	if ctx == nil {
		return WorkerInfo{}, false
	}
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

// withoutWorker returns a context for tasks that are on no worker, although the
// one that runs them may be.
func withoutWorker(ctx context.Context) context.Context {
	if _, ok := Worker(ctx); !ok {
		return ctx
	}
	return context.WithValue(ctx, workerKey{}, nil)
}
