package trace

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"overlap/pkg/internal/procfs"
)

func openFiles(t *testing.T) int {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(names)
}

func TestSamplerLetsGo(t *testing.T) {
	before := openFiles(t)
	s := startSampler(time.Now())
	if len(s.missing) > 0 {
		t.Skip(s.missing)
	}
	if got := openFiles(t); got <= before {
		t.Errorf("%d files while it runs, %d before", got, before)
	}
	s.stop()
	s.stop()
	s.sample()
	if got := openFiles(t); got != before {
		t.Errorf("%d files afterwards, %d before", got, before)
	}
}

// A thread of which most is over when it is first read is counted from its
// start, and one that ended up to its last reading.
func TestSamplerSeesThreads(t *testing.T) {
	s := startSampler(time.Now())
	defer s.stop()
	if len(s.missing) > 0 {
		t.Skip(s.missing)
	}
	var own int64
	var used time.Duration
	var all sync.WaitGroup
	all.Go(func() {
		runtime.LockOSThread() // and never unlocked, so that the thread ends
		own = int64(unix.Gettid())
		for used < 20*time.Millisecond {
			spun += spin(10_000)
			used, _ = procfs.ThreadCPU(int(own))
		}
		s.sample()
	})
	all.Wait()
	s.sample()
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.threads[own]
	if log == nil {
		t.Fatal("the thread was never read")
	}
	if last := log.readings[len(log.readings)-1]; last.cpu < used {
		t.Errorf("%v of CPU time at the last reading, %v used", last.cpu, used)
	}
	var demand time.Duration
	for _, d := range log.demand() {
		demand += d
	}
	// Other goroutines may have used the thread before.
	if begun := log.readings[0].cpu; demand < used-begun {
		t.Errorf("a demand of %v, where %v were used", demand, used-begun)
	}
}
