//go:build !linux

package probe

import "runtime"

func (c *counters) readSystem() {
	c.missing = append(c.missing, RunDelay, HostLoad, Throttling)
}

func resetPeakMemory() bool { return false }

func peakMemory() (bytes int64, ok bool) { return 0, false }

// CPUs returns the CPUs that this process may use; on this system only the
// number online is known.
func CPUs() CPUSet {
	n := runtime.NumCPU()
	return CPUSet{Count: float64(n), Bound: "online", Affinity: n}
}

func describe(m *Machine) {}
