package main

import (
	"bytes"
	"context"
	"encoding/json"
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
		data, err := json.Marshal(map[string]any{"cells": []any{
			map[string]any{"cell_type": "markdown", "source": []string{"# On naps\n", "and other things"}},
			map[string]any{"cell_type": "code", "source": "x", "outputs": []any{shows("overlap_figure", figure), shows("overlap_result", r.Base()), shows("overlap_figure", figure)}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(out, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("naps.ipynb", f.Slug())
	if status, _, log := exported(t, "naps"); status != 0 {
		t.Fatal(log)
	}
	page := whole(t, filepath.Join(out, "export", "naps"))
	if !strings.Contains(page, "# On naps\n") || strings.Count(page, "<picture>") != 1 || !strings.Contains(page, f.Title()) || !strings.Contains(page, "scripts/lab run naps\nscripts/lab export naps") {
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
	a := measured(t, "Naps", 5*time.Millisecond)
	t.Setenv("OVERLAP_OUT", filepath.Join(out, "2"))
	measured(t, "Naps", time.Millisecond)
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
	// Five times as long a sleep is slower on any machine.
	if !strings.Contains(text, "is faster") || !strings.Contains(page, "is faster") || !strings.Contains(page, "a-"+a.Base()+".json") || !strings.Contains(page, "b-"+a.Base()+".json") {
		t.Errorf("the table:\n%s\nthe page:\n%s", text, page)
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
