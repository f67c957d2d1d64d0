package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// This file checks what notebooks leave.

func (t *tester) notebooksRun() error {
	notebooks, err := t.findNotebooks()
	if err != nil || len(notebooks) == 0 {
		return errors.Join(err, errors.New("there are no notebooks"))
	}
	if err := t.makeData(); err != nil {
		return err
	}
	setEnv("OVERLAP_QUICK", "1")
	defer os.Unsetenv("OVERLAP_QUICK")
	return t.execute(t.scratch, false, notebooks)
}

// resultsRead has benchstat read every result that the notebooks left.
func (t *tester) resultsRead() error {
	files, err := filepath.Glob(filepath.Join(t.scratch, "results", "*.bench.txt"))
	if err != nil || len(files) == 0 {
		return errors.Join(err, errors.New("the notebooks left no results"))
	}
	for _, file := range files {
		said, err := exec.Command(filepath.Join(t.tools, "bin", "benchstat"), "-col", "/variant", file).Output()
		if err != nil {
			return fmt.Errorf("benchstat %s: %s", file, lastWords(err))
		}
		if !strings.Contains(string(said), "geomean") && !strings.Contains(string(said), "sec/op") {
			return fmt.Errorf("benchstat found nothing in %s", file)
		}
	}
	t.say("test", "benchstat read %d results", len(files))
	return nil
}

// postsMade exports a notebook that was just run, and compares a result with itself, where no
// difference may be shown. Then it makes two of it in which the second took twice as long, and that
// must be shown.
func (t *tester) postsMade() error {
	lab := func(args ...string) (string, error) {
		cmd := exec.Command(filepath.Join(t.root, "scripts", "lab"), args...)
		cmd.Env = append(os.Environ(), "OVERLAP_OUT="+t.scratch)
		said, err := cmd.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("scripts/lab %s: %w\n%s", strings.Join(args, " "), err, said)
		}
		return string(said), nil
	}
	if _, err := lab("export", "primes"); err != nil {
		return err
	}
	if !isFile(filepath.Join(t.scratch, "export", "primes", "index.md")) {
		return errors.New("the export has no index.md")
	}
	found, err := filepath.Glob(filepath.Join(t.scratch, "results", "prime-counts-*.json"))
	if err != nil || len(found) == 0 {
		return errors.Join(err, errors.New("there is no result of prime-counts"))
	}
	said, err := lab("compare", found[0], found[0])
	if err != nil {
		return err
	}
	if strings.Contains(said, "is faster") || strings.Contains(said, "is slower") {
		return fmt.Errorf("a result differs from itself:\n%s", said)
	}
	as, doubled := filepath.Join(t.scratch, "as-measured.json"), filepath.Join(t.scratch, "doubled.json")
	if err := errors.Join(timed(found[0], as, 1), timed(found[0], doubled, 2)); err != nil {
		return err
	}
	if said, err = lab("compare", as, doubled); err != nil {
		return err
	}
	if !strings.Contains(said, "is slower") || strings.Contains(said, "is faster") {
		return fmt.Errorf("a result of twice the times is not told from the first:\n%s", said)
	}
	return nil
}

// timed writes a result whose trials took times the same each. A quick run has too few trials for a
// difference: each is there four times.
func timed(from, to string, times int) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var result map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // all else stays as it is
	if err := dec.Decode(&result); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	list, _ := result["trials"].([]any)
	var trials []any
	for _, it := range list {
		trial, _ := it.(map[string]any)
		round, err := trial["round"].(json.Number).Int64()
		if err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		if round > 0 && trial["control"] != true {
			trial["wall_ns"] = int64(times) * 1_000_000 * (100 + round)
			trials = append(trials, trial)
		}
	}
	result["trials"] = append(append(append(trials, trials...), trials...), trials...)
	if text, err = json.Marshal(result); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o666)
}
