package chart_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"overlap/pkg/chart"
	"overlap/pkg/lab"
	"overlap/pkg/verdict"
)

// pins makes every figure that is pinned. The name of each begins with its
// constructor.
func pins(t *testing.T) []pinned {
	t.Helper()
	var out []pinned
	add := func(name string, f *chart.Figure) { out = append(out, pinned{name, f}) }
	type named struct {
		name string
		r    *lab.Result
	}
	all := []named{{"primes", primes(t, 10)}, {"rasters", rasters(t, 6)}, {"rasters, one size", rasters(t, 6).Only(3)},
		{"kotlin", kotlin(t)}}
	for _, e := range edges(t) {
		all = append(all, named(e))
	}
	for _, c := range all {
		add("Times: "+c.name, chart.Times(c.r))
		add("Speedup: "+c.name, chart.Speedup(c.r))
		add("Trials: "+c.name, chart.Trials(c.r))
		size, variant := 1, "goroutines"
		if c.r != nil {
			size, variant = c.r.Sizes[len(c.r.Sizes)-1], c.r.Variants[0]
		}
		add("InFlight: "+c.name, chart.InFlight(c.r, size))
		add("Lanes: "+c.name, chart.Lanes(c.r, variant, size))
		add("Expected: "+c.name, chart.Expected(c.r, size, expected(c.r), "a model of waiting"))
		rows, match := published(c.r)
		add("Published: "+c.name, chart.Published(c.r, size, rows, match))
		x, err := lab.CompareAcross(c.r, c.r, "the old machine", "a new one")
		if err != nil {
			x = lab.Across{}
		}
		add("Across: "+c.name, chart.Across(x))
	}
	for _, more := range [][]pinned{ofTimes(t), ofTasks(t), ofPools(t), ofTwo(t), ofVerdicts(t)} {
		out = append(out, more...)
	}
	return out
}

// expected is a range for two of three variants.
func expected(r *lab.Result) map[string]chart.Range {
	out := map[string]chart.Range{}
	if r == nil {
		return out
	}
	for i, name := range r.Variants {
		if i%3 < 2 {
			out[name] = chart.Range{Lo: time.Duration(i) * 100 * time.Millisecond,
				Hi: time.Duration(i+4) * 300 * time.Millisecond}
		}
	}
	return out
}

// published is three runs of each variant.
func published(r *lab.Result) (rows []lab.PublishedRow, match map[string]string) {
	match = map[string]string{}
	if r == nil {
		return nil, match
	}
	for i, v := range r.Variants {
		for run := range 3 {
			rows = append(rows, lab.PublishedRow{Experiment: "e", Variant: "their " + v, Run: run + 1,
				Milliseconds: float64(100*(i%5+1) + 7*run), Conditions: "a laptop of 2023."})
		}
		match["their "+v] = v
	}
	return rows, match
}

// ofTimes pins what further there is to a result's times.
func ofTimes(t *testing.T) []pinned {
	t.Helper()
	r := primes(t, 10)
	many := result(t, setup{name: "Many trials", unit: "tasks", kind: "count", sizes: []int{1}, rounds: 1500,
		variants: named("a", "b"),
		wall:     func(v, _ int) int { return 10 * millisecond * (v + 1) }})
	rows, _ := published(r)
	some := append(rows[:9:9], lab.PublishedRow{Experiment: "e", Variant: "a ratio", Speedup: 2.5},
		lab.PublishedRow{Experiment: "e", Variant: "gone", Milliseconds: 90})
	match := map[string]string{"their sequential": "sequential", "their pool(2)": "pool(2)", "gone": "left out"}
	return []pinned{
		{"Times: no such size", chart.Times(rasters(t, 2).Only(77))},
		{"Times: sizes with a gap", chart.Times(rasters(t, 6).Only(1, 2, 4))},
		{"Trials: many", chart.Trials(many)},
		{"Trials: another size", chart.Trials(rasters(t, 6).Only(2))},
		{"Expected: none", chart.Expected(r, 10_000, nil, "")},
		{"Expected: backward", chart.Expected(r, 10_000, map[string]chart.Range{"threads": {Lo: 2, Hi: 1}}, "")},
		{"Published: some", chart.Published(r, 10_000, some, match)},
		{"Published: nothing", chart.Published(r, 10_000, nil, nil)},
		{"Published: no baseline", chart.Published(r, 10_000, rows, map[string]string{"their threads": "threads"})},
	}
}

// ofTasks pins what further there is to the times of tasks.
func ofTasks(t *testing.T) []pinned {
	t.Helper()
	crowd := setup{
		name: "A crowd", unit: "tasks", kind: "sleep", sizes: []int{5000}, rounds: 1, tasks: 400,
		variants: named("pool(150)", "io limited(150)", "unconfined", "event loop", "goroutines"),
		wall:     func(v, _ int) int { return 40 * millisecond * (v + 1) },
	}
	cut := result(t, crowd)
	small := crowd
	small.name, small.sizes, small.tasks = "A few", []int{400}, 400
	few := result(t, small)
	r := kotlin(t)
	out := []pinned{
		{"InFlight: two", chart.InFlight(r, 100, "io", "pool(4)")},
		{"InFlight: no such variant", chart.InFlight(r, 100, "nobody")},
		{"InFlight: cut", chart.InFlight(cut, 5000)},
		{"InFlight: cut, one", chart.InFlight(cut, 5000, "unconfined")},
		{"InFlight: a few", chart.InFlight(few, 400)},
		{"Lanes: no such size", chart.Lanes(r, "io", 7)},
	}
	for _, v := range cut.Variants {
		out = append(out, pinned{"Lanes: cut, " + v, chart.Lanes(cut, v, 5000)},
			pinned{"Lanes: a few, " + v, chart.Lanes(few, v, 400)})
	}
	for _, v := range r.Variants {
		out = append(out, pinned{"Lanes: kotlin, " + v, chart.Lanes(r, v, 100)})
	}
	return out
}

// ofPools pins what pools of several widths scale like.
func ofPools(t *testing.T) []pinned {
	t.Helper()
	pools := func(widths ...int) setup {
		s := setup{name: "Crawl", unit: "pages", kind: "crawl", sizes: []int{100}, rounds: 10}
		for _, n := range widths {
			s.variants = append(s.variants, runs{name: fmt.Sprintf("pool(%d)", n)})
		}
		s.wall = func(v, _ int) int { // by the law, with 5 % contention and 0.1 % coherency
			n := widths[v]
			return 10 * millisecond * (1000 + 50*(n-1) + n*(n-1)) / n
		}
		return s
	}
	busy := pools(1, 2, 4, 8, 16)
	busy.edit = func(doc object) {
		for _, t := range doc["trials"].([]object) {
			t["user_ns"] = t["wall_ns"].(int) / 10 * 19
		}
	}
	linear := pools(1, 2, 4, 8, 16)
	linear.wall = func(v, _ int) int { return second >> v }
	named := pools(1, 2, 4, 8, 16, 32)
	for i := range named.variants {
		named.variants[i] = runs{fmt.Sprintf("%d workers", 1<<i), named.variants[i].name}
	}
	three := pools(1, 2, 4)
	three.rounds = 3
	return []pinned{
		{"Scaling: past the bend", chart.Scaling(result(t, pools(1, 2, 4, 8, 16, 32, 64)), 100)},
		{"Scaling: from two", chart.Scaling(result(t, pools(2, 4, 8, 16, 64)), 100)},
		{"Scaling: three widths", chart.Scaling(result(t, three), 100)},
		{"Scaling: on busy CPUs", chart.Scaling(result(t, busy), 100)},
		{"Scaling: linear", chart.Scaling(result(t, linear), 100)},
		{"Scaling: other names", chart.Scaling(result(t, named), 100)},
		{"Scaling: among others", chart.Scaling(kotlin(t), 100)},
		{"Scaling: no pools", chart.Scaling(rasters(t, 6), 5)},
		{"Scaling: no result", chart.Scaling(nil, 5)},
		{"Scaling: no such size", chart.Scaling(kotlin(t), 7)},
	}
}

// ofTwo pins comparisons of two different results.
func ofTwo(t *testing.T) []pinned {
	t.Helper()
	other := primesWith(t, 8, func(doc object) {
		doc["machine"].(object)["cpu"] = "Another CPU"
		for _, t := range doc["trials"].([]object) {
			switch t["variant"] {
			case "pool(2)":
				t["wall_ns"] = t["wall_ns"].(int) / 2
			case "threads":
				t["wall_ns"] = t["wall_ns"].(int) * 3
			case "goroutines":
				t["answer"] = "43"
			}
		}
	})
	short := primesWith(t, 5, func(doc object) {
		doc["machine"].(object)["cpu"], doc["quick"], doc["interrupted"] = "Quick CPU", true, true
	})
	across := func(a, b *lab.Result, aName, bName string) *chart.Figure {
		x, err := lab.CompareAcross(a, b, aName, bName)
		if err != nil {
			t.Fatal(err)
		}
		return chart.Across(x)
	}
	return []pinned{
		{"Across: differences", across(primes(t, 10), other, "", "")},
		{"Across: a short one", across(primes(t, 10), short, "", "빠른")},
	}
}

// ofVerdicts pins what a trace shows.
func ofVerdicts(t *testing.T) []pinned {
	t.Helper()
	unnamed := honest(t, 8, func(v, _ object) { v["subject"], v["kind"] = "", "cannot tell" })
	korean := honest(t, 8, func(v, _ object) { v["subject"], v["experiment"], v["size"] = "병렬 읽기", "소수", 10_000 })
	untraced := honest(t, 2, func(v, _ object) { delete(v["evidence"].(object), "trace") })
	empty := honest(t, 2, func(_, trace object) { delete(trace, "steps"); delete(trace, "lives") })
	oneProc := honest(t, 10, func(v, trace object) {
		v["subject"], v["kind"], v["by"] = "GOMAXPROCS=1", "one at a time", "GOMAXPROCS"
		v["evidence"].(object)["procs"], trace["procs"] = 1, 1
	})
	waited := func(name string, delay int) verdict.Verdict {
		return honest(t, 20, func(v, _ object) {
			u := v["evidence"].(object)["usage"].(object)
			v["subject"], u["user_ns"], u["run_delay_ns"] = name, u["user_ns"].(int)/4, u["user_ns"].(int)/4*delay
		})
	}
	alone := judged(t, "", "cannot tell", "", []object{did("main.main.func7", 0, "running 3")}, nil)
	verdicts := []struct {
		name string
		v    verdict.Verdict
	}{
		{"honest", honest(t, 20, nil)}, {"locked", locked(t, 12)}, {"many locked", locked(t, 100)},
		{"awaited", awaited(t, 30)},
		{"fetching", fetching(t, 20, 2)}, {"every state", mixed(t)}, {"at its limit", millions(t, "at its limit of memory")},
		{"stopped by others", millions(t, "stopped by others")}, {"not read", millions(t, "not read to its end")},
		{"ended early", millions(t, "")},
		{"one proc", oneProc}, {"crowded out", waited("crowded out", 3)},
		{"waiting for memory", waited("waiting for memory", 0)},
		{"one goroutine", alone}, {"unnamed", unnamed}, {"Korean", korean}, {"no trace", untraced}, {"empty trace", empty},
		{"nothing", verdict.Verdict{}},
	}
	var out []pinned
	var drawable []verdict.Verdict
	for _, c := range verdicts {
		running := pinned{"RunningOver: " + c.name, chart.RunningOver(c.v)}
		out = append(out, running, pinned{"Lives: " + c.name, chart.Lives(c.v)})
		if running.f.Err() == nil {
			drawable = append(drawable, c.v)
		}
	}
	return append(out,
		pinned{"RunningOver: none", chart.RunningOver()},
		pinned{"RunningOver: two", chart.RunningOver(verdicts[0].v, verdicts[1].v)},
		pinned{"RunningOver: one without a trace", chart.RunningOver(verdicts[0].v, untraced)},
		pinned{"RunningOver: all", chart.RunningOver(drawable...)})
}

// others pins what the package writes that is no figure: the table beside
// [chart.Published] and the trace for other programs, of whose many lines there
// is a hash.
func others(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, c := range []struct {
		name string
		r    *lab.Result
		size int
	}{{"primes", primes(t, 3), 10_000}, {"rasters", rasters(t, 6), 5}, {"no result", nil, 1}} {
		rows, match := published(c.r)
		out = append(out, "=== PublishedTable: "+c.name, lab.PublishedTable(c.r, c.size, rows, match).Markdown())
		data, err := chart.ChromeTrace(c.r)
		if err != nil {
			out = append(out, "=== ChromeTrace: "+c.name, "error: "+err.Error())
			continue
		}
		out = append(out, "=== ChromeTrace: "+c.name, fmt.Sprintf("%d bytes, %s", len(data), hash(data)),
			string(data[:600])+"…")
	}
	few := plain(t, "A few", "tasks", []int{2, 3}, 1, named("pool(2)", "io")...)
	data, err := chart.ChromeTrace(few)
	if err != nil {
		t.Fatal(err)
	}
	return append(out, "=== ChromeTrace: a few", strings.ReplaceAll(string(data), "},{", "},\n{"))
}
