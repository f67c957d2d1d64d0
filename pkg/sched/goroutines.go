package sched

import (
	"context"

	"overlap/pkg/sched/internal/engine"
)

// Goroutines returns the scheduler that gives each task a goroutine of its own and starts them all at
// once. It is the counterpart of the JVM's virtual threads, and has no bound: tasks that hold memory or
// a connection need [Pool]. So do many that block in a system call or in C, each of which takes an OS
// thread meanwhile: Go ends the process at the 10,000th.
//
// In Go, plain goroutines already are what Kotlin calls Dispatchers.Default plus Dispatchers.IO: the
// runtime runs at most GOMAXPROCS of them at a time, and when one blocks it hands that CPU on to another
// by itself.
func Goroutines() Scheduler { return goroutines{} }

type goroutines struct{}

func (goroutines) Name() string { return "goroutines" }

func (goroutines) Facts() Facts { return Facts{Kind: KindGoroutines} }

func (goroutines) Limit() int { return 0 }

func (s goroutines) Run(ctx context.Context, tasks []Task) error {
	return engine.Execute(ctx, tasks, s)
}

func (goroutines) Exec(r *engine.Run, lo, hi int) {
	r.Ctx = engine.WithoutWorker(r.Ctx)
	for i := lo; i < hi; i++ {
		if r.Stopped() {
			r.Skip(hi - i)
			break
		}
		r.WG.Add(1)
		go r.Spawned(i)
	}
	r.WG.Wait()
}
