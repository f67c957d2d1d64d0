package sched_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"overlap/pkg/sched"
)

// TestMakespan runs 9 tasks that wait 100 ms each, in virtual time.
func TestMakespan(t *testing.T) {
	const n, wait = 9, 100 * time.Millisecond
	sleep := func(context.Context) error { time.Sleep(wait); return nil }
	await := func(ctx context.Context) error {
		return sched.Await(ctx, sleep)
	}
	for _, c := range []struct {
		name string
		s    sched.Scheduler
		task sched.Task
		want time.Duration
	}{
		{"sequential", sched.Sequential(), sleep, n * wait},
		{"goroutines", sched.Goroutines(), sleep, wait},
		{"pool of 1", sched.Pool(1), sleep, n * wait},
		{"pool of 3", sched.Pool(3), sleep, 3 * wait},
		{"pool of 4", sched.Pool(4), sleep, 3 * wait},
		{"pool of 100", sched.Pool(100), sleep, wait},
		{"threads", sched.Threads(), sleep, wait},
		{"asyncio's executor on 1 CPU", sched.ExecutorOn(1), sleep, 2 * wait},
		{"event loop that blocks", sched.EventLoop(), sleep, n * wait},
		{"event loop that awaits", sched.EventLoop(), await, wait},
		{"await each goroutines", sched.AwaitEach(sched.Goroutines()), sleep, n * wait},
		{"await each pool", sched.AwaitEach(sched.Pool(9)), sleep, n * wait},
		{"await each event loop", sched.AwaitEach(sched.EventLoop()), await, n * wait},
		{"await off a loop", sched.Pool(3), await, 3 * wait},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tasks := make([]sched.Task, n)
				for i := range tasks {
					tasks[i] = c.task
				}
				start := time.Now()
				if err := c.s.Run(t.Context(), tasks); err != nil {
					t.Fatal(err)
				}
				if got := time.Since(start); got != c.want {
					t.Errorf("took %v, want %v", got, c.want)
				}
			})
		})
	}
}

// TestDeadline stops runs in the middle of their third wave.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
		defer cancel()
		started := 0
		tasks := make([]sched.Task, 10)
		for i := range tasks {
			tasks[i] = func(context.Context) error { started++; time.Sleep(100 * time.Millisecond); return nil }
		}
		err := sched.Pool(1).Run(ctx, tasks)
		if started != 3 || err == nil || err.Error() != "sched: 7 of 10 tasks not started: context deadline exceeded" {
			t.Errorf("%d started, Run returned %v", started, err)
		}
	})
}

// TestExecutorWaves has 100 tasks that wait 50 ms on the executors of several
// machines, in virtual time.
func TestExecutorWaves(t *testing.T) {
	for _, c := range []struct {
		cpus, most int
		want       time.Duration
	}{
		{1, 5, 1000 * time.Millisecond},
		{2, 6, 850 * time.Millisecond},
		{28, 32, 200 * time.Millisecond},
		{64, 32, 200 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			var g gauge
			start := time.Now()
			err := sched.ExecutorOn(c.cpus).Run(t.Context(), g.sleeps(100, 50*time.Millisecond))
			if took := time.Since(start); err != nil || took != c.want || int(g.most.Load()) != c.most {
				t.Errorf("%d CPUs: %d at once in %v, want %d in %v; Run returned %v", c.cpus, g.most.Load(), took, c.most, c.want, err)
			}
		})
	}
}
