package trace

import (
	"math"
	"slices"
	"testing"
	"time"
)

// A thread's CPU time is shared out between goroutines and calls.
func TestThreadShares(t *testing.T) {
	const ms = int64(time.Millisecond)
	type use struct {
		call     bool
		from, to int64 // ms
	}
	tests := []struct {
		name   string
		used   []int64 // ms of CPU, a reading every 10 ms
		uses   []use
		native float64 // ms of the calls
	}{
		{"a call that computes", []int64{0, 10, 20}, []use{{true, 0, 20}}, 20},
		{"a call that waits", []int64{0, 0, 0}, []use{{true, 0, 20}}, 0},
		{"first the one, then the other", []int64{0, 10, 10}, []use{{true, 0, 20}}, 10},
		{"half of the time", []int64{0, 5, 10}, []use{{true, 0, 20}}, 10},
		{"a goroutine runs, the call waits", []int64{0, 5}, []use{{false, 0, 5}, {true, 5, 10}}, 0},
		{"both compute", []int64{0, 10}, []use{{false, 0, 5}, {true, 5, 10}}, 5},
		{"two calls share", []int64{0, 5}, []use{{true, 0, 5}, {true, 5, 10}}, 5},
		{"the scheduler's own time", []int64{0, 0}, []use{{true, 0, 4}, {true, 6, 10}}, 0},
		{"more than there is", []int64{0, 50}, []use{{true, 2, 4}}, 2},
		{"past the last reading", []int64{0, 10}, []use{{true, 0, 20}}, 20},
		{"never read", nil, []use{{true, 0, 20}}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newTraceReader(time.Second, nil)
			r.begun, r.begin = true, ms // times begin at 1 ms, as 0 is none
			g := &traceGoroutine{kind: kindUser, family: true}
			thread := &traceThread{}
			for i, cpu := range test.used {
				thread.readings = append(thread.readings, traceReading{at: int64(i)*10*ms + ms, used: float64((cpu - test.used[max(0, i-1)]) * ms)})
			}
			total := 0.0
			for _, u := range test.uses {
				var call *traceCall
				from, to := u.from*ms+ms, u.to*ms+ms
				if u.call {
					call = &traceCall{g: g, start: from}
					total += float64(to - from)
				}
				thread.occupy(r, u.call, call, from, to)
				if call != nil {
					call.stop(r, to)
				}
			}
			thread.finish(r)
			r.guess()
			if math.Abs(r.time[inNative]-test.native*float64(ms)) > 1 {
				t.Errorf("%v native, want %v ms", time.Duration(r.time[inNative]), test.native)
			}
			if math.Abs(r.time[inNative]+r.time[inSyscall]-total) > 1 {
				t.Errorf("%v native and %v not, of %v", time.Duration(r.time[inNative]), time.Duration(r.time[inSyscall]), time.Duration(total))
			}
		})
	}
}

func TestDemand(t *testing.T) {
	const ms = time.Millisecond
	reading := func(at, cpu, delay time.Duration, turns int64) threadReading {
		return threadReading{at, threadUse{cpu, delay, turns}}
	}
	tests := []struct {
		name     string
		readings []threadReading
		want     []time.Duration
	}{
		{"computes alone", []threadReading{reading(0, 0, 0, 1), reading(10*ms, 10*ms, 0, 1)}, []time.Duration{0, 10 * ms}},
		{"shares its CPU", []threadReading{reading(0, 0, 0, 1), reading(10*ms, 4*ms, 6*ms, 3)}, []time.Duration{0, 10 * ms}},
		{"wakes up for a moment", []threadReading{reading(0, 0, 0, 1), reading(10*ms, ms/50, 5*ms, 2)}, []time.Duration{0, ms/50 + ms}},
		{"waits for long", []threadReading{reading(0, 0, 0, 1), reading(10*ms, 0, 0, 1), reading(20*ms, ms, 19*ms, 2)}, []time.Duration{0, 10 * ms, 10 * ms}},
		{"waited before it was watched", []threadReading{reading(0, 0, 0, 1), reading(10*ms, ms, 90*ms, 2)}, []time.Duration{0, 10 * ms}},
		{"another thread of the same number", []threadReading{reading(0, 9*ms, 9*ms, 9), reading(10*ms, ms, ms, 1)}, []time.Duration{0, 0}},
		{"once", []threadReading{reading(0, ms, ms, 1)}, []time.Duration{0}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			log := threadLog{readings: test.readings}
			if got := log.demand(); !slices.Equal(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// What a thread uses to find the next goroutine is no call's.
func TestThreadScheduler(t *testing.T) {
	const us = int64(time.Microsecond)
	r := newTraceReader(time.Second, nil)
	r.begun, r.begin = true, us
	thread := &traceThread{readings: []traceReading{{at: us}, {at: 1001 * us, used: 8 * float64(us)}}}
	for _, from := range []int64{us, 501 * us} {
		call := &traceCall{g: &traceGoroutine{kind: kindUser, family: true}, start: from}
		thread.occupy(r, true, call, from, from+100*us)
		call.stop(r, from+100*us)
	}
	thread.finish(r)
	if r.time[inNative] > 0 {
		t.Errorf("%v native", time.Duration(r.time[inNative]))
	}
}

// Calls on a thread that ended before its clock was read are like the others.
func TestThreadUnseen(t *testing.T) {
	const ms = int64(time.Millisecond)
	r := newTraceReader(time.Second, nil)
	r.begun, r.begin = true, ms
	g := &traceGoroutine{kind: kindUser, family: true}
	seen := &traceThread{readings: []traceReading{{at: ms}, {at: 11 * ms, used: 7.5 * float64(ms)}}}
	for _, thread := range []*traceThread{{}, seen} {
		call := &traceCall{g: g, start: ms}
		thread.occupy(r, true, call, ms, 11*ms)
		call.stop(r, 11*ms)
	}
	seen.finish(r)
	r.guess()
	if native := r.time[inNative]; math.Abs(native-15*float64(ms)) > 1 {
		t.Errorf("%v native, want three quarters of twice 10 ms", time.Duration(native))
	}
}
