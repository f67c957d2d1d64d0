package sched

import (
	"context"

	"overlap/pkg/sched/internal/engine"
)

// Sequential returns the scheduler that runs one task after another on the goroutine that called Run: a
// plain loop. It is what others are compared with.
//
// There is nothing between a task and the caller, so a task that calls runtime.Goexit ends the goroutine
// that called Run.
func Sequential() Scheduler { return sequential{} }

type sequential struct{}

func (sequential) Name() string { return "sequential" }

func (sequential) Facts() Facts { return Facts{Kind: KindSequential, Serial: true, Limit: 1} }

func (sequential) Limit() int { return 0 } // that it runs one at a time goes without saying

func (s sequential) Run(ctx context.Context, tasks []Task) error {
	return engine.Execute(ctx, tasks, s)
}

func (sequential) Exec(r *engine.Run, lo, hi int) { r.InTurn(lo, hi) }
