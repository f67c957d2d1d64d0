package probe

import (
	"golang.org/x/sys/unix"

	"overlap/pkg/internal/procfs"
)

// CPUs returns the CPUs that this process may use: the least of the scheduling
// mask and of every cgroup CPU quota from the process's own group up to the
// root. GOMAXPROCS is not among the bounds: it limits Go code only, not C
// called from it, and Go never sets it below 2 for a quota.
func CPUs() CPUSet {
	affinity := 0
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err == nil {
		affinity = mask.Count()
	}
	return usable(online(), affinity, procfs.CPUQuota())
}

// usable picks the least bound. 0 stands for one that is not known.
func usable(online, affinity int, quota float64) CPUSet {
	set := CPUSet{Count: float64(online), Bound: "online", Affinity: affinity, Quota: quota}
	if affinity > 0 && float64(affinity) < set.Count {
		set.Count, set.Bound = float64(affinity), "affinity"
	}
	if quota > 0 && quota < set.Count {
		set.Count, set.Bound = quota, "quota"
	}
	return set
}
