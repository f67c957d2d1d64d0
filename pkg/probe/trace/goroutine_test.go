package trace

import (
	"testing"
	"time"
)

func TestLeftBehind(t *testing.T) {
	const end, ms = int64(time.Second), int64(time.Millisecond)
	tests := []struct {
		name string
		g    traceGoroutine
		want bool
	}{
		{"waits", traceGoroutine{state: inChannel, since: 1, after: end}, true},
		{"is in C", traceGoroutine{state: inSyscall, since: 1, after: end}, true},
		{"has never run", traceGoroutine{state: inQueued, since: 1, after: end}, true},
		{"waits for its turn to return", traceGoroutine{state: inRunnable, since: 1, after: end}, false},
		{"returns", traceGoroutine{state: inRunning, running: true, since: 1, after: end + ms - 1000}, false},
		{"computes", traceGoroutine{state: inRunning, running: true, since: 1, after: end}, true},
		{"computed", traceGoroutine{state: inRunnable, since: end + ms, after: end, spent: ms}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.g.leftBehind(end + ms); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// What a goroutine from before does counts once it shows whose it is.
func TestDecide(t *testing.T) {
	tests := []struct {
		name              string
		kind              kind
		goroutines        int
		service           int
		running, sleeping time.Duration
	}{
		{"the user's", kindUser, 1, 0, 5, 10},
		{"the library's", kindService, 0, 1, 5, 0},
		{"the runtime's", kindSystem, 0, 0, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newTraceReader(time.Second, nil)
			r.begun, r.begin, r.now = true, 1, 1
			g := &traceGoroutine{}
			r.join(g, true)
			for _, s := range []stateIndex{inRunning, inSleep} {
				g.state, g.running = s, s == inRunning
				r.now += map[stateIndex]int64{inRunning: 5, inSleep: 10}[s]
				r.cut(g)
			}
			g.decide(r, test.kind)
			if g.family != (test.kind != kindSystem) || r.out.Goroutines != test.goroutines || r.out.Service != test.service ||
				time.Duration(r.time[inRunning]) != test.running || time.Duration(r.time[inSleep]) != test.sleeping {
				t.Errorf("of the work %v; %d goroutines, %d of the library; running %v, asleep %v", g.family,
					r.out.Goroutines, r.out.Service, time.Duration(r.time[inRunning]), time.Duration(r.time[inSleep]))
			}
		})
	}
}
