package verdict_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
	"overlap/pkg/verdict"

	"pgregory.net/rapid"
)

var states = []trace.State{
	trace.Running, trace.Native, trace.Queued, trace.Runnable, trace.Sleep, trace.Network, trace.Syscall,
	trace.Lock, trace.Join, trace.Cond, trace.Channel, trace.Garbage, trace.Other, "unheard of",
}

// anyDuration are durations that make sense and some that do not.
func anyDuration(t *rapid.T, name string) time.Duration {
	return time.Duration(rapid.OneOf(
		rapid.Int64Range(0, int64(time.Second)),
		rapid.SampledFrom([]int64{0, 1, -1, 1 << 62, -1 << 62}),
	).Draw(t, name))
}

func anyFloat(t *rapid.T, name string) float64 {
	return rapid.OneOf(rapid.Float64Range(0, 64), rapid.SampledFrom([]float64{0, -1, 1e300, 0.5})).Draw(t, name)
}

func anySpread(t *rapid.T, name string) trace.Spread {
	return trace.Spread{
		N: rapid.Int64Range(-1, 1e6).Draw(t, name+" n"), Sum: anyDuration(t, name+" sum"),
		Median: anyDuration(t, name+" median"), P99: anyDuration(t, name+" p99"), Max: anyDuration(t, name+" max"),
	}
}

func anyUsage(t *rapid.T, name string) probe.Usage {
	return probe.Usage{
		Wall: anyDuration(t, name+" wall"), User: anyDuration(t, name+" user"), System: anyDuration(t, name+" system"),
		RunDelay: anyDuration(t, name+" delay"), HostBusy: anyDuration(t, name+" host"), Steal: anyDuration(t, name+" steal"),
		Throttled: anyDuration(t, name+" throttled"), CPUs: anyFloat(t, name+" cpus"),
		Missing: rapid.SliceOfN(rapid.SampledFrom([]string{probe.CPUTime, probe.RunDelay, probe.HostLoad}), 0, 2).Draw(t, name+" missing"),
	}
}

// anyEvidence is evidence that nothing could give, as a damaged or a future
// file might hold it.
func anyEvidence(t *rapid.T) verdict.Evidence {
	e := verdict.Evidence{
		Usage: anyUsage(t, "usage"), Procs: rapid.IntRange(-1, 64).Draw(t, "procs"),
		CPUs:      probe.CPUSet{Count: anyFloat(t, "cpus"), Bound: rapid.SampledFrom([]string{"online", "affinity", "quota", ""}).Draw(t, "bound"), Quota: anyFloat(t, "quota")},
		MutexWait: anyDuration(t, "mutex"), GC: anyDuration(t, "gc"),
	}
	if rapid.Bool().Draw(t, "again") {
		alone := anyUsage(t, "alone")
		e.Alone = &alone
	}
	if rapid.Bool().Draw(t, "lab") {
		e.Lab = &verdict.LabEvidence{
			Kind: rapid.SampledFrom([]string{verdict.Loop, "pool", verdict.EventLoop, verdict.AwaitEach, ""}).Draw(t, "kind"), Limit: rapid.IntRange(0, 3).Draw(t, "limit"),
			Tasks: rapid.IntRange(-1, 10_000).Draw(t, "tasks"), Workers: rapid.IntRange(0, 4).Draw(t, "workers"),
			InFlightMax: rapid.IntRange(0, 100).Draw(t, "most"), InFlightMean: anyFloat(t, "mean"),
			MeanTask: anyDuration(t, "mean task"), LongestTask: anyDuration(t, "longest task"),
			Queued: anyFloat(t, "queued"), Tail: anyFloat(t, "tail"),
		}
	}
	if rapid.Bool().Draw(t, "trace") {
		e.Trace = anyTrace(t)
	}
	return e
}

func anyTrace(t *rapid.T) *trace.Trace {
	times := func(name string) map[trace.State]time.Duration {
		m := map[trace.State]time.Duration{}
		for _, s := range rapid.SliceOfN(rapid.SampledFrom(states), 0, 6).Draw(t, name) {
			m[s] = anyDuration(t, name+" time")
		}
		return m
	}
	tr := &trace.Trace{
		Wall: anyDuration(t, "trace wall"), Covered: anyDuration(t, "covered"), Truncated: rapid.Bool().Draw(t, "truncated"),
		Events: rapid.Int64Range(0, 1e6).Draw(t, "events"), Procs: rapid.IntRange(0, 8).Draw(t, "trace procs"),
		Goroutines: rapid.IntRange(-1, 10_000).Draw(t, "goroutines"), Peak: rapid.IntRange(-1, 1000).Draw(t, "peak"),
		Left: rapid.IntRange(-1, 3).Draw(t, "left"), Time: times("time"), RootTime: times("root"),
		SchedDelay: anySpread(t, "delay"), GC: anyDuration(t, "trace gc"), GCIdle: anyDuration(t, "idle gc"),
		Tasks: trace.Tasks{
			By: rapid.SampledFrom([]string{"goroutine", "region"}).Draw(t, "by"), Life: anySpread(t, "life"), Busy: anySpread(t, "busy"),
			Outside: anySpread(t, "outside"), Longest: anyDuration(t, "longest"), AtOnceMax: rapid.IntRange(-1, 1000).Draw(t, "at once"),
		},
	}
	for range rapid.IntRange(0, 5).Draw(t, "waits") {
		tr.Waits = append(tr.Waits, trace.Wait{
			State: rapid.SampledFrom(states).Draw(t, "state"), Time: anyDuration(t, "wait"), Longest: anyDuration(t, "longest wait"),
			N: rapid.Int64Range(-1, 1e6).Draw(t, "n"), Root: rapid.Bool().Draw(t, "by root"),
			Place: trace.Place{Func: rapid.String().Draw(t, "func"), Code: rapid.String().Draw(t, "code"), What: rapid.SampledFrom([]string{"chan send", "chan receive", "io.ReadAll", ""}).Draw(t, "what")},
		})
	}
	for range rapid.IntRange(0, 5).Draw(t, "steps") {
		tr.Steps = append(tr.Steps, trace.Step{
			Start: anyDuration(t, "start"), End: anyDuration(t, "end"),
			Mean: map[trace.State]float64{rapid.SampledFrom(states).Draw(t, "step state"): anyFloat(t, "mean")},
		})
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "lives") {
		life := trace.Life{ID: int64(i), Start: anyDuration(t, "birth"), End: anyDuration(t, "death")}
		for range rapid.IntRange(0, 4).Draw(t, "spans") {
			life.Spans = append(life.Spans, trace.StateSpan{State: rapid.SampledFrom(states).Draw(t, "span"), Start: anyDuration(t, "from"), End: anyDuration(t, "to")})
		}
		tr.Lives = append(tr.Lives, life)
	}
	return tr
}

// TestJudgeAnything: whatever the evidence, there is a verdict of the closed
// set with all that belongs to it, and the same for the same evidence.
func TestJudgeAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvidence(t)
		v := verdict.Judge(e)
		sound(t, v)
		if again := verdict.Judge(e); !reflect.DeepEqual(v, again) {
			t.Fatalf("judged twice: %+v and %+v", v, again)
		}
	})
}

// anyScene is a few goroutines that do a few things.
func anyScene(t *rapid.T) scene {
	parts := func(name string) (ps []part) {
		for range rapid.IntRange(1, 12).Draw(t, name) {
			d := time.Duration(rapid.IntRange(2, 30).Draw(t, "ms")) * ms
			ps = append(ps, rapid.SampledFrom([]part{run(d), ready(d), sleep(d), fetch(d), lock(d), receive(d), send(d)}).Draw(t, "part"))
		}
		return ps
	}
	s := scene{alone(parts("root")...)}
	for range rapid.IntRange(0, 8).Draw(t, "goroutines") {
		s = append(s, from(time.Duration(rapid.IntRange(0, 20).Draw(t, "start"))*ms, parts("goroutine")...))
	}
	return s
}

// TestScale: when all times are so many times as long, the verdict is the same,
// but for those that compare with the cost of a switch, a slice of the
// scheduler, or the least that can be measured.
func TestScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScene(t)
		by := time.Duration(rapid.IntRange(2, 50).Draw(t, "by"))
		longer := scene{}
		for _, g := range s {
			l := goroutine{start: g.start * by}
			for _, p := range g.parts {
				p.for_ *= by
				l.parts = append(l.parts, p)
			}
			longer = append(longer, l)
		}
		a, b := verdict.Judge(s.evidence()), verdict.Judge(longer.evidence())
		absolute := []verdict.Kind{verdict.TooSmall, verdict.Oversubscribed}
		if slices.Contains(absolute, a.Kind) || slices.Contains(absolute, b.Kind) || a.By == "too short" {
			return
		}
		if a.Kind != b.Kind || a.By != b.By {
			t.Fatalf("%s\n%d times as long:\n%s", a, by, b)
		}
	})
}

// TestOutsideLoad: what other programs and virtual machines use does not
// change the verdict.
func TestOutsideLoad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyScene(t).evidence()
		quiet := verdict.Judge(e)
		e.Usage.HostBusy += time.Duration(rapid.Int64Range(0, int64(10*time.Second)).Draw(t, "others"))
		e.Usage.Steal += time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "steal"))
		if loaded := verdict.Judge(e); loaded.Kind != quiet.Kind || loaded.By != quiet.By {
			t.Fatalf("%s\nwith outside load:\n%s", quiet, loaded)
		}
	})
}
