package procfs

import (
	"time"

	"golang.org/x/sys/unix"
)

// ThreadCPU returns the CPU time of a thread of this process, of the calling one for
// 0, up to now. The clock's number is made of the thread's as the kernel does it
// (CPUCLOCK_PERTHREAD and CPUCLOCK_SCHED in include/linux/posix-timers_types.h),
// which pthread_getcpuclockid also relies on. The error is that of a thread that is
// not there.
func ThreadCPU(thread int) (time.Duration, error) {
	var ts unix.Timespec
	err := unix.ClockGettime(int32(^thread<<3|6), &ts)
	return time.Duration(ts.Nano()), err
}
