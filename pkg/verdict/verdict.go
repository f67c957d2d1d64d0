package verdict

import (
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
)

// A Kind is what a verdict can be. The set is closed: see [Kinds].
type Kind string

// The verdicts.
const (
	AllCPUs        Kind = "runs on all CPUs"
	Overlaps       Kind = "overlaps its waiting well"
	OneAtATime     Kind = "one at a time"
	TooFew         Kind = "waits with too few in flight"
	Oversubscribed Kind = "more in flight than helps"
	HeldByLock     Kind = "held up by a lock"
	LongTask       Kind = "held up by one long task"
	TooSmall       Kind = "tasks too small"
	Shared         Kind = "held by memory or another shared resource"
	Quota          Kind = "limited by a CPU quota"
	Collector      Kind = "held up by the garbage collector"
	CannotTell     Kind = "cannot tell"
)

// Kinds returns all verdicts that there are, the good ones first.
func Kinds() []Kind {
	return []Kind{AllCPUs, Overlaps, OneAtATime, TooFew, Oversubscribed, HeldByLock, LongTask, TooSmall, Shared, Quota,
		Collector, CannotTell}
}

// Good reports whether nothing is to be mended: all CPUs are used, or waiting
// is overlapped.
func (k Kind) Good() bool { return k == AllCPUs || k == Overlaps }

// A Verdict is what the evidence says of one piece of work.
type Verdict struct {
	Experiment string `json:"experiment,omitempty"` // of a lab's trial
	Subject    string `json:"subject"`              // what was judged: a variant's name, or what Named says
	Size       int    `json:"size,omitempty"`       // the size of a lab's trial
	Kind       Kind   `json:"kind"`
	By         string `json:"by,omitempty"` // what makes it so, such as "a mutex"; empty where Kind says it
	Text       string `json:"text"`         // one or two sentences, with the numbers that decided
	Try        string `json:"try"`          // one thing to try

	Numbers []Number `json:"numbers"`         // the evidence, what decided first
	Notes   []string `json:"notes,omitempty"` // what qualifies it: outside load, a truncated trace, goroutines left behind

	Evidence Evidence `json:"evidence"`
}

// A Number is one piece of evidence.
type Number struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`   // "CPUs", "s", "%", "" for a count
	Source  string  `json:"source"` // where it comes from, such as "getrusage", "execution trace"
	Text    string  `json:"text"`   // the value as people read it: "1.98 of 2 CPUs"
	Decided bool    `json:"decided,omitempty"`
}

// Evidence is everything that a verdict is made from. It can be stored as JSON
// and judged again.
type Evidence struct {
	Usage probe.Usage  `json:"usage"`
	Trace *trace.Trace `json:"trace,omitempty"` // nil where none could be taken
	Procs int          `json:"procs"`           // GOMAXPROCS at the start
	CPUs  probe.CPUSet `json:"cpus"`

	// Machine is what it ran on. No verdict depends on it.
	Machine probe.Machine `json:"machine,omitzero"`

	// Untraced says why there is no Trace.
	Untraced string `json:"untraced,omitempty"`

	// Of a lab's trial: what the lab knows of its tasks.
	Lab *LabEvidence `json:"lab,omitempty"`

	// Alone is the same work one at a time: the sequential run of a lab, or
	// the second run that [Again] asks for. Nil where there is none.
	Alone *probe.Usage `json:"alone,omitempty"`

	// Both by runtime/metrics: waits for sync.Mutex and RWMutex, summed over goroutines, and CPU time
	// of the garbage collector that the program could have used.
	MutexWait time.Duration `json:"mutex_wait_ns"`
	GC        time.Duration `json:"gc_ns"`
}

// The kinds of schedulers that make a cause, in [LabEvidence].
const (
	Loop      = "sequential" // a plain loop
	EventLoop = "event loop"
	AwaitEach = "await each"
)

// LabEvidence is what the lab measured of a trial's tasks.
type LabEvidence struct {
	Scheduler    string        `json:"scheduler"`       // its name
	Kind         string        `json:"kind,omitempty"`  // where it can be a cause: [Loop], [EventLoop], [AwaitEach]
	Limit        int           `json:"limit,omitempty"` // the most tasks that it runs at once, 0: no bound known
	Tasks        int           `json:"tasks"`
	Workers      int           `json:"workers"`
	InFlightMax  int           `json:"in_flight_max"`
	InFlightMean float64       `json:"in_flight_mean"`
	MeanTask     time.Duration `json:"mean_task_ns"`
	LongestTask  time.Duration `json:"longest_task_ns"`

	// Of the spans of the tasks, where all were kept; 0 otherwise.
	Queued float64 `json:"queued,omitempty"` // share of the time in which tasks ran while others had not begun
	Tail   float64 `json:"tail,omitempty"`   // share of the time at its end in which a single task was left
}
