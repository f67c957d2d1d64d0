package sched_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"overlap/pkg/sched"
)

// Tests that could end the process run a part of themselves in a child process.
const childVariable = "OVERLAP_SCHED_TEST_CHILD"

// children are what child processes do, and their exit status.
var children = map[string]func() int{
	"few threads": func() int { return runThreads(3000) },
	"no threads":  func() int { return runThreads(1) },
	"low SetMax": func() int {
		debug.SetMaxThreads(100)
		return runThreads(1000)
	},
	"waiting run is cancelled": cancelWaiting,
	"threads in threads":       threadsInThreads,
}

// runThreads runs n tasks that block a little, each on a thread, and prints
// how it went.
func runThreads(n int) int {
	var running, most atomic.Int32
	err := sched.Threads().Run(context.Background(), slices.Repeat([]sched.Task{func(context.Context) error {
		now := running.Add(1)
		defer running.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		time.Sleep(20 * time.Millisecond)
		return nil
	}}, n))
	fmt.Printf("most %d limit %d error %v\n", most.Load(), sched.Threads().(sched.Bounded).Limit(), err)
	return 0
}

// child runs one of children, as change makes the command.
func child(t *testing.T, name string, change func(*exec.Cmd)) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), childVariable+"="+name)
	if change != nil {
		change(cmd)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("child process: %v\n%.3000s", err, out)
	}
	t.Logf("%s", out)
	return string(out)
}

// TestMoreTasksThanThreads has more tasks than the 10,000 threads at which Go
// dies, and they block long enough for all that may to be there at once.
func TestMoreTasksThanThreads(t *testing.T) {
	const n = 12_000
	var ran, running, most atomic.Int32
	task := func(context.Context) error {
		ran.Add(1)
		now := running.Add(1)
		defer running.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		time.Sleep(time.Second)
		return nil
	}
	// Two runs at once, which share the process's room.
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if err := sched.Threads().Run(t.Context(), slices.Repeat([]sched.Task{task}, n/2)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	limit := sched.Threads().(sched.Bounded).Limit()
	if ran.Load() != n || int(most.Load()) > limit {
		t.Errorf("%d of %d tasks ran, %d at once at most, and the limit is %d", ran.Load(), n, most.Load(), limit)
	}
	t.Logf("%d at once at most, limit %d", most.Load(), limit)
}

func TestThreadsAreNotReused(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no thread ids")
	}
	// While all are held, each must be on another thread.
	const n = 50
	var mu sync.Mutex
	ids := map[int]bool{}
	all := make(chan struct{})
	err := sched.Threads().Run(t.Context(), slices.Repeat([]sched.Task{func(ctx context.Context) error {
		w, _ := sched.Worker(ctx)
		mu.Lock()
		ids[w.Thread] = true
		if len(ids) == n {
			close(all)
		}
		mu.Unlock()
		select {
		case <-all:
			return nil
		case <-time.After(20 * time.Second):
			return errors.New("the others did not come")
		}
	}}, n))
	if err != nil || len(ids) != n {
		t.Errorf("%d threads for %d tasks; Run returned %v", len(ids), n, err)
	}
}

// TestFullThreads has tests with all room taken. They lower the limit of Go,
// which only a process with few threads can do.
func TestFullThreads(t *testing.T) {
	for _, c := range []struct{ child, want string }{
		{"waiting run is cancelled", " of 300 tasks not started: context canceled"},
		{"threads in threads", "no room for one more thread: Go's debug.SetMaxThreads is 300"},
	} {
		t.Run(c.child, func(t *testing.T) {
			if out := child(t, c.child, nil); !strings.Contains(out, c.want) {
				t.Errorf("%q is not in %q", c.want, out)
			}
		})
	}
}

// fillThreads lowers the limit and starts a run that takes all room until
// release is called.
func fillThreads(ctx context.Context, task sched.Task) (release func() error) {
	debug.SetMaxThreads(300)
	n := sched.Threads().(sched.Bounded).Limit() + 50
	hold := make(chan struct{})
	var started atomic.Int32
	ended := make(chan error)
	go func() {
		ended <- sched.Threads().Run(ctx, slices.Repeat([]sched.Task{func(ctx context.Context) error {
			started.Add(1)
			<-hold
			return task(ctx)
		}}, n))
	}()
	// All room is taken when no more start.
	for last := int32(-1); last != started.Load() || last == 0; time.Sleep(100 * time.Millisecond) {
		last = started.Load()
	}
	return func() error {
		close(hold)
		return <-ended
	}
}

// cancelWaiting cancels a run that waits for room.
func cancelWaiting() int {
	release := fillThreads(context.Background(), ok)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(200*time.Millisecond, cancel)
	// A few may find room, never all.
	fmt.Println(sched.Threads().Run(ctx, slices.Repeat([]sched.Task{func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	}}, 300)))
	if err := release(); err != nil {
		fmt.Println("release:", err)
		return 1
	}
	return 0
}

// threadsInThreads has tasks that all need one more thread, and none ends.
func threadsInThreads() int {
	release := fillThreads(context.Background(), func(ctx context.Context) error {
		<-time.After(100 * time.Millisecond) // all come to this
		return sched.Threads().Run(ctx, []sched.Task{ok})
	})
	fmt.Println(release())
	return 0
}

func TestLowSetMaxThreads(t *testing.T) {
	out := child(t, "low SetMax", nil)
	var most, limit int
	if _, err := fmt.Sscanf(out, "most %d limit %d error <nil>", &most, &limit); err != nil {
		t.Fatal(err)
	}
	if most > limit || limit > 100 {
		t.Errorf("%d at once, limit %d", most, limit)
	}
}
