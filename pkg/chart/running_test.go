package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
	"overlap/pkg/verdict"
)

// watchedWork makes up a verdict from what goroutines did, the root first.
func watchedWork(subject string, kind verdict.Kind, by string, lives ...trace.Life) verdict.Verdict {
	t := &trace.Trace{Procs: 2, Goroutines: len(lives) - 1, Time: map[trace.State]time.Duration{}}
	for i := range lives {
		lives[i].ID = int64(i)
		if n := len(lives[i].Spans); n > 0 {
			lives[i].Start, lives[i].End = lives[i].Spans[0].Start, lives[i].Spans[n-1].End
		}
		t.Wall = max(t.Wall, lives[i].End)
	}
	t.Covered = t.Wall
	t.Lives = lives[:min(len(lives), trace.MaxLives)]
	const steps = 200
	for i := range steps {
		s := trace.Step{Start: t.Wall * time.Duration(i) / steps, End: t.Wall * time.Duration(i+1) / steps, Mean: map[trace.State]float64{}}
		alive := 0
		for _, l := range lives {
			for _, span := range l.Spans {
				if d := min(span.End, s.End) - max(span.Start, s.Start); d > 0 {
					s.Mean[span.State] += float64(d) / float64(s.End-s.Start)
					t.Time[span.State] += d
				}
			}
			if l.ID > 0 && l.Start < s.End && l.End > s.Start {
				alive++
			}
		}
		t.Peak = max(t.Peak, alive)
		t.Steps = append(t.Steps, s)
	}
	v := verdict.Verdict{Subject: subject, Kind: kind, By: by, Text: "Made up.", Evidence: verdict.Evidence{Trace: t, Procs: 2}}
	v.Evidence.CPUs = probe.CPUSet{Count: 2, Bound: "online"}
	v.Evidence.Usage = probe.Usage{Wall: t.Wall, User: t.Time[trace.Running] + t.Time[trace.Native], CPUs: 2}
	return v
}

// then makes a goroutine's life of states and how long they last, in
// milliseconds, from a time on.
func then(fn string, from int, parts ...any) trace.Life {
	l := trace.Life{Func: fn}
	at := time.Duration(from) * time.Millisecond
	for i := 0; i < len(parts); i += 2 {
		end := at + time.Duration(parts[i+1].(int))*time.Millisecond
		if end > at {
			l.Spans = append(l.Spans, trace.StateSpan{State: parts[i].(trace.State), Start: at, End: end})
		}
		at = end
	}
	return l
}

// honest is n goroutines that take turns on two CPUs.
func honest(n int) verdict.Verdict {
	lives := []trace.Life{then("main.main.func1", 0, trace.Running, 1, trace.Join, n*5)}
	for i := range n {
		lives = append(lives, then("main.main.func1.1", 1, trace.Queued, i/2*10, trace.Running, 10))
	}
	return watchedWork("honest", verdict.AllCPUs, "", lives...)
}

// locked is n goroutines that hold one lock while they compute.
func locked(n int) verdict.Verdict {
	lives := []trace.Life{then("main.main.func2", 0, trace.Running, 1, trace.Join, n*10)}
	for i := range n {
		lives = append(lives, then("main.(*counter).add", 1, trace.Queued, 1, trace.Lock, i*10, trace.Running, 10))
	}
	return watchedWork("a global lock", verdict.OneAtATime, "a lock", lives...)
}

// awaited is n goroutines of which each ends before the next starts.
func awaited(n int) verdict.Verdict {
	root := trace.Life{Func: "main.main.func3"}
	lives := []trace.Life{root}
	for i := range n {
		lives = append(lives, then("main.main.func3.1", i*10, trace.Queued, 1, trace.Running, 9))
	}
	lives[0] = then("main.main.func3", 0, trace.Channel, n*10)
	return watchedWork("awaited one by one, each before the next is started", verdict.OneAtATime, "awaiting each", lives...)
}

// fetching is n goroutines that wait for a network, with those of the
// connections.
func fetching(n, width int) verdict.Verdict {
	lives := []trace.Life{then("main.main.func4", 0, trace.Running, 1, trace.Join, (n/width+1)*20)}
	for i := range n {
		lives = append(lives, then("main.fetchAll.func1", 1+i/width*20, trace.Running, 1, trace.Network, 18, trace.Running, 1))
		service := then("net/http.(*persistConn).readLoop", 2+i/width*20, trace.Network, 19)
		service.Service = true
		lives = append(lives, service)
	}
	v := watchedWork("too few on the network", verdict.TooFew, "a bound of 2", lives...)
	v.Evidence.Trace.Goroutines, v.Evidence.Trace.Service = n, n
	return v
}

// millions is a verdict whose goroutines are far more than are drawn.
func millions() verdict.Verdict {
	v := honest(60)
	v.Subject, v.Kind, v.By = "a million goroutines", verdict.TooSmall, ""
	t := v.Evidence.Trace
	t.Goroutines, t.Peak, t.Wall = 1_000_000, 900_000, 3*time.Second
	for i := range t.Steps {
		s := &t.Steps[i]
		s.Start, s.End = t.Wall*time.Duration(i)/200/2, t.Wall*time.Duration(i+1)/200/2
		s.Mean[trace.Queued] = 900_000 * math.Sin(float64(i)/200*math.Pi)
		s.Mean[trace.Garbage] = 0.3
	}
	t.Covered, t.Truncated, t.Ended = t.Wall/2, true, trace.AtLimit
	return v
}

// giant is short tasks and a long one at the end.
func giant() verdict.Verdict {
	lives := []trace.Life{then("main.main.func6", 0, trace.Running, 1, trace.Join, 260)}
	for i := range 12 {
		lives = append(lives, then("main.tile", 1, trace.Queued, i/2*10, trace.Running, 4, trace.Syscall, 4, trace.Running, 2))
	}
	lives = append(lives, then("main.giant", 1, trace.Queued, 60, trace.Running, 200))
	return watchedWork("one giant among many", verdict.LongTask, "", lives...)
}

// onOne is honest work with GOMAXPROCS 1.
func onOne() verdict.Verdict {
	lives := []trace.Life{then("main.main.func5", 0, trace.Running, 1, trace.Join, 100)}
	for i := range 10 {
		lives = append(lives, then("main.main.func5.1", 1, trace.Queued, i*10, trace.Running, 10))
	}
	v := watchedWork("GOMAXPROCS=1", verdict.OneAtATime, "GOMAXPROCS", lives...)
	v.Evidence.Procs, v.Evidence.Trace.Procs = 1, 1
	return v
}

// crowdedOut is honest work while other programs had most of the CPUs.
func crowdedOut() verdict.Verdict {
	v := honest(20)
	v.Subject = "crowded out"
	u := &v.Evidence.Usage
	u.RunDelay = u.User * 3 / 4
	u.User /= 4
	return v
}

func madeUp() map[string]verdict.Verdict {
	return map[string]verdict.Verdict{
		"honest": honest(20), "locked": locked(12), "awaited": awaited(30), "many": locked(100), "fetching": fetching(20, 2),
		"millions": millions(), "giant": giant(), "one proc": onOne(), "crowded out": crowdedOut(), "one goroutine": watchedWork("", verdict.CannotTell, "", then("main.main.func7", 0, trace.Running, 3)),
	}
}

// verdictFigures makes every figure of verdicts.
func verdictFigures() map[string]*Figure {
	out := map[string]*Figure{}
	for name, v := range madeUp() {
		out["running/"+name], out["lives/"+name] = RunningOver(v), Lives(v)
	}
	out["running/two"] = RunningOver(honest(20), locked(12))
	out["running/eight"] = RunningOver(honest(20), locked(12), awaited(30), fetching(20, 2), millions(), giant(), onOne(), verdict.Verdict{Evidence: honest(4).Evidence})
	return out
}

func TestVerdictFiguresHaveTextsApart(t *testing.T) {
	for name, page := range verdictFigures() {
		for _, size := range []Size{Page, Slide, Card} {
			t.Run(name+"/"+string(size), func(t *testing.T) {
				f := page.In(Dark, size)
				if f.Err() != nil {
					if size == Page {
						t.Fatal(f.Err())
					}
					t.Skip(f.Err()) // many need a page
				}
				keepsApart(t, f)
			})
		}
	}
}

func TestVerdictFiguresSayWhatTheyShow(t *testing.T) {
	for name, tc := range map[string]struct {
		f       *Figure
		title   string
		alt     []string
		caption []string
		labels  []string
	}{
		"running": {RunningOver(locked(12)), "A global lock: one at a time (a lock)",
			[]string{"on average 0.99 on a CPU (2 CPUs)", "most of them waiting for each other"},
			[]string{"The root and 12 goroutines in 122 ms", "at most 12 of them started and not ended", "50 % of 2 CPUs used", "Dashed: the CPUs"},
			[]string{"2 CPUs", "on a CPU", "waiting for each other: lock, channel"}},
		"GOMAXPROCS": {RunningOver(onOne()), "GOMAXPROCS=1: one at a time (GOMAXPROCS)", nil, []string{"GOMAXPROCS 1"}, []string{"GOMAXPROCS 1", "2 CPUs"}},
		"cut":        {RunningOver(millions()), "A million goroutines: tasks too small", []string{"waiting for a turn"}, []string{"met its limit of memory and ends after 1.50 of 3.00 s"}, []string{"900,000"}},
		"several": {RunningOver(honest(20), millions()), "Who was on a CPU, and what the others waited for", []string{"honest: on average 1.99", "a million goroutines: "},
			[]string{"axis of its own", "A million goroutines: the trace met"}, []string{"honest", "runs on all CPUs"}},
		"crowded out":    {RunningOver(crowdedOut()), "Crowded out: runs on all CPUs", nil, []string{"25 % of 2 CPUs used", "About 75 % of the time on a thread was its own wait for a CPU"}, nil},
		"crowded too":    {RunningOver(crowdedOut(), honest(2), crowdedOut()), "Who was on a thread, and what the others waited for", nil, []string{"Crowded out: about 75 %"}, nil},
		"crowded all":    {RunningOver(crowdedOut(), crowdedOut(), crowdedOut()), "Who was on a thread, and what the others waited for", nil, []string{"In 3 of the strips"}, nil},
		"crowded live":   {Lives(crowdedOut()), "Crowded out: runs on all CPUs", nil, []string{"About 75 %"}, nil},
		"without a name": {RunningOver(verdict.Verdict{Kind: verdict.AllCPUs, Evidence: honest(4).Evidence}), "Runs on all CPUs", nil, nil, nil},
		"lives":          {Lives(locked(12)), "A global lock: one at a time (a lock)", []string{"Lane chart of 13 goroutines, the root with them,", "waiting for each other"}, []string{"The root is"}, []string{"root", "12"}},
		"functions":      {Lives(giant()), "One giant among many: held up by one long task", nil, nil, []string{"tile  1", "giant  13"}},
		"more lives": {Lives(locked(100)), "A global lock: one at a time (a lock)", nil,
			[]string{"The first 40 goroutines of 100 are drawn", "the time until the last of them ended, 0.410 of 1.00 s"}, []string{"root"}},
		"service": {Lives(fetching(20, 2)), "Too few on the network: waits with too few in flight (a bound of 2)", nil, []string{"20 goroutines of the standard library left out"}, []string{"20"}},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.f.Err() != nil || tc.f.Title() != tc.title {
				t.Fatalf("title %q, error %v", tc.f.Title(), tc.f.Err())
			}
			svg, err := tc.f.SVG()
			if err != nil {
				t.Fatal(err)
			}
			drawn, _ := readSVG(t, svg)
			for _, c := range []struct {
				in   string
				want []string
			}{{tc.f.Alt(), tc.alt}, {tc.f.Caption(), tc.caption}, {drawn, tc.labels}} {
				for _, want := range c.want {
					if !strings.Contains(c.in, want) {
						t.Errorf("no %q in %q", want, c.in)
					}
				}
			}
		})
	}
	for _, f := range []*Figure{RunningOver(millions()), Lives(millions())} {
		if w := f.Warnings(); len(w) != 1 || !strings.Contains(w[0], "limit of memory") {
			t.Errorf("warnings %q", w)
		}
	}
}

// A trace can end early for other reasons than its limit.
func TestVerdictFiguresSayWhyTheyEnd(t *testing.T) {
	for end, want := range map[trace.End]string{
		"": "the trace ended early after 1.50 of 3.00 s", trace.AtLimit: "the trace met its limit of memory",
		trace.ByOthers: "the trace was stopped by others", trace.Unread: "the trace was not read to its end",
	} {
		v := millions()
		v.Evidence.Trace.Ended = end
		for _, f := range []*Figure{RunningOver(v), Lives(v)} {
			if !strings.Contains(strings.ToLower(f.Caption()), want) || len(f.Warnings()) != 1 || !strings.Contains(f.Warnings()[0], want) {
				t.Errorf("%q: caption %q, warnings %q, want %q", end, f.Caption(), f.Warnings(), want)
			}
		}
	}
}

func TestVerdictTitlesInOtherScripts(t *testing.T) {
	for subject, want := range map[string]string{"병렬 읽기": "병렬 읽기: runs on all CPUs", "été": "Été: runs on all CPUs"} {
		v := honest(4)
		v.Subject, v.By = subject, ""
		for _, f := range []*Figure{RunningOver(v), Lives(v)} {
			if f.Title() != want {
				t.Errorf("title %q, want %q", f.Title(), want)
			}
		}
	}
}

// Verdicts of different code and of different experiments do not overwrite
// each other's figures, and another run of the same code replaces its own.
func TestVerdictFiguresHaveFilesOfTheirOwn(t *testing.T) {
	one, again, other := judgedOf("", "", honest(4)), judgedOf("", "", honest(5)), judgedOf("", "", honest(4))
	other.Evidence.Trace.Lives[1].Func = "main.another"
	for name, c := range map[string]struct{ one, again, other verdict.Verdict }{
		"without a name": {one, again, other},
		"named":          {judgedOf("reads", "", one), judgedOf("reads", "", again), judgedOf("writes", "", one)},
		"of a lab":       {judgedOf("goroutines", "Primes", one), judgedOf("goroutines", "Primes", again), judgedOf("goroutines", "Crawl", one)},
	} {
		for kind, draw := range map[string]func(verdict.Verdict) *Figure{"running": func(v verdict.Verdict) *Figure { return RunningOver(v) }, "lives": Lives} {
			a, b, other := draw(c.one).Slug(), draw(c.again).Slug(), draw(c.other).Slug()
			if a != b || a == other {
				t.Errorf("%s, %s: slugs %q, of another run %q, of other code %q", name, kind, a, b, other)
			}
		}
	}
}

func judgedOf(subject, experiment string, v verdict.Verdict) verdict.Verdict {
	v.Subject, v.Experiment = subject, experiment
	return v
}

func TestVerdictsThatCannotBeDrawn(t *testing.T) {
	empty := verdict.Verdict{Subject: "empty", Evidence: verdict.Evidence{Trace: &trace.Trace{}}}
	for name, tc := range map[string]struct {
		f    *Figure
		want string
	}{
		"running of none":     {RunningOver(), "no verdict"},
		"running, no trace":   {RunningOver(honest(2), verdict.Verdict{Subject: "pool(2)", Size: 10_000}), `"pool(2), size 10,000": it has no execution trace`},
		"running, no steps":   {RunningOver(empty), "give the work more to do"},
		"lives, no trace":     {Lives(verdict.Verdict{Subject: "pool(2)"}), "lab.Traced()"},
		"lives of no one":     {Lives(empty), "give the work more to do"},
		"lives of no verdict": {Lives(verdict.Verdict{}), "lab.Traced()"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tc.f.Err(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
			if _, _, _, err := tc.f.PNG(); err == nil {
				t.Error("drawn in spite of it")
			}
		})
	}
}

// What may be in a file is drawn or refused, never a mistake of the package.
func TestAnyVerdictIsDrawnOrRefused(t *testing.T) {
	states := []trace.State{trace.Running, trace.Queued, trace.Network, trace.Lock, trace.Join, trace.Garbage, "unknown", ""}
	at := rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.OneOf(rapid.Int64Range(0, 1e9), rapid.Int64()).Draw(t, "at"))
	})
	rapid.Check(t, func(t *rapid.T) {
		state := rapid.SampledFrom(states)
		tr := &trace.Trace{Wall: at.Draw(t, "wall"), Covered: at.Draw(t, "covered"), Truncated: rapid.Bool().Draw(t, "truncated"), Goroutines: rapid.Int().Draw(t, "goroutines")}
		for range rapid.IntRange(0, 5).Draw(t, "steps") {
			tr.Steps = append(tr.Steps, trace.Step{Start: at.Draw(t, "start"), End: at.Draw(t, "end"), Mean: rapid.MapOf(state, rapid.Float64()).Draw(t, "mean")})
		}
		for i := range rapid.IntRange(0, 50).Draw(t, "lives") {
			l := trace.Life{ID: int64(i), Func: rapid.String().Draw(t, "func"), Service: rapid.Bool().Draw(t, "service")}
			for range rapid.IntRange(0, 3).Draw(t, "spans") {
				l.Spans = append(l.Spans, trace.StateSpan{State: state.Draw(t, "state"), Start: at.Draw(t, "from"), End: at.Draw(t, "to")})
			}
			tr.Lives = append(tr.Lives, l)
		}
		v := verdict.Verdict{Subject: rapid.String().Draw(t, "subject"), Kind: verdict.Kind(rapid.String().Draw(t, "kind")), Evidence: verdict.Evidence{Trace: tr, Procs: rapid.Int().Draw(t, "procs")}}
		v.Evidence.CPUs.Count = rapid.Float64().Draw(t, "cpus")
		for kind, f := range map[string]*Figure{"running": RunningOver(v), "two": RunningOver(v, v), "lives": Lives(v)} {
			if err := f.Err(); err != nil && strings.Contains(err.Error(), "mistake in package chart") {
				t.Fatalf("%s: %v", kind, err)
			}
			if f.Alt() == "" || f.Slug() == "" || !utf8.ValidString(f.Title()) {
				t.Fatalf("%s: alt %q, slug %q, title %q", kind, f.Alt(), f.Slug(), f.Title())
			}
		}
	})
}

// A lane shows in every column what filled most of it, and no column beyond
// the goroutine's life.
func TestLanesAreThinned(t *testing.T) {
	for name, tc := range map[string]struct {
		spans []bar
		want  []bar
	}{
		"wide enough":        {[]bar{{0, 2, 0}, {2, 5, 1}}, []bar{{0, 2, 0}, {2, 5, 1}}},
		"narrow between two": {[]bar{{0, 1.9, 0}, {1.9, 2, 1}, {2, 4, 0}}, []bar{{0, 4, 0}}},
		"most of a column":   {[]bar{{0, 0.4, 0}, {0.4, 2, 1}}, []bar{{0, 2, 1}}},
		"less than a column": {[]bar{{3.2, 3.3, 2}}, []bar{{3, 4, 2}}},
		"no time":            {[]bar{{3.2, 3.2, 2}}, []bar{{3, 4, 2}}},
		"a gap":              {[]bar{{0, 1, 0}, {3, 4, 0}}, []bar{{0, 1, 0}, {3, 4, 0}}},
		"past the end":       {[]bar{{8, 12, 0}}, []bar{{8, 10, 0}}},
		"after the end":      {[]bar{{12, 13, 0}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			l := lifeLane{spans: tc.spans, start: tc.spans[0].start, end: tc.spans[len(tc.spans)-1].end}
			if got := l.thin(10, 10); !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestEveryStateHasAnActivity(t *testing.T) {
	for _, s := range []trace.State{trace.Running, trace.Native, trace.Queued, trace.Runnable, trace.Sleep, trace.Network, trace.Syscall, trace.Lock, trace.Join, trace.Cond, trace.Channel, trace.Garbage, trace.Other} {
		i, ok := activityOf[s]
		if !ok {
			t.Errorf("%s has none", s)
			continue
		}
		if s.OnCPU() != (i == onCPU) || s.Outside() != strings.Contains(activities[i].name, "outside") {
			t.Errorf("%s is drawn as %q", s, activities[i].name)
		}
	}
	if i := placeOf("from a later version"); i != allOther {
		t.Errorf("an unknown state is drawn as %q", activities[i].name)
	}
}

func ExampleRunningOver() {
	v := verdict.Verdict{Subject: "await each", Kind: verdict.OneAtATime, By: "awaiting each"}
	v.Evidence.CPUs.Count = 2
	v.Evidence.Trace = &trace.Trace{Wall: 10 * time.Millisecond, Covered: 10 * time.Millisecond, Goroutines: 5, Peak: 2,
		Steps: []trace.Step{{End: 10 * time.Millisecond, Mean: map[trace.State]float64{trace.Running: 1, trace.Channel: 1}}}}
	f := RunningOver(v)
	fmt.Println(f.Title())
	fmt.Println(f.Alt())
	// Output:
	// Await each: one at a time (awaiting each)
	// Area chart of goroutines on a CPU and waiting over time: on average 1.00 on a CPU (2 CPUs) and 1.00 waiting, most of them waiting for each other: lock, channel.
}
