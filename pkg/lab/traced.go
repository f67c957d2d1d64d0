package lab

import (
	"context"
	"errors"
	"fmt"
	runtimetrace "runtime/trace"
	"slices"

	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
	"overlap/pkg/sched"
)

// Traced has every variant run once more at the largest size, after the rounds and under an
// execution trace; see [Result.Traced]. Those runs are no trials: a trace costs time. Each task is
// a region of the type "task" in its trace. With [Resume], only the variants that have no trace yet
// are run for one.
func Traced() Option { return func(x *execution) { x.traced = true } }

// A TracedTrial is a run of a variant under an execution trace.
type TracedTrial struct {
	Variant string `json:"variant"`
	Size    int    `json:"size"`

	probe.Usage // of this run, which the trace slows down

	Tasks        int     `json:"tasks"`
	InFlightMax  int     `json:"in_flight_max"`
	InFlightMean float64 `json:"in_flight_mean"`
	Workers      int     `json:"workers"`

	Trace   *trace.Trace `json:"trace,omitempty"`   // nil where Problem says why
	Problem string       `json:"problem,omitempty"` // why there is no trace, only a part of it, or no usage
}

// untraced reports whether a variant is still to be traced.
func (x *execution) untraced() bool {
	return x.traced && slices.ContainsFunc(x.variants, func(v Variant) bool { return !x.hasTrace(v.Name) })
}

func (x *execution) hasTrace(variant string) bool {
	size := slices.Max(x.Sizes)
	return slices.ContainsFunc(x.result.Traced, func(t TracedTrial) bool {
		return t.Variant == variant && t.Size == size && t.Trace != nil
	})
}

// addTraced keeps a traced run in the order of the variants, in place of an earlier one.
func (x *execution) addTraced(t TracedTrial) {
	kept := slices.DeleteFunc(x.result.Traced, func(o TracedTrial) bool {
		return o.Variant == t.Variant && o.Size == t.Size
	})
	x.result.Traced = append(kept, t)
	slices.SortStableFunc(x.result.Traced, func(a, b TracedTrial) int {
		return slices.Index(x.result.Variants, a.Variant) - slices.Index(x.result.Variants, b.Variant)
	})
}

// trace runs each variant that lacks one under a trace. What fails here is told with the run and
// spoils no trial. done is how many trials there were before.
func (x *execution) trace(ctx context.Context, done int) error {
	size := slices.Max(x.Sizes)
	interrupted := func(cause error) error {
		return fmt.Errorf("lab: %q interrupted in its traced runs, all else was measured: %w", x.Name, cause)
	}
	for v, variant := range x.variants {
		s := step{v, size, false}
		if x.failed[s] || x.hasTrace(variant.Name) {
			continue
		}
		x.report(Progress{Round: x.Repeats + 1, Variant: variant.Name, Size: size, Done: done + v})
		if err := context.Cause(ctx); err != nil {
			return interrupted(err)
		}
		t := TracedTrial{Variant: variant.Name, Size: size}
		tracer, err := trace.Start(0)
		if err != nil {
			t.Problem = err.Error()
			x.addTraced(t)
			continue
		}
		// To read a long trace takes seconds, and an interrupt leaves few.
		drop := context.AfterFunc(ctx, tracer.Discard)
		trial, runErr := x.trial(ctx, s, 0, tracer)
		tr, traceErr := tracer.Stop()
		if dropped := !drop(); dropped {
			cause := x.atThatTime(s, context.Cause(ctx), runErr)
			if errors.As(runErr, new(*sched.PanicError)) { // a panic is no way to stop
				t.Problem = runErr.Error()
				x.addTraced(t)
				cause = fmt.Errorf("%w; then %s failed: %w", cause, variant.Name, runErr)
			}
			return interrupted(cause)
		}
		t.Trace, t.Usage = tr, trial.Usage
		t.Tasks, t.InFlightMax, t.InFlightMean, t.Workers = trial.Tasks, trial.InFlightMax, trial.InFlightMean, trial.Workers
		if err := errors.Join(runErr, traceErr); err != nil {
			t.Problem = err.Error()
		}
		x.addTraced(t)
	}
	return nil
}

// regions returns tasks that mark themselves in a trace.
func regions(tasks []sched.Task) []sched.Task {
	marked := make([]sched.Task, len(tasks))
	for i, task := range tasks {
		if task == nil {
			continue
		}
		marked[i] = func(ctx context.Context) error {
			defer runtimetrace.StartRegion(ctx, "task").End()
			return task(ctx)
		}
	}
	return marked
}
