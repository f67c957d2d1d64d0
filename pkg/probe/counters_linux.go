package probe

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"overlap/pkg/internal/procfs"
)

// tick is the unit of /proc/stat: USER_HZ is 100 on every Linux architecture
// that Go runs on.
const tick = 10 * time.Millisecond

func (c *counters) readSystem() {
	var ok bool
	if c.runDelay, ok = readRunDelay(); !ok {
		c.missing = append(c.missing, RunDelay)
	}
	if stat, err := os.ReadFile("/proc/stat"); err == nil {
		c.hostBusy, c.steal, ok = parseStat(stat)
	}
	if !ok {
		c.missing = append(c.missing, HostLoad)
	}
	c.throttled = procfs.Throttled()
	with, ok1 := clock(unix.CLOCK_BOOTTIME)
	without, ok2 := clock(unix.CLOCK_MONOTONIC)
	if c.suspended = with - without; !ok1 || !ok2 {
		c.suspended = 0
		c.missing = append(c.missing, Suspension)
	}
}

// clock reads a clock of the system, if there is one of that kind.
func clock(id int32) (time.Duration, bool) {
	var ts unix.Timespec
	if unix.ClockGettime(id, &ts) != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}

// readRunDelay returns how long each thread of the process has waited for a
// CPU so far: the second field of its schedstat.
func readRunDelay() (map[int]time.Duration, bool) {
	threads, err := procfs.Threads()
	if err != nil {
		return nil, false
	}
	delays := make(map[int]time.Duration, len(threads))
	for _, thread := range threads {
		text, err := os.ReadFile("/proc/self/task/" + strconv.Itoa(thread) + "/schedstat")
		if err != nil {
			continue // ended meanwhile, or a kernel without schedstat
		}
		fields := bytes.Fields(text)
		if len(fields) < 2 {
			continue
		}
		if ns, err := strconv.ParseInt(string(fields[1]), 10, 64); err == nil {
			delays[thread] = time.Duration(ns)
		}
	}
	return delays, len(delays) > 0
}

// bringUpToDate has the kernel add up what each thread has used until now. By
// itself it does so at ticks (of 1 to 10 ms) and when a thread leaves its CPU, so
// that getrusage lags behind by up to a tick for each of the other threads that
// are running: 3 ms of work on 2 CPUs could seem to use 3 of them. To read a
// thread's clock brings its time up to date.
func bringUpToDate() {
	threads, _ := procfs.Threads() // without /proc it stays behind
	for _, thread := range threads {
		_, _ = procfs.ThreadCPU(thread) // one that ended has been added up
	}
}

// ownThread returns the CPU time of the calling thread, 0 where it is not known.
func ownThread() time.Duration {
	used, _ := procfs.ThreadCPU(0)
	return used
}

// parseStat returns the busy and the stolen time of all CPUs since the start
// of the machine, from the first line of /proc/stat (proc_stat(5)): user, nice,
// system, idle, iowait, irq, softirq, steal. Guest time is part of user.
func parseStat(stat []byte) (busy, steal time.Duration, ok bool) {
	line, _, _ := strings.Cut(string(stat), "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, 0, false
	}
	var ticks [8]int64
	for i := range ticks {
		n, err := strconv.ParseInt(fields[i+1], 10, 64)
		if err != nil {
			return 0, 0, false
		}
		ticks[i] = n
	}
	busy = time.Duration(ticks[0]+ticks[1]+ticks[2]+ticks[5]+ticks[6]) * tick
	return busy, time.Duration(ticks[7]) * tick, true
}

// resetPeakMemory makes VmHWM start again at the present resident set (proc(5),
// clear_refs). Where that is not allowed the peak would be the process's since
// its start, and counts as missing.
func resetPeakMemory() bool { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil }

func peakMemory() (bytes int64, ok bool) { return procfs.Bytes("/proc/self/status", "VmHWM") }
