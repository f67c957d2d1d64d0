package main

import (
	"fmt"
	"math"
	"sync"
)

// An answer is what the pixels of all files are, taken together. The lab's
// terrains are in whole metres, so that the sum is exact whatever the order.
type answer struct {
	Count int64   `json:"count"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Sum   float64 `json:"sum"`
}

func (a answer) String() string {
	return fmt.Sprintf("%d pixels, %v to %v, sum %v", a.Count, a.Min, a.Max, a.Sum)
}

// A tally is an answer that several goroutines add to.
type tally struct {
	mu sync.Mutex
	answer
}

func newTally() *tally { return &tally{answer: answer{Min: math.Inf(1), Max: math.Inf(-1)}} }

// merge counts other pixels in.
func (t *tally) merge(a answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Count += a.Count
	t.Min, t.Max = min(t.Min, a.Min), max(t.Max, a.Max)
	t.Sum += a.Sum
}
