package reads

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"overlap/pkg/internal/proc"
	"overlap/pkg/raster"
)

// An Unlocked is what came of a mistake: goroutines that read from one dataset without a lock.
type Unlocked struct {
	Crashed string        // the signal that ended the process, such as "SIGSEGV", or ""
	Hung    bool          // whether it had to be ended because it did not end by itself
	Errors  int           // reads that GDAL refused or failed, though the file is whole
	Wrong   bool          // whether a reading met no error, and found other pixels than the file holds
	Said    string        // the first error, in GDAL's words
	Took    time.Duration // until the end, whichever it was
}

// String says it in a sentence or less.
func (u Unlocked) String() string {
	switch {
	case u.Crashed != "":
		return "crashed: " + u.Crashed
	case u.Hung:
		return "hung"
	case u.Errors > 0:
		return fmt.Sprintf("%d reads failed: %s", u.Errors, u.Said)
	case u.Wrong:
		return "wrong pixels, and no error"
	}
	return "nothing happened this time, which proves nothing"
}

// unlockedTime is how long it makes the mistake, and unlockedLimit when it is ended, counted from
// its start: a dataset in disorder may have GDAL go round for ever.
const (
	unlockedTime  = 2 * time.Second
	unlockedLimit = 8 * time.Second
)

type unlockedJob struct {
	Path    string
	Workers int
}

// ReadUnlocked makes the mistake of reading from one dataset with several goroutines and no lock,
// in a process of its own, since it crashes more often than not: it is the command overlap-data,
// built from the lab's sources. The error is that of starting it; what comes of the mistake is the
// result.
func ReadUnlocked(ctx context.Context, path string, workers int) (Unlocked, error) {
	if _, err := raster.Read(ctx, path); err != nil { // a file that cannot be read would prove nothing
		return Unlocked{}, err
	}
	job, err := json.Marshal(unlockedJob{path, min(max(2, workers), 1024)})
	if err != nil {
		return Unlocked{}, fmt.Errorf("raster: %w", err)
	}
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := &answerOf{begun: func() *time.Timer { return time.AfterFunc(unlockedLimit, func() { cancel(errHung) }) }}
	defer out.stop()
	cmd, err := proc.Command(limited, "overlap-data", UnlockedFlag, string(job))
	if err != nil {
		return Unlocked{}, fmt.Errorf("raster: %w", err)
	}
	cmd.SysProcAttr = proc.EndWithParent()
	var complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &complaint
	start := time.Now()
	runtime.LockOSThread() // the process ends with the thread that has started it
	err = cmd.Run()
	runtime.UnlockOSThread()
	u := Unlocked{Took: time.Since(start)}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return u, fmt.Errorf("raster: read %q: %w", path, context.Cause(ctx))
	case context.Cause(limited) == errHung:
		u.Hung = true
		return u, nil
	case err != nil && !errors.As(err, &exit):
		return u, fmt.Errorf("raster: start the process that makes the mistake: %w", err)
	case err == nil:
		took := u.Took
		if err := json.Unmarshal(bytes.TrimPrefix(out.said.Bytes(), []byte(unlockedBegins)), &u); err != nil {
			return u, fmt.Errorf("raster: the process that makes the mistake said nothing: %w", err)
		}
		u.Took = took
		return u, nil
	}
	// Go's runtime turns a signal in C into a report and the exit status 2.
	if code := exit.ExitCode(); code >= 0 && code != 2 {
		said, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		return u, fmt.Errorf("raster: the process that makes the mistake ended with the exit status %d: %s", code, said)
	}
	u.Crashed = "exit " + strconv.Itoa(exit.ExitCode())
	if m := signalName.Find(complaint.Bytes()); m != nil {
		u.Crashed = string(m)
	} else if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		u.Crashed = s.Signal().String()
	}
	return u, nil
}

var errHung = errors.New("the process does not end")

// unlockedBegins is what the process says first, when all is ready for the mistake.
const unlockedBegins = "begins\n"

// An answerOf is what the process says. The time that it has starts with its first word. Its buffer
// is a field, for the methods of an embedded one would take what is said past Write.
type answerOf struct {
	said  bytes.Buffer
	begun func() *time.Timer
	timer *time.Timer
}

func (a *answerOf) Write(p []byte) (int, error) {
	if a.timer == nil {
		a.timer = a.begun()
	}
	return a.said.Write(p)
}

func (a *answerOf) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

var signalName = regexp.MustCompile(`SIG(SEGV|ABRT|BUS|FPE|ILL|TRAP)`)

// UnlockedFlag is the first argument of overlap-data where it is the process of [ReadUnlocked]; the
// second is for [MakeMistake].
const UnlockedFlag = "--unlocked"

// MakeMistake is what the process of [ReadUnlocked] does: it says on out what came of the mistake,
// where it comes to that.
func MakeMistake(job string, out io.Writer) error {
	var j unlockedJob
	if err := json.Unmarshal([]byte(job), &j); err != nil {
		return fmt.Errorf("raster: read what to do: %w", err)
	}
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // no core file for what is expected
	return json.NewEncoder(out).Encode(unlocked(j, out))
}

// unlocked makes the mistake.
func unlocked(job unlockedJob, out io.Writer) (u Unlocked) {
	ctx := context.Background()
	failed := func(err error) {
		if u.Errors++; u.Said == "" {
			u.Said = err.Error()
		}
	}
	// read reads the file once, and returns the answer where nothing failed and the time sufficed.
	read := func(way raster.Way, workers int, end time.Time) string {
		j, err := raster.NewJob([]string{job.Path}, way, raster.TaskBytes(1))
		if err != nil {
			failed(err)
			return ""
		}
		var next atomic.Int64
		var mu sync.Mutex
		var all sync.WaitGroup
		whole := true
		for range workers {
			all.Go(func() {
				for i := int(next.Add(1) - 1); i < j.Tasks(); i = int(next.Add(1) - 1) {
					late := time.Now().After(end)
					var err error
					if !late {
						err = j.Do(ctx, i)
					}
					if late || err != nil {
						mu.Lock()
						if whole = false; err != nil {
							failed(err)
						}
						mu.Unlock()
					}
					if late {
						return
					}
				}
			})
		}
		all.Wait()
		answer, err := j.Finish(j.Tasks())
		if err != nil {
			failed(err)
		}
		if !whole || err != nil {
			return ""
		}
		return answer
	}
	want := read(raster.Way{}, 1, time.Now().Add(time.Hour))
	io.WriteString(out, unlockedBegins)
	for end := time.Now().Add(unlockedTime); want != "" && time.Now().Before(end); { // most runs crash before
		got := read(raster.Way{Handles: raster.OneUnlocked, ByGDAL: true}, job.Workers, end)
		u.Wrong = u.Wrong || got != "" && got != want
	}
	return u
}
