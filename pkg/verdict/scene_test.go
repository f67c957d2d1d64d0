package verdict_test

import (
	"slices"
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/probe/trace"
	"overlap/pkg/verdict"
)

const ms = time.Millisecond

// A part is a time that a goroutine of a scene spends in one state, at one
// place.
type part struct {
	state trace.State
	for_  time.Duration
	at    string // the line's text; waits at the same one are counted together
}

// A goroutine of a scene starts at a time and goes through its parts.
type goroutine struct {
	start time.Duration
	parts []part
}

// A scene is what goroutines did, as a test thinks it up: the first is the
// root. trace and evidence tell it as the probe would.
type scene []goroutine

func (s scene) wall() (wall time.Duration) {
	for _, g := range s {
		end := g.start
		for _, p := range g.parts {
			end += p.for_
		}
		wall = max(wall, end)
	}
	return wall
}

func (s scene) trace() *trace.Trace {
	t := &trace.Trace{
		Wall: s.wall(), Covered: s.wall(), Procs: 2, Goroutines: len(s) - 1,
		Time: map[trace.State]time.Duration{}, RootTime: map[trace.State]time.Duration{},
	}
	step := t.Wall / 100
	if step > 0 {
		for i := range 100 {
			t.Steps = append(t.Steps, trace.Step{
				Start: time.Duration(i) * step, End: time.Duration(i+1) * step, Mean: map[trace.State]float64{},
			})
		}
	}
	var lives, busies, outsides []time.Duration
	type change struct {
		at time.Duration
		by int
	}
	var changes []change
	for id, g := range s {
		now := g.start
		life := trace.Life{ID: int64(id), Func: "main.work", Start: now}
		var busy, outside time.Duration
		for _, p := range g.parts {
			end := now + p.for_
			t.Time[p.state] += p.for_
			if id == 0 {
				t.RootTime[p.state] += p.for_
			}
			if p.state == trace.Runnable || p.state == trace.Queued {
				t.SchedDelay.N++
				t.SchedDelay.Sum += p.for_
			}
			if p.state.OnCPU() {
				busy += p.for_
			}
			if p.state.Outside() {
				outside += p.for_
			}
			for i := range t.Steps {
				st := &t.Steps[i]
				if d := min(end, st.End) - max(now, st.Start); d > 0 {
					st.Mean[p.state] += float64(d) / float64(step)
				}
			}
			life.Spans = append(life.Spans, trace.StateSpan{State: p.state, Start: now, End: end})
			addWait(t, id == 0, p)
			now = end
		}
		life.End = now
		if len(t.Lives) < trace.MaxLives {
			t.Lives = append(t.Lives, life)
		}
		if id == 0 {
			continue
		}
		lives, busies, outsides = append(lives, now-g.start), append(busies, busy), append(outsides, outside)
		t.Tasks.Longest = max(t.Tasks.Longest, busy+outside)
		changes = append(changes, change{g.start, 1}, change{now, -1})
	}
	slices.SortFunc(changes, func(a, b change) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		return a.by - b.by
	})
	alive := 0
	for _, c := range changes {
		alive += c.by
		t.Peak = max(t.Peak, alive)
	}
	t.Tasks.By, t.Tasks.AtOnceMax = "goroutine", t.Peak
	var lived time.Duration
	for _, l := range lives {
		lived += l
	}
	if t.Wall > 0 {
		t.Tasks.AtOnceMean = float64(lived) / float64(t.Wall)
	}
	t.Tasks.Life, t.Tasks.Busy, t.Tasks.Outside = spread(lives), spread(busies), spread(outsides)
	return t
}

// addWait counts a part among the waits.
func addWait(t *trace.Trace, root bool, p part) {
	switch p.state {
	case trace.Running, trace.Native, trace.Queued, trace.Runnable:
		return
	}
	i := slices.IndexFunc(t.Waits, func(w trace.Wait) bool {
		return w.State == p.state && w.Root == root && w.Place.Code == p.at
	})
	if i < 0 {
		i = len(t.Waits)
		what := map[trace.State]string{trace.Lock: "sync.(*Mutex).Lock", trace.Sleep: "time.Sleep", trace.Channel: "chan receive", trace.Join: "sync.(*WaitGroup).Wait"}[p.state]
		if p.at == "jobs <- i" || p.at == "sem <- token" {
			what = "chan send"
		}
		t.Waits = append(t.Waits, trace.Wait{State: p.state, Root: root, Place: trace.Place{
			Func: "main.work", File: "main.go", Line: 10 + i, What: what, Code: p.at}})
	}
	t.Waits[i].N++
	t.Waits[i].Time += p.for_
	t.Waits[i].Longest = max(t.Waits[i].Longest, p.for_)
}

func spread(ds []time.Duration) (s trace.Spread) {
	ds = slices.Sorted(slices.Values(ds))
	if len(ds) == 0 {
		return s
	}
	s.N, s.Median, s.P99, s.Max = int64(len(ds)), ds[(len(ds)-1)/2], ds[(len(ds)-1)*99/100], ds[len(ds)-1]
	for _, d := range ds {
		s.Sum += d
	}
	return s
}

// evidence is the scene on a quiet machine of 2 CPUs.
func (s scene) evidence() verdict.Evidence {
	t := s.trace()
	cpu := t.Time[trace.Running] + t.Time[trace.Native]
	return verdict.Evidence{
		Usage: probe.Usage{Wall: t.Wall, User: cpu, HostBusy: cpu, CPUs: 2},
		Trace: t,
		Procs: 2,
		CPUs:  probe.CPUSet{Count: 2, Bound: "online", Affinity: 2},
	}
}

// repeat returns parts n times over.
func repeat(n int, parts ...part) (all []part) {
	for range n {
		all = append(all, parts...)
	}
	return all
}

func run(d time.Duration) part                          { return part{trace.Running, d, ""} }
func ready(d time.Duration) part                        { return part{trace.Runnable, d, ""} }
func sleep(d time.Duration) part                        { return part{trace.Sleep, d, "time.Sleep(d)"} }
func fetch(d time.Duration) part                        { return part{trace.Network, d, "http.Get(url)"} }
func lock(d time.Duration) part                         { return part{trace.Lock, d, "mu.Lock()"} }
func join(d time.Duration) part                         { return part{trace.Join, d, "wg.Wait()"} }
func at(p part, code string) part                       { p.at = code; return p }
func receive(d time.Duration) part                      { return part{trace.Channel, d, "<-jobs"} }
func send(d time.Duration) part                         { return part{trace.Channel, d, "jobs <- i"} }
func alone(parts ...part) goroutine                     { return goroutine{parts: parts} }
func from(start time.Duration, parts ...part) goroutine { return goroutine{start, parts} }

// joined is a root that waits for the others, each of which is one of gs.
func joined(gs ...goroutine) scene {
	s := append(scene{{}}, gs...)
	s[0].parts = []part{join(s.wall())}
	return s
}

// times is n goroutines that do the same.
func times(n int, parts ...part) (gs []goroutine) {
	for range n {
		gs = append(gs, alone(parts...))
	}
	return gs
}
