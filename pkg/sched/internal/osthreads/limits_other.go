//go:build !linux

package osthreads

// Most is the greatest number of threads of tasks in the process, and mostTogether that of these and of
// the workers of dispatchers. Other systems allow fewer than Linux: macOS some thousands a process,
// FreeBSD 1,500.
const (
	Most         = 1000
	mostTogether = Most
)

// ID returns 0: there is no portable way to ask.
func ID() int { return 0 }

// systemLimits returns no limits: they are not read here.
func systemLimits() (limits []limit, threads int) { return nil, 0 }
