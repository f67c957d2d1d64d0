package chart_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"overlap/pkg/lab"
)

// primes has one size and the well-known schedulers.
func primes(t *testing.T, rounds int) *lab.Result {
	t.Helper()
	return primesWith(t, rounds, nil)
}

func primesWith(t *testing.T, rounds int, edit func(doc object)) *lab.Result {
	t.Helper()
	thousandths := []int{1000, 510, 512, 630, 1030, 1060, 520}
	return result(t, setup{
		name: "Primes below 10,000", unit: "tasks", kind: "primes", sizes: []int{10_000}, rounds: rounds, edit: edit,
		variants: named("sequential", "goroutines", "pool(2)", "threads", "event loop", "await each goroutines",
			"executor(6)"),
		wall: func(v, _ int) int { return 1300 * microsecond * thousandths[v] },
	})
}

// rasters has five sizes and names of its own.
func rasters(t *testing.T, rounds int) *lab.Result {
	t.Helper()
	return result(t, setup{
		name: "Raster reads", unit: "rasters", kind: "reads", sizes: []int{1, 2, 3, 4, 5}, rounds: rounds,
		variants: []runs{{"one after another", "sequential"}, {"event loop, whole", "event loop"},
			{"by tiles, a worker a CPU", "pool(2)"}, {"at once, tiles", "goroutines"}},
		wall: func(v, n int) int {
			return []int{210 * n, 105*n + 120, 110 * n, 112*n + 10}[v] * millisecond
		},
	})
}

// kotlin has all views of dispatchers, several pools and strangers.
func kotlin(t *testing.T) *lab.Result {
	t.Helper()
	return result(t, setup{
		name: "Dispatchers, pools and others", unit: "pages", kind: "crawl", sizes: []int{10, 100}, rounds: 6,
		variants: append(named("default", "io", "io limited(100)", "default limited(1)", "unconfined", "event loop",
			"await each default", "await each threads",
			"pool(1)", "pool(2)", "pool(4)", "pool(8)", "pool(16)", "executor(12)", "rayon(4)", "my own scheduler"),
			runs{"sixty-four", "pool(64)"}, runs{"off the loop", "io"}),
		wall: func(v, n int) int { return (v*v%11 + 3) * n * millisecond },
	})
}

// plain returns a result whose variants take some times as long as the first.
func plain(t *testing.T, name, unit string, sizes []int, rounds int, variants ...runs) *lab.Result {
	t.Helper()
	return result(t, setup{name: name, unit: unit, kind: "count", sizes: sizes, rounds: rounds, variants: variants,
		wall: func(v, n int) int { return 10 * millisecond * n * (v%7 + 1) }})
}

// edges are results at the edges of what there can be.
func edges(t *testing.T) []struct {
	name string
	r    *lab.Result
} {
	t.Helper()
	var long, short []string
	for i := range 70 {
		long = append(long, fmt.Sprintf("%02d %s", i, strings.Repeat("a long name of a scheduler ", 3)[:55]))
		short = append(short, fmt.Sprintf("variant %d", i))
	}
	never := func(doc object) {
		doc["trials"] = []object{}
		doc["failures"] = []object{{"variant": "threads", "size": 10_000, "round": 1, "reason": "too many threads"}}
	}
	stopped := func(doc object) {
		doc["interrupted"], doc["quick"] = true, true
		doc["failures"] = []object{{"variant": "threads", "size": 10_000, "round": 2, "reason": "too many threads"}}
		doc["trials"] = slices.DeleteFunc(doc["trials"].([]object), func(t object) bool {
			return t["variant"] == "threads" && t["round"].(int) > 2 || t["round"].(int) > 7
		})
	}
	quota := func(doc object) {
		doc["machine"].(object)["usable"] = object{"count": 0.5, "bound": "quota", "affinity": 2, "quota": 0.5}
		for _, t := range doc["trials"].([]object) {
			t["cpus"] = 0.5
		}
	}
	bare := func(doc object) { doc["machine"], doc["started"] = object{}, "0001-01-01T00:00:00Z" }
	zero := func(doc object) {
		for _, t := range doc["trials"].([]object) {
			if t["variant"] == "pool(2)" {
				t["wall_ns"] = 0
			}
		}
	}
	wide := result(t, setup{name: "Wide", unit: "tasks", kind: "count", sizes: []int{1, 10, 100}, rounds: 6,
		variants: named("fast", "slow", "slower"),
		wall:     func(v, n int) int { return []int{microsecond, 3 * second, 60_000 * second}[v] * n }})
	return []struct {
		name string
		r    *lab.Result
	}{
		{"no result", nil},
		{"nothing measured", primesWith(t, 6, never)},
		{"stopped", primesWith(t, 10, stopped)},
		{"a quota", primesWith(t, 6, quota)},
		{"no machine", primesWith(t, 6, bare)},
		{"a time of 0", primesWith(t, 6, zero)},
		{"three rounds", primes(t, 3)},
		{"one round", primes(t, 1)},
		{"one variant", plain(t, "Alone", "tasks", []int{1, 10}, 6, named("goroutines")...)},
		{"another baseline", rasters(t, 6).Against("at once, tiles")},
		{"long names", plain(t, strings.Repeat("A long title that has to be broken somewhere ", 3), "things to be done",
			[]int{1, 10, 100, 1000}, 6, named(long[:12]...)...)},
		{"Korean names", plain(t, "소수 세기", "작업", []int{1, 2}, 6, runs{"가상 스레드", "goroutines"}, runs{"순서대로", "sequential"},
			runs{"שלום <b>&\"", "pool(3)"}, runs{"été", "io"})},
		{"seventy variants", plain(t, "Too many", "tasks", []int{1}, 1, named(short...)...)},
		{"far apart", wide},
		{"no unit", plain(t, "", "", []int{1, 2}, 6, named("a", "b")...)},
	}
}
