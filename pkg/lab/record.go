package lab

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"overlap/pkg/internal/text"
	"overlap/pkg/sched"
)

// A recorder notes when and where the tasks of one trial run, and whether the scheduler ran each of
// them once.
type recorder struct {
	base  time.Time
	notes []note
}

type note struct {
	state      atomic.Uint32 // how often the task was started, times 2, less 1 while it runs: see begin and end
	worker     int32
	start, end time.Duration
}

func newRecorder(n int) *recorder { return &recorder{notes: make([]note, n)} }

// wrap returns tasks that record themselves.
func (r *recorder) wrap(tasks []sched.Task) []sched.Task {
	wrapped := make([]sched.Task, len(tasks))
	for i, task := range tasks {
		if task == nil {
			continue // the scheduler's promise is to say so
		}
		n := &r.notes[i]
		wrapped[i] = func(ctx context.Context) error {
			if n.state.Add(1) != 1 {
				n.state.Add(1)
				return nil // started twice: told after the run, with the first times kept
			}
			n.start = time.Since(r.base)
			if w, ok := sched.Worker(ctx); ok {
				n.worker = int32(w.ID)
			}
			// Deferred, for a task that panics has ended too.
			defer func() {
				n.end = time.Since(r.base)
				n.state.Add(1)
			}()
			return task(ctx)
		}
	}
	return wrapped
}

// settle waits until no task runs, up to settleLimit and once ctx is done up to rest, and reports
// whether that is so. Tasks of a scheduler that returned too early are still at work, and would
// disturb what is measured next.
func (r *recorder) settle(ctx context.Context, rest func() time.Duration) bool {
	deadline, told := time.Now().Add(settleLimit), false
	for ; ; time.Sleep(time.Millisecond) {
		if r.running() == 0 {
			return true
		}
		if !told && ctx.Err() != nil {
			told = true
			if end := time.Now().Add(rest()); end.Before(deadline) {
				deadline = end
			}
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}

// stop waits for a scheduler that was told to stop, and returns its error. It reports false if no
// task has ended for quiet, or after most.
func (r *recorder) stop(done <-chan error, quiet, most time.Duration) (err error, stopped bool) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	told := time.Now()
	for last, n := told, r.running(); ; {
		select {
		case err := <-done:
			return err, true
		case now := <-tick.C:
			// On a loaded machine much can have happened since the last tick.
			if m := r.running(); m != n {
				last, n = now, m
			}
			if now.Sub(last) < quiet && now.Sub(told) < most {
				continue
			}
			select {
			case err := <-done:
				return err, true
			default:
				return nil, false
			}
		}
	}
}

// running counts the tasks that have been started and have not ended.
func (r *recorder) running() int { return len(r.unfinished()) }

func (r *recorder) unfinished() (tasks []int) {
	for i := range r.notes {
		if r.notes[i].state.Load()%2 == 1 {
			tasks = append(tasks, i)
		}
	}
	return tasks
}

// atWork says which tasks are running: "task 3 of 4 is", "tasks 3, 5 and 2 others of 100 are".
func (r *recorder) atWork() string {
	const most = 5
	var named []string
	for _, i := range r.unfinished() {
		named = append(named, strconv.Itoa(i))
	}
	of := " of " + text.Count(len(r.notes))
	switch n := len(named); {
	case n == 0:
		return "none of the " + text.Counted(len(r.notes), "tasks") + " is"
	case n == 1:
		return "task " + named[0] + of + " is"
	case n > most:
		return "tasks " + strings.Join(named[:most], ", ") + " and " + text.Counted(n-most, "others") + of + " are"
	default:
		return "tasks " + strings.Join(named[:n-1], ", ") + " and " + named[n-1] + of + " are"
	}
}

// check returns what the scheduler did wrong, though it reported success.
func (r *recorder) check() error {
	missed, repeated, example := 0, 0, -1
	for i := range r.notes {
		switch state := r.notes[i].state.Load(); {
		case state == 2:
			continue
		case state == 0:
			missed++
		default:
			repeated++
		}
		example = i
	}
	if missed+repeated == 0 {
		return nil
	}
	return fmt.Errorf("the scheduler reported success, but of %d tasks it dropped %d and ran %d more than once "+
		"(task %d, for one)", len(r.notes), missed, repeated, example)
}

// fill puts what was recorded into a trial. No task may be running.
func (r *recorder) fill(t *Trial) {
	t.Tasks = len(r.notes)
	workers := map[int32]bool{}
	var busy time.Duration
	type event struct {
		at   time.Duration
		rank int // at one instant: ends, then starts, then ends of tasks that took no time
		by   int
	}
	events := make([]event, 0, 2*len(r.notes))
	for i := range r.notes {
		n := &r.notes[i]
		busy += n.end - n.start
		if n.worker != 0 {
			workers[n.worker] = true
		}
		end := event{n.end, 0, -1}
		if n.end == n.start {
			end.rank = 2
		}
		events = append(events, event{n.start, 1, 1}, end)
	}
	// A task that begins when another ends was not in flight together with it.
	slices.SortFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank))
	})
	inFlight := 0
	for _, e := range events {
		inFlight += e.by
		t.InFlightMax = max(t.InFlightMax, inFlight)
	}
	t.Workers = len(workers)
	if t.Wall > 0 {
		t.InFlightMean = float64(busy) / float64(t.Wall)
	}
}

// spans returns the tasks' times in the order in which they started.
func (r *recorder) spans() []Span {
	spans := make([]Span, len(r.notes))
	for i := range r.notes {
		n := &r.notes[i]
		spans[i] = Span{Task: i, Worker: int(n.worker), Start: n.start, End: n.end}
	}
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	return spans[:min(len(spans), MaxSpans)]
}
