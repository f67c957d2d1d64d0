package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

const hogFlag = "-be-a-hog" // for this command's own use

// hogLimit ends a hog whatever happens to the process that started it.
const hogLimit = time.Hour

// hog uses a CPU until in ends, which it does when the parent process does.
func hog(in io.Reader) {
	ended := make(chan struct{})
	go func() {
		io.Copy(io.Discard, in)
		close(ended)
	}()
	limit := time.After(hogLimit)
	x := uint64(1)
	for {
		select {
		case <-ended:
			return
		case <-limit:
			return
		default:
		}
		for range 1_000_000 {
			x = x*6364136223846793005 + 1442695040888963407
		}
		if x == 0 {
			x = 1
		}
	}
}

// hogs are processes that use a CPU each.
type hogs struct {
	running []*exec.Cmd
	ends    []io.Closer
}

// startHogs starts n processes that use a CPU each until they are stopped or
// this process ends.
func startHogs(n int) (*hogs, error) {
	h := &hogs{}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start CPU hogs: %w", err)
	}
	for range n {
		cmd := exec.Command(self, hogFlag)
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			h.stop()
			return nil, fmt.Errorf("start CPU hogs: %w", err)
		}
		h.running = append(h.running, cmd)
		h.ends = append(h.ends, in)
	}
	return h, nil
}

// stop ends the hogs and waits for their end.
func (h *hogs) stop() {
	for i, cmd := range h.running {
		h.ends[i].Close()
		cmd.Wait()
	}
	h.running, h.ends = nil, nil
}

// used returns the CPU time that the hogs have used so far, 0 where the system
// does not say (proc(5), /proc/pid/stat).
func (h *hogs) used() time.Duration {
	const tick = 10 * time.Millisecond // USER_HZ, 100 on every Linux of today
	var sum time.Duration
	for _, cmd := range h.running {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		if err != nil {
			continue
		}
		// The name of the program, in brackets, may hold spaces.
		_, rest, _ := bytes.Cut(text, []byte(") "))
		fields := strings.Fields(string(rest))
		for _, i := range []int{11, 12} { // user and system time
			if i < len(fields) {
				ticks, _ := strconv.ParseInt(fields[i], 10, 64)
				sum += time.Duration(ticks) * tick
			}
		}
	}
	return sum
}
