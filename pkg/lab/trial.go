package lab

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"overlap/pkg/internal/guard"
	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
	"overlap/pkg/sched"
)

// settleLimit is how long a run waits for tasks that a scheduler left running.
const settleLimit = 10 * time.Second

// leastWait is what each of them gets even so: one that only has to return needs a turn on a CPU.
const leastWait = 250 * time.Millisecond

// An answer is what the others' answers must equal, and whose it is: the baseline's, or, where that
// failed, the first that there was.
type answer struct{ text, by string }

// errStuck is the failure of a scheduler or workload that goes on when it should stop.
var errStuck = errors.New("it does not stop")

// trial runs one step and returns what was measured, or why it does not count. A tracer, if there
// is one, watches it.
func (x *execution) trial(ctx context.Context, s step, round int, tracer *trace.Tracer) (Trial, error) {
	v := x.variants[s.variant]
	tasks, finish, err := x.makeTasks(ctx, v.Workload, s.size)
	if err != nil {
		return Trial{}, err
	}
	rec := newRecorder(len(tasks))
	left := probe.Left()
	usage, err, ended := x.runTasks(ctx, v.Scheduler, rec, rec.wrap(tasks), tracer)
	if !ended { // finish would release what the tasks use
		return Trial{}, err
	}
	var text string
	asked := safely("the workload", func() (err error) {
		text, err = finish()
		return err
	})
	ferr, ended := x.endOf(ctx, asked)
	if !ended {
		leaveUntil(asked)
		return Trial{}, errors.Join(err, fmt.Errorf("%w: the workload still makes its answer", errStuck))
	}
	if err == nil {
		err = rec.check()
	}
	if err = errors.Join(err, ferr); err != nil {
		return Trial{}, err
	}
	text = utf8Text(text)
	want, known := x.answers[s.size]
	if !known {
		x.answers[s.size] = answer{text, v.Name}
	} else if text != want.text {
		return Trial{}, fmt.Errorf("wrong answer %q, where %s gives %q", text, want.by, want.text)
	}
	t := Trial{Variant: v.Name, Size: s.size, Round: round, Control: s.control, Usage: usage, Left: left, Answer: text}
	rec.fill(&t)
	if round == 1 && !s.control {
		t.Spans = rec.spans()
	}
	return t, nil
}

// makeTasks has the workload make its tasks, which is not measured.
func (x *execution) makeTasks(ctx context.Context, w Workload, size int) ([]sched.Task, func() (string, error), error) {
	var tasks []sched.Task // no named results: the goroutine may write them after the return
	var finish func() (string, error)
	made := safely("the workload", func() (err error) {
		tasks, finish, err = w.Tasks(size)
		if err == nil && finish == nil {
			err = errors.New("the workload gave no finish function")
		}
		return err
	})
	err, ended := x.endOf(ctx, made)
	if ended {
		return tasks, finish, err
	}
	over := make(chan error, 1)
	leaveUntil(over)
	go func() {
		err := <-made
		if err == nil { // too late: nobody is there to run them
			err = <-safely("the workload", func() error { _, err := finish(); return err })
		}
		over <- err
	}()
	return nil, nil, fmt.Errorf("%w: the workload still makes its tasks", errStuck)
}

// runTasks measures a run of tasks that record themselves. It reports whether all of them ended.
func (x *execution) runTasks(ctx context.Context, s sched.Scheduler, rec *recorder, tasks []sched.Task,
	tracer *trace.Tracer) (used probe.Usage, err error, ended bool) {
	run := s.Run
	if tracer != nil {
		tasks = regions(tasks)
		run = func(ctx context.Context, tasks []sched.Task) (err error) {
			tracer.Root(ctx, func(ctx context.Context) { err = s.Run(ctx, tasks) })
			return err
		}
	}
	// Collected, and given back to the system: so every trial pays for the memory that it touches,
	// whichever ran before it, as in a process of its own.
	debug.FreeOSMemory()
	var usage probe.Usage // not the result, as the goroutine may write it after the return
	done := safely("the scheduler", func() error {
		meter := probe.Start()
		rec.base = time.Now()
		err := run(ctx, tasks)
		usage = meter.Stop()
		return err
	})
	select {
	case err = <-done:
	case <-ctx.Done():
		var stopped bool
		if err, stopped = rec.stop(done, guard.StopWithin(ctx), x.rest()); !stopped {
			probe.Leave(func() int { return max(1-len(done), rec.running()) })
			return probe.Usage{}, fmt.Errorf("%w: %s still running, which may go on using CPUs", errStuck, rec.atWork()), false
		}
	}
	if n := rec.running(); n > 0 {
		err = errors.Join(err,
			fmt.Errorf("the scheduler returned while %d of %d tasks were still running", n, len(tasks)))
		begun := time.Now()
		if !rec.settle(ctx, x.rest) {
			probe.Leave(rec.running)
			return usage, errors.Join(err, fmt.Errorf("after %v %s still running: later trials may be slower for it",
				time.Since(begun).Round(100*time.Millisecond), rec.atWork())), false
		}
	}
	return usage, err, true
}

// safely calls a scheduler or workload of somebody's own on a goroutine of its own, so that neither
// a panic nor runtime.Goexit loses what is measured. The channel gives its error.
func safely(who string, run func() error) <-chan error {
	done := make(chan error, 1)
	go func() {
		err := fmt.Errorf("%s or a task of it called runtime.Goexit instead of returning", who)
		defer func() { done <- err }()
		err = guard.Call(run)
		if p, ok := err.(*guard.PanicError); ok {
			err = &ownPanic{who, p}
		}
	}()
	return done
}

// An ownPanic is a panic of a scheduler or workload outside of tasks.
type ownPanic struct {
	who   string
	panic *guard.PanicError
}

func (p *ownPanic) Error() string {
	return fmt.Sprintf("%s panicked: %v\n%s", p.who, p.panic.Value, p.panic.Stack)
}
func (p *ownPanic) Unwrap() error { return p.panic }

// endOf waits for the end of what a workload does beside its tasks, which may be to wait for a
// server, and reports false where ctx is done and it does not end.
func (x *execution) endOf(ctx context.Context, done <-chan error) (err error, ended bool) {
	return guard.Await(ctx, done, func() time.Duration { return min(guard.StopWithin(ctx), x.rest()) })
}

// leaveUntil notes that work goes on until something is sent to the channel, from which nobody
// receives.
func leaveUntil(over <-chan error) { probe.Leave(func() int { return 1 - len(over) }) }
