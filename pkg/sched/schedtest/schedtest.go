// Package schedtest holds a scheduler to what [sched.Scheduler] promises, as testing/fstest does for file
// systems.
//
// In a test:
//
//	func TestMine(t *testing.T) {
//		schedtest.Run(t, func() sched.Scheduler { return Mine(4) })
//	}
//
// Anywhere else, such as in a notebook: [Test] returns what is broken, in words.
//
// A panic that a scheduler lets escape on a goroutine of its own ends the process, and nobody can catch it.
// Its message says that the panic was a test of the promise.
//
// To add a promise, write a function like those in starts.go, failures.go, stops.go and bounds.go, add it to
// the list of promises, and to the package's test a scheduler that breaks it.
package schedtest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"overlap/pkg/internal/guard"
	"overlap/pkg/sched"
)

// Broken is a promise that a scheduler does not keep.
type Broken struct {
	Promise string // in short: "every task once"
	Seen    string // what the scheduler did
}

// Error returns `promise "every task once" broken: task 99 never ran`.
func (b *Broken) Error() string { return fmt.Sprintf("promise %q broken: %s", b.Promise, b.Seen) }

// An Option changes how a scheduler is tested.
type Option func(*kit)

// Patience sets how long a scheduler may take for one promise before it counts as hanging. The default is 2
// minutes, so that a slow machine is not taken for a scheduler that hangs. One that does hang leaves its
// goroutines behind.
func Patience(d time.Duration) Option { return func(k *kit) { k.patience = d } }

// Many sets the number of tasks in the test with many tasks. The default is 100,000.
func Many(n int) Option { return func(k *kit) { k.many = n } }

// SharedBound says that all runs of the scheduler share its bound. The test then expects a run to wait until
// another has left it room.
func SharedBound() Option { return func(k *kit) { k.shared = true } }

// Test returns an error that joins one [*Broken] for every promise that s does not keep, or nil. It takes
// some seconds where tasks are dear to start.
func Test(s sched.Scheduler, opts ...Option) error {
	if s == nil {
		return errNoScheduler
	}
	var errs []error
	for _, p := range promises {
		errs = append(errs, newKit(s, opts).test(p))
	}
	return errors.Join(errs...)
}

var errNoScheduler = errors.New("schedtest: the scheduler is nil")

// Run runs a subtest for every promise, each with a scheduler of its own from newScheduler.
func Run(t *testing.T, newScheduler func() sched.Scheduler, opts ...Option) {
	t.Helper()
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) {
			s := newScheduler()
			if s == nil {
				t.Fatal(errNoScheduler)
			}
			if err := newKit(s, opts).test(p); err != nil {
				t.Error(err)
			}
		})
	}
}

// A promise has a short name and a check that returns what was seen where it is broken.
type promise struct {
	name  string
	check func(k *kit) error
}

var promises = []promise{
	{"name", name},
	{"no tasks", noTasks},
	{"every task once", everyTaskOnce},
	{"many tasks", func(k *kit) error { return k.runAll(k.many, nil, "") }},
	{"context of the caller", callersContext},
	{"failure is returned", failureIsReturned},
	{"failure cancels the others", failureCancels},
	{"no start after a failure", noStartAfterFailure},
	{"panic is returned", panicIsReturned},
	{"runtime error is returned", runtimeErrorIsReturned},
	{"Goexit is returned", goexitIsReturned},
	{"cancelled before", cancelledBefore},
	{"cancelled in the middle", cancelledInTheMiddle},
	{"done before cancelled", doneBeforeCancelled},
	{"bound", bound},
	{"returns after its tasks", returnsAfterTasks},
	{"nothing left behind", nothingLeftBehind},
	{"runs at once", runsAtOnce},
	{"runs share no bound", runsShareNoBound},
	{"runs share a bound", runsShareBound},
	{"usable after a failure", usableAfterFailure},
	{"nil task", nilTask},
	{"cancelled by itself", cancelledByItself},
	{"runs inside of tasks", runsInside},
	{"waits end with the context", waitsEnd},
	{"thread left locked", threadLeftLocked},
}

// A kit tests one scheduler.
type kit struct {
	s        sched.Scheduler
	patience time.Duration
	many     int
	shared   bool // its bound, by all runs
}

func newKit(s sched.Scheduler, opts []Option) *kit {
	k := &kit{s: s, patience: 2 * time.Minute, many: 100_000}
	for _, o := range opts {
		o(k)
	}
	return k
}

// test checks p, but not for longer than the kit's patience. It returns nil or a [*Broken].
func (k *kit) test(p promise) error {
	seen := guard.Go(func() error { return p.check(k) })
	limit := time.NewTimer(k.patience)
	defer limit.Stop()
	var err error
	select {
	case err = <-seen:
	case <-limit.C:
		err = fmt.Errorf("it hangs: Run had not returned after %v", k.patience)
	}
	switch panicked, ok := err.(*guard.PanicError); {
	case err == nil:
		return nil
	case ok:
		err = fmt.Errorf("a method of the scheduler panicked: %v", panicked.Value)
	case err == guard.ErrGoexit:
		err = errors.New("a method of the scheduler called runtime.Goexit")
	}
	return &Broken{Promise: p.name, Seen: err.Error()}
}

// limit returns how many tasks the scheduler says that it runs at once, 0 for no bound.
func (k *kit) limit() int {
	f := sched.FactsOf(k.s)
	if f.Serial {
		return 1
	}
	return f.Limit
}

// soon is how long a task waits at most for something that other tasks do. Where a scheduler runs one task
// at a time, nothing comes.
const soon = 20 * time.Millisecond

// within reports whether done is closed before d has passed.
func within(done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}
