package chart

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// tidySpans returns the spans that have a duration, by start.
func tidySpans(t lab.Trial) []lab.Span {
	var out []lab.Span
	for _, s := range t.Spans {
		if s.End >= s.Start && s.Start >= 0 {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b lab.Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return out
}

// spanned returns the trial of a variant that keeps spans.
func spanned(r *lab.Result, variant string, size int) (lab.Trial, error) {
	if r == nil {
		return lab.Trial{}, errors.New(noResult)
	}
	for _, t := range r.Of(variant, size) {
		if len(tidySpans(t)) > 0 {
			return t, nil
		}
	}
	return lab.Trial{}, fmt.Errorf("%q at size %d has no trial with the times of its tasks; "+
		"the result has the variants %q and the sizes %d, and keeps these times of the first measured round",
		variant, size, r.Variants, r.Sizes)
}

// lanes gives each span a lane: its worker's, or, where the scheduler has no workers, the lowest that
// is free when it starts. Spans are by start. ids holds the worker of each lane, nil for lanes without.
func lanes(spans []lab.Span) (lane []int, n int, ids []int) {
	lane = make([]int, len(spans))
	of := map[int]int{}
	for _, s := range spans {
		if s.Worker > 0 {
			of[s.Worker] = 0
		}
	}
	if len(of) > 0 {
		ids = sortedKeys(of)
		for i, w := range ids {
			of[w] = i
		}
	}
	n = len(ids)
	first := n
	var used, free laneHeap
	for i, s := range spans {
		if s.Worker > 0 {
			lane[i] = of[s.Worker]
			continue
		}
		for len(used) > 0 && used[0].end <= s.Start {
			heap.Push(&free, openLane{lane: heap.Pop(&used).(openLane).lane})
		}
		if len(free) > 0 {
			lane[i] = heap.Pop(&free).(openLane).lane
		} else {
			lane[i] = n
			n++
		}
		heap.Push(&used, openLane{s.End, lane[i]})
	}
	if n > first { // some tasks had no worker: number all lanes
		ids = nil
	}
	return lane, n, ids
}

// An openLane is a lane and when its task ends, 0 of a lane without one.
type openLane struct {
	end  time.Duration
	lane int
}

// laneHeap has the lane on top that is free first, and of several the lowest.
type laneHeap []openLane

func (h laneHeap) Len() int { return len(h) }
func (h laneHeap) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].end, h[j].end), h[i].lane-h[j].lane) < 0
}
func (h laneHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *laneHeap) Push(x any)   { *h = append(*h, x.(openLane)) }
func (h *laneHeap) Pop() any {
	n := len(*h) - 1
	last := (*h)[n]
	*h = (*h)[:n]
	return last
}

// A step is how many tasks are in flight from a time on.
type step struct {
	at time.Duration
	n  int
}

// inFlight counts the spans that are open, at each time at which that changes. A task that ends when
// another starts is not in flight with it.
func inFlight(spans []lab.Span) []step {
	type event struct {
		at   time.Duration
		rank int // ends, then starts, then ends of tasks that took no time
		by   int
	}
	events := make([]event, 0, 2*len(spans))
	for _, s := range spans {
		end := event{s.End, 0, -1}
		if s.End == s.Start {
			end.rank = 2
		}
		events = append(events, event{s.Start, 1, 1}, end)
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank)) })
	out := []step{{0, 0}}
	n := 0
	for _, e := range events {
		n += e.by
		out = append(out, step{e.at, n})
	}
	return out
}

// evidence says in numbers what a trial's tasks did.
func evidence(t lab.Trial) string {
	parts := []string{text.Counted(t.Tasks, "tasks") + " in " + unitFor(t.Wall.Seconds()).String(t.Wall.Seconds())}
	if t.Workers > 0 {
		parts = append(parts, text.Counted(t.Workers, "workers"))
	}
	if t.InFlightMax > 0 {
		parts = append(parts, fmt.Sprintf("in flight: at most %s, %s on average", text.Count(t.InFlightMax),
			significant(t.InFlightMean)))
	}
	if u := t.Utilisation(); u > 0 {
		parts = append(parts, fmt.Sprintf("%.0f %% of %s used", 100*u, cpusText(t.CPUs)))
	}
	return strings.Join(parts, " · ")
}
