package engine

import (
	"context"
	"strconv"
)

// WorkerInfo is sched.WorkerInfo.
type WorkerInfo struct {
	ID     int // counts from 1 within one Run, or within one kotlin.Dispatchers
	Thread int // the OS thread's id where the worker is locked to one, else 0
}

// String returns "worker-3".
func (w WorkerInfo) String() string { return "worker-" + strconv.Itoa(w.ID) }

type workerKey struct{}

// Worker is sched.Worker.
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

// WithWorker returns a context for the tasks that a worker runs. It is made once a worker, not once a
// task.
func WithWorker(ctx context.Context, w WorkerInfo) context.Context {
	return context.WithValue(ctx, workerKey{}, &w)
}

// WithoutWorker returns a context for tasks that are on no worker, although the one that runs them may
// be.
func WithoutWorker(ctx context.Context) context.Context {
	if _, ok := Worker(ctx); !ok {
		return ctx
	}
	return context.WithValue(ctx, workerKey{}, nil)
}

// LoopKey is the key for the event loop that a task is on.
type LoopKey struct{}

// OffLoop returns the context for what a task on an event loop has done elsewhere.
func OffLoop(ctx context.Context) context.Context {
	if ctx.Value(LoopKey{}) == nil {
		return ctx
	}
	return context.WithValue(ctx, LoopKey{}, nil)
}
