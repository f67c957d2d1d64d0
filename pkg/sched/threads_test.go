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
	"overlap/pkg/sched/kotlin"
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
	"threads beside workers": threadsBesideWorkers,
	"workers beside threads": workersBesideThreads,
	"more cores than room":   moreCoresThanRoom,
	"no room for a worker":   noRoomForWorker,
	"few workers": func() int {
		d := kotlin.New()
		var done atomic.Int32
		tasks := slices.Repeat([]sched.Task{func(context.Context) error { done.Add(1); return nil }}, 10)
		err := errors.Join(d.Default().Run(context.Background(), tasks), d.IO().Run(context.Background(), tasks))
		fmt.Println("done", done.Load(), err, d.Close())
		return 0
	},
	"waiting run is cancelled": cancelWaiting,
	"threads in threads":       threadsInThreads,
}

// runThreads runs n tasks that block a little, each on a thread, and prints
// how it went.
func runThreads(n int) int {
	var g gauge
	err := sched.Threads().Run(context.Background(), g.sleeps(n, 20*time.Millisecond))
	fmt.Printf("most %d limit %d error %v\n", g.most.Load(), sched.FactsOf(sched.Threads()).Limit, err)
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
	var ran atomic.Int32
	var g gauge
	task := func(context.Context) error {
		ran.Add(1)
		g.enter()
		defer g.leave()
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
	limit := sched.FactsOf(sched.Threads()).Limit
	if ran.Load() != n || int(g.most.Load()) > limit {
		t.Errorf("%d of %d tasks ran, %d at once at most, and the limit is %d", ran.Load(), n, g.most.Load(), limit)
	}
	t.Logf("%d at once at most, limit %d", g.most.Load(), limit)
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
		{"waiting run is cancelled", " of 300 tasks not started: context canceled; no more than "},
		{"waiting run is cancelled", " threads have room: Go's debug.SetMaxThreads is 300, and the others are in use or left to the rest of the process"},
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
	n := sched.FactsOf(sched.Threads()).Limit + 50
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

// fillWorkers has the dispatchers' IO fill up, and reports how many
// run when there are some, as least says, and no more start. On a system that has
// no room for so many it gives up after a while.
func fillWorkers(ctx context.Context, d *kotlin.Dispatchers, least int) (running int, ended chan error) {
	var started atomic.Int32
	ended = make(chan error, 1)
	go func() {
		ended <- d.IO().Run(ctx, slices.Repeat([]sched.Task{func(ctx context.Context) error {
			started.Add(1)
			<-ctx.Done()
			return nil
		}}, d.IO().Limit()))
	}()
	grew := time.Now()
	for last := int32(-1); last != started.Load() || int(last) < least && time.Since(grew) < 20*time.Second; time.Sleep(300 * time.Millisecond) {
		if n := started.Load(); n != last {
			last, grew = n, time.Now()
		}
	}
	return int(started.Load()), ended
}

// workersBesideThreads has dispatchers with a worker want more while the threads
// of tasks have taken all room. Together they may not pass the limit, which
// would end the process. Once there is room again, they get it.
func workersBesideThreads() int {
	d := kotlin.New(kotlin.WithIOLimit(400))
	if err := d.Default().Run(context.Background(), []sched.Task{ok}); err != nil {
		fmt.Println(err)
		return 1
	}
	release := fillThreads(context.Background(), ok)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	running, ended := fillWorkers(ctx, d, 1)
	if running >= 200 || running < 1 {
		fmt.Printf("%d tasks run beside the threads\n", running)
		return 1
	}
	if err := release(); err != nil {
		fmt.Println("release:", err)
		return 1
	}
	for end := time.Now().Add(time.Minute); d.Stats().Alive < 150 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	fmt.Println(d.Stats().Alive >= 150, <-ended, d.Close())
	return 0
}

// noRoomHere is said where the limits of the system are lower than the test's.
const noRoomHere = "the system has no room for 200 workers, only for as many as run"

// threadsBesideWorkers has threads of tasks wait for room that workers have taken.
func threadsBesideWorkers() int {
	debug.SetMaxThreads(300)
	d := kotlin.New(kotlin.WithIOLimit(400))
	ctx, cancel := context.WithCancel(context.Background())
	running, ended := fillWorkers(ctx, d, 200)
	if running < 200 {
		cancel()
		fmt.Println(noRoomHere+":", running, <-ended, d.Close())
		return 0
	}
	fmt.Println("first:", sched.Threads().Run(context.Background(), slices.Repeat([]sched.Task{ok}, 20)))
	cancel()
	fmt.Println("workers:", running < 300, <-ended)
	fmt.Println("closed:", d.Close(), sched.Threads().Run(context.Background(), slices.Repeat([]sched.Task{ok}, 20)))
	return 0
}

// moreCoresThanRoom has dispatchers with more cores than there can be threads.
func moreCoresThanRoom() int {
	debug.SetMaxThreads(200) // or less where the system says so
	d := kotlin.New(kotlin.WithCores(1000), kotlin.WithIOLimit(1000))
	var done atomic.Int32
	var g gauge
	task := func(context.Context) error {
		g.enter()
		defer g.leave()
		time.Sleep(time.Millisecond)
		done.Add(1)
		return nil
	}
	var wg sync.WaitGroup
	for _, v := range []*kotlin.View{d.Default(), d.IO()} {
		wg.Go(func() {
			if err := v.Run(context.Background(), slices.Repeat([]sched.Task{task}, 1500)); err != nil {
				fmt.Println(err)
			}
		})
	}
	wg.Wait()
	fmt.Println("done", done.Load(), "few enough", g.most.Load() < 200, d.Close())
	return 0
}

// noRoomForWorker has dispatchers without a worker, and other threads have all
// room.
func noRoomForWorker() int {
	debug.SetMaxThreads(30)
	d := kotlin.New()
	hold, begun := make(chan struct{}), make(chan struct{})
	// Locked goroutines of somebody else.
	for range 15 {
		go func() {
			runtime.LockOSThread()
			begun <- struct{}{}
			<-hold
		}()
		<-begun
	}
	fmt.Println(d.IO().Run(context.Background(), []sched.Task{ok, ok}))
	fmt.Println(kotlin.Switch(context.Background(), d.Default(), ok))
	close(hold)
	time.Sleep(200 * time.Millisecond)
	return 0
}

// TestThreadsOfBothKinds looks at what threads of tasks and workers do
// together.
func TestThreadsOfBothKinds(t *testing.T) {
	for _, c := range []struct {
		child string
		want  []string
	}{
		{"workers beside threads", []string{"true sched: ", " of 400 tasks not started: context canceled", " <nil>"}},
		{"threads beside workers", []string{
			"first: sched: threads: no room for one more thread: Go's debug.SetMaxThreads is 300, ",
			" by workers of Dispatchers, which Close ends) and ",
			"workers: true sched: ", " of 400 tasks not started: context canceled; the dispatchers had ",
			"closed: <nil> <nil>",
		}},
		{"more cores than room", []string{"done 3000 few enough true <nil>"}},
		{"no room for a worker", []string{"sched: dispatchers: no room for one more thread: Go's debug.SetMaxThreads is 30, "}},
	} {
		t.Run(c.child, func(t *testing.T) {
			out := child(t, c.child, nil)
			if strings.Contains(out, noRoomHere) {
				t.Skip(out)
			}
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("%q is not in %q", want, out)
				}
			}
		})
	}
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
