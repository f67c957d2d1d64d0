package sched

import "fmt"

// MostTasks is the greatest number of tasks that a workload makes of one size: a task takes about 150
// bytes to be made and noted, even if it does nothing.
const MostTasks = 10_000_000

// CheckCount returns an error where n tasks are fewer than none or more than [MostTasks]. It is for
// workloads, which say what they count: "tasks", "pages".
func CheckCount(n int, what string) error {
	switch {
	case n < 0:
		return fmt.Errorf("%d %s: their number must be 0 or more", n, what)
	case n > MostTasks:
		return fmt.Errorf("%d %s: more than %d are too many for the memory; give fewer, with more to do in each",
			n, what, MostTasks)
	}
	return nil
}
