package lab_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	runtimetrace "runtime/trace"
	"slices"
	"strings"
	"testing"
	"time"

	"overlap/pkg/lab"
	"overlap/pkg/sched"
)

func napping(t *testing.T) lab.Experiment {
	return lab.Experiment{
		Name: "Naps",
		Workload: adder{work: func(context.Context, int) error {
			time.Sleep(2 * time.Millisecond)
			return nil
		}},
		Schedulers: []sched.Scheduler{sched.Sequential(), sched.Goroutines(), sched.EventLoop()},
		Sizes:      []int{3, 8, 5},
		Repeats:    1,
		Dir:        t.TempDir(),
	}
}

func TestTraced(t *testing.T) {
	if runtimetrace.IsEnabled() {
		t.Skip("the tests are being traced")
	}
	e := napping(t)
	var last lab.Progress
	r, err := e.Run(t.Context(), lab.Traced(), lab.Observe(func(p lab.Progress) {
		if p.Done < last.Done || p.Done > p.Total {
			t.Errorf("%d of %d done after %d", p.Done, p.Total, last.Done)
		}
		last = p
	}))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Traced) != 3 {
		t.Fatalf("%d traced runs, want 3", len(r.Traced))
	}
	for i, run := range r.Traced {
		if run.Variant != r.Variants[i] || run.Size != 8 || run.Tasks != 8 || run.Problem != "" || run.Wall <= 0 {
			t.Errorf("traced run %d: %+v", i, run)
		}
		if k := run.Trace.Tasks; k.By != "region" || k.Region != "task" || k.Life.N != 8 ||
			k.Outside.Sum < 16*time.Millisecond {
			t.Errorf("%s: tasks %+v", run.Variant, k)
		}
	}
	if last.Done != last.Total {
		t.Errorf("at the end %d of %d are done", last.Done, last.Total)
	}
	if len(r.Trials) != 3*4*2 {
		t.Errorf("%d trials, want 24: the traced runs are none", len(r.Trials))
	}

	again, err := e.Load()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.Traced, r.Traced) {
		t.Error("what was traced is not what was saved")
	}
	with, err := r.CSV()
	if err != nil {
		t.Fatal(err)
	}
	again.Traced = nil
	if without, err := again.CSV(); err != nil || string(with) != string(without) {
		t.Errorf("traces change the CSV (%v)", err)
	}
	if text, err := again.JSON(); err != nil || strings.Contains(string(text), "traced") {
		t.Errorf("untraced results speak of traces (%v)", err)
	}
}

func TestTracedProblems(t *testing.T) {
	if runtimetrace.IsEnabled() {
		t.Skip("the tests are being traced")
	}
	e := napping(t)
	runs := 0
	e.Schedulers = append(
		e.Schedulers[:1],
		runner{"fails when traced", func(ctx context.Context, tasks []sched.Task) error {
			if runtimetrace.IsEnabled() {
				return errors.New("not now")
			}
			runs++
			return sched.Sequential().Run(ctx, tasks)
		}},
	)
	r, err := e.Run(t.Context(), lab.Traced())
	if err != nil || len(r.Failures) > 0 {
		t.Fatalf("%v, failures %v", err, r.Failures)
	}
	if got := r.Traced[1]; !strings.Contains(got.Problem, "not now") || got.Trace == nil || runs == 0 {
		t.Errorf("%+v after %d runs", got, runs)
	}
}

func TestTracedInterrupted(t *testing.T) {
	e := napping(t)
	if runtimetrace.IsEnabled() {
		t.Skip("the tests are being traced")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	r, err := e.Run(ctx, lab.Traced(), lab.Observe(func(p lab.Progress) {
		if p.Round > p.Repeats && p.Variant == e.Schedulers[1].Name() {
			cancel(errors.New("enough"))
		}
	}))
	if err == nil || !strings.Contains(fmt.Sprint(err), "enough") || r.Interrupted || len(r.Traced) != 1 {
		t.Fatalf("%v; interrupted %v, %d traced runs", err, r.Interrupted, len(r.Traced))
	}
	// The rounds are whole: only what was not traced is still to come.
	var ran []string
	again, err := e.Run(t.Context(), lab.Traced(), lab.Resume(), lab.Observe(func(p lab.Progress) {
		if !p.Finished {
			ran = append(ran, fmt.Sprintf("%d %s", p.Round, p.Variant))
		}
	}))
	if err != nil || !slices.Equal(ran, []string{"2 " + r.Variants[1], "2 " + r.Variants[2]}) ||
		len(again.Trials) != len(r.Trials) {
		t.Errorf("%v; ran %q", err, ran)
	}
	for i, run := range again.Traced {
		if run.Variant != r.Variants[i] || run.Trace == nil {
			t.Errorf("traced run %d: %+v", i, run)
		}
	}
	stored, err := e.Load()
	if err != nil || len(stored.Traced) != 3 {
		t.Errorf("%v; stored are %d traced runs", err, len(stored.Traced))
	}
	if again, err := e.Run(t.Context(), lab.Traced(), lab.Resume(),
		lab.Observe(func(lab.Progress) { t.Error("something runs") })); err != nil ||
		len(again.Traced) != 3 {
		t.Errorf("%v; %d traced runs", err, len(again.Traced))
	}
}

func TestTracedLater(t *testing.T) {
	if runtimetrace.IsEnabled() {
		t.Skip("the tests are being traced")
	}
	e := napping(t)
	r, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := e.Run(t.Context(), lab.Traced(), lab.Resume())
	if err != nil || len(again.Traced) != 3 || len(again.Trials) != len(r.Trials) || len(again.Resumed) > 0 {
		t.Errorf(
			"%v; %d traced runs, %d trials after %d, resumed %v",
			err,
			len(again.Traced),
			len(again.Trials),
			len(r.Trials),
			again.Resumed,
		)
	}
}

// A killed process does not lose whole rounds for want of a trace.
func TestTracedSavesFirst(t *testing.T) {
	if runtimetrace.IsEnabled() {
		t.Skip("the tests are being traced")
	}
	e := napping(t)
	looked := false
	_, err := e.Run(t.Context(), lab.Traced(), lab.Observe(func(p lab.Progress) {
		if p.Round > p.Repeats && !looked {
			looked = true
			if r, err := e.Load(); err != nil || r.Interrupted || len(r.Trials) != len(p.Result.Trials) {
				t.Errorf("before the traced runs is stored: %v", err)
			}
		}
	}))
	if err != nil || !looked {
		t.Errorf("%v, looked %v", err, looked)
	}
}

// A run that is interrupted under a trace is told of, and its trace not read.
func TestTracedRunInterrupted(t *testing.T) {
	if runtimetrace.IsEnabled() {
		t.Skip("the tests are being traced")
	}
	e := napping(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	e.Schedulers = append(
		e.Schedulers[:1],
		runner{"cancels when traced", func(ctx context.Context, tasks []sched.Task) error {
			if runtimetrace.IsEnabled() {
				cancel(errors.New("enough"))
			}
			return sched.Sequential().Run(context.WithoutCancel(ctx), tasks)
		}},
	)
	r, err := e.Run(ctx, lab.Traced())
	if err == nil || !strings.Contains(err.Error(), "enough") || r.Interrupted || len(r.Traced) != 1 {
		t.Errorf("%v; interrupted %v, %d traced runs", err, r.Interrupted, len(r.Traced))
	}
	if runtimetrace.IsEnabled() {
		t.Error("the trace goes on")
	}
}

// TestTracedPanicAtTheInterruptIsKept has a task, or the scheduler itself, panic under a trace when
// it is told to stop.
func TestTracedPanicAtTheInterruptIsKept(t *testing.T) {
	if runtimetrace.IsEnabled() {
		t.Skip("the tests are being traced")
	}
	for want, run := range map[string]func(ctx context.Context, tasks []sched.Task) error{
		"task 0: panic: assignment to entry in nil map": func(ctx context.Context, _ []sched.Task) error {
			return sched.Goroutines().Run(context.WithoutCancel(ctx),
				[]sched.Task{func(context.Context) error { write(nil); return nil }})
		},
		"the scheduler panicked: assignment to entry in nil map": func(context.Context,
			[]sched.Task) error {
			write(nil)
			return nil
		},
	} {
		e := napping(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		e.Schedulers = append(
			e.Schedulers[:1],
			runner{"panics when traced", func(ctx context.Context, tasks []sched.Task) error {
				if runtimetrace.IsEnabled() {
					cancel(errors.New("enough"))
					return run(ctx, tasks)
				}
				return sched.Sequential().Run(ctx, tasks)
			}},
		)
		r, err := e.Run(ctx, lab.Traced())
		if err == nil || !strings.Contains(err.Error(), "enough; then panics when traced failed: "+want) {
			t.Errorf("error %v, want %s", err, want)
		}
		if len(r.Traced) != 2 || r.Interrupted || r.Traced[1].Trace != nil || !strings.Contains(r.Traced[1].Problem, want) {
			t.Errorf("interrupted %v, traced runs %+v", r.Interrupted, r.Traced)
		}
	}
}
