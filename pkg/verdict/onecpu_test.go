package verdict_test

import (
	"strings"
	"testing"

	"overlap/pkg/probe"
	"overlap/pkg/verdict"
)

// TestOneCPUOrOneWorker: where there is one CPU, the first worker can have done
// all tasks before others had a turn. That is no pool of one, and no fault of the
// scheduler's.
func TestOneCPUOrOneWorker(t *testing.T) {
	for _, c := range []struct {
		scheduler string
		kind      string
		limit     int
		procs     int
		by, try   string
	}{
		{"sequential", verdict.Loop, 1, 1, "a plain loop", "Give them to a scheduler"},
		{"unconfined", verdict.Loop, 1, 1, "a plain loop", "Give them to a scheduler"},
		{"event loop", verdict.EventLoop, 0, 1, "an event loop: one goroutine", "Give them to a scheduler"},
		{"await each io", verdict.AwaitEach, 1, 1, "awaiting each", "Give them to a scheduler"},
		{"pool(1)", "pool", 1, 1, "a pool of one", "Give them to a scheduler"},
		{"default limited(1)", "", 1, 1, "a pool of one", "Give them to a scheduler"},
		{"pool(10)", "pool", 10, 1, "GOMAXPROCS", "Raise GOMAXPROCS from 1: the process may use 2 CPUs."},
		{"default", "default", 2, 1, "GOMAXPROCS", "Raise GOMAXPROCS from 1"},
		{"io limited(10)", "", 10, 1, "GOMAXPROCS", "Raise GOMAXPROCS from 1"},
		{"threads", "threads", 8000, 1, "GOMAXPROCS", "Raise GOMAXPROCS from 1"},
		{"pool(1)", "pool", 1, 2, "a pool of one", "Give them to a scheduler"},
		{"io limited(10)", "", 10, 2, "one worker", "Give them to a scheduler"},
	} {
		t.Run(c.scheduler, func(t *testing.T) {
			for _, traced := range []bool{false, true} {
				e := joined(alone(run(80 * ms))).evidence()
				e.Procs, e.Trace.Procs = c.procs, c.procs
				if !traced {
					e.Trace = nil
				}
				if c.procs == 1 {
					e.CPUs.Bound = "GOMAXPROCS"
				}
				e.Lab = &verdict.LabEvidence{Scheduler: c.scheduler, Kind: c.kind, Limit: c.limit, Tasks: 4, Workers: 1, InFlightMax: 1, InFlightMean: 1, MeanTask: 20 * ms, LongestTask: 20 * ms}
				e.Alone = &probe.Usage{Wall: 80 * ms, User: 80 * ms, CPUs: 2}
				v := verdict.Judge(e)
				if v.Kind != verdict.OneAtATime || v.By != c.by || !strings.HasPrefix(v.Try, c.try) {
					t.Errorf("traced %v, want one at a time by %q, got %s", traced, c.by, v)
				}
				if c.by == "GOMAXPROCS" && !strings.Contains(v.Text, "There is 1 CPU (GOMAXPROCS), so nothing runs at the same moment.") {
					t.Errorf("traced %v: %s", traced, v)
				}
				sound(t, v)
			}
		})
	}
}
