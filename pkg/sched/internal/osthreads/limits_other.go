//go:build !linux

package sched

// mostThreads is the greatest number of threads of tasks in the process, and
// mostTogether that of these and of the workers of dispatchers. Other systems
// allow fewer than Linux: macOS some thousands a process, FreeBSD 1,500.
const (
	mostThreads  = 1000
	mostTogether = mostThreads
)

// threadID returns 0: there is no portable way to ask.
func threadID() int { return 0 }

// systemThreadLimits returns no limits: they are not read here.
func systemThreadLimits() (limits []threadLimit, threads int) { return nil, 0 }
