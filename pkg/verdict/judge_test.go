package verdict_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
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
		tiny = append(tiny, alone(repeat(40_000, receive(200), ready(300), run(2000))...))
	}
	overlapping := scene{alone(repeat(20, join(5*ms))...)}
	for i := range 20 { // each ends only when it has reported that it did
		overlapping = append(overlapping, from(time.Duration(i)*5*ms, run(5*ms), ready(ms)))
	}
	met := slices.Clone(awaited) // and twice two were there at once
	met = append(met, from(10*ms, run(3*ms)), from(30*ms, run(3*ms)))
	for i := range met[1:] {
		met[i+1].parts = []part{run(5 * ms)}
	}
	boundOverlapping := scene{alone(repeat(20, at(send(5*ms), "sem <- token"))...)}
	for i := range 20 {
		boundOverlapping = append(boundOverlapping, from(time.Duration(i)*5*ms, run(5*ms), ready(ms)))
	}
	delegated := scene{alone(join(100 * ms)), alone(repeat(20, at(join(5*ms), "<-done"))...)}
	for i := range 20 {
		delegated = append(delegated, from(time.Duration(i)*5*ms, part{trace.Syscall, 5 * ms, "C.read"}))
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
	// decoder is a few goroutines one after another that do nearly all, and many
	// short ones.
	decoder := scene{alone(repeat(303, join(2*ms))...)}
	now := time.Duration(0)
	for i := range 303 {
		d := 33 * time.Microsecond
		if i%101 == 0 {
			d = 200 * ms
		}
		decoder = append(decoder, from(now, run(d)))
		now += d
	}
	threads := scene{alone(join(100 * ms))}
	for i := range 2000 {
		threads = append(threads, from(time.Duration(i)*50*time.Microsecond, part{trace.Queued, time.Microsecond, ""}, run(10*time.Microsecond)))
	}
	yields := joined(times(2, repeat(40_000, ready(500), run(2000))...)...)
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
		{name: "a stream each", scene: joined(times(30, repeat(20, part{trace.Network, 5 * ms, "io.ReadAll(body)"})...)...), change: streams, want: verdict.Overlaps},

		{name: "a loop that computes", scene: scene{alone(run(100 * ms))}, want: verdict.OneAtATime, by: "one goroutine"},
		{name: "a loop that waits", scene: scene{alone(repeat(10, sleep(10*ms))...)}, want: verdict.OneAtATime, by: "awaiting each", text: "10 times in turn at main.go:10"},
		{name: "one worker", scene: joined(alone(repeat(100, run(ms))...)), want: verdict.OneAtATime, by: "one worker"},
		{name: "one worker, polled", scene: scene{alone(repeat(100, sleep(ms))...), alone(run(100 * ms))}, want: verdict.OneAtATime, by: "one worker", text: "slept until others were done"},
		{name: "a loop beside a ticker", scene: scene{alone(run(100 * ms)), alone(repeat(10, sleep(10*ms))...)}, want: verdict.OneAtATime, text: "only slept"},
		{name: "awaiting each", scene: awaited, want: verdict.OneAtATime, by: "awaiting each", text: "before waiting for the first"},
		{name: "awaiting each, where two met", scene: met, want: verdict.OneAtATime, by: "awaiting each"},
		{name: "a bound of one", scene: boundOfOne(), want: verdict.OneAtATime, by: "a bound of one"},
		{name: "awaiting each, with ends that overlap", scene: overlapping, want: verdict.OneAtATime, by: "awaiting each"},
		{name: "a bound of one, with ends that overlap", scene: boundOverlapping, want: verdict.OneAtATime, by: "a bound of one"},
		{name: "a goroutine of its own for each call", scene: delegated, want: verdict.OneAtATime, by: "awaiting each", text: "<-done"},
		{name: "batches of unequal parts", scene: phases, want: verdict.OneAtATime, by: "the longest of each batch", text: "10 batches"},
		{name: "coroutines", scene: loop, change: func(e *verdict.Evidence) { e.Trace.Tasks.AtOnceMean++ }, want: verdict.OneAtATime, by: "coroutines of one thread", text: "await"},
		{name: "GOMAXPROCS set by the work", scene: joined(times(4, repeat(10, run(5*ms), ready(15*ms))...)...), change: func(e *verdict.Evidence) { e.Trace.ProcsMost = 1 }, want: verdict.OneAtATime, by: "GOMAXPROCS", text: "GOMAXPROCS was 2 at the start and 1 for most of the time"},
		{name: "one consumer", scene: scene{alone(run(100 * ms)), alone(repeat(50, send(2*ms))...), alone(repeat(50, send(2*ms))...)}, want: verdict.OneAtATime, by: "that all wait for"},
		{name: "the slowest stage", scene: joined(alone(run(100*ms)), alone(repeat(10, run(2*ms), send(8*ms))...)), want: verdict.OneAtATime, by: "that all wait for"},
		{name: "GOMAXPROCS", scene: joined(times(4, repeat(10, run(5*ms), ready(15*ms))...)...), change: procs(1), want: verdict.OneAtATime, by: "GOMAXPROCS", text: "Raise GOMAXPROCS from 1"},
		{name: "one CPU", scene: joined(times(4, repeat(10, run(5*ms), ready(15*ms))...)...), change: func(e *verdict.Evidence) {
			onCPUs(e, 1)
			e.CPUs = probe.CPUSet{Count: 1, Bound: "affinity", Affinity: 1}
		}, want: verdict.OneAtATime, by: "one CPU"},

		{name: "a lock", scene: takeTurns(4, lock, run(2*ms)), want: verdict.HeldByLock, text: "mu.Lock()"},
		{name: "a lock held while waiting", scene: takeTurns(4, lock, sleep(2*ms)), want: verdict.HeldByLock, text: "One at a time"},
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
		{name: "threads of C code", scene: joined(times(8, part{trace.Native, 400 * ms, ""})...), change: func(e *verdict.Evidence) {
			e.Usage.User, e.Usage.RunDelay = 800*ms, 2400*ms
		}, want: verdict.Oversubscribed, by: "threads"},

		{name: "one long task", scene: joined(append(times(10, run(10*ms)), alone(run(10*ms)), alone(run(200*ms)))...), want: verdict.LongTask, text: "the longest task took"},
		{name: "one slow answer", scene: joined(append(times(10, fetch(20*ms)), alone(fetch(200*ms)))...), want: verdict.LongTask, text: "the longest task took"},
		{name: "uneven shares", scene: joined(alone(run(40*ms)), alone(run(100*ms))), want: verdict.LongTask, by: "uneven shares"},
		{name: "a serial part", scene: append(scene{alone(run(50*ms), join(50*ms))}, from(50*ms, run(50*ms)), from(50*ms, run(50*ms))), want: verdict.LongTask, by: "a serial part"},

		{name: "tiny tasks", scene: tiny, want: verdict.TooSmall, text: "100 μs"},

		{name: "tiny tasks, also slower together", scene: tiny, change: func(e *verdict.Evidence) {
			e.Alone = &probe.Usage{Wall: 80 * ms, User: 80 * ms}
		}, want: verdict.TooSmall, by: "starting and switching"},
		{name: "a thread for each", scene: threads, change: func(e *verdict.Evidence) { e.Usage.User, e.Usage.HostBusy = 100*ms, 100*ms }, want: verdict.TooSmall, by: "starting threads", text: "80 %"},
		{name: "a few of many that do nearly all", scene: decoder, change: func(e *verdict.Evidence) { beside(e, 0.9) }, want: verdict.OneAtATime},
		{name: "spinning for a lock", scene: yields, change: func(e *verdict.Evidence) {
			e.Alone = &probe.Usage{Wall: 80 * ms, User: 80 * ms}
		}, want: verdict.Shared, text: "spin lock"},
		{name: "giving the turn away", scene: yields, want: verdict.AllCPUs},
		{name: "meeting at a lock", scene: joined(times(2, repeat(200, run(650*time.Microsecond), lock(100*time.Microsecond), ready(250*time.Microsecond))...)...), change: func(e *verdict.Evidence) {
			e.Alone = &probe.Usage{Wall: 130 * ms, User: 130 * ms}
		}, want: verdict.Shared, by: "at a lock", text: "mu.Lock()"},
		{name: "meeting at a lock, at no cost", scene: joined(times(2, repeat(200, run(650*time.Microsecond), lock(100*time.Microsecond), ready(250*time.Microsecond))...)...), change: func(e *verdict.Evidence) {
			e.Alone = &probe.Usage{Wall: 250 * ms, User: 250 * ms}
		}, want: verdict.CannotTell},
		{name: "a trace that costs much", scene: joined(times(2, run(100*ms))...), change: func(e *verdict.Evidence) {
			e.Trace.Events = 500_000 // 50 of 200 ms
			e.Alone = &probe.Usage{Wall: 150 * ms, User: 150 * ms}
		}, want: verdict.AllCPUs, text: "about 33 % longer"},

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
			e.Usage.User, e.Usage.RunDelay, e.Usage.Throttled = 50*ms, 150*ms, 150*ms
		}, want: verdict.Quota, text: "In 100 ms the system kept CPUs from it for 150 ms, added up over the CPUs."},
		{name: "half a CPU and GOMAXPROCS 2", scene: joined(times(2, run(100*ms))...), change: func(e *verdict.Evidence) {
			e.CPUs = probe.CPUSet{Count: 0.5, Bound: "quota", Affinity: 2, Quota: 0.5}
			e.Usage.User, e.Usage.Throttled = 50*ms, 70*ms
		}, want: verdict.Quota, text: "set GOMAXPROCS from 2 to 1"},
		{name: "a loop under a quota", scene: scene{alone(run(100 * ms))}, change: func(e *verdict.Evidence) {
			e.CPUs = probe.CPUSet{Count: 0.5, Bound: "quota", Affinity: 2, Quota: 0.5}
			e.Usage.User, e.Usage.RunDelay, e.Usage.Throttled = 50*ms, 50*ms, 50*ms
		}, want: verdict.Quota, text: "0.5 CPUs, and the work wanted 1.00. In"},
		{name: "eight CPUs that a quota stops for a fiftieth of the time", scene: joined(times(8, run(100*ms))...), change: func(e *verdict.Evidence) {
			e.Procs, e.CPUs = 8, probe.CPUSet{Count: 8, Bound: "online", Affinity: 8, Quota: 9}
			e.Usage.User, e.Usage.HostBusy, e.Usage.Throttled = 784*ms, 784*ms, 16*ms
		}, want: verdict.AllCPUs},
		{name: "eight CPUs that a quota stops for half of the time", scene: joined(times(8, run(100*ms))...), change: func(e *verdict.Evidence) {
			e.Procs, e.CPUs = 8, probe.CPUSet{Count: 4, Bound: "quota", Affinity: 8, Quota: 4}
			e.Usage.User, e.Usage.HostBusy, e.Usage.Throttled = 400*ms, 400*ms, 400*ms
		}, want: verdict.Quota, text: "In 100 ms the system kept CPUs from it for 400 ms, added up over the CPUs."},
		{name: "waiting under a quota", scene: joined(times(30, run(ms/10), fetch(100*ms))...), change: func(e *verdict.Evidence) {
			e.CPUs = probe.CPUSet{Count: 0.5, Bound: "quota", Affinity: 2, Quota: 0.5}
		}, want: verdict.Overlaps, text: "There are 0.5 CPUs (a quota): no more than that can run at a time"},

		{name: "the collector", scene: joined(times(2, run(100*ms))...), change: func(e *verdict.Evidence) {
			e.Trace.GC = 100 * ms
		}, want: verdict.Collector, text: "33 %"},
		{name: "a lock whose holder allocates", scene: takeTurns(8, lock, run(2*ms)), change: func(e *verdict.Evidence) {
			e.Trace.GC = 60 * ms
		}, want: verdict.HeldByLock, text: "garbage collector took"},
		{name: "a lock that more wait for than for the collector", scene: joined(append(times(1, run(100*ms)), append(times(6, lock(100*ms)), times(3, part{trace.Garbage, 100 * ms, "make"})...)...)...), want: verdict.HeldByLock, text: "waited for a lock"},
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
		{name: "child processes", scene: joined(times(2, part{trace.Syscall, 100 * ms, "cmd.Run()"})...), change: func(e *verdict.Evidence) {
			e.Usage.Children, e.Usage.HostBusy = 190*ms, 190*ms
		}, want: verdict.Overlaps, text: "Child processes used 1.9 CPUs meanwhile"},
		{name: "GOMAXPROCS changed half way", scene: joined(times(2, run(100*ms))...), change: func(e *verdict.Evidence) {
			e.Usage.GOMAXPROCS = 1
		}, want: verdict.AllCPUs, text: "GOMAXPROCS was 2 at the start and 1 at the end"},
		{name: "a machine that slept", scene: joined(times(2, run(100*ms))...), change: func(e *verdict.Evidence) {
			e.Usage.Suspended = 90 * second
		}, want: verdict.AllCPUs, text: "The machine slept for 90 s meanwhile"},
		{name: "left behind", scene: joined(append(times(2, run(100*ms)), alone(sleep(100*ms)))...), change: func(e *verdict.Evidence) {
			e.Trace.Left = 1
		}, want: verdict.AllCPUs, text: "1 goroutine was left behind"},
		{name: "cut short", scene: joined(times(2, run(100*ms))...), change: func(e *verdict.Evidence) {
			e.Trace.Truncated, e.Trace.Wall, e.Usage.Wall, e.Usage.User = true, second, second, 2*second
		}, want: verdict.AllCPUs, text: "limit of memory, or the work stopped it"},
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
				t.Logf("%s\n%s", v, evidence(v))
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

// evidence is the numbers of a verdict, one a line.
func evidence(v verdict.Verdict) string {
	var b strings.Builder
	for _, n := range v.Numbers {
		fmt.Fprintf(&b, "%s: %s (%s, decided %v)\n", n.Name, n.Text, n.Source, n.Decided)
	}
	return b.String()
}

// sound checks what holds of every verdict.
func sound(t interface{ Errorf(string, ...any) }, v verdict.Verdict) {
	if !slices.Contains(verdict.Kinds(), v.Kind) {
		t.Errorf("%q is no kind", v.Kind)
	}
	if v.Text == "" || v.Try == "" {
		t.Errorf("text %q, try %q", v.Text, v.Try)
	}
	if v.By != "" && strings.Contains(string(v.Kind), v.By) {
		t.Errorf("%q says it twice", v.Judged())
	}
	all := v.String() + evidence(v)
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
	agree(t, v)
}

// TestTraceEnd: a note says why a trace covers the beginning only.
func TestTraceEnd(t *testing.T) {
	for end, want := range map[trace.End]string{
		trace.AtLimit: "ended early (it met its limit of memory)", trace.ByOthers: "stopped it)", trace.Unread: "not read)",
	} {
		e := joined(times(2, run(100*ms))...).evidence()
		e.Trace.Truncated, e.Trace.Ended, e.Trace.Wall, e.Usage.Wall = true, end, 200*ms, 200*ms
		v := verdict.Judge(e)
		if !noted(v, want) || end != trace.AtLimit && noted(v, "limit") {
			t.Errorf("%s: notes %q", end, v.Notes)
		}
	}
}

// TestSerialEnd: a serial part is where it is, though the other end has few
// active goroutines for longer.
func TestSerialEnd(t *testing.T) {
	// The function alone for 40 %, two for 15 %, and then one that others wait
	// for, and the function not.
	s := scene{
		alone(run(40*ms), join(60*ms)),
		from(40*ms, run(60*ms)),
		from(40*ms, run(15*ms), receive(45*ms)),
		from(40*ms, receive(60*ms)),
	}
	v := verdict.Judge(s.evidence())
	if v.Kind != verdict.LongTask || !strings.Contains(v.Text, "For the first 40 %") || v.Numbers[0].Name != "few active at the beginning" {
		t.Errorf("got %s\n%s", v, evidence(v))
	}
}

// TestNoise: how much CPU time grew is called what it is.
func TestNoise(t *testing.T) {
	for cpu, want := range map[time.Duration]string{195 * ms: "as much as it should", 180 * ms: "up to 1.17 is noise", 166 * ms: "that is little"} {
		e := joined(times(2, run(100*ms))...).evidence()
		e.Alone = &probe.Usage{Wall: cpu, User: cpu}
		if v := verdict.Judge(e); v.Kind != verdict.AllCPUs || !noted(v, want) || want != "as much as it should" && noted(v, "as it should") {
			t.Errorf("%v alone: %s", cpu, v)
		}
	}
}

// TestNumbersAgree: a number that decided says what the text says.
func TestNumbersAgree(t *testing.T) {
	s := scene{alone(join(100 * ms))}
	for i := range 2000 {
		s = append(s, from(time.Duration(i)*50*time.Microsecond, part{trace.Queued, time.Microsecond, ""}, run(10*time.Microsecond)))
	}
	e := s.evidence()
	e.Usage.User, e.Usage.System = 50*ms, 50*ms
	e.Trace.GC = 5 * ms
	v := verdict.Judge(e)
	if v.Kind != verdict.TooSmall {
		t.Fatalf("got %s\n%s", v, evidence(v))
	}
	for _, n := range v.Numbers {
		if n.Decided && !strings.Contains(v.Text, n.Text) {
			t.Errorf("%s is %s, which the text does not say: %s", n.Name, n.Text, v.Text)
		}
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
