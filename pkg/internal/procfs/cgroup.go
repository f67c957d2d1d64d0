package procfs

import (
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Group is a control group (cgroups(7)) of this process. Groups of version 2 have all controllers;
// in version 1 and on hybrid systems a controller has a hierarchy of its own.
type Group struct {
	mount string // where its hierarchy may be mounted, such as "/sys/fs/cgroup/cpu": not every one is there
	Dir   string // its folder, in or below the mount
	V2    bool
}

// Groups returns where the process's groups with a controller may be, such as "cpu" or "pids".
func Groups(controller string) []Group { return groups(system, controller) }

// system is the file system, whose names have no slash before them.
var system = os.DirFS("/")

func groups(root fs.FS, controller string) []Group {
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	var found []Group
	for line := range strings.Lines(string(text)) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, dir, _ := strings.Cut(rest, ":")
		v2 := id == "0" && controllers == ""
		mounts := []string{controller, controllers}
		if v2 {
			mounts = []string{"", "unified"}
		} else if !slices.Contains(strings.Split(controllers, ","), controller) {
			continue
		}
		for _, m := range slices.Compact(mounts) {
			mount := path.Join("/sys/fs/cgroup", m)
			found = append(found, Group{mount, path.Join(mount, dir), v2})
		}
	}
	return found
}

// up yields the group's folder and each one above it, up to the mount. Inside a container the path
// can name a group of the host that is not mounted; this passes such groups on the way to the mount,
// which is then the container's own.
func (g Group) up() iter.Seq[string] {
	return func(yield func(string) bool) {
		for dir := g.Dir; strings.HasPrefix(dir, g.mount) && yield(dir); dir = path.Dir(dir) {
		}
	}
}

func read(root fs.FS, dir, name string) string {
	text, _ := fs.ReadFile(root, path.Join(dir, name)[1:])
	return strings.TrimSpace(string(text))
}

// CPUQuota returns the smallest quota of CPU time of the process's groups up to the root, in CPUs, 0
// for none.
func CPUQuota() float64 { return cpuQuota(system) }

func cpuQuota(root fs.FS) float64 {
	least := 0.0
	for _, g := range groups(root, "cpu") {
		for dir := range g.up() {
			if q := groupQuota(root, dir, g.V2); q > 0 && (least == 0 || q < least) {
				least = q
			}
		}
	}
	return least
}

func groupQuota(root fs.FS, dir string, v2 bool) float64 {
	quota, period, _ := strings.Cut(read(root, dir, "cpu.max"), " ")
	if !v2 {
		quota, period = read(root, dir, "cpu.cfs_quota_us"), read(root, dir, "cpu.cfs_period_us")
	}
	q, err1 := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || q <= 0 || p <= 0 { // "max" and -1 mean none
		return 0
	}
	return q / p
}

// Throttled returns for how long quotas of CPU time have stopped each of the process's groups up to
// the root, by folder.
func Throttled() map[string]time.Duration { return throttled(system) }

func throttled(root fs.FS) map[string]time.Duration {
	stopped := map[string]time.Duration{}
	for _, g := range groups(root, "cpu") {
		for dir := range g.up() {
			text := read(root, dir, "cpu.stat")
			key, unit := "throttled_time", time.Nanosecond
			if g.V2 {
				key, unit = "throttled_usec", time.Microsecond
			}
			value, _ := Value(text, key, " ")
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				stopped[dir] = time.Duration(n) * unit
			}
		}
	}
	return stopped
}

// A Pids is the most processes and threads that a group may have, and how many there are.
type Pids struct{ Max, Now int }

// PidsLimits returns the limits of the process's groups up to the root, where there are any.
func PidsLimits() []Pids { return pidsLimits(system) }

func pidsLimits(root fs.FS) (limits []Pids) {
	for _, g := range groups(root, "pids") {
		for dir := range g.up() {
			most, err1 := strconv.Atoi(read(root, dir, "pids.max"))
			now, err2 := strconv.Atoi(read(root, dir, "pids.current"))
			if err1 == nil && err2 == nil {
				limits = append(limits, Pids{most, now})
			}
		}
	}
	return limits
}
