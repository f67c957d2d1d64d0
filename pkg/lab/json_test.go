package lab

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Figures that are no finite number neither stop an export nor make a file that nobody can read.
func TestExportsOfWhatIsNotFinite(t *testing.T) {
	r := made([]float64{10}, []float64{10}, []float64{5})
	r.Trials[0].InFlightMean = math.NaN()
	r.Trials[1].InFlightMean, r.Trials[1].CPUs = math.Inf(1), math.NaN()
	r.Trials[2].InFlightMean = math.Inf(-1)
	r.Traced = []TracedTrial{{Variant: "a", InFlightMean: math.NaN()}}
	dir := t.TempDir()
	paths, err := r.Save(dir)
	if err != nil || len(paths) != 3 {
		t.Fatalf("%v; %q", err, paths)
	}
	data, err := os.ReadFile(paths[0])
	if err != nil || !json.Valid(data) || strings.Count(string(data), `"in_flight_mean":null`) != 4 ||
		strings.Count(string(data), `"cpus":null`) != 1 {
		t.Errorf("%v in\n%s", err, data)
	}
	if again, err := LoadFile(paths[0]); err != nil || len(again.Trials) != 3 || again.Trials[0].Wall != r.Trials[0].Wall {
		t.Errorf("read back: %v", err)
	}
	if data, err = os.ReadFile(paths[1]); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		if got := row[slices.Index(rows[0], "in_flight_mean")]; got != "" {
			t.Errorf("in_flight_mean %q", got)
		}
	}
	for _, path := range paths {
		if data, _ = os.ReadFile(path); bytes.Contains(data, []byte("NaN")) || bytes.Contains(data, []byte("Inf")) {
			t.Errorf("%s:\n%s", filepath.Base(path), data)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestTrialIsReadBackAsItWas(t *testing.T) {
	r := made([]float64{10}, nil, nil)
	want := r.Trials[0]
	want.InFlightMean, want.Workers, want.Missing = 1.5, 3, []string{"run delay"}
	want.Spans = []Span{{Task: 1, Start: 2, End: 3}}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Trial
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(got); got.InFlightMean != 1.5 || got.CPUs != 2 || got.Wall != want.Wall ||
		!bytes.Equal(again, data) {
		t.Errorf("%s became %s", data, again)
	}
}

// One round has no interval, and nothing measured no median: null.
func TestComparisonsAsJSON(t *testing.T) {
	for _, c := range []struct {
		name string
		r    *Result
		want string
	}{
		{"seven rounds", made(slices.Repeat([]float64{10}, 7), slices.Repeat([]float64{10}, 7), slices.Repeat([]float64{5},
			7)), `"Speedup":{"n":7,"median":2,"lo":2,"hi":2}`},
		{"one round", made([]float64{10}, []float64{10}, []float64{5}), `"Speedup":{"n":1,"median":2,"lo":null,"hi":null}`},
		{"over a time of zero", made([]float64{10}, []float64{10}, []float64{0}),
			`"Speedup":{"n":0,"median":null,"lo":null,"hi":null}`},
	} {
		compared := c.r.Compare("b", 7)
		data, err := json.Marshal(compared)
		if err != nil || !strings.Contains(string(data), c.want) {
			t.Errorf("%s: %v, %s", c.name, err, data)
		}
		var again Comparison
		if err := json.Unmarshal(data, &again); err != nil || again.Speedup.Interval() != compared.Speedup.Interval() ||
			again.String() != compared.String() {
			t.Errorf("%s: %v, read back %s", c.name, err, again)
		}
		if _, err := json.Marshal(compared.Speedup); err != nil {
			t.Error(err)
		}
	}
}
