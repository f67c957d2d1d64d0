package lab_test

import (
	"context"
	"errors"
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
	"overlap/pkg/sched/kotlin"
	"overlap/pkg/workload/primes"
)

// A timeLimit is a context with a deadline that passes when the test says so.
type timeLimit struct {
	context.Context
	done chan struct{}
	over atomic.Bool
}

func (l *timeLimit) pass()                 { l.over.Store(true); close(l.done) }
func (l *timeLimit) Done() <-chan struct{} { return l.done }
func (l *timeLimit) Err() error {
	if l.over.Load() {
		return context.DeadlineExceeded
	}
	return nil
}

// TestTimeLimitOnEndlessTasks has tasks that end at once and some that never do, which wait or
// compute. The run returns, says which they are, and what is measured while they still run says
// that they do. All are run at the same time, as each waits for what does not end.
func TestTimeLimitOnEndlessTasks(t *testing.T) {
	var over atomic.Bool
	var runs sync.WaitGroup
	all := 0
	for _, c := range []struct {
		s       sched.Scheduler
		endless []int
		spins   bool
		want    string // said of the tasks
	}{
		{sched.Goroutines(), []int{3}, false, "task 3 of 4 is still running, which may go on using CPUs"},
		{sched.Goroutines(), []int{3}, true, "task 3 of 4 is still running, which may go on using CPUs"},
		{sched.Threads(), []int{1}, true, "task 1 of 4 is still running"},
		{sched.EventLoop(), []int{3}, true, "task 3 of 4 is still running"},
		{sched.Pool(2), []int{0, 3}, false, "tasks 0 and 3 of 4 are still running"},
		{sched.Goroutines(), []int{0, 1, 2, 3, 4, 5, 6, 7}, false, "tasks 0, 1, 2, 3, 4 and 3 others of 8 are still running"},
		{sched.Sequential(), []int{3}, false, "task 3 of 4 is still running"},
	} {
		all += len(c.endless)
		limit := &timeLimit{Context: context.Background(), done: make(chan struct{})}
		var begun atomic.Int64
		e := experiment(t)
		e.Schedulers, e.Sizes = []sched.Scheduler{c.s}, []int{max(4, len(c.endless))}
		e.Workload = adder{work: func(_ context.Context, task int) error {
			// The other tasks end at once: soon after this only those are left.
			if slices.Contains(c.endless, task) && int(begun.Add(1)) == len(c.endless) {
				time.AfterFunc(20*time.Millisecond, limit.pass)
			}
			for slices.Contains(c.endless, task) && !over.Load() {
				if !c.spins {
					time.Sleep(time.Millisecond)
				}
			}
			return nil
		}}
		runs.Go(func() {
			r, err := e.Run(limit)
			if !errors.Is(err, context.DeadlineExceeded) ||
				!strings.Contains(err.Error(), c.s.Name()+": it does not stop: "+c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
			if r == nil || !r.Interrupted {
				t.Errorf("%s: result %+v", c.s.Name(), r)
			}
		})
	}
	runs.Wait()
	if n := probe.Left(); n != all {
		t.Errorf("%d tasks are said to run, want %d", n, all)
	}
	after := experiment(t)
	after.Repeats, after.Sizes = 1, []int{3}
	r, err := after.Run(context.Background())
	if err != nil {
		t.Error(err)
	} else {
		for _, trial := range r.Trials {
			if trial.Left != all {
				t.Errorf("beside %d tasks, want %d", trial.Left, all)
			}
		}
		if !slices.ContainsFunc(r.Warnings(), func(w lab.Warning) bool { return w.Kind == "left running" }) {
			t.Error("no warning tells of tasks that still run")
		}
	}

	over.Store(true)
	for end := time.Now().Add(time.Minute); probe.Left() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if n := probe.Left(); n > 0 {
		t.Errorf("%d tasks are still said to run", n)
	}
	r, err = after.Run(context.Background())
	if err != nil || slices.ContainsFunc(r.Warnings(), func(w lab.Warning) bool { return w.Kind == "left running" }) {
		t.Errorf("once they have ended: %v, %v", err, r.Warnings())
	}
}

// TestInterruptTellsWhatKeptTasksFromStarting has tasks that wait for one that cannot start before
// one of them has returned.
func TestInterruptTellsWhatKeptTasksFromStarting(t *testing.T) {
	e := experiment(t)
	e.Schedulers, e.Sizes = []sched.Scheduler{sched.Pool(10)}, []int{90}
	limit := &timeLimit{Context: context.Background(), done: make(chan struct{})}
	var begun atomic.Int64
	e.Workload = adder{work: func(ctx context.Context, task int) error {
		if task == 20 {
			return errors.New("number 20 fails")
		}
		if begun.Add(1) == 10 {
			limit.pass()
		}
		<-ctx.Done()
		return ctx.Err()
	}}
	_, err := e.Run(limit)
	const want = "(pool(10): 80 of 90 tasks not started; 10 were running, as many as pool(10) runs at once (if they " +
		"wait for one that is not started, they wait for ever))"
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestPanicAtTheInterruptIsKept has a task that panics when it is told to stop.
func TestPanicAtTheInterruptIsKept(t *testing.T) {
	e := experiment(t)
	ctx, cancel := context.WithCancel(context.Background())
	e.Schedulers, e.Sizes = []sched.Scheduler{sched.Goroutines()}, []int{3}
	e.Workload = adder{work: func(_ context.Context, task int) error {
		if task == 2 {
			cancel()
			write(nil)
		}
		return nil
	}}
	r, err := e.Run(ctx)
	if !errors.Is(err, context.Canceled) ||
		!strings.Contains(err.Error(), "task 2: panic: assignment to entry in nil map") {
		t.Errorf("error %v", err)
	}
	if len(r.Failures) != 1 || !strings.Contains(r.Failures[0].Stack, "lab_test.write") || !r.Interrupted {
		t.Errorf("interrupted %v, failures %v", r.Interrupted, r.Failures)
	}
}

func TestNilContextAndOption(t *testing.T) {
	var none context.Context
	if r, err := experiment(t).Run(none); r != nil || err == nil ||
		!strings.Contains(err.Error(), "the context is nil; give context.Background()") {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := experiment(t).Run(context.Background(), nil, lab.Observe(func(lab.Progress) {})); err != nil {
		t.Error(err)
	}
}

// TestRulesAreTold looks for the rules of bounds that nobody gave, in the notes of the table, where
// there was more work than the bound.
func TestRulesAreTold(t *testing.T) {
	d := kotlin.New(kotlin.WithCores(2))
	defer d.Close()
	e := experiment(t)
	e.Repeats, e.Sizes = 1, []int{20}
	e.Variants = []lab.Variant{{Name: "asyncio", Scheduler: sched.ExecutorOn(2)}}
	e.Schedulers = []sched.Scheduler{sched.Sequential(), sched.ExecutorOn(28), d.Default(), d.IO()}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"default: at most 2 tasks at once; max(2, CPUs) where nothing else is set, as Kotlin's Dispatchers.Default.",
		"asyncio: min(32, CPUs + 4) workers, which is 6 on 2 CPUs; asyncio's default executor has as many since Python " +
			"3.8, and had 5 a CPU before.",
	}
	for _, r := range []*lab.Result{r, loaded(t, e)} {
		var rules []string
		for _, note := range r.Table().Notes {
			if strings.Contains(note, "CPUs)") || strings.Contains(note, "CPUs +") {
				rules = append(rules, note)
			}
		}
		if !slices.Equal(rules, want) {
			t.Errorf("the notes are %q, want %q", rules, want)
		}
	}
}

func loaded(t *testing.T, e lab.Experiment) *lab.Result {
	t.Helper()
	r, err := e.Load()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestNoTasksAreTold(t *testing.T) {
	e := experiment(t)
	e.Workload = nothing{}
	e.Repeats, e.Sizes = 6, []int{1}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if text := r.Table().String(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("the table is\n%s", text)
	}
	if !slices.ContainsFunc(r.Warnings(), func(w lab.Warning) bool { return w.Kind == "no tasks" }) {
		t.Errorf("warnings %v", r.Warnings())
	}
}

// nothing is a workload that has no tasks at any size.
type nothing struct{ adder }

func (nothing) Tasks(int) ([]sched.Task, func() (string, error), error) {
	return nil, func() (string, error) { return "0", nil }, nil
}

// TestCostOfTask sets a variant that does the same work in more tasks beside the baseline.
func TestCostOfTask(t *testing.T) {
	r := &lab.Result{
		Name:     "Grain",
		Unit:     "numbers",
		Variants: []string{"2 chunks", "one each", "as much", "unknown"},
		Baseline: "2 chunks",
		Sizes:    []int{1000},
	}
	for round := range 8 {
		jitter := time.Duration(round) * time.Microsecond
		add := func(variant string, tasks int, wall, cpu time.Duration, missing ...string) {
			r.Trials = append(r.Trials, lab.Trial{Variant: variant, Size: 1000, Round: round, Tasks: tasks,
				Usage: probe.Usage{Wall: wall + jitter, User: cpu + jitter, Missing: missing}})
		}
		add("2 chunks", 2, 10*time.Millisecond, 20*time.Millisecond)
		add("one each", 1000, 40*time.Millisecond, 21*time.Millisecond)
		add("as much", 1000, 10*time.Millisecond, 20*time.Millisecond)
		add("unknown", 1000, 40*time.Millisecond, 21*time.Millisecond, probe.CPUTime)
	}
	for variant, want := range map[string]string{"one each": "is slower than 2 chunks: 0.25 times its speed (95 % " +
		"interval 0.25 to 0.25, 7 rounds), with 1 μs more CPU time a task", "as much": "", "unknown": ""} {
		got := r.Compare(variant, 1000).String()
		if !strings.HasSuffix(got, want) || want == "" && strings.Contains(got, "a task") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestOneCPU: with one CPU, tasks that compute keep neither progress from being told nor the time
// limit from ending the run, whether they heed it or not; and the counts are right.
func TestOneCPU(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	d := kotlin.New()
	defer d.Close()
	schedulers := []sched.Scheduler{
		sched.Sequential(), sched.Goroutines(), sched.Pool(3), sched.Executor(), sched.Threads(), sched.EventLoop(),
		sched.AwaitEach(sched.Goroutines()), d.Default(), d.IO(),
	}
	e := experiment(t)
	e.Schedulers, e.Sizes, e.Repeats = schedulers, []int{4}, 2
	e.Workload = primes.Repeats{Limit: 10_000}
	told := 0
	r, err := e.Run(context.Background(), lab.Observe(func(lab.Progress) { told++ }))
	if err != nil {
		t.Fatal(err)
	}
	if trials := 3 * (len(schedulers) + 1); len(r.Trials) != trials || told != trials+1 || r.Trials[0].Answer != "4916" {
		t.Errorf("%d trials with the answer %s, told %d times", len(r.Trials), r.Trials[0].Answer, told)
	}
	for i, s := range schedulers {
		for _, deaf := range []bool{false, true} {
			if deaf && i%3 > 0 {
				continue // each waits in vain
			}
			var over atomic.Bool
			e := experiment(t)
			e.Schedulers, e.Sizes = []sched.Scheduler{s}, []int{4}
			e.Workload = adder{work: func(ctx context.Context, _ int) error {
				for !over.Load() && (deaf || ctx.Err() == nil) {
				}
				return nil
			}}
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			told := 0
			_, err := e.Run(ctx, lab.Observe(func(p lab.Progress) { told++ }))
			cancel()
			over.Store(true)
			if !errors.Is(err, context.DeadlineExceeded) || told < 2 {
				t.Fatalf("%s, deaf %v: %v, told %d times", s.Name(), deaf, err, told)
			}
			if stuck := strings.Contains(err.Error(), "does not stop"); deaf && !stuck {
				t.Errorf("%s, deaf %v: %v", s.Name(), deaf, err)
			}
		}
	}
}
