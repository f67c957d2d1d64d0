package lab_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"overlap/pkg/lab"
	"overlap/pkg/probe"
	"overlap/pkg/sched"
)

func TestFailuresLoseNothingElse(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name   string
		broken lab.Variant
		want   string
	}{
		{"a task fails", lab.Variant{Scheduler: loop, Workload: adder{work: func(context.Context,
			int) error {
			return boom
		}}}, "boom"},
		{"a wrong answer", lab.Variant{Scheduler: loop, Workload: adder{answer: func(int64) string { return "41" }}},
			`wrong answer "41", where loop gives "3"`},
		{"a dropped task", lab.Variant{Scheduler: runner{"x", func(ctx context.Context,
			ts []sched.Task) error {
			return loop.run(ctx, ts[1:])
		}},
			Workload: adder{answer: func(int64) string { return "3" }}}, "of 3 tasks it dropped 1"},
		{"a task twice", lab.Variant{Scheduler: runner{"x", func(ctx context.Context,
			ts []sched.Task) error {
			return loop.run(ctx, append(ts[:3:3], ts[0]))
		}}}, "ran 1 more than once"},
		{"a task ends its goroutine", lab.Variant{Scheduler: loop, Workload: adder{work: func(context.Context,
			int) error {
			runtime.Goexit()
			return nil
		}}}, "runtime.Goexit"},
		{"the workload panics", lab.Variant{Scheduler: loop,
			Workload: adder{answer: func(int64) string { panic("no answer") }}}, "the workload panicked: no answer"},
		{"the scheduler panics", lab.Variant{Scheduler: runner{"x", func(context.Context,
			[]sched.Task) error {
			panic("oops")
		}}}, "the scheduler panicked: oops"},
		{"back too early", lab.Variant{Scheduler: runner{"x", func(ctx context.Context, ts []sched.Task) error {
			started := make(chan struct{})
			go func() { close(started); loop.run(ctx, ts) }()
			<-started
			time.Sleep(2 * time.Millisecond)
			return nil
		}}, Workload: adder{work: func(context.Context, int) error { time.Sleep(20 * time.Millisecond); return nil }}},
			"still running"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := experiment(t)
			e.Schedulers, e.Sizes = []sched.Scheduler{loop}, []int{3}
			c.broken.Name = "broken"
			e.Variants = []lab.Variant{c.broken}
			r, err := e.Run(context.Background())
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "broken at size 3") {
				t.Fatalf("error %v, want %q", err, c.want)
			}
			if n := len(r.Of("loop", 3)); n != 7 {
				t.Errorf("the sound variant has %d trials, want all 7", n)
			}
			if len(r.Failures) != 1 {
				t.Errorf("failures: %v", r.Failures)
			}
			if again, err := e.Load(); err != nil || len(again.Trials) != len(r.Trials) {
				t.Errorf("the rest was not saved: %v", err)
			}
		})
	}
}

func TestSchedulerThatDoesNotStop(t *testing.T) {
	e := experiment(t)
	release := make(chan struct{})
	defer close(release)
	ctx, cancel := context.WithCancel(context.Background())
	var runs atomic.Int64
	e.Schedulers, e.Sizes = []sched.Scheduler{loop, runner{"deaf", func(ctx context.Context, tasks []sched.Task) error {
		if runs.Add(1) == 4 {
			cancel()
			return tasks[0](context.WithoutCancel(ctx))
		}
		return loop.run(ctx, tasks)
	}}}, []int{3}
	e.Workload = adder{work: func(context.Context, int) error {
		if runs.Load() >= 4 {
			<-release
		}
		return nil
	}}
	r, err := e.Run(ctx)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "deaf: it does not stop") ||
		!strings.Contains(err.Error(), "task 0 of 3 is still running, which may go on using CPUs") {
		t.Errorf("error %v", err)
	}
	if !r.Interrupted || len(r.Of("deaf", 3)) != 2 {
		t.Errorf("interrupted %v with %d trials", r.Interrupted, len(r.Of("deaf", 3)))
	}
}

func TestWorkloadThatDoesNotStop(t *testing.T) {
	for _, where := range []string{"tasks", "answer"} {
		e := experiment(t)
		release := make(chan struct{})
		limit := &timeLimit{Context: context.Background(), done: make(chan struct{})} // which is waited for less long
		var made, asked, ended atomic.Int64
		wait := func(n int64) {
			if n == 10 {
				limit.pass()
				<-release
			}
		}
		w := slow{tasks: func() { made.Add(1) }, answer: func() { asked.Add(1) }, ended: &ended}
		if where == "tasks" {
			w.tasks = func() { wait(made.Add(1)) }
		} else {
			w.answer = func() { wait(asked.Add(1)) }
		}
		e.Workload, e.Schedulers, e.Sizes = w, []sched.Scheduler{loop}, []int{3}
		r, err := e.Run(limit)
		if !errors.Is(err, context.DeadlineExceeded) ||
			!strings.Contains(err.Error(), "it does not stop: the workload still makes its "+where) {
			t.Errorf("%s: error %v", where, err)
		}
		if !r.Interrupted || len(r.Trials) != 9 {
			t.Errorf("%s: interrupted %v with %d trials", where, r.Interrupted, len(r.Trials))
		}
		if n := probe.Left(); n != 1 {
			t.Errorf("%s: %d are said to run, want 1", where, n)
		}
		close(release) // what comes then is released all the same
		for end := time.Now().Add(time.Minute); probe.Left() > 0 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		if n, left := ended.Load(), probe.Left(); n != 10 || left != 0 {
			t.Errorf("%s: %d runs were ended, want 10, and %d are said to run", where, n, left)
		}
	}
}

func TestPanicKeepsItsStack(t *testing.T) {
	e := experiment(t)
	e.Schedulers = []sched.Scheduler{sched.Goroutines()}
	e.Workload = adder{work: func(_ context.Context, task int) error {
		if task == 2 {
			write(nil)
		}
		return nil
	}}
	r, err := e.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "task 2: panic: assignment to entry in nil map") {
		t.Errorf("error %v", err)
	}
	if len(r.Failures) != 2 || !strings.Contains(r.Failures[0].Stack, "lab_test.go") {
		t.Errorf("failures %+v", r.Failures)
	}
}

func TestBaselineThatFails(t *testing.T) {
	e := experiment(t)
	e.Sizes = []int{3}
	e.Schedulers = nil
	e.Variants = []lab.Variant{
		{
			Name:      "base",
			Scheduler: loop,
			Workload:  adder{work: func(context.Context, int) error { return errors.New("boom") }},
		},
		{Name: "first", Scheduler: loop},
		{Name: "odd", Scheduler: loop, Workload: adder{answer: func(int64) string { return "41" }}},
		{Name: "second", Scheduler: together},
	}
	r, err := e.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), `where first gives "3"`) {
		t.Errorf("error %v", err)
	}
	if len(r.Failures) != 2 || len(r.Of("second", 3)) != 7 {
		t.Errorf("failures %v, %d trials of a sound variant", r.Failures, len(r.Of("second", 3)))
	}
}
