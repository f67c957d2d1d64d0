package chart

import (
	"fmt"
	"slices"
	"testing"

	"overlap/pkg/lab"
)

func TestKnownSchedulersKeepTheirColour(t *testing.T) {
	all := looks(wellKnown, nil)
	colours := map[int]string{}
	for _, name := range wellKnown {
		c := all[name].color
		if other, ok := colours[c]; ok {
			t.Errorf("%s and %s have one colour", name, other)
		}
		colours[c] = name
		few := looks([]string{"something else", name, "a third"}, nil)
		if few[name] != all[name] {
			t.Errorf("%s looks %v among others, %v among its own", name, few[name], all[name])
		}
		if alone := looks([]string{name}, nil); alone[name] != all[name] {
			t.Errorf("%s looks %v alone, %v with others", name, alone[name], all[name])
		}
	}
}

func TestLooksDiffer(t *testing.T) {
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprintf("variant %d", i))
	}
	names = append(names, "pool(2)", "pool(4)", "pool(8)", "pool(2)")
	got := looks(names, nil)
	seen := map[look]string{}
	for _, n := range names {
		if other, ok := seen[got[n]]; ok && other != n {
			t.Errorf("%s and %s look alike: %v", n, other, got[n])
		}
		seen[got[n]] = n
	}
	if again := looks(slices.Clone(names), nil); fmt.Sprint(again) != fmt.Sprint(got) {
		t.Error("the same names look different the second time")
	}
}

func TestTextCanBeRead(t *testing.T) {
	for i, c := range light.series {
		if got := contrast(light.forText(c), light.background); got < 4.5 {
			t.Errorf("text in colour %d has contrast %.2f", i, got)
		}
	}
	for name, got := range map[string]float64{"ink": contrast(light.ink, light.background), "muted": contrast(light.muted, light.background)} {
		if got < 4.5 {
			t.Errorf("%s has contrast %.2f", name, got)
		}
	}
}

func TestVariantsLookAsTheirScheduler(t *testing.T) {
	r := &lab.Result{Variants: []string{"one after another", "by tiles"}, Specs: []lab.Spec{{Scheduler: "sequential"}, {Scheduler: "pool(2)"}}}
	got, want := looksOf(r, r.Variants), looks([]string{"sequential", "pool(2)"}, nil)
	if got["one after another"] != want["sequential"] || got["by tiles"] != want["pool(2)"] {
		t.Errorf("%v, want the looks of %v", got, want)
	}
}
