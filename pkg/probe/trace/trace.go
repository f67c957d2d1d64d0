package trace

import "time"

// A State is what a goroutine does at a moment, as far as that matters to
// whether work gets done at the same time.
type State string

// The states. A goroutine is in one at a time, from when it joins the work to
// its end or the work's. Two kinds of time are in none: a goroutine that
// iter.Pull switched away from, as the other of the two runs in its place, and
// the waits of goroutines that the standard library started (see [Trace]).
//
// How each is told:
//
//   - Running: by the trace. It has no clock of CPUs: where the system took the
//     CPU away, or the thread waits in a page fault, that is Running too.
//     [Trace.RunDelay] says how much the former was.
//   - Native and Syscall: the trace tells when a goroutine is in a system call
//     or C code, and on which thread. What that thread used of a CPU or waited
//     for one, by its clock and less what goroutines ran on it, is Native, the
//     rest Syscall; a wait for a CPU counts little where the thread only wakes
//     up for a moment. The clocks are read every 5 ms or more: within that time
//     all calls of a thread get the same share. Without such clocks all is
//     Syscall, and [Trace.Missing] names [ThreadClocks].
//   - Queued: from the go statement to the first running. A goroutine becomes
//     Runnable only after it ran once, so that tasks that wait for their turn
//     are not taken for tasks in flight.
//   - Sleep: time.Sleep; also a receive or select that a timer ended, or a
//     context's deadline, as code that waits for <-time.After does. The trace
//     does not tell what a select waits for, but it tells what woke it. A
//     select that waits for an answer with a timeout is Channel if the answer
//     came, and Sleep if the time ran out.
//   - Network: the netpoller (connections, pipes, terminals), and waits for
//     channels and conditions inside net, net/http, crypto/tls, net/rpc,
//     x/net/http2 and grpc: a client that waits for an answer or a connection
//     of its pool. Not a server that waits for somebody to connect: Other.
//   - Lock: sync.Mutex and RWMutex, also inside of Once, Pool and Map, and the
//     lock that a file or connection has for its writers.
//   - Join, Cond: sync.WaitGroup.Wait, sync.Cond.Wait. A receive or select of a
//     goroutine that another ended which it had started itself is Join too: it
//     waits for its result. (Not the root's, which hands out work: Channel.)
//   - Channel: send, receive and select that another goroutine ended or that
//     had not ended; also what is made of channels, such as errgroup's limit,
//     x/sync/semaphore, io.Pipe, and database/sql waiting for a free
//     connection.
//   - Garbage: helping to mark, though that uses a CPU, waiting for a part of a
//     collection to end, runtime.GC, and being stopped for the stack to be
//     scanned.
//   - Other: a server's accept, and rare waits inside of the runtime.
const (
	Running  State = "running"  // Go code on a CPU, or on a thread that the system lets wait for one
	Native   State = "native"   // in a system call or C code that uses a CPU or waits for one
	Queued   State = "queued"   // started, has never run
	Runnable State = "runnable" // could go on, waits for a turn (GOMAXPROCS)
	Sleep    State = "sleep"    // waiting for a time
	Network  State = "network"  // waiting for a connection: the netpoller, or inside net/http for an answer
	Syscall  State = "syscall"  // in a system call or C code that uses no CPU: a file, a child process, a wait in C
	Lock     State = "lock"     // sync.Mutex, sync.RWMutex
	Join     State = "join"     // sync.WaitGroup
	Cond     State = "cond"     // sync.Cond
	Channel  State = "channel"  // waiting for another goroutine at a channel
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
// runtime's execution trace. Times are goroutine time: two goroutines that wait
// for one second wait for two. Only what happened between the beginning and the
// end of [Tracer.Root] counts.
//
// These goroutines are the work's: its root; those that they started; those
// from before that they woke up, such as a pool's workers, from then on; and
// those that time.AfterFunc or C code started meanwhile. The runtime's own
// never are, nor those of this package.
//
// A goroutine that the standard library started is a service goroutine: a
// connection of net/http, a copier of os/exec, a deadline of context. (Not so
// where it runs the caller's function: sync.WaitGroup.Go, context.AfterFunc,
// testing.) Its running counts, its waits are in nothing here: an idle
// connection would look like a request in flight. Handlers of an http.Server in
// the same process run on such goroutines, so their waits do not count either;
// a client of the work's that waits for them is in state Network, and counts.
type Trace struct {
	Wall      time.Duration `json:"wall_ns"`             // of the work
	Covered   time.Duration `json:"covered_ns"`          // by the trace: less than Wall where Truncated
	Truncated bool          `json:"truncated,omitempty"` // it does not cover all of Wall
	Ended     End           `json:"ended,omitempty"`     // why it is Truncated, "" where it is not or that is not known
	Bytes     int64         `json:"bytes"`
	Events    int64         `json:"events"` // while the work ran
	Procs     int           `json:"procs"`  // GOMAXPROCS at the start

	// ProcsMost is the GOMAXPROCS that held for most of the time, 0 where that
	// is not known: the work may set it, and set it back.
	ProcsMost int `json:"procs_most,omitempty"`

	Goroutines int `json:"goroutines"` // of the work; the root and service goroutines not counted
	Peak       int `json:"peak"`       // most of them alive at once

	// Left is how many the work started that were still alive after it returned, those not counted
	// that only had to return. Not known, 0, where Truncated.
	Left    int `json:"left"`
	Service int `json:"service"` // started by the standard library for the work; in none of the counts above

	Time     map[State]time.Duration `json:"time_ns"` // of the root and all others, by state
	RootTime map[State]time.Duration `json:"root_time_ns"`

	// SchedDelay is the times that goroutines of the work waited for a turn,
	// Queued and Runnable, of service goroutines too.
	SchedDelay Spread `json:"sched_delay"`

	// GC is CPU time of the garbage collector: its workers, and what it made
	// the work's goroutines do.
	GC     time.Duration `json:"gc_ns"`
	GCIdle time.Duration `json:"gc_idle_ns"` // the part of GC that only used CPUs that were idle

	// RunDelay is how long threads of the process waited for a CPU, sampled, so
	// that those that ended are mostly in it.
	RunDelay time.Duration `json:"run_delay_ns"`

	Tasks Tasks  `json:"tasks"`
	Waits []Wait `json:"waits,omitempty"` // longest first, at most [MaxWaits]
	Steps []Step `json:"steps,omitempty"` // the covered time in equal steps, at most [MaxSteps]

	// Lives are the root and the first [MaxLives] goroutines that started.
	Lives []Life `json:"lives,omitempty"`

	Missing []string `json:"missing,omitempty"` // what this system does not give, such as threads' CPU clocks
}

// How much of a trace is kept.
const (
	MaxWaits = 30
	MaxSteps = 400
	MaxLives = 64
)

// A End says why a trace covers only the beginning of the work.
type End string

// The ends of a trace before the work's.
const (
	AtLimit  End = "at its limit of memory"
	ByOthers End = "stopped by others" // the work, or another part of the program, called trace.Stop
	Unread   End = "not read to its end"
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
// runtime/trace where it did, of the type that there are most of, and its
// goroutines where it did not, or the root alone where it started none. Service
// goroutines are no tasks. What has not ended with the work counts as if it
// had. Medians and 99 % points are right to 1.6 %.
//
// A goroutine that has reported its end, as to a WaitGroup, is alive until it
// returns: AtOnceMax can be 2 where one is started after the other. The mean
// tells.
type Tasks struct {
	By      string        `json:"by"`               // "goroutine" or "region"
	Region  string        `json:"region,omitempty"` // the regions' type
	Life    Spread        `json:"life"`             // from first running to end
	Busy    Spread        `json:"busy"`             // on a CPU
	Outside Spread        `json:"outside"`          // waiting for something outside
	Waits   float64       `json:"waits"`            // outside waits of at least 100 µs, mean of a task
	Longest time.Duration `json:"longest"`          // the longest time on a CPU or waiting outside of one task
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
	Via  string `json:"via,omitempty"`  // the function called there, if another: "example.com/db.(*Pool).Get"
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
	Spans   []StateSpan   `json:"spans"`             // in order; short ones are merged into what filled most of the time
}

// A StateSpan is a time in one state.
type StateSpan struct {
	State State         `json:"state"`
	Start time.Duration `json:"start_ns"`
	End   time.Duration `json:"end_ns"`
}
