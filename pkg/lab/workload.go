package lab

import "overlap/pkg/sched"

// A Workload is one kind of work in any size. Workload packages satisfy it without importing this
// one.
type Workload interface {
	// Spec names the work as data: its kind ("primes") and parameters. Results carry it, and a stored
	// result is found again by it.
	Spec() (kind string, params map[string]string)

	// Unit is what a size counts, in the plural: "tasks", "rasters".
	Unit() string

	// Tasks makes the tasks of one run of the given size, and finish, which is called once after no
	// task runs any more, also when the run failed. It releases what the tasks held and returns the
	// answer they computed in a form that is equal exactly when the answers are.
	Tasks(size int) (tasks []sched.Task, finish func() (answer string, err error), err error)
}

// A Variant is one way to do the work: what is run, and how.
type Variant struct {
	Name      string          // as charts and results show it; the scheduler's name if empty
	Workload  Workload        // the experiment's workload if nil
	Scheduler sched.Scheduler // how its tasks are run
}
