package sched

import "fmt"

// ThreadID returns the thread that the caller is on, or 0.
func ThreadID() int { return threadID() }

// CheckIdle is an error if anything is held, counted or queued that should not
// be when no task is there.
func (d *Dispatchers) CheckIdle() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.away != 0 || d.runs != 0 || len(d.views) != 2 {
		return fmt.Errorf("%d are away, %d runs, %d views", d.away, d.runs, len(d.views))
	}
	for _, v := range d.views {
		if v.running != 0 || v.head() != nil || len(v.waiting) > 0 || v.wanted.Load() != 0 {
			return fmt.Errorf("%s: %d running, %d waiting, %d wanted", v.name, v.running, len(v.waiting), v.wanted.Load())
		}
	}
	n := 0
	for i, w := range d.workers {
		if w == nil {
			continue
		}
		n++
		if w.info.ID != i+1 || w.wants != nil || w.own != nil || w.isAway || w.view != nil {
			return fmt.Errorf("worker %d: %+v", i+1, w)
		}
	}
	if n != d.alive {
		return fmt.Errorf("%d workers, and %d are counted", n, d.alive)
	}
	return nil
}

// SetMax makes n the greatest number of workers.
func (d *Dispatchers) SetMax(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.max = n
}
