package chart

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/lab"
	"overlap/pkg/sched"
)

// called returns the facts of schedulers by what they are called in these tests.
func called(name string) sched.Facts {
	f := sched.Facts{}
	kind, number, _ := strings.Cut(strings.TrimSuffix(name, ")"), "(")
	f.Limit, _ = strconv.Atoi(number)
	if f.Kind = sched.Kind(kind); strings.HasPrefix(name, "await each") {
		f.Kind = sched.KindAwaitEach
	}
	return f
}

func TestKnownSchedulersKeepTheirColour(t *testing.T) {
	all := looks(wellKnown, called)
	colours := map[int]string{}
	for _, name := range wellKnown {
		c := all[name].Color
		if other, ok := colours[c]; ok {
			t.Errorf("%s and %s have one colour", name, other)
		}
		colours[c] = name
		few := looks([]string{"something else", name, "a third"}, called)
		if few[name] != all[name] {
			t.Errorf("%s looks %v among others, %v among its own", name, few[name], all[name])
		}
		if alone := looks([]string{name}, called); alone[name] != all[name] {
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
	got := looks(names, called)
	seen := map[ink.Look]string{}
	for _, n := range names {
		if other, ok := seen[got[n]]; ok && other != n {
			t.Errorf("%s and %s look alike: %v", n, other, got[n])
		}
		seen[got[n]] = n
	}
	if again := looks(slices.Clone(names), called); fmt.Sprint(again) != fmt.Sprint(got) {
		t.Error("the same names look different the second time")
	}
}

func TestVariantsLookAsTheirScheduler(t *testing.T) {
	r := &lab.Result{Variants: []string{"one after another", "by tiles"}, Specs: []lab.Spec{{Facts: called("sequential")}, {Facts: called("pool(2)")}}}
	r.Variants, r.Specs = append(r.Variants, "pool(2), it says"), append(r.Specs, lab.Spec{Facts: called("threads")})
	got, want := looksOf(r, r.Variants), looks([]string{"sequential", "pool(2)", "threads"}, called)
	if got["one after another"] != want["sequential"] || got["by tiles"] != want["pool(2)"] ||
		got["pool(2), it says"] != want["threads"] {
		t.Errorf("%v, want the looks of %v", got, want)
	}
}

func TestPoolsInOneResult(t *testing.T) {
	alone := looks([]string{"pool(2)"}, called)["pool(2)"]
	for name, variants := range map[string][]string{
		"the smaller first": {"threads", "pool(1)", "pool(2)"},
		"the larger first":  {"pool(2)", "pool(1)", "threads"},
	} {
		got := looks(variants, called)
		one, two := got["pool(1)"], got["pool(2)"]
		if two != alone {
			t.Errorf("%s: pool(2) looks %v, alone %v", name, two, alone)
		}
		if one.Color != two.Color || one.Shaded == two.Shaded || one.Marker == two.Marker || one.Dash == two.Dash {
			t.Errorf("%s: pool(1) looks %v, pool(2) %v; want one colour, and all else different", name, one, two)
		}
	}
	// The larger number counts, whatever the variants are called.
	r := &lab.Result{Variants: []string{"by tiles, one worker", "by tiles, a worker a CPU"}, Specs: []lab.Spec{{Facts: called("pool(1)")}, {Facts: called("pool(16)")}}}
	got := looksOf(r, r.Variants)
	if got["by tiles, a worker a CPU"] != alone || got["by tiles, one worker"] == alone || got["by tiles, one worker"].Color != alone.Color {
		t.Errorf("by tiles: %v", got)
	}
}

func TestMarkerAndDashSufficeTogether(t *testing.T) {
	for name, schedulers := range map[string][]string{
		"primes":  {"sequential", "event loop", "await each goroutines", "threads", "goroutines", "pool(2)"},
		"rasters": {"sequential", "await each goroutines", "executor(6)", "goroutines", "pool(1)", "pool(2)", "threads"},
	} {
		type sign struct {
			marker ink.Marker
			dash   int
		}
		seen := map[sign]string{}
		for v, l := range looks(schedulers, called) {
			s := sign{l.Marker, l.Dash}
			if other, ok := seen[s]; ok {
				t.Errorf("%s: without colour, %s and %s look alike", name, v, other)
			}
			seen[s] = v
		}
	}
}
