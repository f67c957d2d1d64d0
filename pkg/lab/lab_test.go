package lab_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"overlap/pkg/lab"
	"overlap/pkg/probe"
	"overlap/pkg/sched"
)

// adder is a workload whose answer is how many of its tasks ran.
type adder struct {
	work   func(ctx context.Context, task int) error
	answer func(ran int64) string
	closed *atomic.Int64
}

func (adder) Spec() (string, map[string]string) { return "adder", map[string]string{"step": "1"} }
func (adder) Unit() string                      { return "tasks" }

func (a adder) Tasks(size int) ([]sched.Task, func() (string, error), error) {
	var ran atomic.Int64
	tasks := make([]sched.Task, size)
	for i := range tasks {
		tasks[i] = func(ctx context.Context) error {
			ran.Add(1)
			if a.work != nil {
				return a.work(ctx, i)
			}
			return nil
		}
	}
	finish := func() (string, error) {
		if a.closed != nil {
			a.closed.Add(1)
		}
		if a.answer != nil {
			return a.answer(ran.Load()), nil
		}
		return fmt.Sprint(ran.Load()), nil
	}
	return tasks, finish, nil
}

// runner is a scheduler made of a function, for those that misbehave.
type runner struct {
	name string
	run  func(ctx context.Context, tasks []sched.Task) error
}

func (r runner) Name() string                                      { return r.name }
func (r runner) Run(ctx context.Context, tasks []sched.Task) error { return r.run(ctx, tasks) }

var loop = runner{"loop", func(ctx context.Context, tasks []sched.Task) error {
	for _, task := range tasks {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := task(ctx); err != nil {
			return err
		}
	}
	return nil
}}

// together starts a goroutine a task.
var together = runner{"together", func(ctx context.Context, tasks []sched.Task) error {
	errs := make(chan error, len(tasks))
	for _, task := range tasks {
		go func() { errs <- task(ctx) }()
	}
	var err error
	for range tasks {
		err = errors.Join(err, <-errs)
	}
	return err
}}

func experiment(t *testing.T) lab.Experiment {
	return lab.Experiment{
		Name: "Adding", Workload: adder{}, Schedulers: []sched.Scheduler{loop, together},
		Sizes: []int{3, 5}, Repeats: 7, Dir: t.TempDir(),
	}
}

func TestRunMeasuresEveryVariantInEveryRound(t *testing.T) {
	var closed atomic.Int64
	e := experiment(t)
	e.Workload = adder{closed: &closed}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	// 8 rounds with the warm-up, 2 sizes, 2 variants and the control.
	if want := 8 * 2 * 3; len(r.Trials) != want || closed.Load() != int64(want) {
		t.Fatalf("%d trials, %d finished, want %d", len(r.Trials), closed.Load(), want)
	}
	for i, trial := range r.Trials {
		if trial.Order != i || trial.Tasks != trial.Size || trial.Answer != fmt.Sprint(trial.Size) || trial.Wall <= 0 {
			t.Errorf("trial %d: %+v", i, trial)
		}
		if kept := trial.Round == 1 && !trial.Control; kept != (len(trial.Spans) == trial.Size) {
			t.Errorf("round %d control %v keeps %d spans", trial.Round, trial.Control, len(trial.Spans))
		}
	}
	for _, size := range e.Sizes {
		for _, v := range r.Variants {
			if n := len(r.Of(v, size)); n != 7 {
				t.Errorf("%s at %d: %d measured trials, want 7", v, size, n)
			}
		}
		if _, ok := r.NoiseFloor(size); !ok {
			t.Errorf("no noise floor at %d", size)
		}
		if s := r.Speedup("loop", size); s.Median != 1 || s.N != 7 {
			t.Errorf("the baseline's speedup is %v", s)
		}
	}
}

func TestOrderIsShuffledAndSeedRepeatsIt(t *testing.T) {
	order := func(seed uint64) (names []string) {
		e := experiment(t)
		e.Seed = seed
		r, err := e.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if r.Seed == 0 {
			t.Error("the seed is not recorded")
		}
		for _, trial := range r.Trials {
			names = append(names, fmt.Sprint(trial.Round, trial.Variant, trial.Size, trial.Control))
		}
		return names
	}
	a, b, c := order(1), order(1), order(2)
	if !slices.Equal(a, b) {
		t.Error("one seed gave two orders")
	}
	if slices.Equal(a, c) {
		t.Error("two seeds gave one order")
	}
	// A seed that nobody gave is chosen, and recorded as well, so that the order can be had again.
	// order checks that it is there.
	order(0)
}

func TestInFlightIsCounted(t *testing.T) {
	var all atomic.Int64
	e := experiment(t)
	e.Sizes, e.Repeats = []int{4}, 1
	e.Schedulers = []sched.Scheduler{loop}
	e.Variants = []lab.Variant{
		{Name: "all at once", Scheduler: together, Workload: adder{work: func(ctx context.Context, _ int) error {
			// Every task waits until all four run, so four are in flight in truth.
			for n := all.Add(1); all.Load() < (n+3)/4*4; {
				time.Sleep(100 * time.Microsecond)
			}
			return nil
		}}},
	}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Of("loop", 4)[0].InFlightMax; got != 1 {
		t.Errorf("a loop has %d in flight", got)
	}
	if got := r.Of("all at once", 4)[0].InFlightMax; got != 4 {
		t.Errorf("four at once have %d in flight", got)
	}
}

func TestBadExperiments(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*lab.Experiment)
		want string
	}{
		{"no schedulers", func(e *lab.Experiment) { e.Schedulers = nil }, "no schedulers"},
		{"nil scheduler", func(e *lab.Experiment) { e.Schedulers[0] = nil }, "scheduler 1 of 2 is nil"},
		{"no workload", func(e *lab.Experiment) { e.Workload = nil }, "no workload"},
		{"nil in an interface", func(e *lab.Experiment) { e.Workload = (*adder)(nil) }, "panicked when asked"},
		{"no sizes", func(e *lab.Experiment) { e.Sizes = nil }, "no sizes"},
		{"size 0", func(e *lab.Experiment) { e.Sizes = []int{0} }, "size 0"},
		{"negative size", func(e *lab.Experiment) { e.Sizes = []int{5, -3} }, "size -3"},
		{"a size twice", func(e *lab.Experiment) { e.Sizes = []int{5, 5} }, "there twice"},
		{"negative repeats", func(e *lab.Experiment) { e.Repeats = -1 }, "-1 repeats"},
		{"repeats 0", func(e *lab.Experiment) { e.Repeats = 0 }, "0 repeats: set Repeats to at least 1"},
		{"unknown baseline", func(e *lab.Experiment) { e.Baseline = "x" }, `"x" is none`},
		{"a name of two lines", func(e *lab.Experiment) { e.Schedulers = []sched.Scheduler{runner{"two\nlines", loop.run}} },
			`the name "two\nlines" is not one line`},
		{"a name that is no text", func(e *lab.Experiment) { e.Variants = []lab.Variant{{Name: "\xff", Scheduler: loop}} },
			`the name "\xff" is not one line`},
		{"one name twice", func(e *lab.Experiment) { e.Schedulers = []sched.Scheduler{loop, loop} },
			`two variants are called "loop"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := experiment(t)
			c.edit(&e)
			r, err := e.Run(context.Background())
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), e.Name) || r != nil {
				t.Fatalf("error %v, result %v; want an error with %q", err, r, c.want)
			}
		})
	}
}

// slow is a workload that waits before it has its tasks, or its answer.
type slow struct {
	adder
	tasks, answer func()
	ended         *atomic.Int64
}

func (s slow) Tasks(size int) ([]sched.Task, func() (string, error), error) {
	s.tasks()
	tasks, finish, err := s.adder.Tasks(size)
	return tasks, func() (string, error) {
		s.answer()
		s.ended.Add(1)
		return finish()
	}, err
}

func write(m map[string]int) { m["x"] = 1 }

// A trial pays for the memory that it touches, and for no other's.
func TestPeakMemoryIsTheTrialsOwn(t *testing.T) {
	const big = 128 << 20
	touch := func(bytes int) adder {
		return adder{work: func(context.Context, int) error {
			data := make([]byte, bytes)
			for i := 0; i < len(data); i += 4096 {
				data[i] = 1
			}
			runtime.KeepAlive(data)
			return nil
		}}
	}
	e := experiment(t)
	e.Schedulers, e.Sizes, e.Repeats = nil, []int{1}, 2
	e.Variants = []lab.Variant{
		{Name: "big", Scheduler: loop, Workload: touch(big)},
		{Name: "small", Scheduler: loop, Workload: touch(1 << 20)},
	}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	least, most := r.Of("big", 1)[0].PeakMemory, int64(0)
	for _, trial := range r.Of("big", 1) {
		least = min(least, trial.PeakMemory)
	}
	for _, trial := range r.Of("small", 1) {
		if !trial.Has(probe.PeakMemory) {
			t.Skip("this system gives no peak memory")
		}
		most = max(most, trial.PeakMemory)
	}
	// What the race detector keeps is in both.
	if least < big || most > least-big/2 {
		t.Errorf("touching 128 MB has a peak of %d MB at least, touching 1 MB of %d MB at most", least>>20, most>>20)
	}
}

// Two runs at once in one program, into one folder: both are whole and say so, and what is stored
// is one of them.
func TestTwoRunsAtOnce(t *testing.T) {
	e := experiment(t)
	e.Workload = adder{work: func(context.Context, int) error { time.Sleep(time.Millisecond); return nil }}
	var results [2]*lab.Result
	var ready, done sync.WaitGroup
	ready.Add(2)
	for i := range results {
		done.Go(func() {
			wait := sync.OnceFunc(func() { ready.Done(); ready.Wait() })
			var err error
			if results[i], err = e.Run(t.Context(), lab.Observe(func(lab.Progress) { wait() })); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	stored, err := e.Load()
	if err != nil {
		t.Fatal(err)
	}
	same := false
	for _, r := range results {
		if !r.Beside || !slices.ContainsFunc(r.Warnings(), func(w lab.Warning) bool { return w.Kind == "not alone" }) ||
			len(r.Trials) != 48 {
			t.Errorf("beside another: %v, %d trials, warnings %v", r.Beside, len(r.Trials), r.Warnings())
		}
		same = same || stored.Seed == r.Seed && len(stored.Trials) == 48
	}
	if !same {
		t.Errorf("stored is seed %d with %d trials", stored.Seed, len(stored.Trials))
	}
	if r, err := e.Run(t.Context()); err != nil || r.Beside {
		t.Errorf("afterwards: %v, beside another: %v", err, r.Beside)
	}
}

// latin is a workload whose parameter and answers are bytes that are no UTF-8, as names of files
// and checksums can be.
type latin struct{ adder }

func (latin) Spec() (string, map[string]string) {
	return "latin", map[string]string{"file": "d\xe9j\xe0"}
}

func TestAgainst(t *testing.T) {
	r, err := experiment(t).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	other := r.Against("together")
	if s := other.Speedup("together", 5); s.Median != 1 || r.Baseline != "loop" {
		t.Errorf("%v against itself; the first result's baseline is %q", s, r.Baseline)
	}
	a, _ := r.NoiseFloor(5)
	b, ok := other.NoiseFloor(5)
	if a != b || !ok {
		t.Errorf("the noise floor changed from %v to %v", a, b)
	}
}

func TestProgress(t *testing.T) {
	e := experiment(t)
	last := -1
	finished := 0
	_, err := e.Run(context.Background(), lab.Observe(func(p lab.Progress) {
		if p.Done < last || p.Done > p.Total || p.Total != 48 || p.Repeats != 7 {
			t.Errorf("progress %+v after %d", p, last)
		}
		last = p.Done
		if p.Finished {
			finished++
		}
	}))
	if err != nil || last != 48 || finished != 1 {
		t.Errorf("%v; ended at %d, finished %d times", err, last, finished)
	}
}
