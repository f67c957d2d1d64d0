package lab_test

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
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
	first := stopped(t, e, 3, 2)
	second := stopped(t, e, 5, 1, lab.Resume())
	// What comes first is what was measured in whole rounds, then a warm-up.
	whole := slices.DeleteFunc(slices.Clone(first.Trials), func(t lab.Trial) bool { return t.Round == 0 || t.Round == 3 })
	if n := len(whole); n == 0 || len(second.Trials) <= n || second.Trials[n].Round != 0 ||
		!slices.EqualFunc(whole, second.Trials[:n], func(a, b lab.Trial) bool {
			return a.Variant == b.Variant && a.Size == b.Size && a.Round == b.Round && a.Wall == b.Wall
		}) {
		t.Fatalf(
			"%d trials, then %d; the second part does not go on from the %d of whole rounds",
			len(first.Trials),
			len(second.Trials),
			n,
		)
	}
	if second.Elapsed < first.Elapsed {
		t.Errorf("%v in all after %v", second.Elapsed, first.Elapsed)
	}
	r, err := e.Run(context.Background(), lab.Resume())
	if err != nil || r.Interrupted || len(r.Resumed) != 2 {
		t.Fatalf("error %v, interrupted %v, resumed %v", err, r.Interrupted, r.Resumed)
	}

	// Every trial is there once, in the order of the seed; the warm-up is the last part's.
	piece := e
	piece.Dir, piece.Seed = t.TempDir(), r.Seed
	want, err := piece.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	byRound := func(trials []lab.Trial) []lab.Trial {
		return slices.SortedStableFunc(slices.Values(trials), func(a, b lab.Trial) int { return a.Round - b.Round })
	}
	if !slices.EqualFunc(byRound(r.Trials), want.Trials, func(a, b lab.Trial) bool {
		return a.Variant == b.Variant && a.Size == b.Size && a.Round == b.Round && a.Control == b.Control &&
			a.Answer == b.Answer
	}) {
		t.Errorf("%d trials, want the %d of a run in one piece", len(r.Trials), len(want.Trials))
	}
	for i, trial := range r.Trials {
		if trial.Order != i {
			t.Errorf("trial %d has the place %d", i, trial.Order)
		}
	}
	if r.Trials[0].Round == 0 {
		t.Error("the warm-up was not run again")
	}
	if !slices.ContainsFunc(r.Warnings(), func(w lab.Warning) bool { return w.Kind == "resumed" }) {
		t.Error("no warning says that it was resumed")
	}

	// Nothing is left to measure.
	again, err := e.Run(
		context.Background(),
		lab.Resume(),
		lab.Observe(func(lab.Progress) { t.Error("something is measured") }),
	)
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
	e.Variants = []lab.Variant{
		{Name: "moody", Scheduler: runner{"moody", func(ctx context.Context, tasks []sched.Task) error {
			if broken {
				return errors.New("not now")
			}
			return loop.run(ctx, tasks)
		}}},
	}
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

// A variant that failed is measured again together with its baseline: ratios are of one round, and
// all of a round is measured at one time.
func TestResumeMeasuresRoundsWhole(t *testing.T) {
	e := experiment(t)
	e.Sizes = []int{10, 20}
	broken := true
	e.Variants = []lab.Variant{
		{Name: "moody", Scheduler: runner{"moody", func(ctx context.Context, tasks []sched.Task) error {
			if broken && len(tasks) == 20 {
				return errors.New("not now")
			}
			return loop.run(ctx, tasks)
		}}},
	}
	first, err := e.Run(context.Background())
	if err == nil {
		t.Fatal("no error")
	}
	broken = false
	r, err := e.Run(context.Background(), lab.Resume())
	if err != nil {
		t.Fatal(err)
	}
	at := func(r *lab.Result, size int) (walls []int64) {
		for _, t := range r.Trials {
			if t.Size == size && t.Round > 0 {
				walls = append(walls, int64(t.Wall))
			}
		}
		return walls
	}
	if !slices.Equal(at(first, 10), at(r, 10)) {
		t.Error("what was complete was measured again")
	}
	last := -1 // of what was kept
	for i, trial := range r.Trials {
		if trial.Size == 10 && trial.Round > 0 {
			last = i
		} else if trial.Size == 20 && i < last {
			t.Fatalf("trial %d at size 20 is of the first run", i)
		}
	}
}

func TestResumeStartsOver(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, e *lab.Experiment){
		"another GOMAXPROCS": func(t *testing.T, _ *lab.Experiment) {
			old := runtime.GOMAXPROCS(0)
			runtime.GOMAXPROCS(old + 1)
			t.Cleanup(func() { runtime.GOMAXPROCS(old) })
		},
		"another seed":    func(_ *testing.T, e *lab.Experiment) { e.Seed = 7 },
		"another version": func(_ *testing.T, e *lab.Experiment) { e.Versions = map[string]string{"library": "2"} },
	} {
		t.Run(name, func(t *testing.T) {
			e := experiment(t)
			e.Seed = 5
			if name == "another GOMAXPROCS" {
				e.Seed = 0
			}
			first := stopped(t, e, 3, 2)
			change(t, &e)
			r, err := e.Run(context.Background(), lab.Resume())
			if err != nil || len(r.Resumed) > 0 || r.Trials[0].Round != 0 || r.Seed == first.Seed && name != "another version" {
				t.Errorf("error %v, resumed %v, seed %d after %d", err, r.Resumed, r.Seed, first.Seed)
			}
		})
	}
	t.Run("the same seed goes on", func(t *testing.T) {
		e := experiment(t)
		e.Seed = 5
		stopped(t, e, 3, 2)
		if r, err := e.Run(context.Background(), lab.Resume()); err != nil || len(r.Resumed) != 1 {
			t.Errorf("error %v, resumed %v", err, r.Resumed)
		}
	})
}

// Where nobody wants what was measured, nothing of it stays.
func TestGivenUp(t *testing.T) {
	for cause, want := range map[error]int{lab.ErrGivenUp: 0, context.Canceled: 3} {
		e := experiment(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		_, err := e.Run(ctx, lab.Observe(func(p lab.Progress) {
			if p.Round == 2 {
				cancel(cause)
			}
		}))
		files, globErr := filepath.Glob(filepath.Join(e.Dir, "*"))
		if !errors.Is(err, context.Canceled) || globErr != nil || len(files) != want {
			t.Errorf("%v: error %v, files %q, want %d", cause, err, files, want)
		}
	}
}
