package primes_test

import (
	"context"
	"testing"

	"overlap/pkg/workload/primes"
)

func TestTasks(t *testing.T) {
	for _, c := range []struct {
		name  string
		work  primes.Repeats
		size  int
		want  string
		fails bool
	}{
		{"one", primes.Repeats{Limit: 10_000}, 1, "1229", false},
		{"seven", primes.Repeats{Limit: 100}, 7, "175", false},
		{"no tasks", primes.Repeats{Limit: 100}, 0, "0", false},
		{"nothing to count", primes.Repeats{Limit: 1}, 3, "0", false},
		{"negative size", primes.Repeats{Limit: 100}, -1, "", true},
		{"more tasks than memory", primes.Repeats{Limit: 100}, 1 << 40, "", true},
		{"negative limit", primes.Repeats{Limit: -5}, 1, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			tasks, finish, err := c.work.Tasks(c.size)
			if c.fails {
				if err == nil {
					t.Fatal("no error")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(tasks) != c.size {
				t.Fatalf("%d tasks, want %d", len(tasks), c.size)
			}
			for _, task := range tasks {
				if err := task(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := finish(); got != c.want || err != nil {
				t.Fatalf("answer %q, %v, want %q", got, err, c.want)
			}
		})
	}
}
