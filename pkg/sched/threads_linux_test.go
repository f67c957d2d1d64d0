package sched_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"overlap/pkg/sched"
	"overlap/pkg/sched/internal/osthreads"
)

// asUser makes cmd run as a user that has no other process, with a limit of
// nproc threads, for which the rules of root do not count.
func asUser(t *testing.T, nproc uint64) func(*exec.Cmd) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root, to become another user")
	}
	return func(cmd *exec.Cmd) {
		// The user must be able to read the test binary.
		dir, err := os.MkdirTemp("", "sched")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(cmd.Path)
		if err != nil {
			t.Fatal(err)
		}
		cmd.Path = filepath.Join(dir, "sched.test")
		if err := os.WriteFile(cmd.Path, data, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd.Dir = dir
		// A child's limit is set by the shell: setting our own would hold for
		// this process too.
		cmd.Args = []string{"sh", "-c", fmt.Sprintf("ulimit -u %d 2>/dev/null || ulimit -p %d; exec %s", nproc, nproc, cmd.Path)}
		cmd.Path = "/bin/sh"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 54321, Gid: 54321}}
	}
}

func TestLowRlimit(t *testing.T) {
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &old); err != nil || old.Max < 1000 {
		t.Skip("the limit is low already")
	}
	t.Run("some room", func(t *testing.T) {
		out := child(t, "few threads", asUser(t, 300))
		var most, limit int
		if _, err := fmt.Sscanf(out, "most %d limit %d error <nil>", &most, &limit); err != nil {
			t.Fatal(err)
		}
		if most > limit || limit > 300 || most < 50 {
			t.Errorf("%d at once, limit %d", most, limit)
		}
	})
	t.Run("workers", func(t *testing.T) {
		out := child(t, "more cores than room", asUser(t, 200))
		if !strings.Contains(out, "done 3000 few enough true <nil>") {
			t.Errorf("%q", out)
		}
	})
	t.Run("room for few workers", func(t *testing.T) {
		out := child(t, "few workers", asUser(t, 38)) // room for 4 threads; the runtime has as many, or a few more
		if !strings.Contains(out, "done 20 <nil> <nil>") {
			t.Errorf("%q", out)
		}
	})
	t.Run("much room", func(t *testing.T) {
		// A look at every process in a run would be measured as what threads cost.
		// The threads of everybody are taken for the user's as long as there is room, and other programs start some.
		var others uint64
		load, err := os.ReadFile("/proc/loadavg")
		if err == nil {
			_, err = fmt.Sscanf(string(load[bytes.IndexByte(load, '/')+1:]), "%d", &others)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, nproc := range []uint64{31_000, 4_000 + 2*others} {
			if out := child(t, "looks at all processes", asUser(t, nproc)); !strings.Contains(out, "counted 0 times <nil>") {
				t.Errorf("with a limit of %d: %q", nproc, out)
			}
		}
	})
	t.Run("no room", func(t *testing.T) {
		out := child(t, "no threads", asUser(t, 34))
		for _, want := range []string{"most 0", "sched: threads: no room for one more thread: RLIMIT_NPROC is 34", "ulimit -u"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in %q", want, out)
			}
		}
	})
}

func init() {
	children["looks at all processes"] = func() int {
		err := sched.Threads().Run(context.Background(), slices.Repeat([]sched.Task{ok}, 3000))
		fmt.Printf("counted %d times %v\n", osthreads.Counted(), err)
		return 0
	}
}

func TestThreadsAreGivenBack(t *testing.T) {
	count := func() int {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		return len(tasks)
	}
	const n = 500
	before := count()
	var most atomic.Int32
	all := make(chan struct{})
	err := sched.Threads().Run(t.Context(), slices.Repeat([]sched.Task{func(context.Context) error {
		if most.Add(1) == n {
			most.Store(int32(count()))
			close(all)
		}
		<-all
		return nil
	}}, n))
	if err != nil || int(most.Load()) < n {
		t.Fatalf("there were %d threads; Run returned %v", most.Load(), err)
	}
	// Other tests may have left some that end meanwhile, never n.
	for end := time.Now().Add(20 * time.Second); count() > before+n/2 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if now := count(); now > before+n/2 {
		t.Errorf("%d threads before a run with %d, and %d after it", before, n, now)
	}
}
