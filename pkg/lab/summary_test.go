package lab

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"overlap/pkg/internal/guard"
	"overlap/pkg/probe"
	"overlap/pkg/sched"
)

// made returns a result with given times in milliseconds, one a round, for the baseline "a", its
// control and the variant "b".
func made(a, control, b []float64) *Result {
	r := &Result{
		Format: format, Name: "Made up", Unit: "tasks", Variants: []string{"a", "b"}, Baseline: "a", Sizes: []int{7},
		Specs: []Spec{{Kind: "k", Params: map[string]string{"limit": "10"}, Scheduler: "a"}, {Kind: "k", Scheduler: "b"}},
		Repeats: len(
			a,
		), Seed: 1, Machine: probe.Machine{CPU: "a CPU", Logical: 2, Usable: probe.CPUSet{Count: 2, Bound: "online"},
			Kernel: "Linux 6", Arch: "amd64", Go: "go1.26"},
	}
	add := func(variant string, control bool, times []float64) {
		for i, ms := range times {
			r.Trials = append(r.Trials, Trial{
				Variant: variant, Control: control, Size: 7, Round: i + 1, Order: len(r.Trials), Tasks: 7, Answer: "42",
				Usage: probe.Usage{Wall: time.Duration(ms * 1e6), User: time.Duration(ms * 1e6), CPUs: 2},
			})
		}
	}
	add("a", false, a)
	add("a", true, control)
	add("b", false, b)
	return r
}

func TestEstimate(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		values []float64
		want   Estimate
	}{
		{"one", []float64{5}, Estimate{1, 5, -inf, inf}},
		{"five have no interval", []float64{1, 2, 3, 4, 5}, Estimate{5, 3, -inf, inf}},
		{"six have their range", []float64{6, 1, 5, 2, 4, 3}, Estimate{6, 3.5, 1, 6}},
		{"ten leave out the extremes", []float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, Estimate{10, 5.5, 2, 9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := slices.Clone(c.values)
			if got := estimate(c.values); got != c.want {
				t.Errorf("%#v, want %#v", got, c.want)
			}
			if !slices.Equal(before, c.values) {
				t.Error("the order of the values was lost")
			}
		})
	}
	if none := estimate(nil); none.N != 0 || !math.IsNaN(none.Median) || none.Interval() || none.String() != "n/a" {
		t.Errorf("of nothing: %+v", none)
	}
}

func TestRatiosArePairedByRound(t *testing.T) {
	// The machine becomes ten times slower on the way; within each round b takes half as long.
	a := []float64{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}
	half := make([]float64, len(a))
	for i := range a {
		half[i] = a[i] / 2
	}
	r := made(a, a, half)
	if got := r.Speedup("b", 7); got != (Estimate{10, 2, 2, 2}) {
		t.Errorf("speedup %+v", got)
	}
	if c := r.Compare("b", 7); c.Difference != Faster {
		t.Errorf("%v", c)
	}
	// Another round of b without its partner does not count.
	r.Trials = append(r.Trials, Trial{Variant: "b", Size: 7, Round: 11, Usage: probe.Usage{Wall: time.Hour}})
	if got := r.Speedup("b", 7); got.N != 10 {
		t.Errorf("%d ratios", got.N)
	}
}

func TestCompare(t *testing.T) {
	base := []float64{10, 10, 10, 10, 10, 10, 10}
	times := func(ms float64) []float64 { return slices.Repeat([]float64{ms}, 7) }
	for _, c := range []struct {
		name       string
		control, b []float64
		want       Difference
		says       string
	}{
		{"twice as fast", base, times(5), Faster, "b is 2 times as fast as a"},
		{"half as fast", base, times(20), Slower, "b is slower than a: 0.5 times its speed"},
		{"equal", base, base, NoneShown, "no difference shown"},
		{"a gain below the noise floor", times(11), times(9.5), NoneShown, "noise floor 10.0 %"},
		{"a gain above it", times(11), times(8), Faster, "1.25 times as fast"},
		{"few repeats", base, times(5)[:3], TooFewRepeats, "at least 6"},
		{"none", base, nil, NothingToMatch, "not measured"},
		{"zero times", base, times(0), TooShort, "too short to measure"},
		{"some zero times", base, append(times(0)[:3:3], times(5)[3:]...), TooShort, "too short to measure"},
		{"one round", base[:1], times(5)[:1], TooFewRepeats, "b had 2 times the speed of a in 1 round; at least 6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := made(base, c.control, c.b).Compare("b", 7)
			if got.Difference != c.want || !strings.Contains(got.String(), c.says) {
				t.Errorf("%q: %v; want %q with %q", got.Difference, got, c.want, c.says)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	times := func(ms float64, n int) []float64 { return slices.Repeat([]float64{ms}, n) }
	for _, c := range []struct {
		name string
		r    *Result
		edit func(*Result)
		want string
	}{
		{"sound", made(times(50, 7), times(50, 7), times(25, 7)), nil, ""},
		{"few repeats", made(times(50, 5), times(50, 5), times(25, 5)), nil, "few repeats"},
		{"noise", made(times(50, 7), times(60, 7), times(25, 7)), nil, "noise"},
		{"too short", made(times(50, 7), times(50, 7), times(1, 7)), nil, "too short"},
		{"shorter than the clock can tell", made(times(0, 7), times(0, 7), times(0, 7)), nil, "too short"},
		{"mostly so", made([]float64{0, 0, 1}, []float64{0, 0, 1}, []float64{0, 0, 1}), nil, "few repeats, too short"},
		{"spread", made(times(50, 7), times(50, 7), []float64{10, 20, 30, 40, 50, 60, 70}), nil, "spread"},
		{"outside load", made(times(50, 7), times(50, 7), times(25, 7)), func(r *Result) {
			for i := range r.Trials {
				r.Trials[i].HostBusy = r.Trials[i].User + r.Trials[i].Wall
			}
		}, "outside load"},
		{"steal", made(times(50, 7), times(50, 7), times(25, 7)),
			func(r *Result) { r.Trials[3].Steal = 110 * time.Millisecond }, "steal"},
		{"a tick of others", made(times(50, 7), times(50, 7), times(25, 7)), func(r *Result) {
			for i := range r.Trials {
				r.Trials[i].HostBusy = r.Trials[i].User + time.Duration(1-i%2*2)*10*time.Millisecond // unclamped they are none
			}
		}, ""},
		{"child processes are no others", made(times(50, 7), times(50, 7), times(25, 7)), func(r *Result) {
			for i := range r.Trials {
				r.Trials[i].HostBusy, r.Trials[i].Children = r.Trials[i].User+r.Trials[i].Wall, r.Trials[i].Wall
			}
		}, ""},
		{"GOMAXPROCS", made(times(50, 7), times(50, 7), times(25, 7)), func(r *Result) {
			r.Machine.GOMAXPROCS = 2
			for i := range r.Trials {
				r.Trials[i].GOMAXPROCS = 2 - i%2
			}
		}, "GOMAXPROCS"},
		{"suspended", made(times(50, 7), times(50, 7), times(25, 7)),
			func(r *Result) { r.Trials[3].Suspended = time.Minute }, "suspended"},
		{"not alone", made(times(50, 7), times(50, 7), times(25, 7)), func(r *Result) { r.Beside = true }, "not alone"},
		{"quick", made(times(50, 7), times(50, 7), times(25, 7)), func(r *Result) { r.Quick = true }, "quick"},
		{"quota", made(times(50, 7), times(50, 7), times(25, 7)),
			func(r *Result) { r.Trials[3].Throttled = 100 * time.Millisecond }, "quota"},
		{"cold start", made(times(50, 7), times(50, 7), times(25, 7)), func(r *Result) {
			r.Trials = append(r.Trials, Trial{Variant: "b", Size: 7, Usage: probe.Usage{Wall: time.Second}})
		}, "cold start"},
		{"interrupted", made(times(50, 3), times(50, 3), times(25, 3)), func(r *Result) { r.Interrupted = true },
			"interrupted"},
		{"failure", made(times(50, 7), times(50, 7), nil), func(r *Result) {
			r.Failures = []Failure{{Variant: "b", Size: 7,
				Round: 1, Reason: "boom"}}
		}, "failure"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.edit != nil {
				c.edit(c.r)
			}
			var kinds []string
			for _, w := range c.r.Warnings() {
				kinds = append(kinds, string(w.Kind))
				if w.Text == "" || w.Remedy == "" || strings.Contains(w.String(), "%!") {
					t.Errorf("%+v", w)
				}
			}
			if got := strings.Join(kinds, ", "); got != c.want {
				t.Errorf("warnings %q, want %q", got, c.want)
			}
		})
	}
}

// A cell passes what it got to Show, also after an error.
func TestNilResult(t *testing.T) {
	var r *Result
	if r.Warnings() != nil || r.Only(1) != nil || r.Against("a") != nil || len(r.Table().Rows) != 0 {
		t.Error("no result has something to say")
	}
}

// A CPU that others use in the second half of the rounds makes what it shows weaker; it does not
// turn it round.
func TestLoadFromHalfWayOn(t *testing.T) {
	a := []float64{100, 100, 100, 100, 100, 100, 150, 100, 140, 110}
	b := []float64{52, 52, 52, 52, 52, 120, 160, 90, 170, 130}
	r := made(a, []float64{100, 100, 100, 100, 100, 140, 110, 150, 100, 100}, b)
	if c := r.Only(7).Compare("b", 7); c.Difference != NoneShown || c.Speedup.Median < 1 {
		t.Errorf("%s", c)
	}
	for i := range r.Trials {
		if trial := &r.Trials[i]; trial.Round > 5 {
			trial.HostBusy = trial.User + trial.Wall
		} else {
			trial.HostBusy = trial.User
		}
	}
	if got := r.Time("b", 7).Median; got != .071 {
		t.Errorf("median %v s", got)
	}
	var kinds []string
	for _, w := range r.Warnings() {
		kinds = append(kinds, string(w.Kind))
	}
	if want := []string{"noise", "spread", "outside load"}; !slices.Equal(kinds, want) {
		t.Errorf("warnings %q, want %q", kinds, want)
	}
}

// Who comes first finds cold caches in the warm-up, which is told and not counted: the same code is
// the same either way round.
func TestWhoeverIsFirst(t *testing.T) {
	times := []float64{50, 51, 49, 50, 52, 50, 48, 50, 51, 49}
	for _, first := range []string{"a", "b"} {
		r := made(times, times, slices.Concat(times[5:], times[:5]))
		for _, v := range r.Variants {
			warmUp := Trial{Variant: v, Size: 7, Usage: probe.Usage{Wall: 50 * time.Millisecond}}
			if v == first {
				warmUp.Wall = 300 * time.Millisecond
			}
			r.Trials = append(r.Trials, warmUp)
		}
		if c := r.Compare("b", 7); c.Difference != NoneShown {
			t.Errorf("%s first: %s", first, c)
		}
		ws := r.Warnings()
		if len(ws) != 1 || ws[0].Text != "The first run of "+first+" with 7 tasks took 6.0 times the median." {
			t.Errorf("%s first: warnings %v", first, ws)
		}
	}
}

// One warning of a kind is enough: it names the worst case and how many there are.
func TestNoiseAtSeveralSizesIsOneWarning(t *testing.T) {
	times := func(ms float64) []float64 { return slices.Repeat([]float64{ms}, 7) }
	r, second := made(times(50), times(60), times(25)), made(times(50), times(80), times(25))
	r.Sizes = append(r.Sizes, 9)
	for _, trial := range second.Trials {
		trial.Size = 9
		r.Trials = append(r.Trials, trial)
	}
	ws := r.Warnings()
	if len(ws) != 1 ||
		ws[0].Text != "At size 9 (tasks) two runs of the same code can differ by 60 %, the worst of 2 such cases." {
		t.Errorf("%v", ws)
	}
}

func TestTable(t *testing.T) {
	if row := made([]float64{.9}, []float64{.9}, []float64{.9}).Table().Select("CPU used", "CPU wanted",
		"page faults").Rows[0]; !slices.Equal(
		row,
		[]string{"n/a", "n/a", "0"},
	) {
		t.Errorf("of less than a millisecond: %q", row)
	}
	table := made(
		[]float64{10, 10, 10, 10, 10, 10},
		[]float64{10, 10, 10, 10, 10, 10},
		[]float64{5, 5, 5, 5, 5, 5},
	).Table()
	if len(table.Rows) != 2 {
		t.Fatalf("%d rows", len(table.Rows))
	}
	for _, row := range table.Rows {
		if len(row) != len(table.Head) {
			t.Errorf("%d cells under %d heads", len(row), len(table.Head))
		}
	}
	text := table.String()
	for _, want := range []string{"5 ms – 5 ms", "2 (2–2)", "faster", "baseline", "Noise floor at 7 tasks: 0.0 %"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if !table.Numeric(1) || table.Numeric(0) {
		t.Error("times are figures and names are not")
	}
	_ = Table{}.String()
	some := table.Select("time", "variant", "colour")
	if !slices.Equal(some.Head, []string{"time", "variant"}) || !slices.Equal(some.Rows[1], []string{"5 ms", "b"}) {
		t.Errorf("%v", some)
	}
	if last := some.Notes[len(some.Notes)-1]; !strings.Contains(last, `"colour"`) {
		t.Errorf("a column that is not there: %q", last)
	}
}

// BenchmarkRecording measures what the recording adds to a task: on a pool, as its tasks also look
// up their worker.
func BenchmarkRecording(b *testing.B) {
	const n = 10_000
	plain := slices.Repeat([]sched.Task{func(context.Context) error { return nil }}, n)
	rec := newRecorder(n)
	rec.base = time.Now()
	for _, c := range []struct {
		name  string
		tasks []sched.Task
	}{{"plain", plain}, {"recorded", rec.wrap(plain)}} {
		b.Run(c.name, func(b *testing.B) {
			pool := sched.Pool(1)
			for b.Loop() {
				for i := range rec.notes { // each pass starts the tasks afresh
					rec.notes[i].state.Store(0)
				}
				if err := pool.Run(context.Background(), c.tasks); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/task")
		})
	}
}

// TestRestAfterTheInterrupt: what is waited for after an interrupt shares one time.
func TestRestAfterTheInterrupt(t *testing.T) {
	x := &execution{}
	if first := x.rest(); first > guard.StopLimit || first < leastWait {
		t.Errorf("%v at first", first)
	}
	told := x.tell()
	if again := x.tell(); again != told {
		t.Errorf("told at %v and at %v", told, again)
	}
	for ago, want := range map[time.Duration]time.Duration{guard.StopLimit: leastWait, time.Hour: leastWait} {
		then := time.Now().Add(-ago)
		x.told.Store(&then)
		if got := x.rest(); got != want {
			t.Errorf("%v later: %v, want %v", ago, got, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rec := newRecorder(1)
	rec.notes[0].state.Store(1) // it runs
	if rec.settle(ctx, x.rest) {
		t.Error("a task that still runs has settled")
	}
	for range 100 { // what has ended is not taken for what goes on
		done := make(chan error, 1)
		done <- nil
		if _, ended := x.endOf(ctx, done); !ended {
			t.Fatal("what had ended is said to go on")
		}
	}
}
