package schedtest

import "overlap/pkg/sched"

// HoldOne holds a scheduler to one promise.
func HoldOne(s sched.Scheduler, promise string, opts ...Option) error {
	for _, p := range promises {
		if p.name == promise {
			return newKit(s, opts).test(p)
		}
	}
	panic("there is no promise " + promise)
}
