package chart

import (
	"container/heap"
	"time"
)

// busy is a lane and when it is free again.
type busy struct {
	end  time.Duration
	lane int
}

// laneHeap holds busy lanes, the one that is free first on top.
type laneHeap []busy

func (h *laneHeap) push(b busy) { heap.Push((*laneItems)(h), b) }
func (h *laneHeap) pop() busy   { return heap.Pop((*laneItems)(h)).(busy) }

type laneItems []busy

func (h laneItems) Len() int           { return len(h) }
func (h laneItems) Less(i, j int) bool { return h[i].end < h[j].end }
func (h laneItems) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *laneItems) Push(x any)        { *h = append(*h, x.(busy)) }
func (h *laneItems) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// intHeap holds numbers, the least on top.
type intHeap []int

func (h *intHeap) push(i int) { heap.Push((*intItems)(h), i) }
func (h *intHeap) pop() int   { return heap.Pop((*intItems)(h)).(int) }

type intItems []int

func (h intItems) Len() int           { return len(h) }
func (h intItems) Less(i, j int) bool { return h[i] < h[j] }
func (h intItems) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intItems) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intItems) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
