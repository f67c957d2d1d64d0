package corpus_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"overlap/pkg/verdict"
	"overlap/pkg/verdict/corpus"
)

var update = flag.Bool("update", false, "write what the verdicts are now to the golden file")

const pinned = "testdata/verdicts.golden"

// TestVerdictsAreAsPinned compares all that is said of every recording, to the letter, with what was
// said when it was last looked at. Where a change is meant, run the test with -update and read the
// difference of the golden file.
func TestVerdictsAreAsPinned(t *testing.T) {
	recordings, err := corpus.Recordings(os.DirFS("testdata"), ".")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range recordings {
		fmt.Fprintf(&b, "== %s, %d CPUs, %d hogs, run %d\n", r.Program, r.CPUs, r.Hogs, r.Run)
		pin(&b, verdict.Judge(r.Evidence))
	}
	if *update {
		if err := os.WriteFile(pinned, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	was, err := os.ReadFile(pinned)
	if err != nil {
		t.Fatalf("%v; go test ./pkg/verdict/corpus -run Pinned -update writes it", err)
	}
	if b.String() != string(was) {
		t.Error(difference(string(was), b.String()))
	}
}

// pin writes a verdict without its evidence. Values of numbers are to 12 digits, as a processor that
// adds and multiplies in one step can round the last ones otherwise.
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
