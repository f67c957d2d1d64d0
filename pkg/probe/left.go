package probe

import "sync"

// left are the counts of work that was given up and may still run.
var left struct {
	sync.Mutex
	running []func() int
}

// Leave notes work that nobody waits for any more although it has not ended, as
// it did not stop when told to. running tells how many tasks of it still run. It
// is asked until it says 0, and from any goroutine.
func Leave(running func() int) {
	left.Lock()
	defer left.Unlock()
	left.running = append(left.running, running)
}

// Left returns how many tasks that were given up still run in this process. They
// use CPUs and memory, and what is measured meanwhile is of all together.
func Left() int {
	left.Lock()
	defer left.Unlock()
	n, kept := 0, left.running[:0]
	for _, running := range left.running {
		if r := running(); r > 0 {
			n += r
			kept = append(kept, running)
		}
	}
	clear(left.running[len(kept):])
	left.running = kept
	return n
}
