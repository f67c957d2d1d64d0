package verdict

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
)

// What goroutines from before use is not the watched function's.
func TestWatchBesideStrangers(t *testing.T) {
	var stop atomic.Bool
	var loops sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		loops.Go(func() {
			for !stop.Load() {
			}
		})
	}
	v, err := Watch(t.Context(), func(context.Context) error {
		time.Sleep(100 * time.Millisecond)
		return nil
	})
	stop.Store(true)
	loops.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if v.Kind == AllCPUs || v.Kind == Collector {
		t.Errorf("a sleep beside loops from before: %v", v)
	}
}

// Each of two at the same time says so, also the one that began first.
func TestWatchesAtOnceSaySo(t *testing.T) {
	begun, over := make(chan struct{}), make(chan struct{})
	var first Verdict
	var wg sync.WaitGroup
	wg.Go(func() {
		first, _ = Watch(t.Context(), func(context.Context) error { // cannot fail
			close(begun)
			<-over
			return nil
		})
	})
	<-begun
	second, err := Watch(t.Context(), func(context.Context) error { return nil })
	close(over)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]Verdict{"first": first, "second": second} {
		if !strings.Contains(strings.Join(v.Notes, "\n"), "Another Watch was under way") {
			t.Errorf("the %s has the notes %q", name, v.Notes)
		}
	}
}

func TestWatchWithoutContext(t *testing.T) {
	//lint:ignore SA1012 that is the mistake
	if _, err := Watch(nil, func(context.Context) error { return nil }); err == nil || !strings.Contains(err.Error(), "context.Background()") {
		t.Errorf("error %v", err)
	}
}

// Threads that C started for a goroutine in a call of C are the work's own.
func TestThreadsOfCAreNoStrangers(t *testing.T) {
	of := func(state trace.State) Evidence {
		const wall = 200 * time.Millisecond
		return Evidence{
			Usage: probe.Usage{Wall: wall, User: 390 * time.Millisecond, CPUs: 2}, Procs: 2, CPUs: probe.CPUSet{Count: 2, Affinity: 2},
			Trace: &trace.Trace{Wall: wall, Covered: wall, Procs: 2, Time: map[trace.State]time.Duration{state: wall}, RootTime: map[trace.State]time.Duration{state: wall}},
		}
	}
	if v := Judge(of(trace.Sleep)); v.By != "other goroutines" {
		t.Errorf("asleep beside others: %v", v)
	}
	if v := Judge(of(trace.Syscall)); v.By == "other goroutines" {
		t.Errorf("in C, whose threads compute: %v", v)
	}
}
