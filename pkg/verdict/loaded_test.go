package verdict_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
	"overlap/pkg/verdict"
)

// beside makes it evidence of a machine on which the process got used CPUs, and
// others had the rest.
func beside(e *verdict.Evidence, used float64) {
	wall := e.Usage.Wall
	e.Usage.User, e.Usage.System = time.Duration(used*float64(wall)), 0
	e.Usage.RunDelay = 3 * wall // also of threads that only look for work
	e.Usage.HostBusy = 2 * wall
}

// TestBesideOthers: other programs take CPUs, and what makes a program wait for
// them is not taken for its own fault.
func TestBesideOthers(t *testing.T) {
	native := func(d time.Duration) part { return part{trace.Native, d, ""} }
	inC := func(d time.Duration) part { return part{trace.Syscall, d, "C.read"} }

	honest := scene{}
	for i := range 39 {
		honest = append(honest, from(time.Duration(i/2)*15*ms, run(15*ms)))
	}
	honest = joined(append(honest, from(285*ms, run(200*ms)))...)
	giant := scene{}
	for i := range 39 {
		giant = append(giant, from(time.Duration(i/2)*5*ms, run(5*ms)))
	}
	giant = joined(append(giant, from(50*ms, run(600*ms)))...)
	stretched := scene{}
	for i := range 16 {
		first := time.Duration(i/2) * 10 * ms
		stretched = append(stretched, from(first, append(repeat(1, run(10*ms), ready(70*ms)), run(10*ms))...))
	}
	phases := scene{alone(run(80*ms), join(160*ms)), from(80*ms, run(160*ms)), from(80*ms, run(160*ms))}

	tests := []struct {
		name   string
		scene  scene
		used   float64
		change func(e *verdict.Evidence)
		want   []verdict.Kind // one of them
		not    []string       // not in the text
	}{
		{name: "C code by two workers", scene: joined(times(2, repeat(20, native(5*ms), run(ms))...)...), used: 0.9, want: kinds(verdict.AllCPUs), not: []string{"threads wanted"}},
		{name: "C code that mostly waits", scene: joined(times(32, repeat(5, inC(12*ms), native(8*ms))...)...), used: 0.7, want: kinds(verdict.TooFew, verdict.Overlaps, verdict.CannotTell)},
		{name: "C code by too many", scene: joined(times(16, native(200*ms))...), used: 0.9, want: kinds(verdict.Oversubscribed)},
		{name: "a task late by the load", scene: honest, used: 0.25, want: kinds(verdict.CannotTell, verdict.AllCPUs)},
		{name: "a giant", scene: giant, used: 0.8, want: kinds(verdict.LongTask)},
		{name: "5 ms tasks that take 20 ms", scene: joined(stretched...), used: 0.5, want: kinds(verdict.AllCPUs)},
		{name: "waits and computes", scene: joined(times(6, repeat(10, sleep(4*ms), run(4*ms), ready(4*ms))...)...), used: 0.4, want: kinds(verdict.TooFew, verdict.CannotTell, verdict.Overlaps)},
		{name: "a serial part first", scene: phases, used: 0.6, want: kinds(verdict.CannotTell, verdict.LongTask)},
		{name: "one thread at a time gets a CPU", scene: joined(append(times(1, run(200*ms)), times(20, run(ms/2), ready(199*ms+ms/2))...)...), used: 0.2, want: kinds(verdict.AllCPUs, verdict.CannotTell)},
		{name: "two that take turns with the collector", scene: joined(times(2, repeat(20, run(6*ms), ready(3*ms), part{trace.Garbage, ms, "new(node)"})...)...), used: 0.7, change: func(e *verdict.Evidence) {
			e.Trace.GC = 60 * ms
		}, want: kinds(verdict.AllCPUs, verdict.Collector, verdict.CannotTell)},
		{name: "one part is large", scene: joined(alone(run(150*ms)), alone(run(60*ms))), used: 0.9, want: kinds(verdict.LongTask, verdict.CannotTell)},
		{name: "spinning", scene: joined(alone(run(200*ms)), alone(run(130*ms))), used: 1, change: func(e *verdict.Evidence) {
			alone := e.Usage
			alone.User /= 2
			e.Alone = &alone
		}, want: kinds(verdict.Shared, verdict.CannotTell)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := test.scene.evidence()
			beside(&e, test.used)
			if test.change != nil {
				test.change(&e)
			}
			v := verdict.Judge(e)
			if !slices.Contains(test.want, v.Kind) {
				t.Errorf("got %q by %q, want one of %q", v.Kind, v.By, test.want)
			}
			for _, not := range test.not {
				if strings.Contains(v.Text, not) {
					t.Errorf("%q is in %q", not, v.Text)
				}
			}
			if t.Failed() {
				t.Logf("%s\n%s", v, evidence(v))
			}
			sound(t, v)
		})
	}
}

func kinds(k ...verdict.Kind) []verdict.Kind { return k }

// labOf is the evidence of an untraced trial: so many tasks of a time each.
func labOf(tasks, atOnce int, mean float64, wall time.Duration, used, delay float64) verdict.Evidence {
	share := func(x float64) time.Duration { return time.Duration(x * float64(wall)) }
	return verdict.Evidence{
		Usage: probe.Usage{Wall: wall, User: share(used), RunDelay: share(delay), HostBusy: 2 * wall, CPUs: 2},
		Procs: 2, CPUs: probe.CPUSet{Count: 2, Bound: "online", Affinity: 2},
		Lab: &verdict.LabEvidence{Scheduler: "pool(8)", Tasks: tasks, Workers: atOnce, InFlightMax: atOnce, InFlightMean: mean,
			MeanTask: share(mean / float64(tasks)), LongestTask: share(1.2 * mean / float64(tasks)), Queued: 1 - mean/float64(tasks)},
	}
}

// TestLabBesideOthers: without a trace, what tasks of a lab waited for while
// others used the CPUs shows only beside the same work one at a time.
func TestLabBesideOthers(t *testing.T) {
	const wall = 400 * ms
	waits := probe.Usage{Wall: time.Second, User: 50 * ms, RunDelay: 80 * ms}
	computes := probe.Usage{Wall: time.Second, User: 990 * ms}
	tests := []struct {
		name  string
		e     verdict.Evidence
		alone *probe.Usage
		want  verdict.Kind
	}{
		{"8 workers that wait", labOf(48, 8, 7.5, wall, 0.2, 1.1), nil, verdict.TooFew},
		{"32 workers, of which nothing is known", labOf(48, 32, 28, wall, 0.74, 1.4), nil, verdict.CannotTell},
		{"32 workers that wait", labOf(100, 32, 30, wall, 0.74, 1.4), &waits, verdict.TooFew},
		{"32 workers that compute", labOf(100, 32, 30, wall, 1.4, 1.4), &computes, verdict.AllCPUs},
		{"two workers that compute", labOf(100, 2, 1.9, wall, 0.9, 1.1), nil, verdict.AllCPUs},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.e.Alone = test.alone
			v := verdict.Judge(test.e)
			if v.Kind != test.want {
				t.Errorf("want %q, got %s\n%s", test.want, v, evidence(v))
			}
			sound(t, v)
		})
	}
}

// TestOneFigure: the text of a verdict and the number that decided say the same.
func TestOneFigure(t *testing.T) {
	e := joined(times(8, part{trace.Native, 400 * ms, ""})...).evidence()
	e.Usage.User, e.Usage.RunDelay = 800*ms, 9000*ms
	v := verdict.Judge(e)
	i := slices.IndexFunc(v.Numbers, func(n verdict.Number) bool { return n.Name == "CPU wanted" })
	if i < 0 || v.Numbers[i].Text != "8.00 of 2 CPUs" || !strings.Contains(v.Text, "wanted 8.0 CPUs") {
		t.Errorf("%q, and the numbers %+v", v.Text, v.Numbers)
	}
}

// TestAllUnderWay: where all there is was under way at once, no more can be.
func TestAllUnderWay(t *testing.T) {
	for _, mean := range []float64{30, 47, 58} {
		e := labOf(60, 60, mean, 30*ms, 0.3, 0.2)
		e.Lab.Queued = 0.6 // on a loaded machine the last begins late
		e.Lab.LongestTask = 22 * ms
		v := verdict.Judge(e)
		if v.Kind == verdict.TooFew {
			t.Errorf("60 of 60 tasks at once: %s", v)
		}
	}
}
