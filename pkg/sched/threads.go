package sched

import (
	"context"
	"fmt"
	"runtime"

	"overlap/pkg/sched/internal/engine"
	"overlap/pkg/sched/internal/osthreads"
)

// Threads returns the scheduler that gives each task an OS thread of its own, which no other task uses
// and which ends with the task: the counterpart of the JVM's platform threads. [Worker] tells a task its
// thread; its ID is the task's index and one. Still no more than GOMAXPROCS of the threads run Go code
// at the same moment.
//
// Go ends the process at the 10,000th thread (see [runtime/debug.SetMaxThreads]), and also when the
// system refuses it one. So there is a bound: 8,000 threads on Linux, 1,000 elsewhere, and less where
// debug.SetMaxThreads, RLIMIT_NPROC, the pids limit of a cgroup, kernel.threads-max or kernel.pid_max
// say so. Some threads are left to the rest of the process and of the system. At the bound a further
// task waits until a thread has ended, and if the run's context is done before that, Run's error names
// the bound. The bound that [Facts] tell is the one for a run that has all these threads to itself; the
// threads of all runs in the process count together, those of package kotlin's dispatchers too. Where
// there is no room for a single thread, Run returns an error that names the limit, and so it does where
// a task of a Threads run calls Run on Threads with its own context and the outer runs have taken all
// room, as waiting for them could last for ever. With any other context it waits.
//
// To learn the limit of debug.SetMaxThreads it has to be set for a moment: do not change it at the time
// of a run.
func Threads() Scheduler { return threads{} }

type threads struct{}

func (threads) Name() string { return "threads" }

func (threads) Limit() int { return osthreads.Limit() }

func (s threads) Facts() Facts {
	n := s.Limit()
	return Facts{Kind: KindThreads, Limit: n, Rule: fmt.Sprintf("at most %d OS threads at once, "+
		"as far as the limits of the system and the process leave room: Go ends a process with 10,000", n)}
}

func (s threads) Run(ctx context.Context, tasks []Task) error { return engine.Execute(ctx, tasks, s) }

// onThreadKey marks contexts of tasks on threads.
type onThreadKey struct{}

func (threads) Exec(r *engine.Run, lo, hi int) {
	t := &osthreads.Run{Ctx: r.Ctx, Held: &r.Held, Nested: r.Parent.Value(onThreadKey{}) != nil}
	ctx := context.WithValue(r.Ctx, onThreadKey{}, true)
	for i := lo; i < hi; i++ {
		if r.Stopped() {
			r.Skip(hi - i)
			break
		}
		if err := t.Start(); err != nil {
			r.Skip(hi - i)
			if r.Ctx.Err() == nil {
				r.Abort(err)
			}
			break
		}
		r.WG.Add(1)
		go onThread(ctx, r, t, i)
	}
	r.WG.Wait()
}

func onThread(ctx context.Context, r *engine.Run, t *osthreads.Run, i int) {
	// Never unlocked: so the thread ends with the goroutine.
	runtime.LockOSThread()
	osthreads.Has()
	returned := false
	defer r.WG.Done()
	defer t.End()
	defer r.Guard(&i, &returned)
	if r.Stopped() {
		r.Skip(1)
	} else {
		r.Do(i, engine.WithWorker(ctx, WorkerInfo{ID: i + 1, Thread: osthreads.ID()}))
	}
	returned = true
}
