package probe_test

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"overlap/pkg/probe"
)

func spin(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

func TestSleepingIsWaiting(t *testing.T) {
	m := probe.Start()
	time.Sleep(50 * time.Millisecond)
	u := m.Stop()
	if u.Wall < 50*time.Millisecond {
		t.Errorf("wall %v", u.Wall)
	}
	if u.Voluntary < 1 {
		t.Error("a sleep is a voluntary switch")
	}
}

func TestSpinningUsesOneCPU(t *testing.T) {
	m := probe.Start()
	spin(100 * time.Millisecond)
	u := m.Stop()
	// However busy the machine, one goroutine cannot use more than one CPU,
	// and what it did not get it waited for. Other goroutines of the test
	// binary and the ticks of the clock get an allowance.
	if u.CPU() <= 0 || u.CPU() > u.Wall*13/10 {
		t.Errorf("spinning for %v used %v", u.Wall, u.CPU())
	}
	if u.Utilisation() <= 0 || u.Demand() < u.Utilisation() {
		t.Errorf("utilisation %v, demand %v", u.Utilisation(), u.Demand())
	}
}

func TestTouchedMemoryIsCounted(t *testing.T) {
	const size = 64 << 20
	m := probe.Start()
	data := make([]byte, size)
	for i := 0; i < len(data); i += 4096 {
		data[i] = 1
	}
	u := m.Stop()
	runtime.KeepAlive(data)
	if !u.Has(probe.PeakMemory) {
		t.Skip("this system gives no peak memory")
	}
	if u.PeakMemory < size {
		t.Errorf("peak memory %d after touching %d bytes", u.PeakMemory, size)
	}
	if u.MinorFaults == 0 {
		t.Error("no page faults")
	}
}

func TestZeroUsage(t *testing.T) {
	var u probe.Usage
	if u.Utilisation() != 0 || u.Demand() != 0 || u.Outside() != 0 || !u.Has(probe.CPUTime) {
		t.Errorf("nothing measured gives %v, %v, %v", u.Utilisation(), u.Demand(), u.Outside())
	}
}

func TestQuotaCountsInUtilisation(t *testing.T) {
	u := probe.Usage{Wall: time.Second, User: 400 * time.Millisecond, System: 100 * time.Millisecond, RunDelay: 500 * time.Millisecond, CPUs: .5}
	if u.Utilisation() != 1 || u.Demand() != 2 {
		t.Errorf("half a second of CPU time with half a CPU: utilisation %v, demand %v", u.Utilisation(), u.Demand())
	}
}

func TestChildProcessesAreNoOthers(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell:", err)
	}
	m := probe.Start()
	if err := exec.Command(shell, "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done").Run(); err != nil {
		t.Fatal(err)
	}
	u := m.Stop()
	if u.Children <= 0 {
		t.Errorf("%+v", u)
	}
	with := u.Outside()
	if u.Children = 0; u.Outside() <= with {
		t.Error("the child's time is that of others")
	}
}

func TestGOMAXPROCSAtTheEnd(t *testing.T) {
	was := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(was)
	m := probe.Start()
	runtime.GOMAXPROCS(was + 1)
	if got := m.Stop().GOMAXPROCS; got != was+1 {
		t.Errorf("%d, want %d", got, was+1)
	}
}

func TestDescribe(t *testing.T) {
	versions := map[string]string{"GDAL": "3.6.2"}
	m := probe.Describe(versions)
	versions["GDAL"] = "changed"
	if m.Logical < 1 || m.Usable.Count <= 0 || m.Usable.Count > float64(m.Logical) || m.GOMAXPROCS < 1 {
		t.Errorf("%+v", m)
	}
	for _, want := range []string{m.CPU, "CPU", runtime.Version(), "GDAL 3.6.2"} {
		if !strings.Contains(m.String(), want) {
			t.Errorf("%q lacks %q", m, want)
		}
	}
}

func TestWorkers(t *testing.T) {
	for count, want := range map[float64]int{0: 1, .5: 1, 1: 1, 1.5: 2, 2: 2, 64: 64} {
		if got := (probe.CPUSet{Count: count}).Workers(); got != want {
			t.Errorf("%v CPUs: %d workers, want %d", count, got, want)
		}
	}
}

func TestCPUSetString(t *testing.T) {
	for want, set := range map[string]probe.CPUSet{
		"2 CPUs":            {Count: 2, Bound: "online"},
		"1 CPU":             {Count: 1, Bound: "online"},
		"1 CPU (affinity)":  {Count: 1, Bound: "affinity"},
		"0.5 CPUs (quota)":  {Count: .5, Bound: "quota"},
		"3.33 CPUs (quota)": {Count: 10. / 3, Bound: "quota"},
	} {
		if got := set.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestMachineStringTellsGOMAXPROCS(t *testing.T) {
	for want, m := range map[string]probe.Machine{
		"C, 2 CPUs, L, go1":                                  {CPU: "C", Logical: 2, Usable: probe.CPUSet{Count: 2, Bound: "online"}, GOMAXPROCS: 2, OS: "L", Go: "go1"},
		"C, 2 CPUs with GOMAXPROCS 1, L, go1":                {CPU: "C", Logical: 2, Usable: probe.CPUSet{Count: 2, Bound: "online"}, GOMAXPROCS: 1, OS: "L", Go: "go1"},
		"C, 0.5 of 2 CPUs (quota) with GOMAXPROCS 2, L, go1": {CPU: "C", Logical: 2, Usable: probe.CPUSet{Count: .5, Bound: "quota"}, GOMAXPROCS: 2, OS: "L", Go: "go1"},
		"C, 1.5 of 4 CPUs (quota), L, go1":                   {CPU: "C", Logical: 4, Usable: probe.CPUSet{Count: 1.5, Bound: "quota"}, GOMAXPROCS: 2, OS: "L", Go: "go1"},
	} {
		if got := m.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func BenchmarkStartStop(b *testing.B) {
	for b.Loop() {
		probe.Start().Stop()
	}
}

func ExampleStart() {
	meter := probe.Start()
	time.Sleep(20 * time.Millisecond)
	usage := meter.Stop()
	fmt.Println("slept for at least 20 ms:", usage.Wall >= 20*time.Millisecond)
	fmt.Println("it waited at least once:", usage.Voluntary > 0)
	// Output:
	// slept for at least 20 ms: true
	// it waited at least once: true
}
