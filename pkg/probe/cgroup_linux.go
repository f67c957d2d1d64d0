package probe

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
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
	return usable(online(), affinity, readQuota(os.DirFS("/")))
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

// A cpuGroup is the process's CPU cgroup as it is mounted, without the leading
// slash that io/fs does not know.
type cpuGroup struct {
	mount, dir string
	v2         bool
}

// cpuGroups returns where the process's CPU cgroups are. On version 1 and on
// hybrid systems a controller has a hierarchy of its own. Inside a container
// the path can name a group of the host that is not mounted; up walks past
// such groups to the mount, which is then the container's own.
func cpuGroups(root fs.FS) []cpuGroup {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	var groups []cpuGroup
	for line := range strings.Lines(string(text)) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, dir, _ := strings.Cut(rest, ":")
		if id == "0" && controllers == "" {
			for _, mount := range []string{"sys/fs/cgroup", "sys/fs/cgroup/unified"} {
				groups = append(groups, cpuGroup{mount, path.Join(mount, dir), true})
			}
			continue
		}
		for c := range strings.SplitSeq(controllers, ",") {
			if c == "cpu" {
				for _, mount := range []string{"sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"} {
					groups = append(groups, cpuGroup{mount, path.Join(mount, dir), false})
				}
			}
		}
	}
	return groups
}

// up calls f with the group's folder and each one above it, up to the mount.
func (g cpuGroup) up(f func(dir string)) {
	for dir := g.dir; strings.HasPrefix(dir, g.mount); dir = path.Dir(dir) {
		f(dir)
	}
}

// readQuota returns the smallest CPU quota in CPUs that applies to the
// process, 0 for none.
func readQuota(root fs.FS) float64 {
	least := 0.0
	for _, g := range cpuGroups(root) {
		g.up(func(dir string) {
			if q := groupQuota(root, dir, g.v2); q > 0 && (least == 0 || q < least) {
				least = q
			}
		})
	}
	return least
}

func groupQuota(root fs.FS, dir string, v2 bool) float64 {
	read := func(name string) string {
		text, _ := fs.ReadFile(root, path.Join(dir, name))
		return strings.TrimSpace(string(text))
	}
	var quota, period string
	if v2 {
		quota, period, _ = strings.Cut(read("cpu.max"), " ")
	} else {
		quota, period = read("cpu.cfs_quota_us"), read("cpu.cfs_period_us")
	}
	q, err1 := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || q <= 0 || p <= 0 { // "max" and -1 mean none
		return 0
	}
	return q / p
}

// readThrottled returns for how long CPU quotas have stopped each of the
// process's groups, up to the root.
func readThrottled(root fs.FS) map[string]time.Duration {
	groups := map[string]time.Duration{}
	for _, g := range cpuGroups(root) {
		g.up(func(dir string) {
			text, _ := fs.ReadFile(root, path.Join(dir, "cpu.stat"))
			for line := range strings.Lines(string(text)) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
				n, err := strconv.ParseInt(value, 10, 64)
				if err != nil {
					continue
				}
				switch key {
				case "throttled_usec": // version 2
					groups[dir] = time.Duration(n) * time.Microsecond
				case "throttled_time": // version 1
					groups[dir] = time.Duration(n)
				}
			}
		})
	}
	return groups
}
