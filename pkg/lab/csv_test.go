package lab

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"overlap/pkg/probe"

	"golang.org/x/perf/benchfmt"
	"pgregory.net/rapid"
)

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
	r := made(
		[]float64{10.1, 12.7, 9.3, 11, 10.4, 10.9, 13},
		[]float64{10, 10, 10, 10, 10, 10, 10},
		[]float64{5.1, 6.2, 5.9, 5.5, 7.4, 5.3, 5.6},
	)
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
		rebuilt.Machine = probe.Machine{
			CPU:        cell("cpu"),
			Logical:    int(number("online_cpus")),
			Usable:     probe.CPUSet{Count: number("cpus"), Bound: cell("cpu_bound")},
			GOMAXPROCS: int(number("gomaxprocs")),
			OS:         cell("os"),
			Go:         cell("go"),
		}
		if v := cell("variant"); !slices.Contains(rebuilt.Variants, v) {
			rebuilt.Variants = append(rebuilt.Variants, v)
		}
		rebuilt.Trials = append(rebuilt.Trials, Trial{
			Variant: cell(
				"variant",
			), Control: cell("control") == "true", Size: int(number("size")), Round: int(number("round")),
			Tasks: int(number("tasks")),
			InFlightMean: number(
				"in_flight_mean",
			), Usage: probe.Usage{Wall: seconds("wall_s"), User: seconds("user_s"), System: seconds("system_s"),
				CPUs: number("cpus")},
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
	if want := []float64{.01, .011, .005, .006}; !slices.EqualFunc(
		times,
		want,
		func(a, b float64) bool { return math.Abs(a-b) < 1e-12 },
	) {
		t.Errorf("times %v, want %v", times, want)
	}
	if want := "MadeUpOfThreeWords/variant=await_each_goroutines/size=7"; names[3] != want {
		t.Errorf("name %q, want %q", names[3], want)
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

// Names can hold whatever people write; a reader gets the variants apart and every line.
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
		if distinct := len(slices.Compact(slices.Sorted(slices.Values(r.Variants)))); distinct == 3 &&
			(len(names) != 3 || lines != 6) {
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

// TestBenchmarkOfVariantNotListed has trials of a variant that the result does not list, as in a
// file from elsewhere.
func TestBenchmarkOfVariantNotListed(t *testing.T) {
	r := made([]float64{10}, nil, []float64{5})
	r.Variants, r.Specs = r.Variants[:1], r.Specs[:1]
	data, err := r.Benchmark()
	if err != nil || !strings.Contains(string(data), "BenchmarkMadeUp/variant=a/size=7") ||
		!strings.Contains(string(data), "BenchmarkMadeUp/variant=b/size=7") {
		t.Errorf("%v:\n%s", err, data)
	}
}
