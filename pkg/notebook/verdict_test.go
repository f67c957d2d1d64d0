package notebook

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"overlap/pkg/probe/trace"
	"overlap/pkg/verdict"
)

func locked() verdict.Verdict {
	return verdict.Verdict{
		Subject: "a global lock", Kind: verdict.OneAtATime, By: "a lock", Text: "One at a time.", Try: "Hold the lock for less.",
		Numbers: []verdict.Number{
			{Name: "active", Value: 1.02, Text: "1.02 of 2 CPUs", Source: "execution trace", Decided: true},
			{Name: "time", Value: 0.0123, Unit: "s", Source: "the clock"},
			{Name: "GC", Value: 3, Unit: "%", Source: "runtime/metrics"},
		},
		Notes: []string{"Others used 0.3 CPUs."},
		Evidence: verdict.Evidence{Trace: &trace.Trace{Waits: []trace.Wait{
			{State: trace.Join, Root: true, Time: time.Hour, N: 1, Place: trace.Place{File: "main.go", Line: 9}},
			{State: trace.Channel, Time: time.Millisecond, N: 3, Place: trace.Place{File: "rare.go", Line: 1}},
			{State: trace.Lock, Time: 2 * time.Second, N: 1999, Place: trace.Place{File: "main.go", Line: 7, Cell: "cell 3, line 2", Code: "mu.Lock()", What: "sync.(*Mutex).Lock"}},
			{State: trace.Channel, Root: true, Time: time.Second, N: 5, Place: trace.Place{File: "main.go", Line: 8, What: "chan receive"}},
		}}},
	}
}

func TestVerdictInATerminal(t *testing.T) {
	var b strings.Builder
	failed := errors.New("the work failed")
	if err := show(terminal{&b}, locked(), failed); err == nil || err.Error() != failed.Error() {
		t.Errorf("error %v", err)
	}
	want := `A global lock: one at a time (a lock)
One at a time.
Try: Hold the lock for less.

evidence           value  decided  source
active    1.02 of 2 CPUs  yes      execution trace
time             12.3 ms           the clock
GC                   3 %           runtime/metrics

waited for         where                   code       time, all goroutines  times
lock               cell 3, line 2          mu.Lock()                   2 s  1,999
channel, the root  main.go:8 chan receive                              1 s      5

To keep in mind:
- Others used 0.3 CPUs.
`
	if b.String() != want {
		t.Errorf("showed\n%s\nwant\n%s", b.String(), want)
	}
}

// What a post about a notebook says of a verdict.
func TestVerdictInMarkdown(t *testing.T) {
	blocks, err := blocksOf(locked(), unsaved)
	if err != nil || len(blocks) != 1 {
		t.Fatalf("%d blocks, %v", len(blocks), err)
	}
	const want = `**A global lock: one at a time (a lock)**

One at a time.

*Try:* Hold the lock for less.

| evidence | value | decided | source |
| --- | ---: | --- | --- |
| active | 1.02 of 2 CPUs | yes | execution trace |
| time | 12.3 ms |  | the clock |
| GC | 3 % |  | runtime/metrics |

| waited for | where | code | time, all goroutines | times |
| --- | --- | --- | ---: | ---: |
| lock | cell 3, line 2 | mu.Lock() | 2 s | 1,999 |
| channel, the root | main.go:8 chan receive |  | 1 s | 5 |

To keep in mind:

- Others used 0.3 CPUs.
`
	if got := blocks[0].message().Data[protocol.MIMETextMarkdown]; got != want {
		t.Errorf("it says\n%s\nwant\n%s", got, want)
	}
}

func TestEvidenceIsShort(t *testing.T) {
	v := verdict.Verdict{Kind: verdict.AllCPUs}
	for i := range 20 {
		v.Numbers = append(v.Numbers, verdict.Number{Name: fmt.Sprintf("number %d;", i), Text: "x"})
	}
	v.Evidence.Trace = &trace.Trace{Covered: time.Second, Waits: []trace.Wait{
		{State: trace.Lock, Time: 10 * time.Millisecond, N: 1, Place: trace.Place{Code: "a little"}},
	}}
	var few, all strings.Builder
	if err := errors.Join(show(terminal{&few}, v), show(terminal{&all}, v.Numbers)); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(few.String(), "number "); n != 8 || !strings.Contains(few.String(), "12 more") {
		t.Errorf("%d rows in %s", n, few.String())
	}
	if strings.Contains(few.String(), "a little") {
		t.Errorf("a wait of a hundredth of the time is shown: %s", few.String())
	}
	if n := strings.Count(all.String(), "number "); n != 20 {
		t.Errorf("%d rows in %s", n, all.String())
	}
	if got := shortened(strings.Repeat("é", 100)); len([]rune(got)) != 60 {
		t.Errorf("shortened to %q", got)
	}
}

func TestVerdictsInATable(t *testing.T) {
	other := verdict.Verdict{Subject: "pool(2)", Size: 10_000, Kind: verdict.AllCPUs, Notes: locked().Notes}
	unnamed := verdict.Verdict{Kind: verdict.CannotTell, Try: "Give it more to do."}
	var b strings.Builder
	if err := show(terminal{&b}, []verdict.Verdict{locked(), other, unnamed}); err != nil {
		t.Fatal(err)
	}
	want := `subject              verdict           by      what decided
a global lock        one at a time     a lock  active 1.02 of 2 CPUs
pool(2), size 10,000  runs on all CPUs
no. 3                cannot tell
Try:
- a global lock: Hold the lock for less.
- no. 3: Give it more to do.
To keep in mind:
- a global lock, pool(2), size 10,000: Others used 0.3 CPUs.
`
	squeeze := func(s string) string {
		lines := strings.Split(s, "\n")
		for i, l := range lines {
			lines[i] = strings.Join(strings.Fields(l), " ")
		}
		return strings.Join(lines, "\n")
	}
	if squeeze(b.String()) != squeeze(want) {
		t.Errorf("showed\n%s\nwant\n%s", b.String(), want)
	}
	page := verdictsBlock([]verdict.Verdict{locked(), other}).html
	for _, want := range []string{"<table>", ">Hold the lock for less.</td>", "<li>a global lock, pool(2), size 10,000: Others"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in %s", want, page)
		}
	}
	if n := strings.Count(page, "Hold the lock"); n != 1 {
		t.Errorf("what to try is there %d times", n)
	}
}

func TestVerdictsAreEscaped(t *testing.T) {
	bad := `<script>alert("1")</script>&`
	v := verdict.Verdict{Subject: bad, Kind: verdict.Kind(bad), By: bad, Text: bad, Try: bad, Notes: []string{bad},
		Numbers: []verdict.Number{{Name: bad, Text: bad, Source: bad, Decided: true}},
		Evidence: verdict.Evidence{Trace: &trace.Trace{Waits: []trace.Wait{
			{State: trace.State(bad), Time: 1, Place: trace.Place{Cell: bad, Code: bad}},
		}}}}
	for name, got := range map[string]string{"one": verdictBlocks(v)[0].html, "several": verdictsBlock([]verdict.Verdict{v, v}).html} {
		if strings.Contains(got, "<script") || !strings.Contains(got, "&lt;script&gt;") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestVerdictsThatSayNothing(t *testing.T) {
	for name, thing := range map[string]any{
		"none":       verdict.Verdict{},
		"a pointer":  &verdict.Verdict{},
		"nil":        (*verdict.Verdict)(nil),
		"no list":    []verdict.Verdict(nil),
		"empty list": []verdict.Verdict{},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := show(terminal{&b}, thing, "next"); err != nil || b.String() != "next\n" {
				t.Errorf("showed %q, error %v", b.String(), err)
			}
		})
	}
}
