package peers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"
	"github.com/sourcegraph/conc/pool"
	"go.uber.org/goleak"

	"overlap/pkg/sched"
	"overlap/pkg/sched/kotlin"
	"overlap/pkg/sched/peers"
	"overlap/pkg/sched/schedtest"
)

func TestMain(m *testing.M) {
	// Package ants makes a pool of its own when it is imported.
	goleak.VerifyTestMain(m,
		goleak.IgnoreTopFunction("github.com/panjf2000/ants/v2.(*poolCommon).purgeStaleWorkers"),
		goleak.IgnoreTopFunction("github.com/panjf2000/ants/v2.(*poolCommon).ticktock"))
}

var all = map[string]func(int) sched.Scheduler{"ants": peers.Ants, "conc": peers.Conc, "pond": peers.Pond}

func TestPromises(t *testing.T) {
	for name, peer := range all {
		for _, n := range []int{1, 3, 100} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				schedtest.Run(t, func() sched.Scheduler { return peer(n) }, schedtest.Many(20_000))
			})
		}
	}
}

func TestBadArguments(t *testing.T) {
	for name, peer := range all {
		s := peer(0)
		want := fmt.Sprintf("sched: %s(0): needs at least 1 worker", name)
		if err := s.Run(t.Context(), []sched.Task{nothing}); err == nil || err.Error() != want {
			t.Errorf("Run returned %v, want %s", err, want)
		}
		err := peer(2).Run(t.Context(), []sched.Task{nothing, nil})
		if err == nil || err.Error() != "task 1: task is nil" {
			t.Errorf("%s: Run with a nil task returned %v", name, err)
		}
		cause := errors.New("the user had enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if err := peer(2).Run(ctx, nil); !errors.Is(err, cause) {
			t.Errorf("%s: Run without tasks returned %v", name, err)
		}
	}
}

func nothing(context.Context) error { return nil }

func Example() {
	for _, s := range []sched.Scheduler{peers.Ants(2), peers.Conc(2), peers.Pond(2)} {
		done := make([]bool, 3)
		tasks := make([]sched.Task, len(done))
		for i := range tasks {
			tasks[i] = func(context.Context) error { done[i] = true; return nil }
		}
		fmt.Println(s.Name(), s.Run(context.Background(), tasks), done)
	}
	// Output:
	// ants(2) <nil> [true true true]
	// conc(2) <nil> [true true true]
	// pond(2) <nil> [true true true]
}

// BenchmarkEmptyTask sets the cost of an empty task on the dispatchers beside
// that on the other schedulers and libraries. "raw" is the library without the
// adapter, with tasks that do nothing and a pool for every run, too. "cold" makes the dispatchers, and
// so their threads, anew for every run, as the others do with their workers.
func BenchmarkEmptyTask(b *testing.B) {
	p := runtime.GOMAXPROCS(0)
	d := kotlin.New()
	defer func() { _ = d.Close() }()
	for _, n := range []int{10_000, 100_000} {
		tasks := make([]sched.Task, n)
		for i := range tasks {
			tasks[i] = nothing
		}
		for _, c := range []struct {
			name string
			run  func(context.Context, []sched.Task) error
		}{
			{"default", d.Default().Run},
			{"io", d.IO().Run},
			{"default-cold", cold((*kotlin.Dispatchers).Default)},
			{"io-cold", cold((*kotlin.Dispatchers).IO)},
			{"goroutines", sched.Goroutines().Run},
			{"pool", sched.Pool(p).Run},
			{"ants", peers.Ants(p).Run},
			{"conc", peers.Conc(p).Run},
			{"pond", peers.Pond(p).Run},
			{"ants-raw", rawAnts(p)},
			{"conc-raw", rawConc(p)},
			{"pond-raw", rawPond(p)},
			{"ants-64", peers.Ants(64).Run},
			{"conc-64", peers.Conc(64).Run},
			{"pond-64", peers.Pond(64).Run},
		} {
			b.Run(fmt.Sprintf("scheduler=%s/tasks=%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := c.run(b.Context(), tasks); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/task")
			})
		}
	}
}

// rawAnts waits with a sync.WaitGroup, as its users do: the pool cannot tell
// when all tasks have returned.
func rawAnts(n int) func(context.Context, []sched.Task) error {
	return func(_ context.Context, tasks []sched.Task) error {
		p, err := ants.NewPool(n, ants.WithDisablePurge(true))
		if err != nil {
			return err
		}
		var wg sync.WaitGroup
		wg.Add(len(tasks))
		for range tasks {
			if err := p.Submit(wg.Done); err != nil {
				return err
			}
		}
		wg.Wait()
		return p.ReleaseContext(context.Background())
	}
}

func rawConc(n int) func(context.Context, []sched.Task) error {
	return func(_ context.Context, tasks []sched.Task) error {
		p := pool.New().WithMaxGoroutines(n)
		for range tasks {
			p.Go(func() {})
		}
		p.Wait()
		return nil
	}
}

func rawPond(n int) func(context.Context, []sched.Task) error {
	return func(_ context.Context, tasks []sched.Task) error {
		p := pond.NewPool(n)
		for range tasks {
			if err := p.Go(func() {}); err != nil {
				return err
			}
		}
		p.StopAndWait()
		return nil
	}
}

func cold(view func(*kotlin.Dispatchers) *kotlin.View) func(context.Context, []sched.Task) error {
	return func(ctx context.Context, tasks []sched.Task) error {
		d := kotlin.New()
		return errors.Join(view(d).Run(ctx, tasks), d.Close())
	}
}
