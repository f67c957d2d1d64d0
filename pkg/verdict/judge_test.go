package verdict_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/verdict"
)

// TestScenes judges what goroutines were thought up to do, on 2 CPUs.
func TestScenes(t *testing.T) {
	// takeTurns is n goroutines of which one at a time passes a part of 2 ms.
	takeTurns := func(n int, wait func(time.Duration) part, holds ...part) scene {
		var gs []goroutine
		for i := range n {
			parts := []part{wait(time.Duration(1+2*i) * ms)}
			for round := range 10 {
				parts = append(parts, holds...)
				if round < 9 {
					parts = append(parts, wait(time.Duration(2*(n-1))*ms))
				}
			}
			gs = append(gs, alone(parts...))
		}
		return joined(gs...)
	}
	awaited := scene{alone(repeat(20, join(5*ms))...)}
	for i := range 20 {
		awaited = append(awaited, from(time.Duration(i)*5*ms, sleep(5*ms)))
	}
	limited := scene{alone(append(repeat(50, at(send(10*ms), "sem <- token")), join(10*ms))...)}
	for i := range 200 {
		limited = append(limited, from(time.Duration(i/4)*10*ms, fetch(10*ms)))
	}
	batches := scene{alone(repeat(5, join(20*ms))...)}
	for i := range 40 {
		batches = append(batches, from(time.Duration(i/8)*20*ms, fetch(20*ms)))
	}
	answered := scene{alone(join(200 * ms))}
	for i := range 40 {
		answered = append(answered, alone(fetch(time.Duration(i+1)*5*ms)))
	}
	tiny := scene{alone(join(100 * ms))}
	for range 2 {
		tiny = append(tiny, alone(repeat(40_000, part{probe.Runnable, 500, ""}, run(2000))...))
	}
	overlapping := scene{alone(repeat(20, join(5*ms))...)}
	for i := range 20 { // each ends only when it has reported that it did
		overlapping = append(overlapping, from(time.Duration(i)*5*ms, run(5*ms), ready(ms)))
	}
	boundOverlapping := scene{alone(repeat(20, at(send(5*ms), "sem <- token"))...)}
	for i := range 20 {
		boundOverlapping = append(boundOverlapping, from(time.Duration(i)*5*ms, run(5*ms), ready(ms)))
	}
	delegated := scene{alone(join(100 * ms)), alone(repeat(20, at(join(5*ms), "<-done"))...)}
	for i := range 20 {
		delegated = append(delegated, from(time.Duration(i)*5*ms, part{probe.Syscall, 5 * ms, "C.read"}))
	}
	connections := scene{alone(join(200 * ms))}
	for i := range 60 {
		connections = append(connections, alone(at(fetch(time.Duration(i/3)*10*ms+ms/10), "getConn"), fetch(10*ms-ms/10)))
	}
	rate := scene{alone(append(repeat(40, at(sleep(4*ms), "<-ticker.C")), join(12*ms))...)}
	for i := range 40 {
		rate = append(rate, from(time.Duration(i+1)*4*ms, sleep(12*ms)))
	}
	phases := scene{alone(repeat(10, join(15*ms))...)}
	for i := range 20 {
		phases = append(phases, from(time.Duration(i/2)*15*ms, run(time.Duration(1+14*(i%2))*ms)))
	}
	loop := scene{alone(join(100 * ms))}
	for i := range 20 {
		loop = append(loop, from(time.Duration(i)*5*ms, sleep(5*ms)))
	}
	semaphore := scene{alone(join(200 * ms))}
	for i := range 40 {
		semaphore = append(semaphore, alone(at(send(time.Duration(i/2)*10*ms+ms/10), "sem <- token"), fetch(10*ms-ms/10)))
	}
	const second = 1000 * ms

	tests := []struct {
		name   string
		scene  scene
		change func(e *verdict.Evidence)
		want   verdict.Kind
		by     string // contained in By
		text   string // contained in Text, Try or the notes
	}{
		{name: "two workers", scene: joined(times(2, run(100*ms))...), want: verdict.AllCPUs, text: "Again measures it"},
		{name: "short tasks queued", scene: joined(times(2, repeat(20, run(5*ms))...)...), want: verdict.AllCPUs},
		{name: "workers idle for want of work", scene: joined(append(times(2, run(100*ms)), times(6, receive(100*ms))...)...), want: verdict.AllCPUs},
		{name: "idle workers while others compute and wait", scene: joined(append(times(3, repeat(10, fetch(10*ms))...), times(6, receive(100*ms))...)...), want: verdict.TooFew},

		{name: "all requests at once", scene: joined(times(30, run(ms/10), fetch(100*ms))...), want: verdict.Overlaps},
		{name: "requests of a few steps", scene: joined(times(30, at(fetch(50*ms), "a"), at(fetch(50*ms), "b"))...), want: verdict.Overlaps},
		{name: "a stream each", scene: joined(times(30, repeat(20, part{probe.Network, 5 * ms, "io.ReadAll(body)"})...)...), change: streams, want: verdict.Overlaps},

		{name: "a loop that computes", scene: scene{alone(run(100 * ms))}, want: verdict.OneAtATime, by: "one goroutine"},
		{name: "a loop that waits", scene: scene{alone(repeat(10, sleep(10*ms))...)}, want: verdict.OneAtATime, by: "awaiting each", text: "10 times in turn at main.go:10"},
		{name: "one worker", scene: joined(alone(repeat(100, run(ms))...)), want: verdict.OneAtATime, by: "one worker"},
		{name: "one worker, polled", scene: scene{alone(repeat(100, sleep(ms))...), alone(run(100 * ms))}, want: verdict.OneAtATime, by: "one worker", text: "slept until others were done"},
		{name: "a loop beside a ticker", scene: scene{alone(run(100 * ms)), alone(repeat(10, sleep(10*ms))...)}, want: verdict.OneAtATime, text: "only slept"},
		{name: "awaiting each", scene: awaited, want: verdict.OneAtATime, by: "awaiting each", text: "before waiting for the first"},
		{name: "a bound of one", scene: boundOfOne(), want: verdict.OneAtATime, by: "a bound of one"},
		{name: "awaiting each, with ends that overlap", scene: overlapping, want: verdict.OneAtATime, by: "awaiting each"},
		{name: "a bound of one, with ends that overlap", scene: boundOverlapping, want: verdict.OneAtATime, by: "a bound of one"},
		{name: "a goroutine of its own for each call", scene: delegated, want: verdict.OneAtATime, by: "awaiting each", text: "<-done"},
		{name: "batches of unequal parts", scene: phases, want: verdict.OneAtATime, by: "the longest of each batch", text: "10 batches"},
		{name: "coroutines", scene: loop, change: func(e *verdict.Evidence) { e.Trace.Tasks.AtOnceMean++ }, want: verdict.OneAtATime, by: "coroutines of one thread", text: "await"},
		{name: "GOMAXPROCS set by the work", scene: joined(times(4, repeat(10, run(5*ms), ready(15*ms))...)...), change: func(e *verdict.Evidence) { e.Trace.ProcsMost = 1 }, want: verdict.OneAtATime, by: "GOMAXPROCS", text: "Raise GOMAXPROCS from 1"},
		{name: "one consumer", scene: scene{alone(run(100 * ms)), alone(repeat(50, send(2*ms))...), alone(repeat(50, send(2*ms))...)}, want: verdict.OneAtATime, by: "that all wait for"},
		{name: "the slowest stage", scene: joined(alone(run(100*ms)), alone(repeat(10, run(2*ms), send(8*ms))...)), want: verdict.OneAtATime, by: "that all wait for"},
		{name: "GOMAXPROCS", scene: joined(times(4, repeat(10, run(5*ms), ready(15*ms))...)...), change: procs(1), want: verdict.OneAtATime, by: "GOMAXPROCS", text: "Raise GOMAXPROCS from 1"},
		{name: "one CPU", scene: joined(times(4, repeat(10, run(5*ms), ready(15*ms))...)...), change: func(e *verdict.Evidence) {
			onCPUs(e, 1)
			e.CPUs = probe.CPUSet{Count: 1, Bound: "affinity", Affinity: 1}
		}, want: verdict.OneAtATime, by: "one CPU"},

		{name: "a lock", scene: takeTurns(4, lock, run(2*ms)), want: verdict.HeldByLock, by: "a lock", text: "mu.Lock()"},
		{name: "a lock held while waiting", scene: takeTurns(4, lock, sleep(2*ms)), want: verdict.HeldByLock, by: "a lock", text: "One at a time"},
		{name: "a channel as a lock", scene: takeTurns(4, send, run(2*ms)), want: verdict.HeldByLock, by: "a channel used as a lock"},
		{name: "a lock for part of the time", scene: joined(times(3, repeat(10, run(5*ms), lock(5*ms))...)...), change: func(e *verdict.Evidence) {
			e.CPUs.Count, e.CPUs.Affinity, e.Procs, e.Usage.CPUs = 4, 4, 4, 4
		}, want: verdict.HeldByLock},

		{name: "a limit of four", scene: limited, want: verdict.TooFew, by: "a bound of 4", text: "from 4 to 32"},
		{name: "a pool of eight", scene: joined(times(8, repeat(125, fetch(10*ms))...)...), want: verdict.TooFew, by: "a bound of 8", text: "from 8 to 64"},
		{name: "no more than there are", scene: joined(times(8, repeat(4, fetch(10*ms))...)...), want: verdict.TooFew, text: "from 8 to 32"},
		{name: "batches", scene: batches, want: verdict.TooFew, text: "batch"},
		{name: "few connections", scene: connections, change: func(e *verdict.Evidence) {
			for i := range e.Trace.Waits {
				if e.Trace.Waits[i].Place.Code == "getConn" {
					e.Trace.Waits[i].Place.What = "net/http.(*Transport).getConn"
				}
			}
		}, want: verdict.TooFew, by: "a bound of 3 connections", text: "from 3 to"},
		{name: "a rate", scene: rate, want: verdict.TooFew, by: "a rate", text: "every 4 ms"},
		{name: "a semaphore", scene: semaphore, want: verdict.TooFew, by: "a bound of 2"},
		{name: "answers at a steady pace", scene: answered, want: verdict.TooFew, by: "answers one after another"},

		{name: "many long goroutines", scene: timeSliced(), want: verdict.Oversubscribed, by: "goroutines"},
		{name: "GOMAXPROCS above the CPUs", scene: joined(times(8, run(400*ms))...), change: func(e *verdict.Evidence) {
			e.Procs, e.Usage.User, e.Usage.RunDelay = 8, 800*ms, 2400*ms
		}, want: verdict.Oversubscribed, by: "GOMAXPROCS", text: "from 8 to 2"},
		{name: "threads of C code", scene: joined(times(8, part{probe.Native, 400 * ms, ""})...), change: func(e *verdict.Evidence) {
			e.Usage.User, e.Usage.RunDelay = 800*ms, 2400*ms
		}, want: verdict.Oversubscribed, by: "threads"},

		{name: "one long task", scene: joined(append(times(10, run(10*ms)), alone(run(10*ms)), alone(run(200*ms)))...), want: verdict.LongTask, by: "one long task"},
		{name: "one slow answer", scene: joined(append(times(10, fetch(20*ms)), alone(fetch(200*ms)))...), want: verdict.LongTask, by: "one long task"},
		{name: "uneven shares", scene: joined(alone(run(40*ms)), alone(run(100*ms))), want: verdict.LongTask, by: "uneven shares"},
		{name: "a serial part", scene: append(scene{alone(run(50*ms), join(50*ms))}, from(50*ms, run(50*ms)), from(50*ms, run(50*ms))), want: verdict.LongTask, by: "a serial part"},

		{name: "tiny tasks", scene: tiny, want: verdict.TooSmall, text: "100 μs"},

		{name: "CPU time that grows", scene: joined(times(2, run(100*ms))...), change: func(e *verdict.Evidence) {
			e.Alone = &probe.Usage{Wall: 100 * ms, User: 100 * ms}
		}, want: verdict.Shared, text: "2 times the CPU time"},
		{name: "CPU time that does not grow", scene: joined(times(2, run(100*ms))...), change: func(e *verdict.Evidence) {
			e.Alone = &probe.Usage{Wall: 195 * ms, User: 195 * ms}
		}, want: verdict.AllCPUs, text: "as much as it should"},
		{name: "growth that others hide", scene: joined(times(2, run(100*ms))...), change: func(e *verdict.Evidence) {
			e.Alone = &probe.Usage{Wall: 60 * ms, User: 60 * ms}
			e.Usage.User, e.Usage.RunDelay = 60*ms, 140*ms
		}, want: verdict.CannotTell, by: "outside load"},

		{name: "a quota", scene: joined(times(2, run(100*ms))...), change: func(e *verdict.Evidence) {
			e.CPUs = probe.CPUSet{Count: 0.5, Bound: "quota", Affinity: 2, Quota: 0.5}
			e.Usage.User, e.Usage.RunDelay, e.Usage.Throttled = 50*ms, 150*ms, 70*ms
		}, want: verdict.Quota, text: "0.5 CPUs"},
		{name: "waiting under a quota", scene: joined(times(30, run(ms/10), fetch(100*ms))...), change: func(e *verdict.Evidence) {
			e.CPUs = probe.CPUSet{Count: 0.5, Bound: "quota", Affinity: 2, Quota: 0.5}
		}, want: verdict.Overlaps},

		{name: "the collector", scene: joined(times(2, run(100*ms))...), change: func(e *verdict.Evidence) {
			e.Trace.GC = 100 * ms
		}, want: verdict.Collector, text: "33 %"},
		{name: "a lock whose holder allocates", scene: takeTurns(8, lock, run(2*ms)), change: func(e *verdict.Evidence) {
			e.Trace.GC = 60 * ms
		}, want: verdict.HeldByLock, by: "a lock", text: "garbage collector took"},
		{name: "the collector on idle CPUs", scene: joined(times(2, run(100*ms))...), change: func(e *verdict.Evidence) {
			e.Trace.GC, e.Trace.GCIdle = 100*ms, 90*ms
		}, want: verdict.AllCPUs},

		{name: "too short", scene: joined(times(2, run(ms/2))...), want: verdict.CannotTell, by: "too short", text: "times as much"},
		{name: "nothing", scene: nil, want: verdict.CannotTell, by: "nothing measured"},
		{name: "waiting for a signal", scene: scene{alone(receive(second))}, want: verdict.CannotTell, by: "unseen"},

		{name: "others use the CPUs", scene: joined(times(2, run(200*ms))...), change: func(e *verdict.Evidence) {
			e.Usage.User, e.Usage.RunDelay, e.Usage.HostBusy = 200*ms, 200*ms, 400*ms
		}, want: verdict.AllCPUs, text: "do not trust times"},
		{name: "a lock while others use the CPUs", scene: joined(append(times(2, run(200*ms)), times(6, lock(200*ms))...)...), change: func(e *verdict.Evidence) {
			e.Usage.User, e.Usage.RunDelay, e.Usage.HostBusy = 100*ms, 300*ms, 400*ms
		}, want: verdict.HeldByLock},
		{name: "left behind", scene: joined(append(times(2, run(100*ms)), alone(sleep(100*ms)))...), change: func(e *verdict.Evidence) {
			e.Trace.Left = 1
		}, want: verdict.AllCPUs, text: "1 goroutine was left behind"},
		{name: "cut short", scene: joined(times(2, run(100*ms))...), change: func(e *verdict.Evidence) {
			e.Trace.Truncated, e.Trace.Wall, e.Usage.Wall, e.Usage.User = true, second, second, 2*second
		}, want: verdict.AllCPUs, text: "limit of memory"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := test.scene.evidence()
			if test.change != nil {
				test.change(&e)
			}
			v := verdict.Judge(e)
			if v.Kind != test.want || !strings.Contains(v.By, test.by) {
				t.Errorf("got %q by %q, want %q by %q", v.Kind, v.By, test.want, test.by)
			}
			all := v.Text + "\n" + v.Try + "\n" + strings.Join(v.Notes, "\n")
			if !strings.Contains(all, test.text) {
				t.Errorf("%q is not in:\n%s", test.text, v)
			}
			if t.Failed() {
				t.Logf("%s\n%s", v, v.Table())
			}
			sound(t, v)
		})
	}
	given := map[verdict.Kind]bool{}
	for _, test := range tests {
		given[test.want] = true
	}
	for _, k := range verdict.Kinds() {
		if !given[k] {
			t.Errorf("no scene is %q", k)
		}
	}
}

func streams(e *verdict.Evidence) {
	for i := range e.Trace.Waits {
		e.Trace.Waits[i].Place.What = "io.ReadAll"
	}
}

func procs(n int) func(*verdict.Evidence) { return func(e *verdict.Evidence) { e.Procs = n } }

func onCPUs(e *verdict.Evidence, n int) { e.Procs, e.Usage.CPUs = n, float64(n) }

func boundOfOne() scene {
	s := scene{alone(repeat(20, at(send(5*ms), "sem <- token"))...)}
	for i := range 20 {
		s = append(s, from(time.Duration(i)*5*ms, run(5*ms)))
	}
	return s
}

// timeSliced is 16 goroutines that take turns of 10 ms on 2 CPUs.
func timeSliced() scene {
	var gs []goroutine
	for i := range 16 {
		first := time.Duration(i/2) * 10 * ms
		gs = append(gs, from(first, append(repeat(4, run(10*ms), ready(70*ms)), run(10*ms))...))
	}
	return joined(gs...)
}

// sound checks what holds of every verdict.
func sound(t interface{ Errorf(string, ...any) }, v verdict.Verdict) {
	if !slices.Contains(verdict.Kinds(), v.Kind) {
		t.Errorf("%q is no kind", v.Kind)
	}
	if v.Text == "" || v.Try == "" {
		t.Errorf("text %q, try %q", v.Text, v.Try)
	}
	all := v.String() + v.Table().String()
	for _, bad := range []string{"NaN", "Inf", "%!"} {
		if strings.Contains(all, bad) {
			t.Errorf("%q in %s", bad, all)
		}
	}
	decided := 0
	for i, n := range v.Numbers {
		if n.Decided {
			decided++
			if i >= decided {
				t.Errorf("number %q decided and is not among the first", n.Name)
			}
		}
		if n.Name == "" || n.Source == "" || n.Text == "" {
			t.Errorf("number %+v", n)
		}
	}
	if decided == 0 && v.By != "nothing measured" {
		t.Errorf("%q by %q: no number decided", v.Kind, v.By)
	}
	if _, err := json.Marshal(v); err != nil {
		t.Errorf("as JSON: %v", err)
	}
}

// TestJSON: evidence that was stored is judged the same.
func TestJSON(t *testing.T) {
	want := verdict.Judge(joined(times(8, repeat(125, fetch(10*ms))...)...).evidence())
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var v verdict.Verdict
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	if got := verdict.Judge(v.Evidence); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
