package lab_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overlap/pkg/lab"
	"overlap/pkg/verdict"
)

var update = flag.Bool("update", false, "write what is said of the stored results now to the golden file")

const pinned = "testdata/stored/verdicts.golden"

// The results in testdata/stored are files that Save wrote before results stored what a scheduler
// is: its name was all that they said of it. They are never to be written again by a newer version.
// Only the machine's description was replaced in them, and in doubtful.json trials were given a
// pause of the whole machine. waits.json and computes.json were traced, beside other programs that
// kept the machine busy; quick.json with OVERLAP_QUICK set; doubtful.json beside another experiment
// and beside tasks left running, with a variant that fails and one that sets GOMAXPROCS, until it
// was interrupted; thought-up.json was not measured: it has the figures of a quiet machine of four
// CPUs.
func stored(t *testing.T) []string {
	paths, err := filepath.Glob("testdata/stored/*.json")
	if err != nil || len(paths) != 6 {
		t.Fatalf("%d results are stored, want 6; %v", len(paths), err)
	}
	return paths
}

// TestStoredResultsAreJudgedAsPinned: results of an older version load, and all that is said of
// them is to the letter what it was. Where a change is meant, run the test with -update and read
// the difference of the golden file.
func TestStoredResultsAreJudgedAsPinned(t *testing.T) {
	var b strings.Builder
	for _, path := range stored(t) {
		r, err := lab.LoadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(judged(filepath.Base(path), r))
	}
	if *update {
		if err := os.WriteFile(pinned, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	was, err := os.ReadFile(pinned)
	if err != nil {
		t.Fatalf("%v; go test ./pkg/lab -run Pinned -update writes it", err)
	}
	if b.String() != string(was) {
		t.Error(difference(string(was), b.String()))
	}
}

// TestStoredResultsAreJudgedTheSameWhenSavedAgain: saving what was loaded loses nothing that a
// verdict depends on.
func TestStoredResultsAreJudgedTheSameWhenSavedAgain(t *testing.T) {
	for _, path := range stored(t) {
		r, err := lab.LoadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		paths, err := r.Save(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		again, err := lab.LoadFile(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		if was, is := judged("", r), judged("", again); was != is {
			t.Errorf("%s: %s", path, difference(was, is))
		}
	}
}

// judged is all that is said of a result: its warnings, its pools, the verdicts of its variants at
// the largest size, and those at each size.
func judged(file string, r *lab.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "== %s, warnings and pools\n", file)
	for _, w := range r.Warnings() {
		fmt.Fprintf(&b, "warning %q %q remedy %q\n", w.Kind, w.Text, w.Remedy)
	}
	for _, size := range r.Sizes {
		for _, p := range r.Pools(size) {
			fmt.Fprintf(&b, "size %d, pool %q of %d: %.12g s\n", size, p.Variant, p.Width, p.Time)
		}
	}
	for _, v := range r.Verdicts() {
		fmt.Fprintf(&b, "== %s, %s\n", file, v.Subject)
		pin(&b, v)
	}
	for _, size := range append(slices.Clone(r.Sizes), 7) { // 7 was not measured
		for _, variant := range append(slices.Clone(r.Variants), "not there") {
			fmt.Fprintf(&b, "== %s, trial %s, size %d\n", file, variant, size)
			pin(&b, r.Verdict(variant, size))
		}
	}
	return b.String()
}

// pin writes a verdict without its evidence. Values of numbers are to 12 digits, as a processor
// that adds and multiplies in one step can round the last ones otherwise.
func pin(b *strings.Builder, v verdict.Verdict) {
	fmt.Fprintf(b, "experiment %q, subject %q, size %d\nkind %q by %q\ntext %q\ntry  %q\n",
		v.Experiment, v.Subject, v.Size, v.Kind, v.By, v.Text, v.Try)
	for _, n := range v.Numbers {
		decided := ""
		if n.Decided {
			decided = " decided"
		}
		fmt.Fprintf(b, "number %q %.12g %q from %q: %q%s\n", n.Name, n.Value, n.Unit, n.Source, n.Text, decided)
	}
	for _, n := range v.Notes {
		fmt.Fprintf(b, "note %q\n", n)
	}
	for line := range strings.Lines(v.String()) {
		fmt.Fprintf(b, "| %s", line)
	}
}

// difference tells how the first few blocks that differ do.
func difference(was, is string) string {
	old, order := blocks(was)
	now, names := blocks(is)
	for _, name := range names {
		if _, ok := old[name]; !ok {
			order = append(order, name)
		}
	}
	var b strings.Builder
	differ := 0
	for _, name := range order {
		if slices.Equal(old[name], now[name]) {
			continue
		}
		if differ++; differ > 4 {
			continue
		}
		fmt.Fprintf(&b, "== %s\n", name)
		gone, come := without(old[name], now[name]), without(now[name], old[name])
		for _, line := range gone {
			fmt.Fprintf(&b, "  was %s\n", line)
		}
		for _, line := range come {
			fmt.Fprintf(&b, "  is  %s\n", line)
		}
		if len(gone)+len(come) == 0 {
			b.WriteString("  the same lines in another order or number\n")
		}
	}
	if differ == 0 {
		return "the same blocks in another order"
	}
	return fmt.Sprintf("%d of %d blocks differ, the first of them:\n%s", differ, len(order), &b)
}

func blocks(text string) (lines map[string][]string, names []string) {
	lines = map[string][]string{}
	for block := range strings.SplitSeq(strings.TrimPrefix(text, "== "), "\n== ") {
		name, rest, _ := strings.Cut(block, "\n")
		names = append(names, name)
		lines[name] = strings.Split(strings.TrimSuffix(rest, "\n"), "\n")
	}
	return lines, names
}

// without returns the lines that are not among the others.
func without(lines, others []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(others, line) })
}
