package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"overlap/pkg/chart"
	"overlap/pkg/lab"
	"overlap/pkg/sched"
)

// measured runs a small experiment whose files go to a folder of results.
func measured(t *testing.T, name string, nap time.Duration) *lab.Result {
	t.Helper()
	r, err := lab.Experiment{
		Name: name,
		Workload: lab.Each("naps", func(ctx context.Context, i int) error {
			time.Sleep(nap)
			return nil
		}),
		Schedulers: []sched.Scheduler{sched.Sequential(), sched.Goroutines()},
		Sizes:      []int{2, 4},
		Repeats:    6,
	}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// timed sets what the trials took, as on any machine, and saves the result again.
func timed(t *testing.T, r *lab.Result, wall time.Duration) *lab.Result {
	t.Helper()
	for i := range r.Trials {
		r.Trials[i].Wall = wall + time.Duration(r.Trials[i].Round)*time.Microsecond
	}
	if _, err := r.Save(filepath.Join(os.Getenv("OVERLAP_OUT"), "results")); err != nil {
		t.Fatal(err)
	}
	return r
}

// exported runs the command in an output folder of its own.
func exported(t *testing.T, args ...string) (status int, out, log string) {
	t.Helper()
	var o, l bytes.Buffer
	status = run(args, &o, &l)
	return status, o.String(), l.String()
}

var link = regexp.MustCompile(`(?:\]\(|src="|srcset=")([^)"]+)`)

// whole checks that the page and every file that it names are there.
func whole(t *testing.T, dir string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(dir, "index.md"))
	if err != nil {
		t.Fatal(err)
	}
	links := link.FindAllSubmatch(page, -1)
	if len(links) < 8 {
		t.Errorf("the page names only %d files:\n%s", len(links), page)
	}
	for _, l := range links {
		if info, err := os.Stat(filepath.Join(dir, string(l[1]))); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", l[1], err)
		}
	}
	if strings.Contains(string(page), dir) || strings.Contains(string(page), os.TempDir()) {
		t.Errorf("the page has a path of this machine:\n%s", page)
	}
	return string(page)
}

func TestExportOfAResult(t *testing.T) {
	out := t.TempDir()
	t.Setenv("OVERLAP_OUT", out)
	t.Setenv("OVERLAP_QUICK", "")
	r := measured(t, "Short naps", time.Millisecond)
	for name, arg := range map[string]string{
		"by name": r.Base(), "by the beginning of the name": "short", "by path": filepath.Join(out, "results", r.Base()+".json"),
	} {
		t.Run(name, func(t *testing.T) {
			to := t.TempDir()
			if status, _, log := exported(t, "--to", to, arg); status != 0 {
				t.Fatal(log)
			}
			page := whole(t, filepath.Join(to, r.Base()))
			for _, want := range []string{"# Short naps", "prefers-color-scheme: dark", `alt="Line chart`, "| goroutines |", "scripts/lab export", r.Base() + ".csv"} {
				if !strings.Contains(page, want) {
					t.Errorf("the page lacks %q", want)
				}
			}
			again, err := lab.LoadFile(filepath.Join(to, r.Base(), r.Base()+".json"))
			if err != nil || len(again.Trials) != len(r.Trials) {
				t.Errorf("the exported result does not load again: %v", err)
			}
		})
	}
}

// A result's figures come as slides and cards where that is asked for.
func TestExportOfSlides(t *testing.T) {
	t.Setenv("OVERLAP_OUT", t.TempDir())
	t.Setenv("OVERLAP_QUICK", "")
	r := measured(t, "Naps", time.Millisecond)
	to := t.TempDir()
	if status, said, log := exported(t, "--slides", "--to", to, r.Base()); status != 0 {
		t.Fatalf("status %d, %s%s", status, said, log)
	}
	for _, suffix := range []string{"-slide", "-slide-dark", "-card", "-card-dark"} {
		name := filepath.Join(to, r.Base(), chart.Speedup(r).Slug()+suffix+".png")
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

// What a reader of the figures would miss is told.
func TestExportTellsOfMissingLetters(t *testing.T) {
	t.Setenv("OVERLAP_OUT", t.TempDir())
	t.Setenv("OVERLAP_QUICK", "")
	for name, want := range map[string]bool{"Naps": false, "Naps \U0010FFFD": true} { // no font has what is for private use
		r := measured(t, name, time.Millisecond)
		status, said, log := exported(t, "--to", t.TempDir(), r.Base())
		if got := strings.Contains(said, "no font on this machine has the letters"); status != 0 || got != want {
			t.Errorf("%q: status %d, %s, says %q", name, status, log, said)
		}
	}
}

func TestExportOfANotebook(t *testing.T) {
	out := t.TempDir()
	t.Setenv("OVERLAP_OUT", out)
	t.Setenv("OVERLAP_QUICK", "")
	r := measured(t, "Naps", time.Millisecond)
	f := chart.Speedup(r)
	for _, theme := range themes {
		if _, err := f.In(theme, chart.Page).Save(filepath.Join(out, "figures")); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, figure string) {
		shows := func(key, value string) map[string]any {
			return map[string]any{"output_type": "display_data", "metadata": map[string]any{key: value}}
		}
		says := func(markdown string) map[string]any {
			return map[string]any{"output_type": "display_data", "data": map[string]any{"text/markdown": []string{markdown}}}
		}
		data, err := json.Marshal(map[string]any{"cells": []any{
			map[string]any{"cell_type": "markdown", "source": []string{"# On naps\n", "and other things\n", "## Which is `faster`?\n", "Who knows."}},
			map[string]any{"cell_type": "code", "source": "x", "outputs": []any{
				says("**Naps**: cannot tell\n"), shows("overlap_figure", figure), shows("overlap_result", r.Base()), shows("overlap_figure", figure),
			}},
			map[string]any{"cell_type": "code", "source": "y", "outputs": []any{says("| a | b |\n| --- | --- |\n| 1 | 2 |\n")}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(out, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// So that there is a warning, on any machine.
	r.Resumed = []time.Time{time.Now()}
	if _, err := r.Save(filepath.Join(out, "results")); err != nil {
		t.Fatal(err)
	}
	write("naps.ipynb", f.Slug())
	status, said, log := exported(t, "naps")
	if status != 0 || !strings.Contains(said, "of "+filepath.Join(out, "naps.ipynb")) {
		t.Fatalf("status %d, %q, %s", status, said, log)
	}
	page := whole(t, filepath.Join(out, "export", "naps"))
	if !strings.Contains(page, "# On naps\n") || strings.Count(page, "<picture>") != 1 || !strings.Contains(page, "\n## Which is `faster`?\n\n**Naps**: cannot tell\n\n<picture>") ||
		!strings.Contains(page, "(naps-2-4-tasks-speedup-dark.pdf).\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n## To bear in mind\n") || !strings.Contains(page, "scripts/lab run naps\nscripts/lab export naps") ||
		!strings.Contains(page, "\nMeasured on ") || !strings.Contains(page, "An interrupted run was taken up again") {
		t.Errorf("the page:\n%s", page)
	}

	write("old.ipynb", "a-figure-that-went")
	write("none.ipynb", "")
	for name, want := range map[string]string{"old": "scripts/lab run old", "none": "shows no figures", "nothing": "there is no notebook and no result", "no.ipynb": "scripts/lab run"} {
		if status, _, log := exported(t, name); status != 1 || !strings.Contains(log, want) {
			t.Errorf("%s: status %d, %q; want %q", name, status, log, want)
		}
	}
}

func TestCompare(t *testing.T) {
	out := t.TempDir()
	t.Setenv("OVERLAP_QUICK", "")
	t.Setenv("OVERLAP_OUT", filepath.Join(out, "1"))
	a := timed(t, measured(t, "Naps", time.Millisecond), 50*time.Millisecond)
	t.Setenv("OVERLAP_OUT", filepath.Join(out, "2"))
	timed(t, measured(t, "Naps", time.Millisecond), 10*time.Millisecond)
	first := filepath.Join(out, "1", "results", a.Base()+".json")
	status, text, log := exported(t, "--compare", first, a.Base())
	if status != 0 {
		t.Fatal(log)
	}
	dirs, err := filepath.Glob(filepath.Join(out, "2", "export", "*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("exports: %q, %v", dirs, err)
	}
	page := whole(t, dirs[0])
	if !strings.Contains(text, "is faster") || !strings.Contains(page, "is faster") || !strings.Contains(page, "a-"+a.Base()+".json") || !strings.Contains(page, "b-"+a.Base()+".json") {
		t.Errorf("the table:\n%s\nthe page:\n%s", text, page)
	}
	// The command that makes it again names the two files of the folder.
	var again []string
	for line := range strings.SplitSeq(page, "\n") {
		if _, files, ok := strings.Cut(line, "scripts/lab compare "); ok {
			again = strings.Fields(files)
		}
	}
	if len(again) != 2 || again[0] == again[1] {
		t.Fatalf("made again of %q", again)
	}
	t.Chdir(dirs[0])
	if status, second, log := exported(t, "--to", t.TempDir(), "--compare", again[0], again[1]); status != 0 || !strings.HasPrefix(text, second[:strings.LastIndex(strings.TrimSpace(second), "\n")]) {
		t.Errorf("made again: status %d, %q,\n%s", status, log, second)
	}
	for _, args := range [][]string{{}, {"--compare", first}, {"--nonsense"}} {
		if status, _, _ := exported(t, args...); status != 2 {
			t.Errorf("%q: status %d, want 2", args, status)
		}
	}
	if status, _, log := exported(t, "--compare", first, "missing"); status != 1 || !strings.Contains(log, "missing") {
		t.Errorf("status %d, %q", status, log)
	}
}

// A notebook that was run in Jupyter after the last scripts/lab run is the one
// to export.
func TestNewerNotebookIsTaken(t *testing.T) {
	made, root := t.TempDir(), t.TempDir()
	t.Setenv("OVERLAP_ROOT", root)
	now := time.Now()
	write := func(path string, age time.Duration, figure string) string {
		text := `{"cells":[{"cell_type":"code","source":"x","outputs":[{"metadata":{"overlap_figure":"` + figure + `"}}]}]}`
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, now.Add(-age), now.Add(-age))); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module overlap\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run, own := filepath.Join(made, "naps.ipynb"), filepath.Join(root, "notebooks", "naps.ipynb")
	for name, test := range map[string]struct {
		run, own           time.Duration // ages
		runShows, ownShows string        // figures
		want               string
	}{
		"the run is newer":               {time.Hour, 2 * time.Hour, "f", "f", run},
		"the repository's is newer":      {2 * time.Hour, time.Hour, "f", "f", own},
		"the repository's shows nothing": {2 * time.Hour, time.Hour, "f", "", run},
		"the run shows nothing":          {time.Hour, 2 * time.Hour, "", "f", own},
		"none shows anything":            {time.Hour, 2 * time.Hour, "", "", run},
	} {
		t.Run(name, func(t *testing.T) {
			write(run, test.run, test.runShows)
			write(own, test.own, test.ownShows)
			if got, ok := notebook(made, "naps"); !ok || got != test.want {
				t.Errorf("took %q, want %q", got, test.want)
			}
		})
	}
}

// Results of a notebook can be of different machines and days, and each has its
// warnings.
func TestNotebookTellsConditions(t *testing.T) {
	day := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	one, same, other := &lab.Result{Name: "A", Started: day}, &lab.Result{Name: "B", Started: day.Add(time.Hour)}, &lab.Result{Name: "C", Started: day.AddDate(0, 0, 1)}
	if got := conditions([]*lab.Result{one, same}); len(got) != 1 || !strings.Contains(got[0], "30 November 2026") {
		t.Errorf("of one day: %q", got)
	}
	if got := conditions([]*lab.Result{one, same, other}); len(got) != 3 || !strings.HasPrefix(got[2], "C: measured on") || !strings.HasSuffix(got[2], "1 December 2026") {
		t.Errorf("of two days: %q", got)
	}
}
