package chart

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"overlap/pkg/lab"
)

func TestChromeTrace(t *testing.T) {
	ms := time.Millisecond
	r := &lab.Result{Name: "Naps", Unit: "tasks", Variants: []string{"pool(2)", "goroutines"}, Sizes: []int{3}, Trials: []lab.Trial{
		{Variant: "pool(2)", Size: 3, Round: 1, Tasks: 3, Spans: []lab.Span{{Task: 0, Worker: 1, Start: 0, End: 10 * ms}, {Task: 1, Worker: 7, Start: 0, End: 4 * ms}, {Task: 2, Worker: 7, Start: 4 * ms, End: 9 * ms}}},
		{Variant: "goroutines", Size: 3, Round: 1, Tasks: 3, Spans: []lab.Span{{Task: 2, Start: 0, End: ms}, {Task: 1, Start: 0, End: 2 * ms}, {Task: 0, Start: 3 * ms / 2, End: 1500001}}},
	}}
	data, err := ChromeTrace(r)
	if err != nil {
		t.Fatal(err)
	}
	// As the format's readers take it: numbers are numbers, every slice lies in
	// a named thread of a named process, and slices of a thread do not overlap.
	var file struct {
		TraceEvents []struct {
			Name     string
			Ph       string
			PID, TID int
			TS       float64
			Dur      *float64
			Args     map[string]any
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	ends := map[string]float64{}
	slices := map[string]int{}
	for _, e := range file.TraceEvents {
		thread := fmt.Sprint(e.PID, "/", e.TID)
		switch e.Ph {
		case "M":
			if name, ok := e.Args["name"].(string); ok {
				names[fmt.Sprint(e.Name, " ", thread)] = name
			}
		case "X":
			if e.Dur == nil || *e.Dur < 0 || e.TS < ends[thread] {
				t.Errorf("slice %+v begins before the one before it ends, at %g", e, ends[thread])
				continue
			}
			ends[thread] = e.TS + *e.Dur
			slices[names["process_name "+fmt.Sprint(e.PID, "/0")]+", "+names["thread_name "+thread]]++
		default:
			t.Errorf("event of phase %q", e.Ph)
		}
	}
	want := map[string]int{
		"pool(2), 3 tasks, worker 1": 1, "pool(2), 3 tasks, worker 7": 2,
		"goroutines, 3 tasks, lane 1": 2, "goroutines, 3 tasks, lane 2": 1,
	}
	if fmt.Sprint(slices) != fmt.Sprint(want) {
		t.Errorf("slices by thread: %v, want %v", slices, want)
	}
	if ends["1/1"] != 10_000 {
		t.Errorf("worker 1 ends at %g µs, want 10000", ends["1/1"])
	}
	for name, r := range map[string]*lab.Result{"none": nil, "without spans": {Name: "x", Variants: []string{"a"}, Sizes: []int{1}, Trials: []lab.Trial{{Variant: "a", Size: 1, Round: 1}}}} {
		if _, err := ChromeTrace(r); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestChromeTraceTellsWhatIsMissing(t *testing.T) {
	whole := simulated("pool(2)", 30, 2, time.Millisecond, true)
	cut := simulated("goroutines", 30, 30, time.Millisecond, false)
	cut.Spans = cut.Spans[:20]
	r := &lab.Result{Name: "Naps", Unit: "tasks", Variants: []string{"pool(2)", "goroutines"}, Sizes: []int{30}, Trials: []lab.Trial{whole, cut}}
	data, err := ChromeTrace(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"pool(2), 30 tasks"`, `"goroutines, 30 tasks (the first 20 of 30 tasks)"`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no process is called %s", want)
		}
	}
}
