//go:build !linux

package probe

import (
	"runtime"
	"time"
)

func (c *counters) readSystem() {
	c.missing = append(c.missing, RunDelay, HostLoad, Throttling, Suspension)
}

func online() int { return runtime.NumCPU() }

func bringUpToDate() {}

func ownThread() time.Duration { return 0 }

func resetPeakMemory() bool { return false }

func peakMemory() (bytes int64, ok bool) { return 0, false }

// CPUs returns the CPUs that this process may use; on this system only the
// number online is known.
func CPUs() CPUSet {
	n := online()
	return CPUSet{Count: float64(n), Bound: "online", Affinity: n}
}

func describe(m *Machine) {}
