package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	rows := 0
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "#") {
			rows++
		}
	}
	all := snippets()
	if len(all) != rows || rows == 0 {
		t.Errorf("%d rows, %d of ten fields", rows, len(all))
	}
	for _, s := range all {
		if s.kind != "example" && s.kind != "test" && s.kind != "benchmark" || s.right == "" || s.judged == "" {
			t.Errorf("row %+v", s)
		}
	}
}

func TestAgrees(t *testing.T) {
	s := snippet{right: "one at a time/held up by a lock"}
	for kind, want := range map[string]string{
		"one at a time": "yes", "held up by a lock": "acceptable", "cannot tell": "milder", "runs on all CPUs": "NO", "one": "NO",
	} {
		if got := s.agrees(kind); got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
	if s := (snippet{right: "cannot tell"}); s.agrees("cannot tell") != "yes" {
		t.Error("cannot tell is right, and not agreed to")
	}
}

func TestCounted(t *testing.T) {
	if got := counted([]string{"a", "b", "a"}); got != "        2 a\n        1 b\n" {
		t.Errorf("%q", got)
	}
}

func TestOfATest(t *testing.T) {
	for _, c := range []struct {
		s    snippet
		want string
	}{
		{snippet{kind: "example", function: "ExampleA"}, "underWatch(t, anExample(subject.ExampleA)(t)) }"},
		{snippet{kind: "test", function: "TestA", again: true}, "underWatch(t, aTest(subject.TestA)(t), verdict.Again()) }"},
		{snippet{kind: "benchmark", function: "BenchmarkA", rounds: "3"}, `underWatch(t, aBenchmark(subject.BenchmarkA, "3")(t)) }`},
	} {
		if got := c.s.test("subject." + c.s.function); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q", c.s, got)
		}
	}
}

func TestPackageOf(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a_test.go"), []byte("// A.\npackage a_test\n\nfunc TestA(t *testing.T) {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if a, b := packageOf(dir, "TestA"), packageOf(dir, "Test"); a != "a_test" || b != "" {
		t.Errorf("packages %q, %q", a, b)
	}
}

func TestArguments(t *testing.T) {
	copies := filepath.Join(t.TempDir(), "copies")
	for words, want := range map[string]int{"--runs 0": 2, "--fast": 2, "ExampleA": 2, "--only nothing-of-this-name --copies " + copies: 1} {
		var out, log strings.Builder
		if got := run(strings.Fields(words), &out, &log); got != want || log.Len() == 0 {
			t.Errorf("%s: status %d, %q", words, got, &log)
		}
	}
}
