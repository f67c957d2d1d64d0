package trace

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"overlap/pkg/internal/procfs"
	"overlap/pkg/probe"
)

// maxThreadFiles is how many threads' files are kept open: the program that is
// watched needs files of its own.
const maxThreadFiles = 128

// threadClocks reads the CPU time of each thread from its clock, which is exact
// at the moment, and its run delay from schedstat.
type threadClocks struct {
	dir   *os.File
	files map[int]int // thread to file descriptor
	last  map[int]threadUse
	delay bool // the kernel gives run delays
}

// open reports what the system does not give.
func (c *threadClocks) open() (missing []string) {
	dir, err := os.Open("/proc/self/task")
	if err != nil {
		return []string{probe.RunDelay, ThreadClocks}
	}
	if _, err := procfs.ThreadCPU(os.Getpid()); err != nil {
		dir.Close()
		return []string{probe.RunDelay, ThreadClocks}
	}
	c.dir, c.files, c.last = dir, map[int]int{}, map[int]threadUse{}
	if c.delay = c.readDelay(os.Getpid(), new(threadUse)); !c.delay {
		missing = append(missing, probe.RunDelay)
	}
	return missing
}

func (c *threadClocks) ok() bool { return c.dir != nil }

func (c *threadClocks) close() {
	for _, fd := range c.files {
		unix.Close(fd)
	}
	if c.dir != nil {
		c.dir.Close()
	}
	*c = threadClocks{}
}

// each calls f with what each thread has used so far.
func (c *threadClocks) each(f func(thread int64, use threadUse)) {
	if _, err := c.dir.Seek(0, 0); err != nil {
		return
	}
	names, err := c.dir.Readdirnames(-1)
	if err != nil {
		return
	}
	for _, name := range names {
		thread, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		cpu, err := procfs.ThreadCPU(thread)
		if err != nil { // it ended
			c.forget(thread)
			continue
		}
		// A thread that has not run has not got a new delay either.
		use, known := c.last[thread]
		if !known || use.cpu != cpu {
			use.cpu = cpu
			if c.delay {
				c.readDelay(thread, &use)
			}
			c.last[thread] = use
		}
		f(int64(thread), use)
	}
}

func (c *threadClocks) forget(thread int) {
	if fd, open := c.files[thread]; open {
		unix.Close(fd)
		delete(c.files, thread)
	}
	delete(c.last, thread)
}

// readDelay reads a thread's run delay and turns: the second and third field of
// its schedstat.
func (c *threadClocks) readDelay(thread int, use *threadUse) bool {
	fd, open := c.files[thread]
	if !open {
		var err error
		fd, err = unix.Open("/proc/self/task/"+strconv.Itoa(thread)+"/schedstat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return false
		}
		if len(c.files) < maxThreadFiles {
			c.files[thread] = fd
		} else {
			defer unix.Close(fd)
		}
	}
	var buf [96]byte
	n, err := unix.Pread(fd, buf[:], 0)
	if err != nil {
		c.forget(thread) // the number may belong to another thread by now
		return false
	}
	fields := bytes.Fields(buf[:n])
	if len(fields) < 3 {
		return false
	}
	ns, err1 := strconv.ParseInt(string(fields[1]), 10, 64)
	turns, err2 := strconv.ParseInt(string(fields[2]), 10, 64)
	if err1 != nil || err2 != nil {
		return false
	}
	use.delay, use.turns = time.Duration(ns), turns
	return true
}
