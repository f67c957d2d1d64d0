package sched_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
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

// meets returns n tasks that go on when so many of them are there at once. It
// says nothing of how fast they come.
func (g *gauge) meets(n, width int) []sched.Task {
	all := make(chan struct{})
	reached := sync.OnceFunc(func() { close(all) })
	return slices.Repeat([]sched.Task{func(context.Context) error {
		g.enter()
		defer g.leave()
		if int(g.now.Load()) >= width {
			reached()
		}
		select {
		case <-all:
			runtime.Gosched()
			return nil
		case <-time.After(time.Minute):
			return fmt.Errorf("%d are there, and %d never were at once", g.now.Load(), width)
		}
	}}, n)
}
