package notebook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"overlap/pkg/lab"
	"overlap/pkg/sched"
	"overlap/pkg/sched/kotlin"
	"overlap/pkg/sched/peers"
	"overlap/pkg/verdict"
)

//go:noinline
func writeTo(m map[string]int) { m["x"] = 1 }

// TestPanicsAreShownWithTheirPlace has a task panic under every scheduler: what
// is shown says which task it was and where.
func TestPanicsAreShownWithTheirPlace(t *testing.T) {
	d := kotlin.New()
	defer d.Close()
	var list []int
	for _, s := range []sched.Scheduler{
		sched.Sequential(), sched.Goroutines(), sched.Pool(2), sched.Executor(), sched.Threads(), sched.EventLoop(),
		sched.AwaitEach(sched.Goroutines()), d.Default(), d.IO(), peers.Ants(2), peers.Conc(2), peers.Pond(2),
	} {
		for what, c := range map[string]struct {
			do   func()
			says string
		}{
			"panic":   {func() { panic("it is enough") }, "panic: it is enough"},
			"nil map": {func() { writeTo(nil) }, "panic: assignment to entry in nil map"},
			"index":   {func() { list[len(list)+2]++ }, "panic: runtime error: index out of range [2] with length 0"},
		} {
			tasks := make([]sched.Task, 100)
			for i := range tasks {
				tasks[i] = func(context.Context) error {
					if i == 13 {
						c.do()
					}
					return nil
				}
			}
			got := withStacks(s.Run(t.Context(), tasks))
			first, rest, _ := strings.Cut(got, "\n")
			if first != "task 13: "+c.says {
				t.Errorf("%s, %s: shown is %q", s.Name(), what, first)
			}
			// From where it panicked to the task, and nothing of what ran the task.
			lines := strings.Split(rest, "\n")
			if !strings.HasPrefix(lines[0], "\tin stack_test.go:") || strings.Contains(rest, "pkg/sched") || len(lines) > 3 {
				t.Errorf("%s, %s: shown is\n%s", s.Name(), what, got)
			}
			if inMap := strings.Contains(lines[0], "notebook.writeTo)"); inMap != (what == "nil map") {
				t.Errorf("%s, %s: shown is\n%s", s.Name(), what, got)
			}
		}
	}
}

func TestStacksOfAnExperiment(t *testing.T) {
	_, err := lab.Experiment{
		Name: "Panics", Workload: lab.Each("panics", func(_ context.Context, i int) error {
			if i == 13 {
				writeTo(nil)
			}
			return nil
		}),
		Schedulers: []sched.Scheduler{sched.Pool(2)}, Sizes: []int{20}, Repeats: 1, Dir: t.TempDir(),
	}.Run(t.Context())
	got := withStacks(err)
	if !regexp.MustCompile(`^lab: "Panics": pool\(2\) at size 20 failed in round 0: task 13: panic: assignment to entry in nil map
	in stack_test\.go:\d+ \(overlap/pkg/notebook\.writeTo\)
	in stack_test\.go:\d+ \(overlap/pkg/notebook\.TestStacksOfAnExperiment\.func1\)$`).MatchString(got) {
		t.Errorf("shown is\n%s", got)
	}
}

// TestStacksAreShownOnce: an error that has its stack in its words, or the same
// twice, shows it once; many show a few.
func TestStacksAreShownOnce(t *testing.T) {
	_, err := verdict.Watch(t.Context(), func(context.Context) error { writeTo(nil); return nil }, verdict.Untraced())
	if got := withStacks(err); strings.Count(got, "notebook.writeTo") != 1 {
		t.Errorf("shown is\n%s", got)
	}
	err = sched.Sequential().Run(t.Context(), []sched.Task{func(context.Context) error { writeTo(nil); return nil }})
	if got := withStacks(errors.Join(err, fmt.Errorf("again: %w", err))); strings.Count(got, "notebook.writeTo)") != 1 {
		t.Errorf("shown is\n%s", got)
	}
	var all []error
	for i, task := range []sched.Task{
		func(context.Context) error { panic(0) },
		func(context.Context) error { panic(1) },
		func(context.Context) error { panic(2) },
		func(context.Context) error { panic(3) },
		func(context.Context) error { panic(4) },
	} {
		all = append(all, fmt.Errorf("error %d: %w", i, sched.Sequential().Run(t.Context(), []sched.Task{task})))
	}
	lines := strings.Split(withStacks(errors.Join(all...)), "\n")
	if len(lines) != 5+mostStacks || lines[0] != "error 0: task 0: panic: 0" || !strings.HasPrefix(lines[1], "\tin stack_test.go:") || lines[2] != "error 1: task 0: panic: 1" {
		t.Errorf("shown is %q", lines)
	}
	broken := &sched.PanicError{Value: "x", Stack: []byte("garbage\npanic(")}
	if got := withStacks(broken); got != "panic: x" {
		t.Errorf("shown is %q", got)
	}
	if got := withStacks(errors.New("plain")); got != "plain" {
		t.Errorf("shown is %q", got)
	}
	if got := withStacks(&sched.PanicError{Value: "no stack"}); got != "panic: no stack" {
		t.Errorf("shown is %q", got)
	}
}

// TestFramesSayWhichLineOfACell has frames of a program that a kernel made.
func TestFramesSayWhichLineOfACell(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GONB_TMP_DIR", dir)
	file := filepath.Join(dir, "main.go")
	program := "package main\n\nimport \"flag\"\n\nfunc work(m map[int]int) {\n\tm[1] = 2\n}\n\nfunc main() {\n\tflag.Parse()\n\twork(nil)\n}\n"
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range taskFrames([]runtime.Frame{
		{Function: "main.work", File: file, Line: 6},
		{Function: "main.(*T[...]).run.func1", File: file, Line: 11},
		{Function: "mine/own.Read", File: "/home/a b/my: own/own.go", Line: 7},
		{Function: "overlap/pkg/sched.(*run).spawned", File: "/x/pkg/sched/run.go", Line: 118},
		{Function: "main.main", File: file, Line: 11},
	}) {
		got = append(got, frameName(f))
	}
	want := []string{"func work, line 2 (main.work)", "line 1 below %% (main.(*T[...]).run.func1)", "own.go:7 (mine/own.Read)"}
	if !slices.Equal(got, want) {
		t.Errorf("frames are %q, want %q", got, want)
	}
}

// An error whose method panics is told as fmt tells it.
type faultyError struct{ text *string }

func (e faultyError) Error() string { return *e.text }

func TestErrorThatPanics(t *testing.T) {
	err := errors.Join(errors.New("the first"), faultyError{})
	if got := withStacks(err); !strings.HasPrefix(got, "the first\n") || !strings.Contains(got, "PANIC") {
		t.Errorf("said %q", got)
	}
}
