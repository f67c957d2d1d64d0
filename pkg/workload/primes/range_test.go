package primes_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"overlap/pkg/sched"
	"overlap/pkg/sched/kotlin"
	"overlap/pkg/sched/peers"
	"overlap/pkg/workload/primes"

	"pgregory.net/rapid"
)

// answer runs the tasks of a range on a scheduler.
func answer(t testing.TB, s sched.Scheduler, r primes.Range, size int) string {
	t.Helper()
	tasks, finish, err := r.Tasks(size)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context(), tasks); err != nil {
		t.Fatalf("%s: %v", s.Name(), err)
	}
	got, err := finish()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// everyScheduler are all that the lab has, and the pools of other modules.
func everyScheduler(t *testing.T) []sched.Scheduler {
	d := kotlin.New()
	t.Cleanup(func() { d.Close() })
	return []sched.Scheduler{
		sched.Sequential(), sched.Goroutines(), sched.Pool(1), sched.Pool(3), sched.Executor(), sched.Threads(), sched.EventLoop(),
		sched.AwaitEach(sched.Goroutines()), d.Default(), d.IO(),
		peers.Ants(2), peers.Conc(2), peers.Pond(2),
	}
}

// TestRangeIsTheSameOnEveryScheduler counts up to numbers where mistakes at the
// edges show: at primes, at their squares, and one beside.
func TestRangeIsTheSameOnEveryScheduler(t *testing.T) {
	for _, s := range everyScheduler(t) {
		t.Run(s.Name(), func(t *testing.T) {
			for _, chunk := range []int{1, 2, 3, 7, 1000, math.MaxInt} {
				for limit, want := range map[int]string{0: "0", 1: "0", 2: "1", 3: "2", 4: "2", 24: "9", 25: "9", 48: "15", 49: "15", 100: "25", 1000: "168"} {
					if got := answer(t, s, primes.Range{Chunk: chunk}, limit); got != want {
						t.Errorf("up to %d in chunks of %d: %s primes, want %s", limit, chunk, got, want)
					}
				}
			}
			if !testing.Short() {
				if got := answer(t, s, primes.Range{Chunk: 1000}, 1_000_000); got != "78498" {
					t.Errorf("up to a million: %s primes, want 78498", got)
				}
			}
		})
	}
}

func TestRangeEnds(t *testing.T) {
	for _, c := range []struct {
		name  string
		after int32
		size  int
		tasks int // in chunks of 2
		want  string
	}{
		{name: "the square of a prime alone", after: 24, size: 1, tasks: 1, want: "0"},
		{name: "a prime alone", after: 22, size: 1, tasks: 1, want: "1"},
		{name: "nothing", after: 10, size: 0, tasks: 0, want: "0"},
		{name: "from -10 to 10", after: -11, size: 21, tasks: 11, want: "4"},
		{name: "negative numbers", after: math.MinInt32, size: 5, tasks: 3, want: "0"},
		{name: "the greatest number alone", after: math.MaxInt32 - 1, size: 1, tasks: 1, want: "1"},
		{name: "up to the greatest number", after: math.MaxInt32 - 19, size: 19, tasks: 10, want: "2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := primes.Range{After: c.after, Chunk: 2}
			if got := answer(t, sched.Pool(3), r, c.size); got != c.want {
				t.Errorf("%s primes, want %s", got, c.want)
			}
			if tasks, _, _ := r.Tasks(c.size); len(tasks) != c.tasks {
				t.Errorf("%d tasks, want %d", len(tasks), c.tasks)
			}
		})
	}
}

func TestRangeRefuses(t *testing.T) {
	for _, c := range []struct {
		r    primes.Range
		size int
		want string
	}{
		{primes.Range{Chunk: 1}, -1, "primes: -1 numbers: their number must be 0 or more"},
		{primes.Range{}, 10, "primes: chunk 0: a task needs at least 1 number"},
		{primes.Range{Chunk: -3}, 10, "primes: chunk -3: a task needs at least 1 number"},
		{primes.Range{After: math.MaxInt32, Chunk: 1}, 1, "primes: 1 numbers after 2147483647 pass 2147483647, the greatest that is counted"},
		{primes.Range{Chunk: 1}, math.MaxInt, "pass 2147483647"},
		{primes.Range{Chunk: 1}, math.MaxInt32, "primes: 2147483647 numbers in chunks of 1 are 2147483647 tasks: more than 10000000 are too many"},
	} {
		if _, _, err := c.r.Tasks(c.size); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v with %d: %v, want %s", c.r, c.size, err, c.want)
		}
	}
}

// TestTaskForEveryNumber has a task for each of many numbers, and two in all.
func TestTaskForEveryNumber(t *testing.T) {
	const limit, want = 200_000, "17984"
	for _, chunk := range []int{1, limit / 2} {
		if got := answer(t, sched.Goroutines(), primes.Range{Chunk: chunk}, limit); got != want {
			t.Errorf("chunks of %d: %s primes, want %s", chunk, got, want)
		}
	}
}

func TestRangeAddsUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := primes.Range{
			After: rapid.Int32Range(-100, 5000).Draw(rt, "after"),
			Chunk: rapid.IntRange(1, 900).Draw(rt, "chunk"),
		}
		size := rapid.IntRange(0, 3000).Draw(rt, "size")
		want := fmt.Sprint(primes.CountRange(r.After+1, r.After+int32(size)))
		if got := answer(t, sched.Pool(2), r, size); got != want {
			rt.Fatalf("%+v with %d: %s, want %s", r, size, got, want)
		}
	})
}

func ExampleRange() {
	tasks, finish, err := primes.Range{Chunk: 30}.Tasks(100)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = sched.Pool(2).Run(context.Background(), tasks)
	count, _ := finish()
	fmt.Println(len(tasks), "tasks,", count, "primes,", err)
	// Output: 4 tasks, 25 primes, <nil>
}
