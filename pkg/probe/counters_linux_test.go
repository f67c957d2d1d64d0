package probe

import (
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"overlap/pkg/internal/procfs"
)

func TestUsable(t *testing.T) {
	for _, c := range []struct {
		name     string
		online   int
		affinity int
		quota    float64
		count    float64
		bound    string
	}{
		{"all", 8, 8, 0, 8, "online"},
		{"pinned", 8, 2, 0, 2, "affinity"},
		{"quota", 8, 8, 1.5, 1.5, "quota"},
		{"quota tighter than the mask", 8, 2, .5, .5, "quota"},
		{"mask tighter than the quota", 8, 1, 4, 1, "affinity"},
		{"mask not known", 4, 0, 0, 4, "online"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := usable(c.online, c.affinity, c.quota); got.Count != c.count || got.Bound != c.bound {
				t.Errorf("%+v, want %v by %s", got, c.count, c.bound)
			}
		})
	}
}

func TestParseStat(t *testing.T) {
	busy, steal, ok := parseStat([]byte("cpu  100 1 50 9999 7 2 3 4 90 0\ncpu0 1 1 1 1\n"))
	if !ok || busy != 156*tick || steal != 4*tick {
		t.Errorf("busy %v, steal %v, %v", busy, steal, ok)
	}
	for _, bad := range []string{"", "cpu", "intr 1 2 3 4 5 6 7 8 9", "cpu a b c d e f g h"} {
		if _, _, ok := parseStat([]byte(bad)); ok {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestCountRanges(t *testing.T) {
	for list, want := range map[string]int{"0": 1, "0-3": 4, "0-3,8,10-11": 7, "": 0, "x": 0, "3-1": 0} {
		if got := countRanges(list); got != want {
			t.Errorf("%q: %d, want %d", list, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("cpu 1 2 3 4 5 6 7 8", "model name\t: X")
	f.Fuzz(func(t *testing.T, stat, info string) {
		parseStat([]byte(stat))
		cpuModel(info)
		if countRanges(info) < 0 {
			t.Error("a negative count")
		}
	})
}

// What Start and Stop do themselves is not part of the measurement: an empty
// one costs far less CPU time than reading the system once.
func TestReadingIsNotMeasured(t *testing.T) {
	empty, reading := time.Hour, time.Hour
	for range 50 { // the least of many is undisturbed
		empty = min(empty, Start().Stop().CPU())
		m := Start()
		var c counters
		c.readSystem()
		reading = min(reading, m.Stop().CPU())
	}
	if empty > reading/2 {
		t.Errorf("an empty measurement counts %v of CPU time, and reading the system costs %v", empty, reading)
	}
}

// besideBusyThreads runs f while every CPU has a goroutine that computes.
func besideBusyThreads(f func()) {
	var stop atomic.Bool
	defer stop.Store(true)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for !stop.Load() {
			}
		}()
	}
	f()
}

// getrusage alone lags up to a tick behind the threads' own clocks.
func TestProcessTimeIsUpToDate(t *testing.T) {
	besideBusyThreads(func() {
		for range 20 {
			time.Sleep(time.Millisecond)
			begin := time.Now()
			var c counters
			c.readProcess()
			var threads time.Duration
			tasks, err := os.ReadDir("/proc/self/task")
			if err != nil {
				t.Skip("this system lists no threads:", err)
			}
			for _, task := range tasks {
				thread, _ := strconv.Atoi(task.Name())
				used, _ := procfs.ThreadCPU(thread)
				threads += used
			}
			// What they used since, and what is lost as the kernel gives microseconds.
			most := time.Since(begin)*time.Duration(online()) + 10*time.Microsecond
			if lag := threads - (c.user + c.system); lag > most {
				t.Fatalf("the process's CPU time is %v behind that of its threads, and they can have used %v since", lag, most)
			}
		}
	})
}
