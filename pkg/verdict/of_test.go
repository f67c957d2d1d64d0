package verdict_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"overlap/pkg/lab"
	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
	"overlap/pkg/sched"
	"overlap/pkg/verdict"
)

// measured is a result as a lab gives it, on 2 CPUs: add adds the trials of a
// variant at size 100, from what one of them is like.
type measured struct{ lab.Result }

func newMeasured() *measured {
	return &measured{lab.Result{
		Name: "thought up", Unit: "tasks", Sizes: []int{10, 100}, Repeats: 3,
		Machine: probe.Machine{Logical: 2, GOMAXPROCS: 2, Usable: probe.CPUSet{Count: 2, Bound: "online", Affinity: 2}},
	}}
}

// add adds three rounds. width tasks at a time take task each, and use cpu of
// that.
func (m *measured) add(scheduler string, width, tasks int, task, cpu time.Duration) {
	m.Variants = append(m.Variants, scheduler)
	m.Specs = append(m.Specs, lab.Spec{Kind: "work", Scheduler: scheduler, Facts: factsOf(scheduler)})
	if m.Baseline == "" {
		m.Baseline = scheduler
	}
	for round := 1; round <= 3; round++ {
		t := lab.Trial{Variant: scheduler, Size: 100, Round: round, Tasks: tasks, InFlightMax: min(width, tasks)}
		for i := range tasks {
			start := time.Duration(i/width) * task
			t.Spans = append(t.Spans, lab.Span{Task: i, Start: start, End: start + task})
			t.Wall = max(t.Wall, start+task)
		}
		if t.Wall > 0 {
			t.InFlightMean = float64(tasks) * task.Seconds() / t.Wall.Seconds()
		}
		t.User, t.CPUs = time.Duration(tasks)*cpu, 2
		if round > 1 {
			t.Spans = nil
		}
		m.Trials = append(m.Trials, t)
	}
}

// factsOf is what the lab's own schedulers say of themselves.
func factsOf(name string) sched.Facts {
	for _, s := range []sched.Scheduler{
		sched.Sequential(), sched.EventLoop(), sched.Goroutines(), sched.AwaitEach(sched.Goroutines()),
		sched.Pool(1), sched.Pool(2), sched.Pool(4), sched.Pool(10), sched.Pool(20), sched.Pool(50), sched.Pool(64), sched.Pool(1000),
	} {
		if s.Name() == name {
			return sched.FactsOf(s)
		}
	}
	panic("no scheduler is called " + name)
}

func TestOf(t *testing.T) {
	tests := []struct {
		name      string
		scheduler string
		width     int
		tasks     int
		task, cpu time.Duration
		want      verdict.Kind
		by        string
		text      string
	}{
		{name: "all CPUs", scheduler: "pool(2)", width: 2, tasks: 100, task: 5 * ms, cpu: 5 * ms, want: verdict.AllCPUs},
		{name: "event loop", scheduler: "event loop", width: 1, tasks: 100, task: 5 * ms, cpu: 5 * ms, want: verdict.OneAtATime, by: "an event loop: one goroutine"},
		{name: "pool of one", scheduler: "pool(1)", width: 1, tasks: 100, task: 5 * ms, cpu: 0, want: verdict.OneAtATime},
		{name: "all waits at once", scheduler: "goroutines", width: 100, tasks: 100, task: 100 * ms, cpu: ms / 10, want: verdict.Overlaps},
		{name: "few waits at once", scheduler: "pool(4)", width: 4, tasks: 100, task: 10 * ms, cpu: ms / 10, want: verdict.TooFew, by: "a bound of 4"},
		{name: "two tasks in an event loop", scheduler: "event loop", width: 1, tasks: 2, task: 50 * ms, cpu: 0, want: verdict.OneAtATime, by: "an event loop: one goroutine"},
		{name: "a lock around all that they compute", scheduler: "pool(4)", width: 4, tasks: 100, task: 20 * ms, cpu: 5 * ms, want: verdict.OneAtATime, by: "taking turns"},
		{name: "a lock around half of it", scheduler: "pool(4)", width: 4, tasks: 100, task: 16 * ms, cpu: 5 * ms, want: verdict.CannotTell, by: "waiting for each other"},
		{name: "most of the CPUs", scheduler: "pool(4)", width: 4, tasks: 100, task: 12500 * time.Microsecond, cpu: 5 * ms, want: verdict.AllCPUs, text: "used 1.60 of 2 CPUs, and no single cause explains the rest"},
		{name: "CPU time that grows", scheduler: "pool(2)", width: 2, tasks: 100, task: 12 * ms, cpu: 12 * ms, want: verdict.Shared},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := newMeasured()
			m.Machine.CPU = "a CPU"
			m.add("sequential", 1, 100, 5*ms, max(test.cpu/2, min(test.cpu, 5*ms)))
			m.add(test.scheduler, test.width, test.tasks, test.task, test.cpu)
			vs := m.Verdicts()
			if len(vs) != 2 || vs[0].Subject != "sequential" || vs[1].Subject != test.scheduler || vs[1].Size != 100 {
				t.Fatalf("got %v", vs)
			}
			for _, v := range vs {
				sound(t, v)
				if v.Evidence.Machine.CPU != "a CPU" {
					t.Errorf("on %+v", v.Evidence.Machine)
				}
			}
			if v := vs[0]; v.Kind != verdict.OneAtATime || v.By != "a plain loop" {
				t.Errorf("the loop: %s", v)
			}
			if v := vs[1]; v.Kind != test.want || test.by != "" && v.By != test.by || !strings.Contains(v.Text, test.text) {
				t.Errorf("want %q by %q, got %s\n%s", test.want, test.by, v, evidence(v))
			}
		})
	}
}

// strangers is somebody's own scheduler that is called like one of the lab's.
type strangers struct{ sched.Scheduler }

func (strangers) Name() string { return "sequential shards, two at a time" }

func (strangers) Facts() sched.Facts { return sched.Facts{} }

// TestOfByFactsAndNoName: a scheduler that is only called sequential is none, neither
// as a cause nor as what others' CPU time is compared with.
func TestOfByFactsAndNoName(t *testing.T) {
	m := newMeasured()
	for _, s := range []sched.Scheduler{strangers{sched.Pool(2)}, sched.Sequential()} {
		width, cpu := 2, 24*ms
		if s.Name() == "sequential" {
			width, cpu = 1, 5*ms
		}
		m.add("sequential", width, 100, cpu, cpu)
		last := len(m.Variants) - 1
		m.Variants[last], m.Specs[last].Scheduler, m.Specs[last].Facts = s.Name(), s.Name(), sched.FactsOf(s)
		for i := range m.Trials[3*last:] {
			m.Trials[3*last+i].Variant = s.Name()
		}
	}
	vs := m.Verdicts()
	if v := vs[0]; v.Kind != verdict.Shared || v.Evidence.Alone == nil || v.Evidence.Alone.CPU() != 500*ms {
		t.Errorf("4.8 times the CPU time of the loop: %s\n%s", v, evidence(v))
	}
	if v := vs[1]; v.Kind != verdict.OneAtATime || v.By != "a plain loop" || v.Evidence.Alone != nil {
		t.Errorf("the loop: %s, beside %+v", v, v.Evidence.Alone)
	}
}

// TestOfLockAlone: without a trace and a sequential variant a lock looks like
// waiting for something outside, whatever the number of tasks.
func TestOfLockAlone(t *testing.T) {
	for _, tasks := range []int{4, 100} {
		m := newMeasured()
		m.add("pool(4)", 4, tasks, 20*ms, 5*ms)
		v := m.Verdict("pool(4)", 100)
		sound(t, v)
		if v.Kind != verdict.CannotTell || v.By != "no trace" {
			t.Errorf("%d tasks: got %s\n%s", tasks, v, evidence(v))
		}
	}
}

// TestOfTurnsWhileOthersUseTheCPUs: tasks that others kept off the CPUs are not
// said to wait for each other.
func TestOfTurnsWhileOthersUseTheCPUs(t *testing.T) {
	for name, others := range map[string]func(*lab.Trial){
		"run delay":      func(t *lab.Trial) { t.RunDelay = t.Wall },
		"host load":      func(t *lab.Trial) { t.HostBusy = t.User + t.Wall },
		"steal":          func(t *lab.Trial) { t.Steal = t.Wall },
		"no way to tell": func(t *lab.Trial) { t.Missing = []string{probe.RunDelay} },
	} {
		m := newMeasured()
		m.add("sequential", 1, 100, 5*ms, 5*ms)
		m.add("pool(4)", 4, 100, 20*ms, 5*ms)
		for i := range m.Trials {
			if m.Trials[i].Variant == "pool(4)" {
				others(&m.Trials[i])
			}
		}
		v := m.Verdict("pool(4)", 100)
		sound(t, v)
		if v.Kind != verdict.CannotTell || v.By != "outside load" {
			t.Errorf("%s: got %s\n%s", name, v, evidence(v))
		}
	}
	// Nor that they wait for something outside, where the loop alone had no CPU
	// for most of the time either.
	m := newMeasured()
	m.add("sequential", 1, 100, 12*ms, 5*ms)
	m.add("pool(4)", 4, 100, 40*ms, 5*ms)
	for i := range m.Trials {
		m.Trials[i].RunDelay, m.Trials[i].HostBusy = m.Trials[i].Wall/2, m.Trials[i].Wall*2
	}
	v := m.Verdict("pool(4)", 100)
	sound(t, v)
	if v.Kind != verdict.CannotTell || v.By != "outside load" {
		t.Errorf("a loop that had no CPU: got %s\n%s", v, evidence(v))
	}
}

// TestOfLongest: the longest task is never longer than the whole, though the
// rounds' makespans differ.
func TestOfLongest(t *testing.T) {
	m := newMeasured()
	m.add("pool(2)", 2, 2, 100*ms, 50*ms)
	for i := range m.Trials { // the first round, of which the tasks' times are kept, took longest
		if i > 0 {
			m.Trials[i].Wall = 50 * ms
		}
	}
	v := m.Verdict("pool(2)", 100)
	if got := v.Evidence.Lab.LongestTask; got != 50*ms {
		t.Errorf("the longest task took %v, want 50 ms as all of the median round", got)
	}
	for _, n := range v.Numbers {
		if n.Name == "longest task" && n.Value != 100 {
			t.Errorf("longest task: %s", n.Text)
		}
	}
}

// TestOfTraced: a traced run is judged with its own figures.
func TestOfTraced(t *testing.T) {
	m := newMeasured()
	m.add("sequential", 1, 20, 5*ms, 5*ms)
	m.add("pool(2)", 2, 20, 5*ms, 5*ms)
	own := joined(times(2, repeat(10, run(10*ms))...)...).evidence() // twice as long as the rounds
	own.Trace.Tasks.By, own.Trace.Tasks.Region = "region", "task"
	own.Trace.Tasks.Life = trace.Spread{N: 20, Sum: 200 * ms, Median: 10 * ms, P99: 10 * ms, Max: 10 * ms}
	alone := scene{alone(repeat(20, run(9*ms))...)}.evidence()
	m.Traced = []lab.TracedTrial{
		{Variant: "sequential", Size: 100, Usage: alone.Usage, Tasks: 20, InFlightMax: 1, InFlightMean: 1, Trace: alone.Trace},
		{Variant: "pool(2)", Size: 100, Usage: own.Usage, Tasks: 20, InFlightMax: 2, InFlightMean: 2, Workers: 2, Trace: own.Trace},
	}
	v := m.Verdict("pool(2)", 100)
	if v.Kind != verdict.AllCPUs {
		t.Errorf("got %s\n%s", v, evidence(v))
	}
	e := v.Evidence
	if e.Usage.Wall != 100*ms || e.Usage.CPU() != 200*ms || e.Lab.MeanTask != 10*ms || e.Lab.LongestTask != 10*ms {
		t.Errorf("usage %+v, lab %+v: want the traced run's own", e.Usage, e.Lab)
	}
	if e.Alone == nil || e.Alone.CPU() != 180*ms {
		t.Errorf("alone %+v: want the traced sequential run", e.Alone)
	}
	if v.Evidence.Untraced != "" || noted(v, "Without a trace") {
		t.Errorf("with the trace: %q, notes %q", v.Evidence.Untraced, v.Notes)
	}
	// A run that failed is not the whole work, whatever its trace shows.
	m.Traced[1].Problem = "task 3 failed"
	if v := m.Verdict("pool(2)", 100); v.Evidence.Trace != nil || v.Evidence.Usage.Wall != 50*ms || !noted(v, "Without a trace: task 3 failed") {
		t.Errorf("judged by a run that failed: usage %+v\n%s", v.Evidence.Usage, v)
	}
	m.Traced[1].Problem, m.Traced[0].Problem = "", "task 3 failed"
	if e := m.Verdict("pool(2)", 100).Evidence; e.Alone.CPU() != 100*ms {
		t.Errorf("compared with a run that failed: %+v", e.Alone)
	}
	m.Traced[1].Trace, m.Traced[1].Problem = nil, "another trace was taken"
	if e := m.Verdict("pool(2)", 100).Evidence; e.Usage.Wall != 50*ms || e.Alone.CPU() != 100*ms {
		t.Errorf("without the trace: usage %+v, alone %+v: want the rounds' medians", e.Usage, e.Alone)
	}
}

// TestOfOneTask: with one task there is nothing to run beside it, for which no clock is needed.
func TestOfOneTask(t *testing.T) {
	for _, took := range []time.Duration{400 * time.Microsecond, 50 * ms} {
		for _, scheduler := range []string{"sequential", "pool(1)", "pool(2)", "pool(64)", "pool(1000)", "goroutines", "event loop", "await each goroutines"} {
			m := newMeasured()
			m.add(scheduler, 1, 1, took, took)
			v := m.Verdict(scheduler, 100)
			sound(t, v)
			if v.Kind != verdict.OneAtATime || v.By != "one task" || !strings.Contains(v.Text, "There was one task, and nothing to run beside it") {
				t.Errorf("%s, %v: %s\n%s", scheduler, took, v, evidence(v))
			}
		}
	}
	// One that is concurrent in itself.
	m := newMeasured()
	m.add("pool(2)", 1, 1, 100*ms, 200*ms)
	own := joined(times(2, run(100*ms))...).evidence()
	own.Trace.Tasks.By, own.Trace.Tasks.Region = "region", "task"
	m.Traced = []lab.TracedTrial{{Variant: "pool(2)", Size: 100, Usage: own.Usage, Tasks: 1, InFlightMax: 1, InFlightMean: 1, Workers: 1, Trace: own.Trace}}
	if v := m.Verdict("pool(2)", 100); v.Kind != verdict.AllCPUs {
		t.Errorf("got %s\n%s", v, evidence(v))
	}
}

// TestOfNoTime: trials that took less than the clock can tell.
func TestOfNoTime(t *testing.T) {
	m := newMeasured()
	m.add("sequential", 1, 10, 0, 0)
	v := m.Verdict("sequential", 100)
	sound(t, v)
	if v.Kind != verdict.CannotTell || v.By != "too short" {
		t.Errorf("got %s\n%s", v, evidence(v))
	}
}

func TestOfNothing(t *testing.T) {
	if vs := (*lab.Result)(nil).Verdicts(); vs != nil {
		t.Errorf("of no result: %v", vs)
	}
	m := newMeasured()
	m.add("sequential", 1, 10, 5*ms, 5*ms)
	for name, v := range map[string]verdict.Verdict{
		"no result":  (*lab.Result)(nil).Verdict("sequential", 100),
		"no variant": m.Verdict("parallel", 100),
		"no trial":   m.Verdict("sequential", 10),
	} {
		if v.Kind != verdict.CannotTell {
			t.Errorf("%s: %s", name, v)
		}
		sound(t, v)
	}
}

// TestOfExperiment: an experiment's result is judged as it comes.
func TestOfExperiment(t *testing.T) {
	r, err := lab.Experiment{
		Name:       "naps",
		Workload:   lab.Each("naps", func(context.Context, int) error { time.Sleep(5 * ms); return nil }),
		Schedulers: []sched.Scheduler{sched.Sequential(), sched.Goroutines(), sched.Pool(1), sched.EventLoop(), sched.AwaitEach(sched.Pool(2))},
		Sizes:      []int{10}, Repeats: 1, Dir: t.TempDir(),
	}.Run(t.Context(), lab.Traced())
	if err != nil {
		t.Fatal(err)
	}
	vs := r.Verdicts()
	if len(vs) != 5 {
		t.Fatalf("got %v", vs)
	}
	for i, by := range []string{"a plain loop", "", "a pool of one", "an event loop: one goroutine", "awaiting each"} {
		v := vs[i]
		sound(t, v)
		if v.Evidence.Trace == nil || v.Evidence.Lab == nil {
			t.Errorf("%s: trace %v, lab %v", v.Subject, v.Evidence.Trace, v.Evidence.Lab)
		}
		if v.Kind == verdict.OneAtATime && v.By != by || v.Kind != verdict.OneAtATime && v.Kind != verdict.CannotTell && by != "" {
			t.Errorf("want one at a time by %q, got %s\n%s", by, v, evidence(v))
		}
	}
}

func TestScaling(t *testing.T) {
	m := newMeasured()
	m.add("sequential", 1, 100, 10*ms, 0)
	if _, err := m.Scaling(100); !errors.As(err, new(*lab.NoFitError)) {
		t.Errorf("without pools: error %v", err)
	}
	for _, p := range []struct {
		name  string
		width int
		task  time.Duration
	}{{"pool(1)", 1, 10 * ms}, {"pool(2)", 2, 11 * ms}, {"pool(4)", 4, 14 * ms}, {"pool(10)", 10, 22 * ms}, {"pool(20)", 20, 40 * ms}, {"pool(50)", 50, 90 * ms}} {
		m.add(p.name, p.width, 100, p.task, 0)
	}
	f, err := m.Scaling(100)
	if err != nil {
		t.Fatal(err)
	}
	if f.Sigma <= 0 || f.Lambda <= 0 {
		t.Errorf("got %+v", f)
	}
	if _, err := (*lab.Result)(nil).Scaling(100); err == nil {
		t.Error("of no result: no error")
	}
}
