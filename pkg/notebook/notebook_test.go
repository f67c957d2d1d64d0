package notebook

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"overlap/pkg/chart"
	"overlap/pkg/lab"
	"overlap/pkg/probe"
	"overlap/pkg/sched"
)

// The figures of package chart are what Show takes for one.
var _ figure = (*chart.Figure)(nil)

// What gob cannot encode closes the connection to the kernel without a word.
func TestEveryMessageSurvivesGob(t *testing.T) {
	for name, b := range map[string]block{
		"text":     {text: "t"},
		"table":    tableBlock(lab.Table{Head: []string{"a"}, Rows: [][]string{{"1"}}}),
		"picture":  {text: "alt", png: []byte{1, 2}, width: 3, height: 4},
		"progress": {text: "t", html: "<b>t</b>", id: "x"},
		"named":    {text: "alt", png: []byte{1, 2}, width: 3, height: 4, figure: "f", result: "r"},
	} {
		t.Run(name, func(t *testing.T) {
			var buf bytes.Buffer
			sent := b.message()
			if err := gob.NewEncoder(&buf).Encode(sent); err != nil {
				t.Fatal(err)
			}
			var got protocol.DisplayData
			if err := gob.NewDecoder(&buf).Decode(&got); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(&got, sent) {
				t.Errorf("sent %#v, arrived %#v", sent, got)
			}
		})
	}
}

func TestHTMLIsEscaped(t *testing.T) {
	bad := `<script>alert("1")</script>&`
	table := lab.Table{Title: bad, Head: []string{bad, "n"}, Rows: [][]string{{bad, "1"}}, Notes: []string{bad}}
	for name, got := range map[string]string{
		"table": tableHTML(table),
		"list":  textBlock(bad).list(bad, []string{bad}).html,
		"result": resultBlock(&lab.Result{Name: bad, Unit: bad, Variants: []string{bad}, Baseline: bad, Sizes: []int{1},
			Trials: []lab.Trial{{Variant: bad, Size: 1, Round: 1}}}).html,
	} {
		if strings.Contains(got, "<script") || !strings.Contains(got, "&lt;script&gt;") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestFiguresAreSetToTheRight(t *testing.T) {
	got := tableHTML(lab.Table{Head: []string{"variant", "time"}, Rows: [][]string{{"pool", "1.2 s"}}})
	for _, want := range []string{`<td style="text-align: left">pool</td>`, "<td style=\"text-align: right\">1.2\u00a0s</td>"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}

func TestResultWithoutTrials(t *testing.T) {
	b := resultBlock(&lab.Result{Name: "empty", Variants: []string{"a"}, Sizes: []int{1}})
	if !strings.Contains(b.text, "Nothing was measured.") {
		t.Errorf("got %+v", b)
	}
	resultBlock(&lab.Result{})
}

func TestSortErrors(t *testing.T) {
	plain := errors.New("plain")
	cancelled := fmt.Errorf("lab: stopped: %w", context.Canceled)
	for _, test := range []struct {
		name string
		err  error
		want []error
	}{
		{"none", nil, nil},
		{"one", plain, []error{plain}},
		{"joined", errors.Join(plain, nil, errors.Join(plain)), []error{plain, plain}},
		{"cancelled by something else", cancelled, []error{cancelled}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, stopped := sortErrors(test.err); stopped || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, stopped %v", got, stopped)
			}
		})
	}
}

func TestFigureThatCannotBeDrawn(t *testing.T) {
	var b strings.Builder
	err := show(terminal{&b}, fakeFigure{err: errors.New("no data")}, "next")
	if err == nil || err.Error() != "no data" || b.String() != "next\n" {
		t.Errorf("showed %q, error %v", b.String(), err)
	}
}

type recorder struct{ blocks []block }

func (r *recorder) show(b block) error { r.blocks = append(r.blocks, b); return nil }

func TestProgressIsSeldom(t *testing.T) {
	at := time.Time{}
	r := &recorder{}
	b := newBar(r, "id", true)
	at = at.Add(time.Hour)
	begin := at
	for i := range 300 { // three seconds
		at = begin.Add(time.Duration(i) * 10 * time.Millisecond)
		b.observe(lab.Progress{Done: i, Total: 300, Elapsed: at.Sub(begin)})
	}
	if n := len(r.blocks); n < 5 || n > 10 {
		t.Errorf("%d updates in two seconds after the first, want at most five a second", n)
	}
	b.observe(lab.Progress{Done: 300, Total: 300, Elapsed: 3 * time.Second, Finished: true})
	if last := r.blocks[len(r.blocks)-1]; last.text != "300 trials in 3.0 s." || strings.Contains(last.html, "<progress") {
		t.Errorf("last %+v", last)
	}
}

// The first trial of a run can take long. A measured one is not disturbed.
func TestProgressComesDuringTheFirstTrial(t *testing.T) {
	for name, test := range map[string]struct {
		run  func(observe func(lab.Progress))
		want []string
	}{
		"a long one": {func(observe func(lab.Progress)) {
			observe(lab.Progress{Total: 4, Repeats: 1, Variant: "pool"})
			time.Sleep(time.Minute)
			observe(lab.Progress{Done: 1, Total: 4, Repeats: 1, Elapsed: time.Minute})
		}, []string{"0 of 4 trials, warm-up: pool", "1 of 4 trials, warm-up"}},
		"two": {func(observe func(lab.Progress)) {
			observe(lab.Progress{Total: 4, Repeats: 1})
			time.Sleep(time.Second / 2)
			observe(lab.Progress{Done: 1, Total: 4, Repeats: 1, Elapsed: time.Second / 2})
			time.Sleep(time.Minute)
		}, []string{"1 of 4 trials, warm-up"}},
		"measured": {func(observe func(lab.Progress)) {
			observe(lab.Progress{Total: 4, Repeats: 1})
			time.Sleep(time.Second / 2)
			observe(lab.Progress{Done: 1, Total: 4, Round: 1, Repeats: 1, Elapsed: time.Second / 2})
			time.Sleep(time.Minute)
		}, nil},
		"over": {func(observe func(lab.Progress)) {
			observe(lab.Progress{Total: 1, Repeats: 1})
			observe(lab.Progress{Done: 1, Total: 1, Elapsed: time.Second / 2, Finished: true})
			time.Sleep(time.Minute)
		}, []string{"1 trials in 0.5 s."}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &recorder{}
				test.run(newBar(r, "id", true).observe)
				synctest.Wait()
				var got []string
				for _, b := range r.blocks {
					got = append(got, b.text)
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("in a cell came %q, want %q", got, test.want)
				}
				var screen strings.Builder
				test.run(newLine(&screen, time.Second/5, true).observe)
				synctest.Wait()
				want := ""
				for _, text := range test.want {
					want += "\r\x1b[K" + text
				}
				if got := strings.TrimRight(screen.String(), "\n"); got != want {
					t.Errorf("on a terminal came %q, want %q", got, want)
				}
			})
		})
	}
}

func TestProgressOfAShortRunIsItsSummary(t *testing.T) {
	r := &recorder{}
	b := newBar(r, "id", true)
	b.observe(lab.Progress{Done: 1, Total: 2, Elapsed: 500 * time.Millisecond})
	b.observe(lab.Progress{Done: 2, Total: 2, Elapsed: 900 * time.Millisecond, Finished: true, Result: &lab.Result{Name: "Primes"}})
	if len(r.blocks) != 1 || r.blocks[0].text != "Primes: 2 trials in 0.9 s." {
		t.Errorf("showed %+v", r.blocks)
	}
}

func TestProgressLines(t *testing.T) {
	run := func(l *teller) {
		for s := range 31 {
			l.observe(lab.Progress{Done: s, Total: 31, Round: 1, Repeats: 2, Variant: "pool", Elapsed: time.Duration(s) * time.Second,
				Left: time.Second, Result: &lab.Result{Unit: "tasks"}, Size: 5})
		}
		l.observe(lab.Progress{Done: 20, Total: 31, Elapsed: 130 * time.Second, Finished: true})
	}
	var log, screen strings.Builder
	run(newLine(&log, 10*time.Second, false))
	want := "10 of 31 trials, round 1 of 2: pool, 5 tasks; about 1.0 s left\n"
	if got := strings.SplitAfter(log.String(), "\n"); len(got) != 5 || got[0] != want || got[3] != "20 of 31 trials in 2 min 10 s.\n" {
		t.Errorf("log %q", got)
	}
	run(newLine(&screen, time.Second/5, true))
	if got := screen.String(); strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "s.\n") || strings.Count(got, "\r\x1b[K") != 31 {
		t.Errorf("screen %q", got)
	}
}

func TestStatus(t *testing.T) {
	r := &lab.Result{Unit: "rasters"}
	for _, test := range []struct {
		p    lab.Progress
		want string
	}{
		{lab.Progress{Total: 9, Repeats: 2}, "0 of 9 trials, warm-up"},
		{lab.Progress{Done: 3, Total: 9, Round: 2, Repeats: 2, Variant: "pool", Size: 5, Result: r}, "3 of 9 trials, round 2 of 2: pool, 5 rasters"},
		{lab.Progress{Done: 3, Total: 9, Round: 1, Repeats: 2, Variant: "pool", Size: 1, Result: r}, "3 of 9 trials, round 1 of 2: pool, 1 raster"},
		{lab.Progress{Done: 8, Total: 9, Round: 3, Repeats: 2, Variant: "pool", Size: 5, Result: r}, "8 of 9 trials, traced runs: pool, 5 rasters"},
	} {
		if got := status(test.p); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestNothingIsHarmless(t *testing.T) {
	for name, thing := range map[string]any{
		"nil":            nil,
		"nil result":     (*lab.Result)(nil),
		"nil table":      (*lab.Table)(nil),
		"nil figure":     (*chart.Figure)(nil),
		"nil error":      error(nil),
		"no warnings":    []lab.Warning(nil),
		"empty warnings": []lab.Warning{},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := show(terminal{&b}, thing, "next"); err != nil || b.String() != "next\n" {
				t.Errorf("showed %q, error %v", b.String(), err)
			}
		})
	}
	for name, thing := range map[string]any{"empty result": &lab.Result{}, "result as a value": lab.Result{}, "empty table": &lab.Table{}} {
		t.Run(name, func(t *testing.T) {
			if err := show(terminal{io.Discard}, thing); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSlicesAreShownEachAsItIs(t *testing.T) {
	table := lab.Table{Head: []string{"a"}, Rows: [][]string{{"1"}}}
	var none *chart.Figure
	for name, test := range map[string]struct {
		thing any
		want  string
		err   string
	}{
		"tables":         {[]lab.Table{table, table}, "a\n1\na\n1\n", ""},
		"figures":        {[]fakeFigure{{alt: "one"}, {alt: "two"}}, "one\nSaved as fake.png\ntwo\nSaved as fake.png\n", ""},
		"missing":        {[]*chart.Figure{none, none}, "", ""},
		"errors":         {[]error{errors.New("first"), nil, errors.New("second")}, "", "first\nsecond"},
		"mixed":          {[]any{"text", table, []error{errors.New("deep")}}, "text\na\n1\n", "deep"},
		"plain values":   {[]any{"a", 1}, "[a 1]\n", ""},
		"numbers":        {make([]int, 3), "[0 0 0]\n", ""},
		"bytes":          {[]byte("a"), "[97]\n", ""},
		"an error by it": {errorsOfOne{errors.New("of one")}, "", "of one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("OVERLAP_OUT", ".")
			var b strings.Builder
			err := show(terminal{&b}, test.thing)
			if got := strings.ReplaceAll(b.String(), "figures"+string(filepath.Separator), ""); got != test.want {
				t.Errorf("showed %q, want %q", got, test.want)
			}
			if got := fmt.Sprint(err); got != test.err && (err != nil || test.err != "") {
				t.Errorf("error %v, want %q", err, test.err)
			}
		})
	}
}

// errorsOfOne is a slice and an error.
type errorsOfOne []error

func (e errorsOfOne) Error() string { return e[0].Error() }

func TestFiguresAreSavedBelowOut(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("OVERLAP_OUT", dir)
	r := &lab.Result{Name: "Primes", Unit: "tasks", Variants: []string{"a"}, Baseline: "a", Sizes: []int{100}, Trials: []lab.Trial{{Variant: "a", Size: 100, Round: 1, Usage: probe.Usage{Wall: time.Second}}}}
	if err := show(terminal{io.Discard}, chart.Times(r)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "figures", "primes-100-tasks-times.png")); err != nil {
		t.Error(err)
	}
}

// What is shown carries the names of its files, by which an export finds them,
// and saving it leaves files for light and for dark pages.
func TestShownThingsNameTheirFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("OVERLAP_OUT", dir)
	r, err := lab.Experiment{
		Name:       "Nothing",
		Workload:   lab.Each("nothing", func(context.Context, int) error { return nil }),
		Schedulers: []sched.Scheduler{sched.Sequential()},
		Sizes:      []int{1, 2}, Repeats: 1,
	}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, thing := range map[string]any{"result": r, "part of a result": r.Only(r.Sizes[0]), "figure": chart.Trials(r), "figure of a part": chart.Trials(r.Only(r.Sizes[0]))} {
		blocks, err := blocksOf(thing, saved)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m := blocks[0].message()
		if m.Metadata["overlap_result"] != r.Files() {
			t.Errorf("%s: metadata %v, want the result %s", name, m.Metadata, r.Files())
		}
		f, ok := thing.(*chart.Figure)
		if !ok {
			continue
		}
		if m.Metadata["overlap_figure"] != f.Slug() {
			t.Errorf("%s: metadata %v, want the figure %s", name, m.Metadata, f.Slug())
		}
		for _, suffix := range []string{".png", ".svg", ".pdf", ".txt", "-dark.png", "-dark.svg", "-dark.pdf"} {
			if _, err := os.Stat(filepath.Join(dir, "figures", f.Slug()+suffix)); err != nil {
				t.Error(err)
			}
		}
	}
}

// A cell that is run again leaves the same files, and in them what it measured
// last.
func TestRunningAgainReplacesFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("OVERLAP_OUT", dir)
	run := func() (names []string, seed uint64) {
		e := lab.Experiment{
			Name:       "Again",
			Workload:   lab.Each("nothing", func(context.Context, int) error { return nil }),
			Schedulers: []sched.Scheduler{sched.Sequential()}, Sizes: []int{1}, Repeats: 1,
		}
		r, err := e.Run(t.Context())
		if err := show(terminal{io.Discard}, r, chart.Trials(r), err); err != nil {
			t.Fatal(err)
		}
		err = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			names = append(names, path)
			return err
		})
		loaded, loadErr := e.Load()
		if err := errors.Join(err, loadErr); err != nil || loaded.Seed != r.Seed {
			t.Fatalf("%v; loaded the run of another seed than what was run", err)
		}
		return names, r.Seed
	}
	first, seed := run()
	for range 4 {
		again, next := run()
		if !slices.Equal(again, first) {
			t.Errorf("left %q, and at first %q", again, first)
		}
		if next == seed {
			t.Error("it was not run again")
		}
		seed = next
	}
}
