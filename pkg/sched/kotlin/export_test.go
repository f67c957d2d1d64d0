package kotlin

import (
	"fmt"
	"time"

	"overlap/pkg/sched/internal/osthreads"
)

// ThreadID returns the thread that the caller is on, or 0.
func ThreadID() int { return osthreads.ID() }

// Stats tells how many tasks the view has and had at most.
func (v *View) Stats() ViewStats {
	v.d.mu.Lock()
	defer v.d.mu.Unlock()
	return v.stats
}

// CheckIdle is an error if anything is held, counted or queued that should not
// be when no task is there.
func (d *Dispatchers) CheckIdle() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.away != 0 || d.runs != 0 {
		return fmt.Errorf("%d are away, %d runs", d.away, d.runs)
	}
	for _, v := range d.views {
		if v.stats.Running != 0 || v.head() != nil || len(v.waiting) > 0 || v.wanted.Load() != 0 {
			return fmt.Errorf("%s: %d running, %d waiting, %d wanted", v.name, v.stats.Running, len(v.waiting), v.wanted.Load())
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

// WithKeepAlive sets how long a worker is idle before it ends.
func WithKeepAlive(t time.Duration) Option { return func(d *Dispatchers) { d.keepAlive = t } }
