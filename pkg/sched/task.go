package sched

import (
	"context"

	"overlap/pkg/internal/guard"
	"overlap/pkg/sched/internal/engine"
)

// A Task is one piece of work. It returns nil when it has done it. A task that can take long should
// return early once ctx is done.
//
// The context that a task gets descends from the one given to [Scheduler.Run] and carries the worker it
// runs on, if there is one: see [Worker].
type Task = engine.Task

// WorkerInfo says which worker of a scheduler a task is on: its ID, which counts from 1 within one Run,
// or within one kotlin.Dispatchers, and its Thread, the OS thread's id where the worker is locked to
// one, else 0. Its String is "worker-3".
type WorkerInfo = engine.WorkerInfo

// Worker returns the worker that the task with this context runs on. It reports false where the
// scheduler has no workers: with [Goroutines] each task has a goroutine of its own, also if a task that
// has a worker calls Run. [Sequential] runs its tasks where it is called, and so these are on the worker
// that the caller is on.
//
// A goroutine that a task starts by itself is on no worker. With the task's context, Worker returns the
// task's there.
func Worker(ctx context.Context) (WorkerInfo, bool) { return engine.Worker(ctx) }

// A TaskError is the failure of one task: Task is its index in the slice given to Run, from 0, and Err,
// to which it unwraps, what it returned, a [*PanicError], or [ErrGoexit].
type TaskError = engine.TaskError

// A PanicError is a panic that a task did not recover from: its Value, to which it unwraps where that is
// an error, and the Stack of the task's goroutine.
type PanicError = guard.PanicError

// ErrGoexit is the failure of a task that ended its goroutine with runtime.Goexit, as testing's FailNow
// does, instead of returning.
var ErrGoexit = guard.ErrGoexit

// A StoppedError says that the context of a run was done before all of its tasks had been started: Left
// of Of were not. errors.Is finds the context's cause and its error in it, and the failure of a task
// that came after that.
//
// Held says what had kept tasks from starting until then, such as a bound that those that were running
// had reached; where the context ended by a deadline also that they may wait for ever. It is empty where
// nothing is known to have, and where it goes without saying.
type StoppedError = engine.StoppedError
