package probe

import "time"

// A State is what a goroutine does at a moment, as far as that matters to
// whether work gets done at the same time.
type State string

// The states. A goroutine that has been started and has not run yet is Queued;
// it becomes Runnable only after it ran once, so that tasks that wait for their
// turn are not taken for tasks in flight.
const (
	Running  State = "running"  // Go code on a CPU, or on a thread that the system lets wait for one
	Native   State = "native"   // in a system call or C code that uses a CPU, by the thread's CPU clock
	Queued   State = "queued"   // started, has never run
	Runnable State = "runnable" // could go on, waits for a turn (GOMAXPROCS)
	Sleep    State = "sleep"    // time.Sleep
	Network  State = "network"  // a connection: the netpoller, or inside net/http for an answer
	Syscall  State = "syscall"  // in a system call or C code that uses no CPU: a file, a child process, a wait in C
	Lock     State = "lock"     // sync.Mutex, sync.RWMutex
	Join     State = "join"     // sync.WaitGroup
	Cond     State = "cond"     // sync.Cond
	Channel  State = "channel"  // send, receive, or select without a timer
	Garbage  State = "garbage"  // made to help or wait for the garbage collector
	Other    State = "other"
)

// Outside reports whether a goroutine in this state waits for something
// outside the program: what overlapping can hide.
func (s State) Outside() bool { return s == Sleep || s == Network || s == Syscall }

// OnCPU reports whether a goroutine in this state uses a CPU, or has what the
// Go scheduler gives for one.
func (s State) OnCPU() bool { return s == Running || s == Native }

// A Trace is what the goroutines of a piece of work did, read from the
// runtime's execution trace. Only goroutines of the work count: the one that
// was marked as its root, those that they started, and those from before that
// they woke up. Times are goroutine time: two goroutines that wait for one
// second wait for two.
type Trace struct {
	Wall      time.Duration `json:"wall_ns"`             // of the work
	Covered   time.Duration `json:"covered_ns"`          // its beginning that the trace covers: less than Wall where Truncated
	Truncated bool          `json:"truncated,omitempty"` // the trace met its limit of memory and stopped there
	Bytes     int64         `json:"bytes"`
	Events    int64         `json:"events"`
	Procs     int           `json:"procs"` // GOMAXPROCS at the start

	Goroutines int `json:"goroutines"` // of the work, the root not counted
	Peak       int `json:"peak"`       // most of them alive at once
	Left       int `json:"left"`       // still alive when the work returned

	Time     map[State]time.Duration `json:"time_ns"` // of the root and all others, by state
	RootTime map[State]time.Duration `json:"root_time_ns"`

	// SchedDelay is the time that goroutines of the work waited for a turn,
	// Queued and Runnable, and how often they did.
	SchedDelay Spread `json:"sched_delay"`

	// GC is CPU time of the garbage collector: its workers, and what it made
	// the work's goroutines do.
	GC time.Duration `json:"gc_ns"`

	Tasks Tasks  `json:"tasks"`
	Waits []Wait `json:"waits,omitempty"` // longest first, at most [MaxWaits]
	Steps []Step `json:"steps,omitempty"` // the covered time in equal steps, at most [MaxSteps]

	// Lives are the root and the first [MaxLives] goroutines that started.
	Lives []Life `json:"lives,omitempty"`

	Missing []string `json:"missing,omitempty"` // evidence that this system does not give, such as the CPU clocks of threads
}

// How much of a trace is kept.
const (
	MaxWaits = 30
	MaxSteps = 400
	MaxLives = 64
)

// A Spread says how many durations there were, how long together, and how they
// lay.
type Spread struct {
	N      int64         `json:"n"`
	Sum    time.Duration `json:"sum_ns"`
	Median time.Duration `json:"median_ns"`
	P99    time.Duration `json:"p99_ns"`
	Max    time.Duration `json:"max_ns"`
}

// Tasks are the pieces of the work: the regions that it marked with
// runtime/trace where it did, and its goroutines where it did not. Goroutines
// that belong to the standard library (the connections of net/http) are no
// tasks.
type Tasks struct {
	By      string        `json:"by"`      // "goroutine" or "region"
	Life    Spread        `json:"life"`    // from first running to end
	Busy    Spread        `json:"busy"`    // on a CPU
	Outside Spread        `json:"outside"` // waiting for something outside
	Waits   float64       `json:"waits"`   // outside waits of at least 100 µs, mean of a task
	Longest time.Duration `json:"longest"` // the longest time on a CPU or waiting outside of one task
	// AtOnce is the most and the mean number of tasks that were alive and had
	// run, over the time of the work.
	AtOnceMax  int     `json:"at_once_max"`
	AtOnceMean float64 `json:"at_once_mean"`
}

// A Wait is where goroutines waited: one state at one place in the program.
type Wait struct {
	State   State         `json:"state"`
	Place   Place         `json:"place"`
	Time    time.Duration `json:"time_ns"` // summed
	N       int64         `json:"n"`
	Longest time.Duration `json:"longest_ns"`
	Root    bool          `json:"root,omitempty"` // the root waited there, not one that it started
}

// A Place is a line of the program: the innermost one on the stack that is not
// the runtime's or the standard library's.
type Place struct {
	Func string `json:"func"` // such as "main.fetch.func1"
	File string `json:"file"` // base name: results hold no folders
	Line int    `json:"line"`
	What string `json:"what"`           // the innermost call, such as "sync.(*Mutex).Lock", "chan receive"
	Code string `json:"code,omitempty"` // the line's text, where the source can be read
	Cell string `json:"cell,omitempty"` // where it stands in a notebook, such as "cell 3, line 2"
}

// A Step is a slice of the time: the mean number of goroutines in each state.
type Step struct {
	Start time.Duration     `json:"start_ns"`
	End   time.Duration     `json:"end_ns"`
	Mean  map[State]float64 `json:"mean"`
}

// A Life is one goroutine's time.
type Life struct {
	ID      int64         `json:"id"` // counts from 0, the root, in the order of starting
	Func    string        `json:"func"`
	Start   time.Duration `json:"start_ns"`
	End     time.Duration `json:"end_ns"`
	Service bool          `json:"service,omitempty"` // started by the standard library, not by the work itself
	Spans   []StateSpan   `json:"spans"`             // in order; short ones are merged into the state that filled most of the time
}

// A StateSpan is a time in one state.
type StateSpan struct {
	State State         `json:"state"`
	Start time.Duration `json:"start_ns"`
	End   time.Duration `json:"end_ns"`
}
