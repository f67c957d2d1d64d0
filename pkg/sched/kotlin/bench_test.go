package kotlin_test

import (
	"context"
	"testing"

	"overlap/pkg/sched"
	"overlap/pkg/sched/kotlin"
)

// BenchmarkSwitch is the cost of going from Default to IO and back.
func BenchmarkSwitch(b *testing.B) {
	d := dispatchers(b)
	if err := d.Default().Run(b.Context(), []sched.Task{func(ctx context.Context) error {
		b.ResetTimer()
		for range b.N {
			if err := kotlin.Switch(ctx, d.IO(), ok); err != nil {
				return err
			}
		}
		return nil
	}}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkThen is the cost of one step on the other view.
func BenchmarkThen(b *testing.B) {
	d := dispatchers(b)
	left := b.N
	var step sched.Task
	step = func(ctx context.Context) error {
		if left--; left <= 0 {
			return nil
		}
		to := d.IO()
		if left%2 == 0 {
			to = d.Default()
		}
		return kotlin.Then(ctx, to, step)
	}
	b.ResetTimer()
	if err := d.Default().Run(b.Context(), []sched.Task{step}); err != nil {
		b.Fatal(err)
	}
}
