// Package sched decides when and where tasks run, and nothing else.
//
// A [Scheduler] is handed a slice of tasks and returns when they are done. The schedulers here are small
// on purpose: each is the shortest honest Go counterpart of a way that other languages run tasks, and
// each can be read in a minute.
//
//	Sequential()       a plain loop on the caller's goroutine
//	Goroutines()       one goroutine a task (the JVM's virtual threads)
//	Pool(n)            n numbered workers that take task after task
//	Executor()         Pool of the size that asyncio's default executor has
//	Threads()          one OS thread a task (the JVM's platform threads)
//	EventLoop()        coroutines that take turns on one thread
//	AwaitEach(inner)   starts each task on inner and waits for it before the next
//	Adapt(…)           any other pool, such as those of package peers
//
// Package kotlin has Kotlin's dispatchers Default and IO: two views of one set of workers.
//
// What every scheduler promises is written at [Scheduler]; package schedtest holds any implementation to
// it. To add a scheduler, write a file like pool.go: a type with Name, Limit, [Facts] with a [Kind] of its
// own, Exec, which gives tasks their turns, and Run, which is engine.Execute; that sees to failures,
// stops and panics.
// Then add it to the list in sched_test.go, which holds it to all promises.
package sched

import "context"

// A Scheduler runs tasks. Every implementation keeps these promises, which package schedtest checks:
//
//   - Each task is started at most once, and exactly once if no task fails and ctx is not done.
//   - Run returns when all tasks that started have returned: nothing of a run is left behind.
//   - The first failure cancels the context of all tasks and no further task is started. Run returns
//     that failure as a [*TaskError], which says which task it was. A task that panics, or ends its
//     goroutine with runtime.Goexit, has failed: a panic arrives as a [*PanicError] that keeps the
//     stack, Goexit as [ErrGoexit].
//   - Once ctx is done no further task is started, and if that left a task unstarted Run returns an
//     error for which errors.Is(err, context.Cause(ctx)) holds, here a [*StoppedError]. If every task
//     had returned nil before, Run returns nil.
//   - A scheduler with a bound (see [Facts]) never has more tasks running.
//   - Run may be called any number of times, also at once from many goroutines, and by a task of its own
//     with that task's context; runs do not share their bounds, but for the threads of [Threads], which
//     are the process's, and the views of package kotlin.
//   - No tasks is no work: Run returns nil at once, or ctx's error.
//   - A nil task is that task's failure.
//   - A task may return with its goroutine still locked to its thread (runtime.LockOSThread): no other
//     task comes to harm by that.
//
// To the schedulers of this package a nil ctx is an error, too.
//
// Where the Go runtime ends the process nobody can make an error of it: for maps that are written at
// once, a stack that is used up, no memory, os.Exit. And a task that neither returns nor heeds its
// context keeps Run from returning: lab.Experiment and verdict.Watch have a time limit for those.
//
// [Sequential] runs tasks on the caller's goroutine, so there a task's runtime.Goexit ends the caller.
type Scheduler interface {
	Run(ctx context.Context, tasks []Task) error

	// Name names the scheduler and its parameters as results and charts show it, such as "pool(4)". Two
	// schedulers of one experiment have two names.
	Name() string
}
