package sched

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mostThreads is the greatest number of threads of tasks in the process, and
// mostTogether that of these and of the workers of dispatchers: here the limits
// that can be read decide.
const (
	mostThreads  = 8000
	mostTogether = math.MaxInt
)

func threadID() int { return unix.Gettid() }

// systemThreadLimits returns the limits that Linux sets, as far as they can be
// read, and the number of this process's threads.
func systemThreadLimits() (limits []threadLimit, threads int) {
	status, _ := os.ReadFile("/proc/self/status")
	threads = statusField(status, "Threads", 10)

	var rlimit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &rlimit); err == nil && rlimit.Cur < countedBelow && !exempt(status) {
		limits = append(limits, threadLimit{"RLIMIT_NPROC", int(rlimit.Cur), userThreads(), "raise it with `ulimit -u`"})
	}
	all := systemThreads()
	for _, name := range []string{"threads-max", "pid_max"} {
		if n, ok := readInt("/proc/sys/kernel/" + name); ok {
			limits = append(limits, threadLimit{"kernel." + name, n, all, "raise it with sysctl"})
		}
	}
	return append(limits, cgroupPids()...), threads
}

// countedBelow is the limit from which on a user's threads are not counted:
// to count them takes a look at every process.
const countedBelow = 4 * mostThreads

// exempt reports whether RLIMIT_NPROC does not count for this process: root
// and holders of CAP_SYS_ADMIN (bit 21) or CAP_SYS_RESOURCE (bit 24) are
// exempt, if they are in the system's first user namespace.
func exempt(status []byte) bool {
	m, err := os.ReadFile("/proc/self/uid_map")
	if f := bytes.Fields(m); err != nil || len(f) != 3 || string(f[0]) != "0" || string(f[1]) != "0" || string(f[2]) != "4294967295" {
		return false
	}
	return os.Getuid() == 0 || statusField(status, "CapEff", 16)&(1<<21|1<<24) != 0
}

// userThreads counts the threads of all processes of this user.
func userThreads() int {
	n, uid := 0, os.Getuid()
	files, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, f := range files {
		if status, err := os.ReadFile(f); err == nil && statusField(status, "Uid", 10) == uid {
			n += statusField(status, "Threads", 10)
		}
	}
	return n
}

// statusField returns the first number of a line of a /proc status file, or 0.
func statusField(status []byte, name string, base int) int {
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte(name+":")); ok {
			if f := bytes.Fields(rest); len(f) > 0 {
				n, _ := strconv.ParseUint(string(f[0]), base, 63)
				return int(n)
			}
		}
	}
	return 0
}

// systemThreads returns how many threads the whole system has: the number
// behind the slash in /proc/loadavg.
func systemThreads() int {
	data, _ := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(data)); len(f) > 3 {
		_, total, _ := strings.Cut(f[3], "/")
		n, _ := strconv.Atoi(total)
		return n
	}
	return 0
}

// cgroupPids returns the limit of every cgroup on the way from this process's
// up to the root.
func cgroupPids() (limits []threadLimit) {
	data, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(data)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3) // id:controllers:path
		if len(f) < 3 {
			continue
		}
		root := "/sys/fs/cgroup"
		switch f[1] {
		case "": // version 2
		case "pids":
			root += "/pids"
		default:
			continue
		}
		for dir := filepath.Join("/", f[2]); ; dir = filepath.Dir(dir) {
			most, ok := readInt(filepath.Join(root, dir, "pids.max"))
			used, ok2 := readInt(filepath.Join(root, dir, "pids.current"))
			if ok && ok2 {
				limits = append(limits, threadLimit{"the cgroup's pids.max", most, used, "raise it (docker run --pids-limit)"})
			}
			if dir == "/" {
				break
			}
		}
	}
	return limits
}

// readInt reads a file that holds one number. It reports false also for "max".
func readInt(path string) (int, bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(data)))
	return n, err == nil && n < math.MaxInt32
}
