package trace

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// close ends what is under way at the end of the work, or of what is known of
// it.
func (r *traceReader) close() {
	r.end = r.now
	r.procs.set(r, r.procs.now)
	for id, g := range r.goroutines {
		if !g.family {
			continue
		}
		r.cut(g)
		g.decide(r, kindUser)
		r.endTasks(g)
		if g.life != nil {
			g.life.end = r.now - r.begin
		}
		if g != r.root && !g.adopted && !g.service() {
			g.after = r.now
			r.left[id] = g
		}
	}
}

// finish sums up.
func (r *traceReader) finish() *Trace {
	out := r.out
	if !r.begun {
		return out
	}
	if !r.ended {
		r.close()
	}
	for _, t := range r.threads {
		t.finish(r)
	}
	r.guess()
	length := r.end - r.begin
	out.ProcsMost = r.procs.most()
	out.Covered = time.Duration(length)
	out.Wall = out.Covered
	for s := range states {
		if d := time.Duration(math.Round(r.time[s])); d > 0 {
			out.Time[states[s]] = d
		}
		if d := time.Duration(math.Round(r.rootTime[s])); d > 0 {
			out.RootTime[states[s]] = d
		}
	}
	out.SchedDelay = r.delays.spread()
	out.GC, out.GCIdle = time.Duration(r.gc), time.Duration(r.gcIdle)
	out.RunDelay = r.sampler.runDelay(time.Duration(r.begin-r.offset), time.Duration(r.end-r.offset))
	out.Steps = r.steps.steps(length)
	for i, l := range r.lives {
		out.Lives = append(out.Lives, l.life(int64(i)))
	}
	for _, g := range r.left {
		if g.leftBehind(r.now) {
			out.Left++
		}
	}
	r.sumTasks(length)
	r.sumWaits()
	return out
}

func (r *traceReader) sumTasks(length int64) {
	switch {
	case len(r.byRegion) > 0:
		// Of regions within regions the tasks are the many, not the whole that
		// they make up, and where there are as many, the outer ones.
		most := slices.MaxFunc(r.regionTypes, func(a, b string) int {
			x, y := r.byRegion[a], r.byRegion[b]
			return cmp.Or(cmp.Compare(x.life.n, y.life.n), cmp.Compare(x.life.sum, y.life.sum))
		})
		r.out.Tasks = r.byRegion[most].tasks("region", most, length)
	case r.byGoroutine.most > 0:
		r.out.Tasks = r.byGoroutine.tasks("goroutine", "", length)
	default:
		r.out.Tasks = r.rootTask.tasks("goroutine", "", length)
	}
}

func (r *traceReader) sumWaits() {
	var all []Wait
	var path []string
	order := make([]int, 0, len(r.waits))
	for key, w := range r.waits {
		w.Place = r.places[key.place].Place
		order = append(order, len(all))
		all, path = append(all, *w), append(path, r.places[key.place].path)
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &all[i], &all[j]
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.State, b.State), cmp.Compare(a.Place.Func, b.Place.Func),
			cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.What, b.Place.What))
	})
	lines := sources{}
	for _, i := range order[:min(len(order), MaxWaits)] {
		w := all[i]
		w.Place.Code = lines.line(path[i], w.Place.Line)
		if cell, ok := CellOf(path[i], w.Place.Line); ok {
			w.Place.File, w.Place.Line, w.Place.Cell = cell.File(), cell.Line, cell.String()
		}
		r.out.Waits = append(r.out.Waits, w)
	}
}
