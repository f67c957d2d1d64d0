package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"overlap/pkg/verdict"
	"overlap/pkg/verdict/corpus"
)

// TestMain lets the test's own program be a hog or a child, as the command is.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 2 && os.Args[1] == hogFlag:
		hog(os.Stdin)
		os.Exit(0)
	case len(os.Args) == 4 && os.Args[1] == childFlag:
		os.Exit(child(context.Background(), os.Args[2], os.Args[3], os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}

func TestRun(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name     string
		ctx      context.Context
		args     []string
		status   int
		out, log string
	}{
		{"table", t.Context(), []string{"-runs", "2", "-only", "cannot-nothing"}, 0, "2 verdicts: 2 right (100.0 %)", "run 2 of 2 done"},
		{"with a hog", t.Context(), []string{"-runs", "1", "-hogs", "1", "-only", "cannot-nothing"}, 0, "1 verdicts: 1 right", ""},
		{"held out", t.Context(), []string{"-runs", "1", "-holdout", "-only", "hold-one-millisecond"}, 0, "1 verdicts: 1 right", ""},
		{"quiet", t.Context(), []string{"-runs", "1", "-quiet", "-only", "cannot-nothing"}, 0, " 0 wrong", ""},
		{"no such program", t.Context(), []string{"-only", "cannot-nothing,nought"}, 2, "", `program "nought": there is none`},
		{"interrupted", cancelled, []string{"-only", "cannot-nothing"}, 130, "", "interrupted"},
		{"no runs", t.Context(), []string{"-runs", "0"}, 2, "", "-runs 0: at least 1 is needed"},
		{"no hogs", t.Context(), []string{"-hogs", "-1"}, 2, "", "-hogs -1: at least 0 is needed"},
		{"argument", t.Context(), []string{"cpu-pool"}, 2, "", `"cpu-pool" is not a flag`},
		{"unknown flag", t.Context(), []string{"-fast"}, 2, "", "not defined: -fast"},
		{"help", t.Context(), []string{"-help"}, 0, "", "how often each program runs"},
		{"no folder", t.Context(), []string{"-record", "/dev/null/x"}, 1, "", `make folder "/dev/null/x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, log strings.Builder
			if status := run(c.ctx, c.args, &out, &log); status != c.status || !strings.Contains(out.String(), c.out) || !strings.Contains(log.String(), c.log) {
				t.Errorf("status %d, want %d\nout %q, want %q\nlog %q, want %q", status, c.status, out.String(), c.out, log.String(), c.log)
			}
		})
	}
}

func TestJSONAndRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recorded")
	var out, log strings.Builder
	if status := run(t.Context(), []string{"-runs", "1", "-only", "cannot-nothing", "-json", "-record", dir}, &out, &log); status != 0 || log.Len() > 0 {
		t.Fatalf("status %d, log %q", status, &log)
	}
	var l line
	if err := json.Unmarshal([]byte(out.String()), &l); err != nil {
		t.Fatal(err)
	}
	if l.Program != "cannot-nothing" || l.Run != 1 || l.Given != verdict.CannotTell || l.Outcome != corpus.Right {
		t.Errorf("line %+v", l)
	}
	recordings, err := corpus.Recordings(os.DirFS(dir), ".")
	if err != nil || len(recordings) != 1 || recordings[0].Program != "cannot-nothing" {
		t.Fatalf("recordings %+v, %v", recordings, err)
	}
	if v := verdict.Judge(recordings[0].Evidence); v.Kind != verdict.CannotTell {
		t.Errorf("judged again: %q", v.Kind)
	}
}

// TestMisses: the status and the tables tell of wrong verdicts and of programs
// that fail.
func TestMisses(t *testing.T) {
	p := corpus.Program{Name: "p", Right: []verdict.Kind{verdict.HeldByLock}, Why: "of its lock"}
	var out, log strings.Builder
	table := &table{out: &out, log: &log, programs: []corpus.Program{p}}
	table.add(p, 1, verdict.Verdict{Kind: verdict.AllCPUs, Text: "All is well."}, nil)
	table.add(p, 2, verdict.Verdict{Kind: verdict.CannotTell}, nil)
	table.add(p, 3, verdict.Verdict{}, errNoGroup)
	if table.failed {
		t.Error("a program that was left out counts as failed")
	}
	table.add(p, 4, verdict.Verdict{}, errors.New("broken"))
	table.print()
	for _, want := range []string{
		"1 × runs on all CPUs, 1 × cannot tell  <- wrong",
		"wrong: p, run 1: runs on all CPUs",
		"because: of its lock",
		"2 verdicts: 0 right (0.0 %), 1 milder (50.0 %), 1 wrong (50.0 %)",
		"left out: p, run 3: no cgroup with a CPU quota can be made here",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if !table.failed || !strings.Contains(log.String(), "p: broken") {
		t.Errorf("failed %v, log %q", table.failed, &log)
	}
}

func TestHog(t *testing.T) {
	in, out := io.Pipe()
	ended := make(chan bool)
	go func() {
		hog(in)
		close(ended)
	}()
	select {
	case <-ended:
		t.Error("ended before its input did")
	case <-time.After(10 * time.Millisecond):
	}
	out.Close()
	<-ended
}

func TestUnderQuota(t *testing.T) {
	p, err := corpus.ByName(corpus.Programs(), "waits-under-quota")
	if err != nil {
		t.Fatal(err)
	}
	v, err := underQuota(t.Context(), p)
	if errors.Is(err, errNoGroup) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Evidence.CPUs; got.Bound != "quota" || got.Count != p.Quota {
		t.Errorf("the child had %+v, want a quota of %g", got, p.Quota)
	}
	p.Name = "nought"
	if _, err := underQuota(t.Context(), p); err == nil || !strings.Contains(err.Error(), `program "nought"`) {
		t.Errorf("a program that is not there: error %v", err)
	}
}
