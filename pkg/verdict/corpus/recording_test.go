package corpus_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
	"overlap/pkg/verdict"
	"overlap/pkg/verdict/corpus"
)

// What the recorded evidence has to be judged as, at least: the share that is
// right on an idle machine and with CPU hogs beside it. No verdict may be
// wrong: every miss is "cannot tell".
const (
	rightIdle  = 0.98
	rightNoisy = 0.94
)

// TestRecorded judges evidence that the command overlap-verdicts recorded, so
// that how fast and how busy the machine is now plays no part.
func TestRecorded(t *testing.T) {
	recordings, err := corpus.Recordings(os.DirFS("testdata"), ".")
	if err != nil {
		t.Fatal(err)
	}
	tables := map[int]*corpus.Confusion{}
	seen := map[string]bool{}
	for _, r := range recordings {
		p, err := corpus.ByName(slices.Concat(corpus.ProgramsOn(r.CPUs), corpus.HoldOutOn(r.CPUs)), r.Program)
		if err != nil {
			t.Error(err)
			continue
		}
		seen[p.Name] = true
		table := tables[r.Hogs]
		if table == nil {
			table = &corpus.Confusion{}
			tables[r.Hogs] = table
		}
		v := verdict.Judge(r.Evidence)
		switch table.Add(p, v.Kind) {
		case corpus.Wrong:
			t.Errorf("%s, %d hogs, run %d: %q, want %q: %s", p.Name, r.Hogs, r.Run, v.Kind, p.Right, v.Text)
		case corpus.Milder:
			t.Logf("%s, %d hogs, run %d: %q, best is %q: %s", p.Name, r.Hogs, r.Run, v.Kind, p.Right[0], v.Text)
		}
	}
	for hogs, table := range tables {
		t.Logf("%d hogs:\n%s", hogs, table)
		want := rightNoisy
		if hogs == 0 {
			want = rightIdle
		}
		if got := table.Share(corpus.Right); got < want {
			t.Errorf("%d hogs: %.1f %% are right, want %.1f %%", hogs, 100*got, 100*want)
		}
	}
	for _, p := range corpus.Programs() {
		if !seen[p.Name] {
			t.Errorf("%s: nothing is recorded of it", p.Name)
		}
	}
}

// TestRecordedFiles: recorded files are small and hold no paths of the machine
// that they come from.
func TestRecordedFiles(t *testing.T) {
	names, err := filepath.Glob("testdata/*.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Fatal("nothing is recorded")
	}
	absolute := regexp.MustCompile(`[^\\]"(/|[A-Z]:\\)`)
	total := 0
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		info, err := file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		file.Close()
		total += int(info.Size())
		if m := absolute.Find(text); m != nil {
			t.Errorf("%s holds a path: %s", name, m)
		}
	}
	if total > 1_500_000 {
		t.Errorf("recordings take %d bytes, at most 1.5 MB are wanted", total)
	}
}

func TestSaveAndRead(t *testing.T) {
	p, err := corpus.ByName(corpus.Programs(), "one-await-each")
	if err != nil {
		t.Fatal(err)
	}
	evidence := verdict.Evidence{
		Usage: probe.Usage{Wall: 160 * time.Millisecond, CPUs: 2},
		Trace: &trace.Trace{
			Wall: 160 * time.Millisecond, Procs: 2, Goroutines: 20,
			Lives: []trace.Life{{Func: "main.main"}},
		},
	}
	v := verdict.Judge(evidence)
	v.Evidence = evidence
	r := corpus.Record(p, 1, 3, v)
	if evidence.Trace.Lives == nil {
		t.Error("recording took the lives out of the verdict")
	}
	dir := t.TempDir()
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	got, err := corpus.Recordings(os.DirFS(dir), ".")
	if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], r) {
		t.Errorf("read %+v, %v; want %+v", got, err, r)
	}
	if err := r.Save(filepath.Join(dir, "none")); err == nil {
		t.Error("saved to a folder that is not there")
	}
	if err := os.WriteFile(filepath.Join(dir, "x.json.gz"), []byte("no gzip"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := corpus.Recordings(os.DirFS(dir), "."); err == nil || !strings.Contains(err.Error(), "x.json.gz") {
		t.Errorf("a broken recording: error %v", err)
	}
}
