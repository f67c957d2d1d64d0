package lab_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overlap/pkg/lab"
)

func TestInterruptKeepsWhatWasMeasured(t *testing.T) {
	e := experiment(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("the reader changed their mind")
	e.Workload = adder{work: func(ctx context.Context, _ int) error { return ctx.Err() }}
	r, err := e.Run(ctx, lab.Observe(func(p lab.Progress) {
		if p.Round == 4 {
			cancel(stop)
		}
	}))
	if !errors.Is(err, stop) || !strings.Contains(err.Error(), "interrupted in round 4 of 7") {
		t.Fatalf("error %v", err)
	}
	if !r.Interrupted || len(r.Of("together", 5)) != 3 {
		t.Fatalf("interrupted %v with %d trials, want 3", r.Interrupted, len(r.Of("together", 5)))
	}
	again, err := e.Load()
	if err != nil || !again.Interrupted || len(again.Trials) != len(r.Trials) {
		t.Fatalf("loaded %v, %v", again, err)
	}
	if !slices.ContainsFunc(again.Warnings(), func(w lab.Warning) bool { return w.Kind == "interrupted" }) {
		t.Error("no warning says so")
	}
}

func TestInterruptedRunReplacesNoCompleteOne(t *testing.T) {
	e := experiment(t)
	if _, err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := e.Run(ctx, lab.Observe(func(p lab.Progress) {
		if p.Round == 2 {
			cancel()
		}
	})); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	r, err := e.Load()
	if err != nil || r.Interrupted || len(r.Trials) != 48 {
		t.Errorf("the complete result was replaced: %v", err)
	} else if !slices.ContainsFunc(r.Warnings(), func(w lab.Warning) bool { return w.Kind == "older" }) {
		t.Error("nothing says that a newer run was not completed")
	}
	if left, _ := filepath.Glob(filepath.Join(e.Dir, "*-partial*")); len(left) != 3 {
		t.Errorf("the interrupted one has the files %q", left)
	}
	if _, err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(e.Dir, "*-partial*")); len(left) != 0 {
		t.Errorf("after a complete run %q are left", left)
	}
	if r, err := e.Load(); err != nil ||
		slices.ContainsFunc(r.Warnings(), func(w lab.Warning) bool { return w.Kind == "older" }) {
		t.Errorf("after a complete run: %v", err)
	}
}

func TestUnwritableFolderKeepsTheResult(t *testing.T) {
	e := experiment(t)
	file := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	e.Dir = filepath.Join(file, "below")
	r, err := e.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "not saved") || !strings.Contains(err.Error(), "OVERLAP_OUT") ||
		!strings.Contains(err.Error(), "another folder") {
		t.Fatalf("error %v", err)
	}
	if len(r.Trials) != 48 {
		t.Fatalf("%d trials kept", len(r.Trials))
	}
}

func TestLoadFindsByParameters(t *testing.T) {
	e := experiment(t)
	if _, err := e.Load(); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("before the run: %v", err)
	}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	again, err := e.Load()
	if err != nil {
		t.Fatal(err)
	}
	a, _ := r.JSON()
	b, _ := again.JSON()
	if string(a) != string(b) {
		t.Error("what was loaded is not what was saved")
	}
	for name, edit := range map[string]func(*lab.Experiment){
		"sizes":      func(e *lab.Experiment) { e.Sizes = []int{4} },
		"repeats":    func(e *lab.Experiment) { e.Repeats = 8 },
		"schedulers": func(e *lab.Experiment) { e.Schedulers = e.Schedulers[:1] },
		"name":       func(e *lab.Experiment) { e.Name = "Other" },
	} {
		other := e
		edit(&other)
		_, err := other.Load()
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("other %s: %v", name, err)
		}
		// The reader is told what there is instead.
		if told := strings.Contains(err.Error(),
			`one for sizes [3 5], 7 repeats and ["loop" "together"]`); told != (name != "name") {
			t.Errorf("other %s: %v", name, err)
		}
	}
}

func TestBytesThatAreNoTextAreStoredAndFound(t *testing.T) {
	e := experiment(t)
	e.Workload, e.Sizes = latin{adder{answer: func(int64) string { return "\xfe" }}}, []int{3}
	r, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := e.Load()
	if err != nil || again.Trials[0].Answer != r.Trials[0].Answer ||
		again.Specs[0].Params["file"] != r.Specs[0].Params["file"] {
		t.Errorf("%v; answers %q and %q", err, again.Trials[0].Answer, r.Trials[0].Answer)
	}
	// Two answers that are no text are still two.
	answers := []string{"\xfe", "\xff"}
	e.Workload = latin{adder{answer: func(int64) string {
		answers = append(answers[1:], answers[0])
		return answers[0]
	}}}
	if _, err := e.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "wrong answer") {
		t.Errorf("error %v", err)
	}
}

func TestLoadRefusesAnotherExperimentsFile(t *testing.T) {
	e := experiment(t)
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	other := *r
	other.Name = "Another"
	data, err := other.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(e.Dir, r.Base()+".json"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Load(); err == nil || !strings.Contains(err.Error(), "another experiment") {
		t.Errorf("error %v", err)
	}
}

func TestLoadFileRefusesWhatIsNoResult(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "text": "hello", "other format": `{"format": 99}`,
		"half": `{"format": 1, "trials": [`} {
		path := filepath.Join(t.TempDir(), "r.json")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := lab.LoadFile(path); err == nil || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), "give another file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestQuickMode(t *testing.T) {
	t.Setenv("OVERLAP_QUICK", "1")
	e := experiment(t)
	e.Sizes = []int{5, 100, 2_000, 10_000}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Sizes, []int{5, 100, 500}) || r.Repeats != 2 {
		t.Errorf("sizes %v, %d repeats", r.Sizes, r.Repeats)
	}
	if _, err := e.Load(); err != nil {
		t.Error(err)
	}
}
