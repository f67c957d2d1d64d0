package lab_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	// A seed that nobody gave is chosen, and recorded as well, so that the order
	// can be had again. order checks that it is there.
	order(0)
}

func TestInFlightIsCounted(t *testing.T) {
	var all atomic.Int64
	e := experiment(t)
	e.Sizes, e.Repeats = []int{4}, 1
	e.Schedulers = []sched.Scheduler{loop}
	e.Variants = []lab.Variant{{Name: "all at once", Scheduler: together, Workload: adder{work: func(ctx context.Context, _ int) error {
		// Every task waits until all four run, so four are in flight in truth.
		for n := all.Add(1); all.Load() < (n+3)/4*4; {
			time.Sleep(100 * time.Microsecond)
		}
		return nil
	}}}}
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
		{"a name of two lines", func(e *lab.Experiment) { e.Schedulers = []sched.Scheduler{runner{"two\nlines", loop.run}} }, `the name "two\nlines" is not one line`},
		{"a name that is no text", func(e *lab.Experiment) { e.Variants = []lab.Variant{{Name: "\xff", Scheduler: loop}} }, `the name "\xff" is not one line`},
		{"one name twice", func(e *lab.Experiment) { e.Schedulers = []sched.Scheduler{loop, loop} }, `two variants are called "loop"`},
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

func TestFailuresLoseNothingElse(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name   string
		broken lab.Variant
		want   string
	}{
		{"a task fails", lab.Variant{Scheduler: loop, Workload: adder{work: func(context.Context, int) error { return boom }}}, "boom"},
		{"a wrong answer", lab.Variant{Scheduler: loop, Workload: adder{answer: func(int64) string { return "41" }}}, `wrong answer "41", where loop gives "3"`},
		{"a dropped task", lab.Variant{Scheduler: runner{"x", func(ctx context.Context, ts []sched.Task) error { return loop.run(ctx, ts[1:]) }}, Workload: adder{answer: func(int64) string { return "3" }}}, "of 3 tasks it dropped 1"},
		{"a task twice", lab.Variant{Scheduler: runner{"x", func(ctx context.Context, ts []sched.Task) error { return loop.run(ctx, append(ts[:3:3], ts[0])) }}}, "ran 1 more than once"},
		{"a task ends its goroutine", lab.Variant{Scheduler: loop, Workload: adder{work: func(context.Context, int) error { runtime.Goexit(); return nil }}}, "runtime.Goexit"},
		{"the workload panics", lab.Variant{Scheduler: loop, Workload: adder{answer: func(int64) string { panic("no answer") }}}, "the workload panicked: no answer"},
		{"the scheduler panics", lab.Variant{Scheduler: runner{"x", func(context.Context, []sched.Task) error { panic("oops") }}}, "the scheduler panicked: oops"},
		{"back too early", lab.Variant{Scheduler: runner{"x", func(ctx context.Context, ts []sched.Task) error {
			started := make(chan struct{})
			go func() { close(started); loop.run(ctx, ts) }()
			<-started
			time.Sleep(2 * time.Millisecond)
			return nil
		}}, Workload: adder{work: func(context.Context, int) error { time.Sleep(20 * time.Millisecond); return nil }}}, "still running"},
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

func TestInterruptKeepsWhatWasMeasured(t *testing.T) {
	e := experiment(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("the reader changed their mind")
	e.Workload = adder{work: func(ctx context.Context, _ int) error { return ctx.Err() }}
	r, err := e.Run(ctx, lab.Observe(func(p lab.Progress) {
		if p.Round == 4 {
			cancel(stop)
		}
	}))
	if !errors.Is(err, stop) || !strings.Contains(err.Error(), "interrupted in round 4 of 7") {
		t.Fatalf("error %v", err)
	}
	if !r.Interrupted || len(r.Of("together", 5)) != 3 {
		t.Fatalf("interrupted %v with %d trials, want 3", r.Interrupted, len(r.Of("together", 5)))
	}
	again, err := e.Load()
	if err != nil || !again.Interrupted || len(again.Trials) != len(r.Trials) {
		t.Fatalf("loaded %v, %v", again, err)
	}
	if !slices.ContainsFunc(again.Warnings(), func(w lab.Warning) bool { return w.Kind == "interrupted" }) {
		t.Error("no warning says so")
	}
}

func TestInterruptedRunReplacesNoCompleteOne(t *testing.T) {
	e := experiment(t)
	if _, err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := e.Run(ctx, lab.Observe(func(p lab.Progress) {
		if p.Round == 2 {
			cancel()
		}
	})); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	r, err := e.Load()
	if err != nil || r.Interrupted || len(r.Trials) != 48 {
		t.Errorf("the complete result was replaced: %v", err)
	} else if !slices.ContainsFunc(r.Warnings(), func(w lab.Warning) bool { return w.Kind == "older" }) {
		t.Error("nothing says that a newer run was not completed")
	}
	if left, _ := filepath.Glob(filepath.Join(e.Dir, "*-partial*")); len(left) != 3 {
		t.Errorf("the interrupted one has the files %q", left)
	}
	if _, err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(e.Dir, "*-partial*")); len(left) != 0 {
		t.Errorf("after a complete run %q are left", left)
	}
	if r, err := e.Load(); err != nil || slices.ContainsFunc(r.Warnings(), func(w lab.Warning) bool { return w.Kind == "older" }) {
		t.Errorf("after a complete run: %v", err)
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
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "deaf: it does not stop") || !strings.Contains(err.Error(), "task 0 of 3 is still running, which may go on using CPUs") {
		t.Errorf("error %v", err)
	}
	if !r.Interrupted || len(r.Of("deaf", 3)) != 2 {
		t.Errorf("interrupted %v with %d trials", r.Interrupted, len(r.Of("deaf", 3)))
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
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "it does not stop: the workload still makes its "+where) {
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

func write(m map[string]int) { m["x"] = 1 }

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
		{Name: "base", Scheduler: loop, Workload: adder{work: func(context.Context, int) error { return errors.New("boom") }}},
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
	e.Variants = []lab.Variant{{Name: "big", Scheduler: loop, Workload: touch(big)}, {Name: "small", Scheduler: loop, Workload: touch(1 << 20)}}
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

// Two runs at once in one program, into one folder: both are whole and say so,
// and what is stored is one of them.
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
		if !r.Beside || !slices.ContainsFunc(r.Warnings(), func(w lab.Warning) bool { return w.Kind == "not alone" }) || len(r.Trials) != 48 {
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

func TestUnwritableFolderKeepsTheResult(t *testing.T) {
	e := experiment(t)
	file := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	e.Dir = filepath.Join(file, "below")
	r, err := e.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "not saved") || !strings.Contains(err.Error(), "OVERLAP_OUT") || !strings.Contains(err.Error(), "another folder") {
		t.Fatalf("error %v", err)
	}
	if len(r.Trials) != 48 {
		t.Fatalf("%d trials kept", len(r.Trials))
	}
}

func TestLoadFindsByParameters(t *testing.T) {
	e := experiment(t)
	if _, err := e.Load(); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("before the run: %v", err)
	}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	again, err := e.Load()
	if err != nil {
		t.Fatal(err)
	}
	a, _ := r.JSON()
	b, _ := again.JSON()
	if string(a) != string(b) {
		t.Error("what was loaded is not what was saved")
	}
	for name, edit := range map[string]func(*lab.Experiment){
		"sizes":      func(e *lab.Experiment) { e.Sizes = []int{4} },
		"repeats":    func(e *lab.Experiment) { e.Repeats = 8 },
		"schedulers": func(e *lab.Experiment) { e.Schedulers = e.Schedulers[:1] },
		"name":       func(e *lab.Experiment) { e.Name = "Other" },
	} {
		other := e
		edit(&other)
		_, err := other.Load()
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("other %s: %v", name, err)
		}
		// The reader is told what there is instead.
		if told := strings.Contains(err.Error(), `one for sizes [3 5], 7 repeats and ["loop" "together"]`); told != (name != "name") {
			t.Errorf("other %s: %v", name, err)
		}
	}
}

// latin is a workload whose parameter and answers are bytes that are no UTF-8, as
// names of files and checksums can be.
type latin struct{ adder }

func (latin) Spec() (string, map[string]string) {
	return "latin", map[string]string{"file": "d\xe9j\xe0"}
}

func TestBytesThatAreNoTextAreStoredAndFound(t *testing.T) {
	e := experiment(t)
	e.Workload, e.Sizes = latin{adder{answer: func(int64) string { return "\xfe" }}}, []int{3}
	r, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := e.Load()
	if err != nil || again.Trials[0].Answer != r.Trials[0].Answer || again.Specs[0].Params["file"] != r.Specs[0].Params["file"] {
		t.Errorf("%v; answers %q and %q", err, again.Trials[0].Answer, r.Trials[0].Answer)
	}
	// Two answers that are no text are still two.
	answers := []string{"\xfe", "\xff"}
	e.Workload = latin{adder{answer: func(int64) string {
		answers = append(answers[1:], answers[0])
		return answers[0]
	}}}
	if _, err := e.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "wrong answer") {
		t.Errorf("error %v", err)
	}
}

func TestLoadRefusesAnotherExperimentsFile(t *testing.T) {
	e := experiment(t)
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	other := *r
	other.Name = "Another"
	data, err := other.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(e.Dir, r.Base()+".json"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Load(); err == nil || !strings.Contains(err.Error(), "another experiment") {
		t.Errorf("error %v", err)
	}
}

func TestLoadFileRefusesWhatIsNoResult(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "text": "hello", "other format": `{"format": 99}`, "half": `{"format": 1, "trials": [`} {
		path := filepath.Join(t.TempDir(), "r.json")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := lab.LoadFile(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "give another file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestQuickMode(t *testing.T) {
	t.Setenv("OVERLAP_QUICK", "1")
	e := experiment(t)
	e.Sizes = []int{5, 100, 2_000, 10_000}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Sizes, []int{5, 100, 500}) || r.Repeats != 2 {
		t.Errorf("sizes %v, %d repeats", r.Sizes, r.Repeats)
	}
	if _, err := e.Load(); err != nil {
		t.Error(err)
	}
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

func ExampleEach() {
	work := lab.Each("greet", func(ctx context.Context, i int) error {
		fmt.Println("task", i)
		return nil
	})
	tasks, finish, err := work.Tasks(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = sched.Sequential().Run(context.Background(), tasks)
	answer, _ := finish()
	fmt.Println(answer, "done,", err)
	// Output:
	// task 0
	// task 1
	// task 2
	// 3 done, <nil>
}

func ExampleWhich() {
	dir, err := os.MkdirTemp("", "overlap")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	result, err := lab.Experiment{
		Name: "Naps", Workload: lab.Each("nap", func(context.Context, int) error { time.Sleep(time.Millisecond); return nil }),
		Schedulers: []sched.Scheduler{sched.Sequential(), sched.Goroutines()}, Sizes: []int{20}, Repeats: 6, Dir: dir,
	}.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	table := lab.Which(result)
	fmt.Println(table.Head[1], "of", table.Rows[0][0]+": some scheduler")
	// Output: shortest time of Naps, 20 tasks: some scheduler
}

func ExampleExperiment_Run() {
	dir, err := os.MkdirTemp("", "overlap")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	exp := lab.Experiment{
		Name:       "Adding",
		Workload:   adder{},
		Schedulers: []sched.Scheduler{loop, together},
		Sizes:      []int{10},
		Repeats:    6,
		Dir:        dir,
	}
	result, err := exp.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, variant := range result.Variants {
		fmt.Println(variant, len(result.Of(variant, 10)), "trials, answer", result.Of(variant, 10)[0].Answer)
	}
	// Output:
	// loop 6 trials, answer 10
	// together 6 trials, answer 10
}
