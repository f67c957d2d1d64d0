package probe

import (
	"slices"
	"time"
)

// The names under which [Usage.Missing] lists figures that a system does not
// give.
const (
	CPUTime    = "CPU time" // also context switches and page faults
	RunDelay   = "run delay"
	PeakMemory = "peak memory"
	HostLoad   = "host load" // also steal
	Throttling = "quota throttling"
	Suspension = "suspension"
)

// Usage is what this process and its machine did between [Start] and
// [Meter.Stop]. A figure that the system does not give is zero and its name is
// in Missing.
type Usage struct {
	Wall   time.Duration `json:"wall_ns"`
	User   time.Duration `json:"user_ns"`   // CPU time in user mode, all threads (getrusage)
	System time.Duration `json:"system_ns"` // CPU time in the kernel, all threads (getrusage)

	// Children is the CPU time of child processes that ended in between and were
	// waited for, as a command run by os/exec is: none of User and System (getrusage).
	Children time.Duration `json:"children_ns,omitempty"`

	// RunDelay is how long the process's threads were ready to run and had to
	// wait for a CPU, summed (/proc/self/task/*/schedstat). Threads that ended
	// in between are not counted: where each task has a thread of its own it is
	// only a lower bound.
	RunDelay time.Duration `json:"run_delay_ns"`

	Voluntary   int64 `json:"voluntary_switches"`   // context switches because a thread waited (getrusage)
	Involuntary int64 `json:"involuntary_switches"` // context switches because the kernel took the CPU (getrusage)
	MinorFaults int64 `json:"minor_faults"`         // page faults that read no disk (getrusage)
	MajorFaults int64 `json:"major_faults"`         // page faults that read the disk (getrusage)
	PeakMemory  int64 `json:"peak_memory_bytes"`    // greatest resident set in between (VmHWM, reset at the start)

	// CPU time that the hypervisor gave to others, and of all processes of the host, this one
	// included: all CPUs (/proc/stat, 10 ms ticks).
	Steal    time.Duration `json:"steal_ns"`
	HostBusy time.Duration `json:"host_busy_ns"`

	// Throttled is how long the container's CPU quota kept CPUs from the process,
	// added up over the CPUs, so that it can be more than Wall (cgroup cpu.stat).
	Throttled time.Duration `json:"throttled_ns"`

	// Suspended is how long the machine slept, if for a second or more. That is not
	// in Wall, nor in anything else here: what waited for another machine then
	// waited longer than it seems (CLOCK_BOOTTIME against CLOCK_MONOTONIC).
	Suspended time.Duration `json:"suspended_ns,omitempty"`

	CPUs       float64 `json:"cpus"`                 // CPUs that the process may use: see [CPUs]
	GOMAXPROCS int     `json:"gomaxprocs,omitempty"` // at the end; the work, or a quota that changes, can set it

	Missing []string `json:"missing,omitempty"`
}

// Has reports whether a figure was measured.
func (u Usage) Has(figure string) bool { return !slices.Contains(u.Missing, figure) }

// CPU returns the process's CPU time, user and system together.
func (u Usage) CPU() time.Duration { return u.User + u.System }

// Utilisation returns the share of the usable CPUs' time that the process
// used: 1 is all of them, all the time. It is 0 where nothing was measured.
func (u Usage) Utilisation() float64 { return u.share(u.CPU()) }

// Demand returns the share of the usable CPUs' time that the process used or
// wanted: CPU time and run delay. Beside [Usage.Utilisation] it tells code
// that leaves CPUs idle (both low) from code whose CPUs a neighbour or a quota
// took (demand high, utilisation low). It can pass 1 where more threads are
// ready than there are CPUs.
func (u Usage) Demand() float64 { return u.share(u.CPU() + u.RunDelay) }

func (u Usage) share(d time.Duration) float64 {
	if u.Wall <= 0 || u.CPUs <= 0 {
		return 0
	}
	return float64(d) / (float64(u.Wall) * u.CPUs)
}

// Outside returns the CPU time that other processes used meanwhile, child
// processes left out as far as Children knows of them. It is as
// coarse as /proc/stat, 10 ms a CPU, and below 0 where a short measurement
// falls between two ticks: add several up before judging.
func (u Usage) Outside() time.Duration { return u.HostBusy - u.CPU() - u.Children }
