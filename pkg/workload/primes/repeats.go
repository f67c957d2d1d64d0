package primes

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"

	"overlap/pkg/sched"
)

// Repeats is the experiment's workload: every task counts the primes up to the same limit, and a
// size is how many tasks there are.
type Repeats struct {
	Limit int32
}

// Spec returns the kind "primes" and the limit.
func (r Repeats) Spec() (kind string, params map[string]string) {
	return "primes", map[string]string{"limit": strconv.Itoa(int(r.Limit))}
}

// Unit returns "tasks".
func (Repeats) Unit() string { return "tasks" }

// Tasks makes size tasks. The answer is the sum of what they counted. It is an error where size or
// the limit is negative, or size above [sched.MostTasks]; no tasks count 0 primes.
func (r Repeats) Tasks(size int) (tasks []sched.Task, finish func() (string, error), err error) {
	if err := sched.CheckCount(size, "tasks"); err != nil {
		return nil, nil, fmt.Errorf("primes: %w", err)
	}
	if r.Limit < 0 {
		return nil, nil, fmt.Errorf("primes: limit %d: the limit must be 0 or more", r.Limit)
	}
	var sum atomic.Int64
	task := func(context.Context) error {
		sum.Add(int64(Count(r.Limit)))
		return nil
	}
	tasks = make([]sched.Task, size)
	for i := range tasks {
		tasks[i] = task
	}
	return tasks, func() (string, error) { return strconv.FormatInt(sum.Load(), 10), nil }, nil
}
