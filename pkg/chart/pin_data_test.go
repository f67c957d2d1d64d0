package chart_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlap/pkg/lab"
	"overlap/pkg/verdict"
)

// What the pins are drawn from is written as stored files are and read as they
// are, so that it stays the same whatever becomes of the types. All of it is
// whole numbers and the same every time.
type object = map[string]any

const (
	microsecond = 1_000
	millisecond = 1_000_000
	second      = 1_000_000_000
)

// A runs is a variant: its name and what it runs on, "" for what the name says.
type runs struct{ name, on string }

func named(names ...string) []runs {
	out := make([]runs, len(names))
	for i, n := range names {
		out[i] = runs{name: n}
	}
	return out
}

// A setup says what result to make up.
type setup struct {
	name, unit, kind string
	variants         []runs
	sizes            []int
	rounds           int
	wall             func(variant, size int) int // nanoseconds
	tasks            int                         // with times, of each trial; 0 for its size
	edit             func(doc object)            // before it is read
}

// noise is by how many thousandths a time is off.
var noise = []int{0, 7, -11, 18, -4, 26, 3, -15, 9, 41, -8, 12, -20, 5, 33, -2, 14, -6, 22}

func machine() object {
	return object{
		"cpu": "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", "logical": 2,
		"usable":     object{"count": 2, "bound": "online", "affinity": 2},
		"gomaxprocs": 2, "memory_bytes": 8 << 30, "os": "Debian GNU/Linux 12 (bookworm)", "kernel": "Linux 6.1.0-18-amd64",
		"arch": "amd64",
		"go":   "go1.26.8", "versions": object{"GDAL": "3.6.2"},
	}
}

// result reads a made-up result.
func result(t *testing.T, s setup) *lab.Result {
	t.Helper()
	doc := object{
		"format": 1, "name": s.name, "unit": s.unit, "sizes": s.sizes, "repeats": s.rounds, "seed": 1,
		"started":    "2026-11-30T10:00:00Z",
		"elapsed_ns": 90 * second, "interrupted": false, "machine": machine(),
	}
	var names []string
	var specs, trials []object
	for _, v := range s.variants {
		if v.on == "" {
			v.on = v.name
		}
		names = append(names, v.name)
		specs = append(specs, object{"kind": s.kind, "scheduler": v.on, "params": object{"seed": "7"}})
	}
	doc["variants"], doc["specs"], doc["baseline"] = names, specs, names[0]
	for round := 0; round <= s.rounds; round++ {
		for _, size := range s.sizes {
			for i := range s.variants {
				for _, control := range []bool{false, true}[:1+max(0, 1-i)] {
					trials = append(trials, s.trial(i, size, round, len(trials), control))
				}
			}
		}
	}
	doc["trials"] = trials
	if s.edit != nil {
		s.edit(doc)
	}
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "result.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := lab.LoadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// trial makes up a run; the first measured one has the times of its tasks.
func (s setup) trial(i, size, round, order int, control bool) object {
	wall := s.wall(i, size) / 1000 * (1000 + noise[(order*5+i*3+size)%len(noise)])
	if round == 0 {
		wall = wall / 5 * 6
	}
	t := object{
		"variant": s.variants[i].name, "size": size, "round": round, "order": order, "control": control, "answer": "42",
		"wall_ns": wall, "user_ns": wall / 10 * 17, "system_ns": wall / 20, "cpus": 2, "gomaxprocs": 2, "tasks": size,
		"in_flight_max": 1, "in_flight_mean": 1,
	}
	if round != 1 || control {
		return t
	}
	n := s.tasks
	if n == 0 {
		n = min(size, 300)
	}
	wide, workers := width(s.variants[i].on+" "+s.variants[i].name, size)
	return withSpans(t, n, wide, workers, wall)
}

// width is how many tasks a scheduler has in flight, and whether it has workers.
func width(scheduler string, size int) (wide int, workers bool) {
	if _, in, ok := strings.Cut(scheduler, "("); ok {
		if _, err := fmt.Sscan(strings.SplitN(in, ")", 2)[0], &wide); err == nil {
			return min(wide, size), true
		}
	}
	for prefix, wide := range map[string]int{"goroutines": 50, "threads": 20, "io": 64, "default": 2, "unconfined": 390} {
		if strings.HasPrefix(strings.TrimSpace(scheduler), prefix) {
			return min(wide, size), wide == 2 || wide == 64
		}
	}
	return 1, false
}

// withSpans gives a trial the times of the first n of its tasks, so many at
// once, with workers or without; all of its tasks take together the time wall.
func withSpans(t object, n, wide int, workers bool, wall int) object {
	free := make([]int, wide)
	all := t["tasks"].(int)
	each := max(int(float64(wall)*float64(wide)/float64(all)), 200)
	var spans []object
	sum, end := 0, 0
	for i := range n {
		w := 0
		for j := range free {
			if free[j] < free[w] {
				w = j
			}
		}
		from := free[w] + each/200
		free[w] = from + each/1000*(600+(i*397)%800)
		s := object{"t": i, "s": from, "e": free[w]}
		if workers {
			s["w"] = w + 1
			t["workers"] = wide
		}
		spans = append(spans, s)
		sum, end = sum+free[w]-from, max(end, free[w])
	}
	if scale := float64(wall) / float64(max(end, 1)); n == all { // all of the time, and no more
		for _, s := range spans {
			s["s"], s["e"] = int(float64(s["s"].(int))*scale), int(float64(s["e"].(int))*scale)
		}
	}
	t["spans"], t["in_flight_max"], t["in_flight_mean"] = spans, min(n, wide), float64(sum)/float64(max(end, 1))
	return t
}

// judged reads a made-up verdict of what goroutines did, the root first.
func judged(t *testing.T, subject, kind, by string, lives []object, edit func(v, trace object)) verdict.Verdict {
	t.Helper()
	wall := 0
	for i, l := range lives {
		l["id"] = i
		if spans := l["spans"].([]object); len(spans) > 0 {
			l["start_ns"], l["end_ns"] = spans[0]["start_ns"], spans[len(spans)-1]["end_ns"]
			wall = max(wall, l["end_ns"].(int))
		}
	}
	total := map[string]int{}
	var steps []object
	const many = 100
	peak := 0
	for i := range many {
		from, to := wall*i/many, wall*(i+1)/many
		mean := map[string]float64{}
		alive := 0
		for _, l := range lives {
			in := 0
			for _, s := range l["spans"].([]object) {
				if d := min(s["end_ns"].(int), to) - max(s["start_ns"].(int), from); d > 0 {
					mean[s["state"].(string)] += float64(d) / float64(to-from)
					total[s["state"].(string)] += d
					in = 1
				}
			}
			if l["id"].(int) > 0 {
				alive += in
			}
		}
		peak = max(peak, alive)
		steps = append(steps, object{"start_ns": from, "end_ns": to, "mean": mean})
	}
	trace := object{
		"wall_ns": wall, "covered_ns": wall, "procs": 2, "goroutines": len(lives) - 1, "peak": peak, "time_ns": total,
		"steps": steps, "lives": lives,
	}
	evidence := object{
		"trace": trace, "procs": 2, "cpus": object{"count": 2, "bound": "online", "affinity": 2}, "machine": machine(),
		"usage": object{"wall_ns": wall, "user_ns": total["running"] + total["native"], "cpus": 2},
	}
	v := object{"subject": subject, "kind": kind, "by": by, "text": "Made up.", "try": "Nothing.", "evidence": evidence}
	if edit != nil {
		edit(v, trace)
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out verdict.Verdict
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// did makes a goroutine of states and how long they last, in milliseconds, from
// a time on: "running 10, lock 5".
func did(fn string, from int, states string) object {
	spans := []object{}
	at := from * millisecond
	for _, part := range strings.Split(states, ", ") {
		var state string
		var ms int
		if _, err := fmt.Sscanf(part, "%s %d", &state, &ms); err != nil {
			panic(err)
		}
		if ms > 0 {
			spans = append(spans, object{"state": state, "start_ns": at, "end_ns": at + ms*millisecond})
			at += ms * millisecond
		}
	}
	return object{"func": fn, "spans": spans}
}

// honest is n goroutines that take turns on two CPUs.
func honest(t *testing.T, n int, edit func(v, trace object)) verdict.Verdict {
	t.Helper()
	lives := []object{did("main.main.func1", 0, fmt.Sprintf("running 1, join %d", n*5))}
	for i := range n {
		lives = append(lives, did("main.main.func1.1", 1, fmt.Sprintf("queued %d, running 10", i/2*10)))
	}
	return judged(t, "honest", "runs on all CPUs", "", lives, edit)
}

// locked is n goroutines that hold one lock while they compute.
func locked(t *testing.T, n int) verdict.Verdict {
	t.Helper()
	lives := []object{did("main.main.func2", 0, fmt.Sprintf("running 1, join %d", n*10))}
	for i := range n {
		lives = append(lives, did("overlap/pkg/work.(*counter).add", 1, fmt.Sprintf("queued 1, lock %d, running 10", i*10)))
	}
	return judged(t, "a global lock", "one at a time", "a lock", lives, nil)
}

// awaited is n goroutines of which each ends before the next starts.
func awaited(t *testing.T, n int) verdict.Verdict {
	t.Helper()
	lives := []object{did("main.main.func3", 0, fmt.Sprintf("channel %d", n*10))}
	for i := range n {
		lives = append(lives, did("main.main.func3.1", i*10, "queued 1, running 9"))
	}
	return judged(t, "awaited one by one, each before the next is started", "one at a time", "awaiting each", lives, nil)
}

// fetching is n goroutines that wait for a network, and those of connections.
func fetching(t *testing.T, n, width int) verdict.Verdict {
	t.Helper()
	lives := []object{did("main.main.func4", 0, fmt.Sprintf("running 1, join %d", (n/width+1)*20))}
	for i := range n {
		lives = append(lives, did("main.fetchAll.func1", 1+i/width*20, "running 1, network 18, running 1"))
		service := did("net/http.(*persistConn).readLoop", 2+i/width*20, "network 19")
		service["service"] = true
		lives = append(lives, service)
	}
	return judged(t, "too few on the network", "waits with too few in flight", "a bound of 2", lives,
		func(_, trace object) {
			trace["goroutines"], trace["service"] = n, n
		})
}

// mixed is goroutines in every state that there is, and one of a later version.
func mixed(t *testing.T) verdict.Verdict {
	t.Helper()
	lives := []object{did("main.main.func5", 0, "running 1, join 119")}
	for i, state := range []string{"native", "runnable", "sleep", "network", "syscall", "lock", "join", "cond",
		"channel", "garbage", "other", "novel"} {
		lives = append(lives, did(fmt.Sprintf("main.work%d", i), 1, fmt.Sprintf("queued %d, running %d, %s 40, running 9",
			i, 3+i, state)))
	}
	return judged(t, "every state", "held up by a lock", "a mutex", lives, nil)
}

// millions is a verdict whose goroutines are far more than are drawn, and whose
// trace ended early.
func millions(t *testing.T, ended string) verdict.Verdict {
	t.Helper()
	return honest(t, 60, func(v, trace object) {
		v["subject"], v["kind"] = "a million goroutines", "tasks too small"
		trace["goroutines"], trace["peak"], trace["wall_ns"] = 1_000_000, 900_000, 3*second
		for i, s := range trace["steps"].([]object) {
			s["start_ns"], s["end_ns"] = 15*millisecond*i, 15*millisecond*(i+1)
			s["mean"].(map[string]float64)["queued"] = float64(360 * i * (100 - i))
			s["mean"].(map[string]float64)["garbage"] = 0.25
		}
		trace["covered_ns"], trace["truncated"], trace["ended"] = 1500*millisecond, true, ended
	})
}
