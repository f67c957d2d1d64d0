package chart

import (
	"strings"
	"testing"

	"overlap/pkg/lab"
)

func TestPublishedRatios(t *testing.T) {
	r := primesLike(10)
	r.Baseline = "event loop"
	rows := []lab.PublishedRow{
		{Experiment: "e", Variant: "one", Milliseconds: 1000}, {Experiment: "e", Variant: "one", Milliseconds: 1200}, {Experiment: "e", Variant: "one", Milliseconds: 1100},
		{Experiment: "e", Variant: "many", Milliseconds: 100, Conditions: "a phone"},
		{Experiment: "e", Variant: "unmatched", Milliseconds: 2200},
	}
	f := Published(r, 10000, rows, map[string]string{"one": "event loop", "many": "goroutines"})
	if f.Err() != nil {
		t.Fatal(f.Err())
	}
	for _, want := range []string{"many published 11.0×, goroutines here ", "unmatched published 0.50×"} {
		if !strings.Contains(f.Alt(), want) {
			t.Errorf("no %q in %q", want, f.Alt())
		}
	}
	if !strings.Contains(f.Caption(), "a phone") || !strings.Contains(f.Caption(), "differ") {
		t.Errorf("caption %q", f.Caption())
	}
	for name, match := range map[string]map[string]string{
		"no baseline":    {"many": "goroutines"},
		"no such theirs": {"none": "goroutines"},
		"no such ours":   {"one": "none", "many": "goroutines"},
		"no match":       nil,
	} {
		if f := Published(r, 10000, rows, match); f.Err() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	some := Published(r, 10000, rows, map[string]string{"one": "event loop", "many": "goroutines", "unmatched": "left out"})
	if some.Err() != nil || !strings.Contains(some.Caption(), "Not measured here: left out.") {
		t.Errorf("%v, caption %q", some.Err(), some.Caption())
	}
	if f := Published(r, 10000, []lab.PublishedRow{{Variant: "x", Speedup: 2.5}}, map[string]string{"x": "goroutines"}); f.Err() != nil {
		t.Error(f.Err())
	}
}
