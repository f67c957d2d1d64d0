package verdict

import (
	"runtime/metrics"
	"strings"
	"time"
)

// running are totals of the runtime since the process began.
type running struct{ mutexWait, gc time.Duration }

// readMetrics reads runtime/metrics. The collector's time is what the program
// could have used: marking on CPUs that had nothing else to do is left out. It
// is brought up to date at the end of each collection.
func readMetrics() (r running) {
	samples := []metrics.Sample{
		{Name: "/sync/mutex/wait/total:seconds"},
		{Name: "/cpu/classes/gc/mark/assist:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/dedicated:cpu-seconds"},
		{Name: "/cpu/classes/gc/pause:cpu-seconds"},
	}
	metrics.Read(samples)
	for _, s := range samples {
		if s.Value.Kind() != metrics.KindFloat64 {
			continue // not in this version of Go
		}
		d := time.Duration(s.Value.Float64() * float64(time.Second))
		if strings.HasPrefix(s.Name, "/sync/") {
			r.mutexWait += d
		} else {
			r.gc += d
		}
	}
	return r
}
