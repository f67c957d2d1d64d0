package sched_test

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"overlap/pkg/sched"
)

// A gauge counts what is in flight.
type gauge struct{ now, most atomic.Int32 }

func (g *gauge) enter() {
	now := g.now.Add(1)
	for old := g.most.Load(); now > old && !g.most.CompareAndSwap(old, now); old = g.most.Load() {
	}
}

func (g *gauge) leave() { g.now.Add(-1) }

// sleeps returns n tasks that wait so long.
func (g *gauge) sleeps(n int, wait time.Duration) []sched.Task {
	return slices.Repeat([]sched.Task{func(context.Context) error {
		g.enter()
		defer g.leave()
		time.Sleep(wait)
		return nil
	}}, n)
}
