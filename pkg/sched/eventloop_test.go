package sched_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"overlap/pkg/sched"
)

func TestTurnsAreFIFO(t *testing.T) {
	var order []string
	var tasks []sched.Task
	for _, name := range []string{"a", "b", "c"} {
		tasks = append(tasks, func(ctx context.Context) error {
			for turn := range 3 {
				order = append(order, fmt.Sprint(name, turn))
				if err := sched.Yield(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := sched.EventLoop().Run(t.Context(), tasks); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(order, " "), "a0 b0 c0 a1 b1 c1 a2 b2 c2"; got != want {
		t.Errorf("turns were %s, want %s", got, want)
	}
}

func TestManyTurns(t *testing.T) {
	// More coroutines than the queue begins with, of different lengths.
	turns := 0
	var tasks []sched.Task
	want := 0
	for i := range 100 {
		want += i
		tasks = append(tasks, func(ctx context.Context) error {
			for range i {
				turns++
				if err := sched.Yield(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := sched.EventLoop().Run(t.Context(), tasks); err != nil || turns != want {
		t.Errorf("%d turns, want %d; Run returned %v", turns, want, err)
	}
}

// TestAwaitGivesTheTurnAway has two tasks that await and one that goes on
// meanwhile, in virtual time.
func TestAwaitGivesTheTurnAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		wait := func(name string, d time.Duration) sched.Task {
			return func(ctx context.Context) error {
				order = append(order, name+" awaits")
				err := sched.Await(ctx, func(context.Context) error { time.Sleep(d); return nil })
				order = append(order, name+" goes on")
				return err
			}
		}
		err := sched.EventLoop().Run(t.Context(), []sched.Task{
			wait("slow", 2*time.Second), wait("fast", time.Second),
			func(context.Context) error { order = append(order, "third"); return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"slow awaits", "fast awaits", "third", "fast goes on", "slow goes on"}
		if !slices.Equal(order, want) {
			t.Errorf("order was %q, want %q", order, want)
		}
	})
}

func TestAwaitReturnsWhatOpDid(t *testing.T) {
	boom := errors.New("boom")
	for _, s := range []sched.Scheduler{sched.EventLoop(), sched.Sequential(), sched.Pool(1)} {
		var got error
		if err := s.Run(t.Context(), []sched.Task{func(ctx context.Context) error {
			got = sched.Await(ctx, func(context.Context) error { return boom })
			return nil
		}}); err != nil || got != boom {
			t.Errorf("%s: Await returned %v, Run %v", s.Name(), got, err)
		}
	}
}

//go:noinline
func panicInOp() { panic("op is no good") }

func TestAwaitCarriesPanics(t *testing.T) {
	for _, s := range []sched.Scheduler{sched.EventLoop(), sched.Pool(1)} {
		err := s.Run(t.Context(), []sched.Task{ok, func(ctx context.Context) error {
			_ = sched.Await(ctx, func(context.Context) error { panicInOp(); return nil })
			t.Error("Await returned after a panic")
			return nil
		}})
		var te *sched.TaskError
		var pe *sched.PanicError
		if !errors.As(err, &te) || te.Task != 1 || !errors.As(err, &pe) || pe.Value != "op is no good" {
			t.Errorf("%s: Run returned %v", s.Name(), err)
		} else if !strings.Contains(string(pe.Stack), "panicInOp") {
			t.Errorf("%s: the stack is not the op's:\n%s", s.Name(), pe.Stack)
		}
	}
}

func TestAwaitCarriesGoexit(t *testing.T) {
	for _, s := range []sched.Scheduler{sched.EventLoop(), sched.Pool(1)} {
		err := s.Run(t.Context(), []sched.Task{ok, func(ctx context.Context) error {
			_ = sched.Await(ctx, func(context.Context) error { runtime.Goexit(); return nil })
			t.Error("Await returned after Goexit")
			return nil
		}})
		if !errors.Is(err, sched.ErrGoexit) {
			t.Errorf("%s: Run returned %v", s.Name(), err)
		}
	}
}

// TestStoppedLoopEndsItsCoroutines has coroutines in every state at the time
// of a failure or cancellation.
func TestStoppedLoopEndsItsCoroutines(t *testing.T) {
	boom := errors.New("boom")
	for _, how := range []string{"error", "panic", "Goexit", "cancel"} {
		t.Run(how, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var ended []string
			var tasks []sched.Task
			add := func(name string, do func(ctx context.Context) error) {
				tasks = append(tasks, func(ctx context.Context) error {
					err := do(ctx)
					if !errors.Is(err, context.Canceled) {
						t.Errorf("%s got %v", name, err)
					}
					ended = append(ended, name)
					return err
				})
			}
			for i := range 20 {
				add(fmt.Sprint("yields ", i), func(ctx context.Context) error {
					for {
						if err := sched.Yield(ctx); err != nil {
							return err
						}
					}
				})
				add(fmt.Sprint("awaits ", i), func(ctx context.Context) error {
					return sched.Await(ctx, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
				})
			}
			tasks = append(tasks, func(ctx context.Context) error {
				for range 3 {
					if err := sched.Yield(ctx); err != nil {
						return err
					}
				}
				switch how {
				case "error":
					return boom
				case "panic":
					panic(boom)
				case "Goexit":
					runtime.Goexit()
				}
				cancel()
				return nil
			})
			err := sched.EventLoop().Run(ctx, tasks)
			if len(ended) != 40 {
				t.Errorf("%d of 40 tasks ended", len(ended))
			}
			want := map[string]error{"error": boom, "panic": boom, "Goexit": sched.ErrGoexit, "cancel": context.Canceled}[how]
			if !errors.Is(err, want) {
				t.Errorf("Run returned %v, want %v", err, want)
			}
		})
	}
}

func TestManyGoexits(t *testing.T) {
	var tasks []sched.Task
	for range 300 {
		tasks = append(tasks, func(ctx context.Context) error {
			_ = sched.Yield(ctx)
			runtime.Goexit()
			return nil
		})
	}
	if err := sched.EventLoop().Run(t.Context(), tasks); !errors.Is(err, sched.ErrGoexit) {
		t.Errorf("Run returned %v", err)
	}
}

// TestYieldElsewhere calls Yield and Await where there is no turn to give.
func TestYieldElsewhere(t *testing.T) {
	nothing := func(context.Context) error { return nil }
	both := func(ctx context.Context) error {
		for range 20 {
			if err := errors.Join(sched.Yield(ctx), sched.Await(ctx, nothing)); err != nil {
				return err
			}
		}
		return nil
	}
	t.Run("no loop", func(t *testing.T) {
		if err := both(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("no loop, cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := sched.Yield(ctx); err != context.Canceled {
			t.Errorf("Yield returned %v", err)
		}
		if err := sched.Await(ctx, func(context.Context) error { t.Error("op was called"); return nil }); err != context.Canceled {
			t.Errorf("Await returned %v", err)
		}
	})
	t.Run("another scheduler in a task", func(t *testing.T) {
		task := func(ctx context.Context) error {
			return errors.Join(both(ctx), sched.Goroutines().Run(ctx, slices.Repeat([]sched.Task{both}, 4)), both(ctx))
		}
		if err := sched.EventLoop().Run(t.Context(), slices.Repeat([]sched.Task{task}, 20)); err != nil {
			t.Error(err)
		}
	})
	t.Run("an op", func(t *testing.T) {
		err := sched.EventLoop().Run(t.Context(), slices.Repeat([]sched.Task{func(ctx context.Context) error {
			return sched.Await(ctx, both)
		}}, 20))
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("a loop in a loop", func(t *testing.T) {
		err := sched.EventLoop().Run(t.Context(), slices.Repeat([]sched.Task{func(ctx context.Context) error {
			return sched.EventLoop().Run(ctx, slices.Repeat([]sched.Task{func(inner context.Context) error {
				return both(inner)
			}}, 5))
		}}, 5))
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("after the run", func(t *testing.T) {
		var kept context.Context
		_ = sched.EventLoop().Run(t.Context(), []sched.Task{func(ctx context.Context) error { kept = ctx; return nil }})
		if err := sched.Yield(kept); err != context.Canceled {
			t.Errorf("Yield returned %v", err)
		}
	})
}

func TestLoopRunsOnALockedCaller(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := sched.EventLoop().Run(t.Context(), slices.Repeat([]sched.Task{func(ctx context.Context) error {
		return errors.Join(sched.Yield(ctx), sched.Await(ctx, func(context.Context) error { return nil }))
	}}, 50))
	if err != nil {
		t.Error(err)
	}
}
