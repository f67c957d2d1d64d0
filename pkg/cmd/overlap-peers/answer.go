package main

import (
	"fmt"
	"math"
	"sync"

	"overlap/pkg/raster"
)

// An answer is what the pixels of all files are, taken together. The lab's terrains are in whole
// metres, so that the sum is exact whatever the order.
type answer struct {
	Count int64   `json:"count"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Sum   float64 `json:"sum"`
}

func (a answer) String() string {
	return fmt.Sprintf("%d pixels, %v to %v, sum %v", a.Count, a.Min, a.Max, a.Sum)
}

// answerOf is the answer that statistics give. It is of no pixels where there are none.
func answerOf(s raster.Stats) answer {
	if s.Count == 0 {
		return newTally().answer
	}
	return answer{s.Count, s.Min, s.Max, s.Sum()}
}

// fold returns the answer for pixels. Where they lie does not matter to it.
func fold(pixels []float32) answer {
	const row = 1 << 12
	var s raster.Stats
	var f raster.Folder
	for ; len(pixels) >= row; pixels = pixels[row:] {
		raster.Window[float32]{Width: row, Height: 1, Pixels: pixels, Stride: row}.Fold(&f, &s)
	}
	raster.Window[float32]{Width: len(pixels), Height: 1, Pixels: pixels, Stride: row}.Fold(&f, &s)
	return answerOf(s)
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
