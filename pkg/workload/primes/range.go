package primes

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"sync/atomic"

	"overlap/pkg/sched"
)

// Range is the work of counting once, in parts: size n is the n numbers after
// After, so that the zero After has the primes up to n counted, and every task
// counts those among Chunk numbers. With a chunk of 1 a task is a fraction of a
// microsecond long, and what it costs to run it is most of what is measured.
//
// Trial division takes longer the larger a number is, so that of a few large
// chunks the last is the longest.
type Range struct {
	After int32 // the number before the first
	Chunk int   // numbers a task; the last task may have fewer
}

// Spec returns the kind "primes in a range", with both parameters. Ranges that
// differ only in the chunk have the same answer.
func (r Range) Spec() (kind string, params map[string]string) {
	return "primes in a range", map[string]string{"after": strconv.Itoa(int(r.After)), "chunk": strconv.Itoa(r.Chunk)}
}

// Unit returns "numbers".
func (Range) Unit() string { return "numbers" }

// Tasks makes the tasks for the numbers After+1 to After+size, and none for no
// numbers. The answer is how many primes there are. It is an error where size is
// negative, the chunk below 1, the last number above 2^31-1, or where there would
// be more than [sched.MostTasks] tasks.
func (r Range) Tasks(size int) (tasks []sched.Task, finish func() (string, error), err error) {
	switch {
	case size < 0:
		return nil, nil, fmt.Errorf("primes: %d numbers: their number must be 0 or more", size)
	case r.Chunk < 1:
		return nil, nil, fmt.Errorf("primes: chunk %d: a task needs at least 1 number", r.Chunk)
	case size > math.MaxInt32-int(r.After):
		return nil, nil, fmt.Errorf("primes: %d numbers after %d pass %d, the greatest that is counted", size, r.After, math.MaxInt32)
	}
	n := size / r.Chunk
	if size%r.Chunk > 0 {
		n++
	}
	if err := sched.CheckCount(n, "tasks"); err != nil {
		return nil, nil, fmt.Errorf("primes: %d numbers in chunks of %d are %w", size, r.Chunk, err)
	}
	var sum atomic.Int64
	tasks = make([]sched.Task, n)
	for i := range tasks {
		done := i * r.Chunk
		lo := int(r.After) + 1 + done
		hi := lo + min(r.Chunk, size-done) - 1
		tasks[i] = func(context.Context) error {
			sum.Add(int64(CountRange(int32(lo), int32(hi))))
			return nil
		}
	}
	return tasks, func() (string, error) { return strconv.FormatInt(sum.Load(), 10), nil }, nil
}
