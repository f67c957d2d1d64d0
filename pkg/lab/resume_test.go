package lab_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"overlap/pkg/lab"
	"overlap/pkg/sched"
)

// stopped runs an experiment until a round begins, and then for some trials.
func stopped(t *testing.T, e lab.Experiment, round, trials int, opts ...lab.Option) *lab.Result {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	r, err := e.Run(ctx, append(opts, lab.Observe(func(p lab.Progress) {
		if p.Round == round && !p.Finished {
			if n++; n > trials {
				cancel()
			}
		}
	}))...)
	if !errors.Is(err, context.Canceled) || !r.Interrupted {
		t.Fatalf("error %v", err)
	}
	return r
}

func TestResume(t *testing.T) {
	e := experiment(t)
	steps := []int{}
	first := stopped(t, e, 3, 2)
	steps = append(steps, len(first.Trials))
	second := stopped(t, e, 5, 1, lab.Resume())
	steps = append(steps, len(second.Trials))
	if !slices.EqualFunc(first.Trials, second.Trials[:len(first.Trials)], func(a, b lab.Trial) bool {
		return a.Variant == b.Variant && a.Size == b.Size && a.Round == b.Round && a.Wall == b.Wall
	}) || len(second.Trials) <= len(first.Trials) {
		t.Fatalf("trials after each part: %d; the second does not go on from the first", steps)
	}
	if second.Elapsed < first.Elapsed {
		t.Errorf("%v in all after %v", second.Elapsed, first.Elapsed)
	}
	r, err := e.Run(context.Background(), lab.Resume())
	if err != nil || r.Interrupted || len(r.Resumed) != 2 {
		t.Fatalf("error %v, interrupted %v, resumed %v", err, r.Interrupted, r.Resumed)
	}

	// As if nothing had happened: every trial once, in the order of the seed.
	whole := e
	whole.Dir, whole.Seed = t.TempDir(), r.Seed
	want, err := whole.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(r.Trials, want.Trials, func(a, b lab.Trial) bool {
		return a.Variant == b.Variant && a.Size == b.Size && a.Round == b.Round && a.Control == b.Control && a.Order == b.Order && a.Answer == b.Answer
	}) {
		t.Errorf("%d trials, want the %d of a run in one piece", len(r.Trials), len(want.Trials))
	}
	if !slices.ContainsFunc(r.Warnings(), func(w lab.Warning) bool { return w.Kind == "resumed" }) {
		t.Error("no warning says that it was resumed")
	}

	// Nothing is left to measure.
	again, err := e.Run(context.Background(), lab.Resume(), lab.Observe(func(lab.Progress) { t.Error("something is measured") }))
	if err != nil || !again.Started.Equal(r.Started) || len(again.Trials) != len(r.Trials) {
		t.Errorf("a complete run was not returned as it is: %v", err)
	}
	// Without the option it starts over.
	fresh, err := e.Run(context.Background())
	if err != nil || fresh.Seed == r.Seed || len(fresh.Resumed) > 0 {
		t.Errorf("started over at %v, error %v", fresh.Started, err)
	}
}

func TestResumeMeasuresWhatFailed(t *testing.T) {
	e := experiment(t)
	broken := true
	e.Variants = []lab.Variant{{Name: "moody", Scheduler: runner{"moody", func(ctx context.Context, tasks []sched.Task) error {
		if broken {
			return errors.New("not now")
		}
		return loop.run(ctx, tasks)
	}}}}
	if _, err := e.Run(context.Background()); err == nil {
		t.Fatal("no error")
	}
	broken = false
	r, err := e.Run(context.Background(), lab.Resume())
	if err != nil || len(r.Failures) > 0 {
		t.Fatalf("error %v, failures %v", err, r.Failures)
	}
	for _, v := range r.Variants {
		for _, size := range r.Sizes {
			if n := len(r.Of(v, size)); n != r.Repeats {
				t.Errorf("%s at %d has %d trials, want %d", v, size, n, r.Repeats)
			}
		}
	}
}

func TestResumeWithNothingStored(t *testing.T) {
	e := experiment(t)
	r, err := e.Run(context.Background(), lab.Resume())
	if err != nil || len(r.Resumed) > 0 || r.Interrupted {
		t.Errorf("error %v, resumed %v", err, r.Resumed)
	}
}

// An answer that an earlier part gave is what later ones must equal.
func TestResumeComparesAnswers(t *testing.T) {
	e := experiment(t)
	answer := "right"
	e.Workload = adder{answer: func(int64) string { return answer }}
	stopped(t, e, 2, 1)
	answer = "changed"
	if r, err := e.Run(context.Background(), lab.Resume()); err == nil || len(r.Failures) == 0 {
		t.Errorf("another answer than before the interrupt passes: %v", err)
	}
}
