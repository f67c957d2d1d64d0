package corpus_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"overlap/pkg/verdict"
	"overlap/pkg/verdict/corpus"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSound(t *testing.T) {
	for _, cpus := range []int{1, 2, 8, 16} {
		programs, holdOut := corpus.ProgramsOn(cpus), corpus.HoldOutOn(cpus)
		all := slices.Concat(programs, holdOut)
		if len(all) < 54 || len(holdOut) < 18 || 3*len(holdOut) < len(all) {
			t.Errorf("%d CPUs: %d programs, of which %d are held out: want 54, 18, and a third", cpus, len(all), len(holdOut))
		}
		mixed := 0
		best := map[verdict.Kind]int{}
		held := map[verdict.Kind]int{}
		names := map[string]bool{}
		for i, p := range all {
			if names[p.Name] {
				t.Errorf("%s: the name is there twice", p.Name)
			}
			names[p.Name] = true
			if p.Name != strings.ToLower(p.Name) || strings.ContainsAny(p.Name, " /_") {
				t.Errorf("%s: a name is lower case with hyphens", p.Name)
			}
			if len(p.Right) == 0 || p.Group == "" || p.By == "" || p.Why == "" || p.Run == nil {
				t.Errorf("%s: something is missing: %+v", p.Name, p)
				continue
			}
			for j, k := range p.Right {
				if !slices.Contains(corpus.Kinds, k) || slices.Contains(p.Right[:j], k) {
					t.Errorf("%s: right verdicts %q", p.Name, p.Right)
				}
			}
			if slices.Contains(p.Right, verdict.Shared) && cpus <= 4 && !p.Again {
				t.Errorf("%s: needs a second run to be seen", p.Name)
			}
			if slices.Contains(p.Right, verdict.Quota) && p.Quota == 0 {
				t.Errorf("%s: has no quota", p.Name)
			}
			if p.Mixed() {
				mixed++
			}
			best[p.Right[0]]++
			if i >= len(programs) {
				held[p.Right[0]]++
			}
		}
		if mixed < 8 {
			t.Errorf("%d CPUs: %d programs are mixed or cannot be told, want 8", cpus, mixed)
		}
		if cpus == 1 {
			continue // where nothing that computes can be at fault
		}
		for _, k := range corpus.Kinds {
			if best[k] < 3 || held[k] < 1 {
				t.Errorf("%d CPUs: %q is the best verdict of %d programs, of which %d are held out: want 3 and 1", cpus, k, best[k], held[k])
			}
		}
	}
}

// TestRun runs every program to its end.
func TestRun(t *testing.T) {
	for _, p := range slices.Concat(corpus.Programs(), corpus.HoldOut()) {
		t.Run(p.Name, func(t *testing.T) {
			// Without, and with, what stands ready for it.
			for _, before := range []bool{false, true} {
				if before && p.Before == nil {
					continue
				}
				if before {
					after, err := p.Before()
					if err != nil {
						t.Fatal(err)
					}
					defer after()
				}
				procs := runtime.GOMAXPROCS(0)
				if err := p.Run(t.Context()); err != nil {
					t.Errorf("error %v", err)
				}
				if now := runtime.GOMAXPROCS(0); now != procs {
					t.Errorf("GOMAXPROCS is %d and was %d", now, procs)
				}
			}
		})
	}
}

// TestStop: a program whose context is done says so.
func TestStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, p := range slices.Concat(corpus.Programs(), corpus.HoldOut()) {
		t.Run(p.Name, func(t *testing.T) {
			if err := p.Run(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want %v", err, context.Canceled)
			}
			if err := goleak.Find(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestByName(t *testing.T) {
	if p, err := corpus.ByName(corpus.Programs(), "cpu-pool"); err != nil || p.Name != "cpu-pool" {
		t.Errorf("%q, %v", p.Name, err)
	}
	if _, err := corpus.ByName(corpus.Programs(), "cpu"); err == nil {
		t.Error("found a program that is not there")
	}
}

func TestOutcome(t *testing.T) {
	lock := corpus.Program{Right: []verdict.Kind{verdict.HeldByLock, verdict.OneAtATime}}
	nothing := corpus.Program{Right: []verdict.Kind{verdict.CannotTell}}
	var table corpus.Confusion
	for _, c := range []struct {
		program corpus.Program
		given   verdict.Kind
		want    corpus.Outcome
	}{
		{lock, verdict.HeldByLock, corpus.Right},
		{lock, verdict.OneAtATime, corpus.Right},
		{lock, verdict.CannotTell, corpus.Milder},
		{lock, verdict.AllCPUs, corpus.Wrong},
		{nothing, verdict.CannotTell, corpus.Right},
		{nothing, verdict.AllCPUs, corpus.Wrong},
	} {
		if got := table.Add(c.program, c.given); got != c.want {
			t.Errorf("%q for %q is %s, want %s", c.given, c.program.Right, got, c.want)
		}
	}
	if table.Total() != 6 || table.Count(corpus.Right) != 3 || table.Count(corpus.Milder) != 1 || table.Share(corpus.Wrong) != 2.0/6 {
		t.Errorf("totals are wrong:\n%s", &table)
	}
	if s := table.String(); !strings.Contains(s, "6 verdicts: 3 right (50.0 %), 1 milder (16.7 %), 2 wrong (33.3 %)") {
		t.Errorf("table says\n%s", s)
	}
	if (&corpus.Confusion{}).Share(corpus.Right) != 0 {
		t.Error("an empty table has a share")
	}
}
