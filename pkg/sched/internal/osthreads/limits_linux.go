package osthreads

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Most is the greatest number of threads of tasks in the process, and
// mostTogether that of these and of the workers of dispatchers: here the limits
// that can be read decide.
const (
	Most         = 8000
	mostTogether = math.MaxInt
)

// ID returns the calling thread.
func ID() int { return unix.Gettid() }

// systemLimits returns the limits that Linux sets, as far as they can be
// read, and the number of this process's threads.
func systemLimits() (limits []limit, threads int) {
	status, _ := os.ReadFile("/proc/self/status")
	threads = statusField(status, "Threads", 10)

	all := systemThreads()
	var rlimit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &rlimit); err == nil && rlimit.Cur < math.MaxInt32 && !exempt(status) {
		l := limit{name: "RLIMIT_NPROC", max: int(rlimit.Cur), remedy: "raise it with `ulimit -u`"}
		l.used, l.count = usersThreads.most(threads, all)
		limits = append(limits, l)
	}
	for _, name := range []string{"threads-max", "pid_max"} {
		if n, ok := readInt("/proc/sys/kernel/" + name); ok {
			limits = append(limits, limit{name: "kernel." + name, max: n, used: all, remedy: "raise it with sysctl"})
		}
	}
	return append(limits, cgroupPids()...), threads
}

// usersThreads are the threads of this user's other processes. To count them takes a look at every
// process of the system, which costs as much as starting many threads. So they are counted only where
// they may matter, and until then are taken to be as many as the system has.
var usersThreads otherThreads

type otherThreads struct {
	mu     sync.Mutex
	counts int // how often they were counted
	known  int // how many there were the last time
	system int // threads of all other processes then
}

// most returns how many threads the user has at most, with own in this process and all in the system,
// and how to count them where there can be fewer.
func (o *otherThreads) most(own, all int) (int, func() int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.counts == 0 {
		return max(own, all), o.count
	}
	if since := all - own - o.system; since > 0 { // which can be anybody's
		return own + o.known + since, o.count
	}
	return own + o.known, nil
}

// Counted returns how often the threads of the user's processes were counted.
func Counted() int {
	usersThreads.mu.Lock()
	defer usersThreads.mu.Unlock()
	return usersThreads.counts
}

// count counts the threads of all processes of this user.
func (o *otherThreads) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, own, uid, self := 0, 0, os.Getuid(), os.Getpid()
	files, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, f := range files {
		status, err := os.ReadFile(f)
		if err != nil || statusField(status, "Uid", 10) != uid {
			continue
		}
		n += statusField(status, "Threads", 10)
		if statusField(status, "Pid", 10) == self {
			own = statusField(status, "Threads", 10)
		}
	}
	o.counts++
	o.known, o.system = n-own, systemThreads()-own
	return n
}

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
func cgroupPids() (limits []limit) {
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
				limits = append(limits, limit{name: "the cgroup's pids.max", max: most, used: used, remedy: "raise it (docker run --pids-limit)"})
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
