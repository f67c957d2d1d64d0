package kotlin

import "fmt"

// Stats tell what [Dispatchers] have done so far.
type Stats struct {
	Created   int // workers made
	Alive     int // workers now
	MostAlive int // workers at once
	Idle      int // workers without a task now

	Default, IO ViewStats

	// Kept counts the switches that stayed on their worker and thread without a wait for a slot: calls of
	// [Switch] that found a free one, on the way there, and steps of [Then] that the same worker ran, be it
	// at once or because it was the first to come for them. A call that only calls its function is not
	// counted.
	Kept int
	// Waited counts the calls of Switch that had to wait for a slot, and then went on on their own worker,
	// which waited with them.
	Waited int
	// Moved counts the steps of Then that another worker ran.
	Moved int
	// BackWaited counts the calls of Switch that had to wait for a permit or slot on the way back.
	BackWaited int
}

// ViewStats tell how many tasks a view has, taken over all its runs.
type ViewStats struct {
	Running int // tasks that hold a slot now
	Most    int // at once, so far
}

// String returns the figures in one line.
func (s Stats) String() string {
	return fmt.Sprintf("%d workers made, %d alive, at most %d; in flight at most %d on default and %d on io; "+
		"switches: %d kept their worker, %d waited on it, %d moved",
		s.Created, s.Alive, s.MostAlive, s.Default.Most, s.IO.Most, s.Kept, s.Waited, s.Moved)
}

// Stats returns what has happened so far.
func (d *Dispatchers) Stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.stats
	s.Alive, s.Idle = d.alive, len(d.parked)
	if d.defaultView != nil {
		s.Default, s.IO = d.defaultView.stats, d.ioView.stats
	}
	return s
}
