package sched

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
)

// Threads returns the scheduler that gives each task an OS thread of its own,
// which no other task uses and which ends with the task: the counterpart of
// the JVM's platform threads. [Worker] tells a task its thread; its ID is the
// task's index and one. Still no more than GOMAXPROCS of the threads run Go
// code at the same moment.
//
// Go ends the process at the 10,000th thread (see [runtime/debug.SetMaxThreads]), and
// also when the system refuses it one. So there is a bound: 8,000 threads on
// Linux, 1,000 elsewhere, and less where debug.SetMaxThreads, RLIMIT_NPROC,
// the pids limit of a cgroup, kernel.threads-max or kernel.pid_max say so.
// Some threads are left to the rest of the process and of the system. At the
// bound a further task waits until a thread has ended, and if the run's context
// is done before that, Run's error names the bound. The bound that [Facts]
// tells is the one for a run that has all these threads to itself; the threads
// of all runs in the process count together, those of [Dispatchers] too. Where
// there is no room for a single thread, Run returns an error that names the
// limit, and so it does where a task of a Threads run calls Run on Threads with
// its own context and the outer runs have taken all room, as waiting for them
// could last for ever. With any other context it waits.
//
// To learn the limit of debug.SetMaxThreads it has to be set for a moment: do
// not change it at the time of a run.
func Threads() Scheduler { return threads{} }

type threads struct{}

func (threads) Name() string { return "threads" }

func (threads) Facts() Facts {
	most := mostThreads
	for _, l := range threadLimits() {
		most = min(most, l.usable())
	}
	most = max(1, most)
	return Facts{Kind: KindThreads, Limit: most, Rule: fmt.Sprintf("at most %d OS threads at once, as far as the limits of the system and the process leave room: Go ends a process with 10,000", most)}
}

func (s threads) Run(ctx context.Context, tasks []Task) error { return execute(ctx, tasks, s) }

func (threads) exec(r *run, lo, hi int) {
	t := &threadRun{r: r, ctx: context.WithValue(r.ctx, onThreadKey{}, true)}
	t.nested = r.parent.Value(onThreadKey{}) != nil
	for i := lo; i < hi; i++ {
		if r.stopped() {
			r.skip(hi - i)
			break
		}
		if err := osThreads.startTask(t); err != nil {
			r.skip(hi - i)
			if r.ctx.Err() == nil {
				r.abort(err)
			}
			break
		}
		r.wg.Add(1)
		go t.task(i)
	}
	r.wg.Wait()
}

// A threadRun is a run on threads.
type threadRun struct {
	r      *run
	ctx    context.Context
	nested bool // a task of another such run called Run
	// running counts the threads of this run.
	running atomic.Int64
}

// onThreadKey marks contexts of tasks on threads.
type onThreadKey struct{}

func (t *threadRun) task(i int) {
	r := t.r
	// Never unlocked: so the thread ends with the goroutine.
	runtime.LockOSThread()
	osThreads.alive.Add(1)
	returned := false
	defer r.wg.Done()
	defer osThreads.endTask(t)
	defer r.guard(&i, &returned)
	if r.stopped() {
		r.skip(1)
	} else if err := r.tasks[i](withWorker(t.ctx, WorkerInfo{ID: i + 1, Thread: threadID()})); err != nil {
		r.fail(i, err)
	}
	returned = true
}
