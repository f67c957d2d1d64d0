package osthreads

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"overlap/pkg/internal/procfs"
)

// Most is the greatest number of threads of tasks in the process, and mostTogether that of these and of the
// workers of dispatchers: here the limits that can be read decide.
const (
	Most         = 8000
	mostTogether = math.MaxInt
)

// ID returns the calling thread.
func ID() int { return unix.Gettid() }

// systemLimits returns the limits that Linux sets, as far as they can be read, and the number of this
// process's threads.
func systemLimits() (limits []limit, threads int) {
	text, _ := os.ReadFile("/proc/self/status")
	status := string(text)
	threads = number(status, "Threads", 10)
	all := systemThreads()
	var rlimit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &rlimit); err == nil && rlimit.Cur < math.MaxInt32 && !exempt(status) {
		l := limit{name: "RLIMIT_NPROC", max: int(rlimit.Cur), remedy: "raise it with `ulimit -u`"}
		l.used, l.count = usersThreads.most(threads, all)
		limits = append(limits, l)
	}
	for _, name := range []string{"threads-max", "pid_max"} {
		if n, ok := procfs.Int("/proc/sys/kernel/" + name); ok {
			limits = append(limits, limit{name: "kernel." + name, max: n, used: all, remedy: "raise it with sysctl"})
		}
	}
	for _, g := range procfs.PidsLimits() {
		limits = append(limits, limit{
			name: "the cgroup's pids.max", max: g.Max, used: g.Now, remedy: "raise it (docker run --pids-limit)",
		})
	}
	return limits, threads
}

// usersThreads are the threads of this user's other processes. To count them takes a look at every process of
// the system, which costs as much as starting many threads. So they are counted only where they may matter,
// and until then are taken to be as many as the system has.
var usersThreads otherThreads

type otherThreads struct {
	mu     sync.Mutex
	counts int // how often they were counted
	known  int // how many there were the last time
	system int // threads of all other processes then
}

// most returns how many threads the user has at most, with own in this process and all in the system, and how
// to count them where there can be fewer.
func (o *otherThreads) most(own, all int) (int, func() int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.counts == 0 {
		return max(own, all), o.count
	}
	// What came since can be anybody's. And as many as before in all can be fewer of others and more of
	// this user, so that it may have to be counted again.
	return own + o.known + max(0, all-own-o.system), o.count
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
	n, own := 0, 0
	files, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, f := range files {
		text, err := os.ReadFile(f)
		status := string(text)
		if err != nil || number(status, "Uid", 10) != os.Getuid() {
			continue
		}
		threads := number(status, "Threads", 10)
		n += threads
		if number(status, "Pid", 10) == os.Getpid() {
			own = threads
		}
	}
	o.counts++
	o.known, o.system = n-own, systemThreads()-own
	return n
}

// exempt reports whether RLIMIT_NPROC does not count for this process: root and holders of CAP_SYS_ADMIN (bit
// 21) or CAP_SYS_RESOURCE (bit 24) are exempt, if they are in the system's first user namespace.
func exempt(status string) bool {
	users, _ := os.ReadFile("/proc/self/uid_map")
	first := slices.Equal(strings.Fields(string(users)), []string{"0", "0", "4294967295"})
	return first && (os.Getuid() == 0 || number(status, "CapEff", 16)&(1<<21|1<<24) != 0)
}

// number returns the first number of a line of a /proc status file, or 0.
func number(status, name string, base int) int {
	value, _ := procfs.Value(status, name, ":")
	first, _, _ := strings.Cut(value, "\t")
	n, _ := strconv.ParseUint(first, base, 63)
	return int(n)
}

// systemThreads returns how many threads the whole system has: the number behind the slash in /proc/loadavg.
func systemThreads() int {
	text, _ := os.ReadFile("/proc/loadavg")
	_, total, _ := strings.Cut(string(text), "/")
	total, _, _ = strings.Cut(total, " ")
	n, _ := strconv.Atoi(total)
	return n
}
