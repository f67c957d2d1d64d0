package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overlap/pkg/internal/home"
	"overlap/pkg/lab"
	"overlap/pkg/probe"
	"overlap/pkg/raster"
	"overlap/pkg/workload/terrain"
)

// TestMain lets this program be the process of a way, as the command is.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == serveWord {
		os.Exit(serve(context.Background(), os.Args[2], os.Args[3:], os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// newBench returns a bench with two small rasters whose sides are no
// multiples of the tiles'.
func newBench(t *testing.T) *bench {
	t.Helper()
	root, err := home.Root()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{python: findPython(), script: filepath.Join(root, "scripts", "lib", "peers.py"), reports: map[string][]report{}, versions: map[string]string{}}
	if b.self, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		path := filepath.Join(t.TempDir(), "a.tif")
		if err := (terrain.Terrain{Width: 600, Height: 300 + 300*i, Seed: uint64(i + 1)}).Write(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		b.files = append(b.files, path)
	}
	return b
}

// TestEveryWayGivesTheSameAnswer runs each way's process as a trial does.
func TestEveryWayGivesTheSameAnswer(t *testing.T) {
	b := newBench(t)
	var want answer
	for i, path := range b.files {
		s, err := raster.Read(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want.Min, want.Max = s.Min, s.Max
		}
		want = answer{want.Count + s.Count, min(want.Min, s.Min), max(want.Max, s.Max), want.Sum + s.Sum()}
	}
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			tasks, finish, err := reading{b, t.Context(), w}.Tasks(2)
			if m := new(missingError); errors.As(err, &m) {
				t.Skip(m.text)
			} else if err != nil {
				t.Fatal(err)
			}
			err = tasks[0](t.Context())
			got, ferr := finish()
			if err := errors.Join(err, ferr); err != nil {
				t.Fatal(err)
			}
			if got != want.String() {
				t.Errorf("%s, want %v", got, want)
			}
			rep := b.reports[w.name]
			if len(rep) != 1 {
				t.Fatalf("%d reports", len(rep))
			}
			for _, u := range []probe.Usage{rep[0].first, rep[0].second} {
				if u.Wall <= 0 || u.CPU() <= 0 || u.Has(probe.PeakMemory) && u.PeakMemory < 1<<20 {
					t.Errorf("usage %+v", u)
				}
			}
		})
	}
}

// TestAWholeComparison runs the command on small files and reads what it leaves.
func TestAWholeComparison(t *testing.T) {
	out, data := t.TempDir(), t.TempDir()
	t.Setenv("OVERLAP_OUT", out)
	t.Setenv("OVERLAP_QUICK", "1")
	const words = "godal goroutines,ceiling arrays,1 worker"
	var said, log bytes.Buffer
	args := []string{"-size", "300", "-rounds", "1", "-dir", data, "-predictor", "3", "-only", words}
	if status := run(t.Context(), args, &said, &log); status != 0 {
		t.Fatalf("status %d: %s", status, &log)
	}
	for _, want := range []string{"godal goroutines, cache 16, huge pages", oursFold, "peak memory"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, &said)
		}
	}
	for _, which := range []string{"first", "second"} {
		found, _ := filepath.Glob(filepath.Join(out, "peers", "*"+which+"*.csv"))
		if len(found) != 1 {
			t.Fatalf("CSV files of the %s read: %q", which, found)
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		// A head, and each way and the baseline again, in the warm-up and a round.
		list, _ := only(ways(), words)
		if want := 1 + 2*(len(list)+1); len(rows) != want {
			t.Errorf("%d rows of CSV, want %d", len(rows), want)
		}
	}
	if charts, _ := filepath.Glob(filepath.Join(out, "peers", "*.png")); len(charts) != 2 {
		t.Errorf("charts: %q", charts)
	}
}

// TestFiguresAreTheProcesses pairs reports with trials in order, the control's
// too.
func TestFiguresAreTheProcesses(t *testing.T) {
	usage := func(n int) probe.Usage {
		return probe.Usage{Wall: time.Duration(n) * time.Second, User: time.Duration(n) * time.Millisecond, PeakMemory: int64(n)}
	}
	b := &bench{reports: map[string][]report{
		"a": {{usage(1), usage(2)}, {usage(3), usage(4)}, {usage(5), usage(6)}},
		"b": {{usage(7), usage(8)}},
	}}
	r := &lab.Result{Name: "n", Variants: []string{"a", "b"}, Trials: []lab.Trial{
		{Variant: "a", Usage: probe.Usage{Wall: 99, CPUs: 4}, InFlightMax: 1},
		{Variant: "b"},
		{Variant: "a", Control: true},
		{Variant: "a", Round: 1},
	}}
	first, second := b.results(r)
	for i, want := range []int{1, 7, 3, 5} {
		if got := first.Trials[i]; got.Wall != usage(want).Wall || got.PeakMemory != int64(want) {
			t.Errorf("trial %d, first read: %+v, want those of %d", i, got.Usage, want)
		}
		if got := second.Trials[i]; got.Wall != usage(want+1).Wall {
			t.Errorf("trial %d, second read: %+v, want those of %d", i, got.Usage, want+1)
		}
	}
	if first.Trials[0].CPUs != 4 || first.Trials[0].InFlightMax != 0 || r.Trials[0].Wall != 99 {
		t.Errorf("%+v; the original is %+v", first.Trials[0], r.Trials[0])
	}
}

func TestAWayThatFails(t *testing.T) {
	b := newBench(t)
	b.files = append(b.files, filepath.Join(t.TempDir(), "missing.tif"))
	for _, w := range ways() {
		if w.run != "asyncio" && w.run != "godal-sequential" && w.run != "ceiling-windows" && w.name != oursWhole {
			continue
		}
		tasks, finish, err := reading{b, t.Context(), w}.Tasks(3)
		if m := new(missingError); errors.As(err, &m) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		if err := tasks[0](t.Context()); err == nil || !strings.Contains(err.Error(), "missing.tif") {
			t.Errorf("%s: %v", w.name, err)
		}
		if _, err := finish(); err != nil {
			t.Errorf("%s: finish after a failure: %v", w.name, err)
		}
		if len(b.reports[w.name]) > 0 {
			t.Errorf("%s failed and has a report", w.name)
		}
	}
}

func TestWithoutPythonOrRasterio(t *testing.T) {
	b := newBench(t)
	list, err := only(ways(), "rasterio,ceiling")
	if err != nil {
		t.Fatal(err)
	}
	check := func(says string) {
		t.Helper()
		b.notMeasured = nil
		can, err := b.runnable(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range can {
			if w.program == "python" {
				t.Errorf("%s can run", w.name)
			}
		}
		if notes := strings.Join(b.notMeasured, " "); !strings.Contains(notes, published) || !strings.Contains(notes, says) {
			t.Errorf("notes %q, want one that says %q", notes, says)
		}
	}
	python := b.python
	b.python = filepath.Join(t.TempDir(), "python")
	check("no such file")
	if _, err := exec.LookPath(python); err != nil {
		return
	}
	b.python, b.script = python, filepath.Join(t.TempDir(), "peers.py")
	if err := os.WriteFile(b.script, []byte(`print('{"missing": "no rasterio here"}')`), 0o600); err != nil {
		t.Fatal(err)
	}
	check("no rasterio here")
}

func TestSettingsAreTheWays(t *testing.T) {
	got := plain([]string{"PATH=/bin", "GDAL_CACHEMAX=1", "GDAL_NUM_THREADS=ALL_CPUS", "CPL_DEBUG=ON", "GDAL_DATA=/usr/share/gdal"})
	if len(got) != 2 || got[0] != "PATH=/bin" || got[1] != "GDAL_DATA=/usr/share/gdal" {
		t.Errorf("%q", got)
	}
}

func TestWrongFlags(t *testing.T) {
	for _, args := range [][]string{{"-size", "0"}, {"-files", "0"}, {"-predictor", "4"}, {"-rounds", "0"}, {"more"}, {"-nothing"}} {
		var out, log bytes.Buffer
		if status := run(t.Context(), args, &out, &log); status != 2 || log.Len() == 0 {
			t.Errorf("%q: status %d, %q", args, status, &log)
		}
	}
	var out, log bytes.Buffer
	if status := run(t.Context(), []string{"-only", "nothing has this"}, &out, &log); status != 1 {
		t.Errorf("-only with no way: status %d, %q", status, &log)
	}
}

// TestTargets has ways whose times are known.
func TestTargets(t *testing.T) {
	r := &lab.Result{Name: "n", Unit: "rasters", Variants: []string{published, oursFold, ceilingFold}, Baseline: published, Sizes: []int{2}}
	for round := range 8 {
		for name, ms := range map[string]time.Duration{published: 900, oursFold: 100, ceilingFold: 90} {
			r.Trials = append(r.Trials, lab.Trial{Variant: name, Size: 2, Round: round, Usage: probe.Usage{Wall: ms * time.Millisecond, User: 2 * ms * time.Millisecond}})
		}
	}
	got := comparisons([]*lab.Result{r, r}, 1, ways(), 2)
	if len(got.Rows) != 4 {
		t.Fatalf("%d rows:\n%s", len(got.Rows), got)
	}
	for _, row := range got.Rows {
		want := map[string]string{ceilingFold: "not reached", published: "reached"}[row[1]]
		if row[5] != want || row[3] != row[6] {
			t.Errorf("%q, want %q", row, want)
		}
	}
}
