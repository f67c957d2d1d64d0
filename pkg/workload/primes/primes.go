// Package primes is CPU work that waits for nothing and shares nothing:
// counting primes by trial division.
//
// It is the work of the second published experiment (data/published.csv),
// which counts the primes below 10,000 in each of 10,000 tasks. That program
// computes in the JVM's 32-bit Int. In 64-bit integers the same loop takes a
// fifth longer, so the counting here is in int32 too.
package primes

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"sync/atomic"

	"overlap/pkg/sched"
)

// Count returns how many primes there are up to and including limit, by trial
// division up to the square root. Count(10_000) is 1229.
func Count(limit int32) int32 { return CountRange(2, limit) }

// CountRange returns how many primes p there are with lo <= p <= hi, by trial
// division up to the square root. It is 0 where hi is below lo.
func CountRange(lo, hi int32) int32 {
	var count int32
	for n := int64(max(lo, 2)); n <= int64(hi); n++ { // int64: hi can be the greatest int32
		if isPrime(int32(n)) {
			count++
		}
	}
	return count
}

func isPrime(n int32) bool {
	// i*i <= n would overflow for n near 2^31; the root of an int32 is exact in float64.
	root := int32(math.Sqrt(float64(n)))
	for i := int32(2); i <= root; i++ {
		if n%i == 0 {
			return false
		}
	}
	return true
}

// Repeats is the experiment's workload: every task counts the primes up to
// the same limit, and a size is how many tasks there are.
type Repeats struct {
	Limit int32
}

// Spec returns the kind "primes" and the limit.
func (r Repeats) Spec() (kind string, params map[string]string) {
	return "primes", map[string]string{"limit": strconv.Itoa(int(r.Limit))}
}

// Unit returns "tasks".
func (Repeats) Unit() string { return "tasks" }

// Tasks makes size tasks. The answer is the sum of what they counted. It is
// an error where size or the limit is negative; no tasks count 0 primes.
func (r Repeats) Tasks(size int) (tasks []sched.Task, finish func() (string, error), err error) {
	if size < 0 {
		return nil, nil, fmt.Errorf("primes: %d tasks: the number of tasks must be 0 or more", size)
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
