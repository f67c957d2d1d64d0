// Package schedtest holds a scheduler to what [sched.Scheduler] promises, as
// testing/fstest does for file systems.
//
// In a test:
//
//	func TestMine(t *testing.T) {
//		schedtest.Run(t, func() sched.Scheduler { return Mine(4) })
//	}
//
// Anywhere else, such as in a notebook: [Test] returns what is broken, in
// words.
//
// A panic that a scheduler lets escape on a goroutine of its own ends the
// process, and nobody can catch it. Its message says that the panic was a test
// of the promise.
package schedtest

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

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

// Patience sets how long a scheduler may take for one promise before it counts
// as hanging. The default is 2 minutes, so that a slow machine is not taken for
// a scheduler that hangs. One that does hang leaves its goroutines behind.
func Patience(d time.Duration) Option { return func(k *kit) { k.patience = d } }

// Many sets the number of tasks in the test with many tasks. The default is
// 100,000.
func Many(n int) Option { return func(k *kit) { k.many = n } }

// SharedBound says that all runs of the scheduler share its bound. The test then
// expects a run to wait until another has left it room.
func SharedBound() Option { return func(k *kit) { k.shared = true } }

// Test returns an error that joins one [*Broken] for every promise that s does
// not keep, or nil. It takes some seconds where tasks are dear to start.
func Test(s sched.Scheduler, opts ...Option) error {
	if s == nil {
		return errors.New("schedtest: the scheduler is nil")
	}
	var errs []error
	for _, p := range promises {
		if err := newKit(s, opts).hold(p); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Run runs a subtest for every promise, each with a scheduler of its own from
// newScheduler.
func Run(t *testing.T, newScheduler func() sched.Scheduler, opts ...Option) {
	t.Helper()
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) {
			s := newScheduler()
			if s == nil {
				t.Fatal("schedtest: the scheduler is nil")
			}
			if err := newKit(s, opts).hold(p); err != nil {
				t.Error(err)
			}
		})
	}
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

// A promise has a short name and a check that returns what was seen where it
// is broken.
type promise struct {
	name  string
	check func(k *kit) error
}

// hold checks p, but not for longer than the kit's patience.
func (k *kit) hold(p promise) error {
	seen := make(chan error, 1)
	go func() {
		err := errors.New("a method of the scheduler called runtime.Goexit")
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("a method of the scheduler panicked: %v", v)
			}
			seen <- err
		}()
		err = p.check(k)
	}()
	limit := time.NewTimer(k.patience)
	defer limit.Stop()
	select {
	case err := <-seen:
		if err != nil {
			return &Broken{Promise: p.name, Seen: err.Error()}
		}
		return nil
	case <-limit.C:
		return &Broken{Promise: p.name, Seen: fmt.Sprintf("it hangs: Run had not returned after %v", k.patience)}
	}
}

// soon is how long a task waits at most for something that other tasks do.
// Where a scheduler runs one task at a time, nothing comes.
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

// goroutineName returns the calling goroutine's name: "goroutine 18".
func goroutineName() string {
	var buf [64]byte
	text := string(buf[:runtime.Stack(buf[:], false)])
	for i := range text {
		if text[i] == '[' {
			return text[:i]
		}
	}
	return text
}
