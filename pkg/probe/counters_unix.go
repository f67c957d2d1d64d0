//go:build unix

package probe

import (
	"time"

	"golang.org/x/sys/unix"
)

func (c *counters) readProcess() {
	bringUpToDate()
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &ru); err != nil {
		c.missing = append(c.missing, CPUTime)
	}
	c.user = time.Duration(ru.Utime.Nano())
	c.system = time.Duration(ru.Stime.Nano())
	c.voluntary, c.involuntary = int64(ru.Nvcsw), int64(ru.Nivcsw)
	c.minorFaults, c.majorFault = int64(ru.Minflt), int64(ru.Majflt)
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &ru); err == nil {
		c.children = time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
	}
}
