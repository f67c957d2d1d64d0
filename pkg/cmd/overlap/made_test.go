//go:build made

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What notebooks leave is read as others would: scripts/test runs these tests after the notebooks.

// made is the folder that the notebooks wrote to.
func made(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("OVERLAP_TEST_MADE")
	if dir == "" {
		t.Fatal("OVERLAP_TEST_MADE names no folder; scripts/test runs the notebooks and sets it")
	}
	return dir
}

// TestResults has benchstat read every result.
func TestResults(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(made(t), "results", "*.bench.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the notebooks left no results (%v)", err)
	}
	for _, file := range files {
		said, err := exec.Command(filepath.Join(os.Getenv("OVERLAP_TEST_TOOLS"), "bin", "benchstat"), "-col", "/variant", file).Output()
		if err != nil {
			t.Errorf("benchstat %s: %s", file, lastWords(err))
			continue
		}
		if !strings.Contains(string(said), "geomean") && !strings.Contains(string(said), "sec/op") {
			t.Errorf("benchstat found nothing in %s", file)
		}
	}
	t.Logf("benchstat read %d results", len(files))
}

// TestPosts exports a notebook that was just run, and compares a result with itself, where no
// difference may be shown. Then it makes two of it in which the second took twice as long, and that
// must be shown.
func TestPosts(t *testing.T) {
	dir := made(t)
	lab := func(args ...string) string {
		cmd := exec.Command("../../../scripts/lab", args...)
		cmd.Env = append(os.Environ(), "OVERLAP_OUT="+dir)
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("scripts/lab %q: %v\n%s", args, err, said)
		}
		return string(said)
	}
	lab("export", "primes")
	if info, err := os.Stat(filepath.Join(dir, "export", "primes", "index.md")); err != nil || info.Size() == 0 {
		t.Fatalf("the export's page: %v", err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "results", "prime-counts-*.json"))
	if err != nil || len(found) == 0 {
		t.Fatalf("there is no result of prime-counts (%v)", err)
	}
	said := lab("compare", found[0], found[0])
	if strings.Contains(said, "is faster") || strings.Contains(said, "is slower") {
		t.Errorf("a result differs from itself:\n%s", said)
	}
	as, doubled := filepath.Join(t.TempDir(), "as-measured.json"), filepath.Join(t.TempDir(), "doubled.json")
	timed(t, found[0], as, 1)
	timed(t, found[0], doubled, 2)
	said = lab("compare", as, doubled)
	if !strings.Contains(said, "is slower") || strings.Contains(said, "is faster") {
		t.Errorf("a result of twice the times is not told from the first:\n%s", said)
	}
}

// timed writes a result whose trials took times the same each. A quick run has too few trials for a
// difference: each is there four times.
func timed(t *testing.T, from, to string, times int) {
	t.Helper()
	text, err := os.ReadFile(from)
	must(t, err)
	var result map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // all else stays as it is
	must(t, dec.Decode(&result))
	var trials []any
	for _, it := range result["trials"].([]any) {
		trial := it.(map[string]any)
		round, err := trial["round"].(json.Number).Int64()
		must(t, err)
		if round > 0 && trial["control"] != true {
			trial["wall_ns"] = int64(times) * 1_000_000 * (100 + round)
			trials = append(trials, trial)
		}
	}
	result["trials"] = slices.Repeat(trials, 4)
	text, err = json.Marshal(result)
	must(t, err)
	must(t, os.WriteFile(to, text, 0o666))
}
