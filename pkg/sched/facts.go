package sched

import "reflect"

// Facts say what a scheduler is, whatever it is called: what verdicts, charts and tables go by. They are
// stored with results.
type Facts struct {
	Kind Kind `json:"kind,omitempty"` // empty for a scheduler of somebody else's

	// Serial says that by its design a task begins only when the one before has ended, however they are
	// run: [Sequential] and [AwaitEach]. It is false where a number made it so, as with Pool(1), whose
	// Limit is 1; and for [EventLoop], where tasks in [Await] are in flight together.
	Serial bool `json:"serial,omitempty"`

	// Limit is how many tasks of one Run can be running at once at most, 0 where no bound is known.
	Limit int `json:"limit,omitempty"`

	// Rule is for a limit that nobody gave: the rule with what it gives here, and whose it is. These are
	// words that go on after the scheduler's name and a colon.
	Rule string `json:"rule,omitempty"`

	// Of is the scheduler that these are the facts of, or nil. A type that embeds a scheduler passes its
	// facts on as its own: Of tells that they are another's.
	Of Scheduler `json:"-"`
}

// A Kind is the way in which a scheduler runs tasks.
type Kind string

// The kinds of schedulers.
const (
	KindSequential Kind = "sequential"
	KindGoroutines Kind = "goroutines"
	KindPool       Kind = "pool"
	KindExecutor   Kind = "executor" // a pool of the size of asyncio's
	KindThreads    Kind = "threads"
	KindEventLoop  Kind = "event loop"
	KindAwaitEach  Kind = "await each"
	KindDefault    Kind = "default" // of Kotlin's dispatchers
	KindIO         Kind = "io"      // of Kotlin's dispatchers
	KindAdapted    Kind = "adapted" // a pool of another library: see [Adapt]
)

// Described is implemented by schedulers that say what they are. All of this package do.
type Described interface {
	Facts() Facts
}

// FactsOf returns what s says it is, and no facts where it says nothing or passes on those of a scheduler
// that it embeds.
func FactsOf(s Scheduler) Facts {
	d, ok := s.(Described)
	if !ok {
		return Facts{}
	}
	f := d.Facts()
	if f.Of != nil && (!reflect.TypeOf(s).Comparable() || f.Of != s) {
		return Facts{}
	}
	f.Of = nil
	return f
}
