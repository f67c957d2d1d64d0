package chart

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// ChromeTrace returns the lane charts of a result as a Chrome trace, in the JSON Object Format
// (https://perfetto.dev/docs/getting-started/other-formats), which ui.perfetto.dev and chrome://tracing
// open: a process for each variant and size, a thread for each lane, a slice for each task. Times are
// those of the first measured round; of a trial with more than [lab.MaxSpans] tasks only the first of
// them were kept, and the name of its process says how many. It is an error where no trial has the
// times of its tasks.
func ChromeTrace(r *lab.Result) ([]byte, error) {
	if r == nil {
		return nil, errors.New("chart: ChromeTrace: " + noResult)
	}
	var events []traceEvent
	pid := 0
	for _, variant := range r.Variants {
		for _, size := range r.Sizes {
			t, err := spanned(r, variant, size)
			if err != nil {
				continue
			}
			pid++
			name := fmt.Sprintf("%s, %s", ink.Printable(variant), sized(r, size))
			if n := len(t.Spans); n < t.Tasks {
				name += fmt.Sprintf(" (the first %s of %s tasks)", text.Count(n), text.Count(t.Tasks))
			}
			events = append(events, named("process_name", pid, 0, name),
				traceEvent{Name: "process_sort_index", Phase: "M", PID: pid, Args: map[string]any{"sort_index": pid}})
			spans := tidySpans(t)
			lane, n, ids := lanes(spans)
			for i := range n {
				name := fmt.Sprintf("lane %d", i+1)
				if ids != nil {
					name = fmt.Sprintf("worker %d", ids[i])
				}
				events = append(events, named("thread_name", pid, i+1, name))
			}
			for i, s := range spans {
				length := microseconds(s.End - s.Start)
				events = append(events, traceEvent{
					Name: fmt.Sprintf("task %d", s.Task), Category: "task", Phase: "X",
					PID: pid, TID: lane[i] + 1, Time: microseconds(s.Start), Duration: &length,
				})
			}
		}
	}
	if pid == 0 {
		return nil, fmt.Errorf("chart: ChromeTrace of %q: no trial has the times of its tasks; "+
			"they are kept of the first measured round", r.Name)
	}
	data, err := json.Marshal(struct {
		Unit   string            `json:"displayTimeUnit"`
		Other  map[string]string `json:"otherData"`
		Events []traceEvent      `json:"traceEvents"`
	}{"ms", map[string]string{"experiment": r.Name, "machine": r.Machine.String(),
		"started": r.Started.UTC().Format(time.RFC3339)}, events})
	if err != nil {
		return nil, fmt.Errorf("chart: ChromeTrace of %q: %w", r.Name, err)
	}
	return data, nil
}

// A traceEvent is one entry of a Chrome trace: a complete event (X) or metadata (M). Its times are in
// microseconds.
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	PID      int            `json:"pid"`
	TID      int            `json:"tid"`
	Time     float64        `json:"ts"`
	Duration *float64       `json:"dur,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// named returns the event that names a process or a thread.
func named(what string, pid, tid int, name string) traceEvent {
	return traceEvent{Name: what, Phase: "M", PID: pid, TID: tid, Args: map[string]any{"name": name}}
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
