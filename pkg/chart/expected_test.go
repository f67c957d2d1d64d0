package chart

import (
	"strings"
	"testing"
	"time"
)

func TestExpected(t *testing.T) {
	r := primesLike(10)
	size, v := r.Sizes[0], r.Variants
	f := Expected(r, size, map[string]Range{v[0]: {time.Second, 3 * time.Second}, v[1]: {2 * time.Second, 2 * time.Second}, "not there": {0, time.Second}}, "a model")
	if _, err := f.SVG(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"expected 1.00 s to 3.00 s", "expected 2.00 s to 2.00 s"} {
		if !strings.Contains(f.Alt(), want) {
			t.Errorf("no %q in %q", want, f.Alt())
		}
	}
	if !strings.Contains(f.Caption(), "expected from a model") {
		t.Errorf("caption %q", f.Caption())
	}
	for name, f := range map[string]*Figure{
		"no result":       Expected(nil, 1, nil, ""),
		"unknown size":    Expected(r, -7, nil, ""),
		"ends too early":  Expected(r, size, map[string]Range{v[0]: {3, 2}}, ""),
		"begins before 0": Expected(r, size, map[string]Range{v[0]: {-3, 2}}, ""),
	} {
		if f.Err() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if f := Expected(r, size, nil, "nothing"); f.Err() != nil {
		t.Error(f.Err())
	}
}
