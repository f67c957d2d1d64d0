package lab

import (
	"testing"

	"overlap/pkg/sched"
)

// TestFactsOfOldResults has results that were stored with names only.
func TestFactsOfOldResults(t *testing.T) {
	r := &Result{Rules: map[string]string{"f": "a rule"}}
	want := []sched.Facts{
		{Kind: sched.KindSequential, Serial: true, Limit: 1}, {}, {Kind: sched.KindAwaitEach, Serial: true, Limit: 1},
		{
			Kind:  sched.KindPool,
			Limit: 12,
		}, {}, {Kind: sched.KindExecutor, Limit: 6, Rule: "a rule"}, {Kind: sched.KindAdapted, Limit: 2},
		{Kind: sched.KindEventLoop}, {},
	}
	for i, name := range []string{
		"sequential", "sequential shards, two at a time", "await each goroutines", "pool(12)", "pool(12), again",
		"executor(6)", "pond(2)", "event loop", "pool(0)",
	} {
		r.Variants = append(r.Variants, string(rune('a'+i)))
		r.Specs = append(r.Specs, Spec{Scheduler: name})
	}
	key := r.key()
	r.addFacts()
	for i, s := range r.Specs {
		if s.Facts != want[i] {
			t.Errorf("%s: %+v, want %+v", s.Scheduler, s.Facts, want[i])
		}
	}
	if r.key() != key {
		t.Error("the facts change where the result is found")
	}
	r.Specs[0].Facts, r.Specs[1].Facts.Limit = sched.Facts{}, 3 // as a newer one is stored
	r.addFacts()
	if r.Specs[0].Facts != (sched.Facts{}) {
		t.Error("facts were guessed for a result that has them")
	}
}
