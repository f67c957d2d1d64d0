package verdict_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"overlap/pkg/lab"
	"overlap/pkg/probe"
	"overlap/pkg/sched"
	"overlap/pkg/verdict"
)

// TestTimeLimitOfWatch: a function that goes on after its deadline is not waited
// for as long as one that was interrupted, and an experiment is told of it.
func TestTimeLimitOfWatch(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var over atomic.Bool
	v, err := verdict.Watch(ctx, func(context.Context) error {
		for !over.Load() {
			time.Sleep(time.Millisecond)
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "it was told to 500ms ago: context deadline exceeded") || !noted(v, "did not stop within 500ms") {
		t.Errorf("error %v, notes %q", err, v.Notes)
	}
	r, err := lab.Experiment{
		Name: "Beside", Workload: lab.Each("nothing", func(context.Context, int) error { return nil }),
		Schedulers: []sched.Scheduler{sched.Sequential()}, Sizes: []int{3}, Repeats: 1, Dir: t.TempDir(),
	}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Verdict("sequential", 3); !noted(v, "Up to 1 task of an earlier run, which did not stop when told to, still ran") {
		t.Errorf("notes %q", v.Notes)
	}
	over.Store(true)
	for end := time.Now().Add(time.Minute); probe.Left() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if n := probe.Left(); n > 0 {
		t.Errorf("%d are still said to run", n)
	}
}
