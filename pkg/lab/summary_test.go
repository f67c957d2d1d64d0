package lab

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"overlap/pkg/internal/guard"
	"overlap/pkg/probe"
	"overlap/pkg/sched"

	"golang.org/x/perf/benchfmt"
	"pgregory.net/rapid"
)

// made returns a result with given times in milliseconds, one a round, for the
// baseline "a", its control and the variant "b".
func made(a, control, b []float64) *Result {
	r := &Result{
		Format: format, Name: "Made up", Unit: "tasks", Variants: []string{"a", "b"}, Baseline: "a", Sizes: []int{7},
		Specs:   []Spec{{Kind: "k", Params: map[string]string{"limit": "10"}, Scheduler: "a"}, {Kind: "k", Scheduler: "b"}},
		Repeats: len(a), Seed: 1, Machine: probe.Machine{CPU: "a CPU", Logical: 2, Usable: probe.CPUSet{Count: 2, Bound: "online"}, Kernel: "Linux 6", Arch: "amd64", Go: "go1.26"},
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
	// The machine becomes ten times slower on the way; within each round b
	// takes half as long.
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
		{"steal", made(times(50, 7), times(50, 7), times(25, 7)), func(r *Result) { r.Trials[3].Steal = 110 * time.Millisecond }, "steal"},
		{"a tick of others", made(times(50, 7), times(50, 7), times(25, 7)), func(r *Result) {
			for i := range r.Trials {
				r.Trials[i].HostBusy = r.Trials[i].User + time.Duration(1-i%2*2)*10*time.Millisecond // unclamped they add up to none
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
		{"suspended", made(times(50, 7), times(50, 7), times(25, 7)), func(r *Result) { r.Trials[3].Suspended = time.Minute }, "suspended"},
		{"not alone", made(times(50, 7), times(50, 7), times(25, 7)), func(r *Result) { r.Beside = true }, "not alone"},
		{"quick", made(times(50, 7), times(50, 7), times(25, 7)), func(r *Result) { r.Quick = true }, "quick"},
		{"quota", made(times(50, 7), times(50, 7), times(25, 7)), func(r *Result) { r.Trials[3].Throttled = 100 * time.Millisecond }, "quota"},
		{"cold start", made(times(50, 7), times(50, 7), times(25, 7)), func(r *Result) {
			r.Trials = append(r.Trials, Trial{Variant: "b", Size: 7, Usage: probe.Usage{Wall: time.Second}})
		}, "cold start"},
		{"interrupted", made(times(50, 3), times(50, 3), times(25, 3)), func(r *Result) { r.Interrupted = true }, "interrupted"},
		{"failure", made(times(50, 7), times(50, 7), nil), func(r *Result) { r.Failures = []Failure{{Variant: "b", Size: 7, Round: 1, Reason: "boom"}} }, "failure"},
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

// A CPU that others use in the second half of the rounds makes what it shows
// weaker; it does not turn it round.
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

// Who comes first finds cold caches in the warm-up, which is told and not
// counted: the same code is the same either way round.
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

// csvRows returns the rows of a result's CSV, the names of the columns first.
func csvRows(t *testing.T, r *Result) [][]string {
	t.Helper()
	data, err := r.CSV()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// The figures in the table are those of the files, to the last digit.
func TestFiguresAreRebuiltFromTheFiles(t *testing.T) {
	r := made([]float64{10.1, 12.7, 9.3, 11, 10.4, 10.9, 13}, []float64{10, 10, 10, 10, 10, 10, 10}, []float64{5.1, 6.2, 5.9, 5.5, 7.4, 5.3, 5.6})
	rows := csvRows(t, r)
	rebuilt := &Result{Unit: "tasks", Sizes: []int{7}}
	for _, row := range rows[1:] {
		cell := func(name string) string { return row[slices.Index(rows[0], name)] }
		number := func(name string) float64 {
			x, err := strconv.ParseFloat(cell(name), 64)
			if err != nil {
				t.Fatal(name, err)
			}
			return x
		}
		seconds := func(name string) time.Duration { return time.Duration(math.Round(number(name) * 1e9)) }
		rebuilt.Name, rebuilt.Baseline = cell("experiment"), cell("baseline")
		rebuilt.Machine = probe.Machine{CPU: cell("cpu"), Logical: int(number("online_cpus")), Usable: probe.CPUSet{Count: number("cpus"), Bound: cell("cpu_bound")},
			GOMAXPROCS: int(number("gomaxprocs")), OS: cell("os"), Go: cell("go")}
		if v := cell("variant"); !slices.Contains(rebuilt.Variants, v) {
			rebuilt.Variants = append(rebuilt.Variants, v)
		}
		rebuilt.Trials = append(rebuilt.Trials, Trial{
			Variant: cell("variant"), Control: cell("control") == "true", Size: int(number("size")), Round: int(number("round")), Tasks: int(number("tasks")),
			InFlightMean: number("in_flight_mean"), Usage: probe.Usage{Wall: seconds("wall_s"), User: seconds("user_s"), System: seconds("system_s"), CPUs: number("cpus")},
		})
	}
	want := r.Table().String()
	if got := rebuilt.Table().String(); got != want {
		t.Errorf("from the CSV:\n%s\nwant:\n%s", got, want)
	}
	data, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	loaded := new(Result)
	if err := json.Unmarshal(data, loaded); err != nil {
		t.Fatal(err)
	}
	if got := loaded.Table().String(); got != want {
		t.Errorf("from the JSON:\n%s\nwant:\n%s", got, want)
	}
}

func TestCSVHasARowATrial(t *testing.T) {
	r := made([]float64{10, 11}, []float64{10, 12}, []float64{5, 6})
	r.Name = `A "quoted", 한글 name`
	r.Trials[0].Missing = []string{probe.Suspension}
	rows := csvRows(t, r)
	if len(rows) != 1+len(r.Trials) {
		t.Fatalf("%d rows for %d trials", len(rows), len(r.Trials))
	}
	column := func(name string) int {
		i := slices.Index(rows[0], name)
		if i < 0 {
			t.Fatalf("no column %q", name)
		}
		return i
	}
	if got := rows[2][column("wall_s")]; got != "0.011" {
		t.Errorf("wall_s %q", got)
	}
	if got := rows[1][column("experiment")]; got != r.Name {
		t.Errorf("experiment %q", got)
	}
	if none, some := rows[1][column("suspended_s")], rows[2][column("suspended_s")]; none != "" || some != "0" {
		t.Errorf("suspended_s %q where the system does not tell, and %q", none, some)
	}
	if got := rows[1][column("param_limit")] + rows[5][column("param_limit")]; got != "10" {
		t.Errorf("limit %q: only a has one", got)
	}
}

func TestBenchmarkFormatIsReadBack(t *testing.T) {
	r := made([]float64{10, 11}, []float64{10, 12}, []float64{5, 6})
	r.Name = "made up of/three words"
	r.Variants[1], r.Baseline = "await each goroutines", "a"
	for i := range r.Trials {
		if r.Trials[i].Variant == "b" {
			r.Trials[i].Variant = "await each goroutines"
		}
	}
	data, err := r.Benchmark()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var times []float64
	for reader := benchfmt.NewReader(bytes.NewReader(data), "made"); reader.Scan(); {
		switch rec := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Fatal(rec)
		case *benchfmt.Result:
			names = append(names, rec.Name.String())
			s, _ := rec.Value("sec/op")
			times = append(times, s)
			if rec.GetConfig("cpu") != "a CPU" || rec.GetConfig("goos") != "linux" {
				t.Errorf("configuration %v", rec.Config)
			}
		}
	}
	if want := []float64{.01, .011, .005, .006}; !slices.EqualFunc(times, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("times %v, want %v", times, want)
	}
	if want := "MadeUpOfThreeWords/variant=await_each_goroutines/size=7"; names[3] != want {
		t.Errorf("name %q, want %q", names[3], want)
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
	if len(ws) != 1 || ws[0].Text != "At size 9 (tasks) two runs of the same code can differ by 60 %, the worst of 2 such cases." {
		t.Errorf("%v", ws)
	}
}

func TestFiguresNotGivenAreNotZero(t *testing.T) {
	r := made([]float64{10}, []float64{10}, []float64{5})
	for i := range r.Trials {
		r.Trials[i].Missing = []string{probe.PeakMemory, probe.RunDelay}
	}
	row := r.Table().Select("CPU used", "CPU wanted", "peak memory").Rows[0]
	if !slices.Equal(row, []string{"50 %", "n/a", "n/a"}) {
		t.Errorf("%q", row)
	}
	rows := csvRows(t, r)
	for name, want := range map[string]string{"peak_memory_bytes": "", "demand": "", "user_s": "0.01"} {
		if got := rows[1][slices.Index(rows[0], name)]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	if row := made([]float64{.9}, []float64{.9}, []float64{.9}).Table().Select("CPU used", "CPU wanted", "page faults").Rows[0]; !slices.Equal(row, []string{"n/a", "n/a", "0"}) {
		t.Errorf("of less than a millisecond: %q", row)
	}
	table := made([]float64{10, 10, 10, 10, 10, 10}, []float64{10, 10, 10, 10, 10, 10}, []float64{5, 5, 5, 5, 5, 5}).Table()
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

// Names can hold whatever people write; a reader gets the variants apart and
// every line.
func TestBenchmarkFormatOfAnyNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := made([]float64{10, 11}, []float64{10, 12}, []float64{5, 6})
		r.Name, r.Unit = rapid.String().Draw(t, "name"), rapid.String().Draw(t, "unit")
		r.Machine.CPU, r.Specs[1].Params = rapid.String().Draw(t, "cpu"), map[string]string{"limit": "10"}
		b := rapid.SampledFrom([]string{"a b", "a/b", "a_b", "a_b#01", "=1+1", "x\ny", "\u200b", "a\x00b"}).Draw(t, "b")
		c := rapid.String().Draw(t, "c")
		r.Variants = []string{"a_b\t", b, c}
		for i := range r.Trials {
			r.Trials[i].Variant = r.Variants[i/2%3]
			r.Trials[i].Control = false
		}
		data, err := r.Benchmark()
		if err != nil {
			t.Fatal(err)
		}
		names, lines := map[string]bool{}, 0
		for reader := benchfmt.NewReader(bytes.NewReader(data), "made"); reader.Scan(); lines++ {
			rec, ok := reader.Result().(*benchfmt.Result)
			if !ok {
				t.Fatalf("%v in:\n%s", reader.Result(), data)
			}
			names[rec.Name.String()] = true
		}
		if distinct := len(slices.Compact(slices.Sorted(slices.Values(r.Variants)))); distinct == 3 && (len(names) != 3 || lines != 6) {
			t.Fatalf("%d names and %d lines of 6, of 3 variants:\n%s", len(names), lines, data)
		}
	})
}

// Whatever was measured, the files can be written and JSON stays valid.
func TestExportsOfAnyResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Float64Range(0, 1e6), 0, 12)
		r := made(times.Draw(t, "a"), times.Draw(t, "control"), times.Draw(t, "b"))
		r.Name = rapid.String().Draw(t, "name")
		data, err := r.JSON()
		if err != nil || !json.Valid(data) {
			t.Fatalf("JSON: %v", err)
		}
		if _, err := r.CSV(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Benchmark(); err != nil {
			t.Fatal(err)
		}
		_, _, _ = r.Table().String(), r.Warnings(), r.Base()
		if strings.ContainsAny(r.Base(), "/\\ \x00") || len([]rune(r.Base())) > 70 || len(r.Base()) > 200 {
			t.Fatalf("file name %q", r.Base())
		}
	})
}

// BenchmarkRecording measures what the recording adds to a task: on a pool, as
// its tasks also look up their worker.
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

// TestCostRespectsTheControl has the control use more CPU time than the other run
// of the same variant, by more or by less than the variant that is compared.
func TestCostRespectsTheControl(t *testing.T) {
	same := func(ms float64) []float64 { return slices.Repeat([]float64{ms}, 8) }
	for _, c := range []struct {
		control     float64 // ms, where the baseline takes 10 and the variant 11
		tasks       int     // of the variant, where the baseline has 7
		told        bool
		cost, floor float64
	}{
		{10, 7, true, 1e-3 / 7, 0},
		{10.5, 7, true, 1e-3 / 7, 0.5e-3 / 7},
		{10.5, 1000, true, 1e-6, 0.5e-6},
		{13, 7, false, 1e-3 / 7, 3e-3 / 7},
		{13, 1000, false, 1e-6, 3e-6},
		{7, 7, false, 1e-3 / 7, 3e-3 / 7}, // less than the other run is as far
	} {
		r := made(same(10), same(c.control), same(11))
		for i := range r.Trials {
			if r.Trials[i].Variant == "b" {
				r.Trials[i].Tasks = c.tasks
			}
		}
		got := r.Compare("b", 7)
		if math.Abs(got.Cost.Median-c.cost) > 1e-12 || math.Abs(got.CostFloor-c.floor) > 1e-12 {
			t.Errorf("control of %v ms, %d tasks: cost %v and floor %v, want %v and %v", c.control, c.tasks, got.Cost.Median, got.CostFloor, c.cost, c.floor)
		}
		if told := strings.Contains(got.String(), "more CPU time a task"); told != c.told {
			t.Errorf("control of %v ms, %d tasks: %s", c.control, c.tasks, got)
		}
	}
}

// TestBenchmarkOfVariantNotListed has trials of a variant that the result does not
// list, as in a file from elsewhere.
func TestBenchmarkOfVariantNotListed(t *testing.T) {
	r := made([]float64{10}, nil, []float64{5})
	r.Variants, r.Specs = r.Variants[:1], r.Specs[:1]
	data, err := r.Benchmark()
	if err != nil || !strings.Contains(string(data), "BenchmarkMadeUp/variant=a/size=7") || !strings.Contains(string(data), "BenchmarkMadeUp/variant=b/size=7") {
		t.Errorf("%v:\n%s", err, data)
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
