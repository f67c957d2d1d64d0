package verdict

import (
	"fmt"
	"math"
	"time"
)

// Rules about one long task, and about time in which only the function itself is active.

// oneLongTask is for time at the end, or at the beginning, in which a single
// goroutine is active though elsewhere more are.
func oneLongTask(r *reading) *finding {
	fits := math.Max(1, math.Min(r.peak, r.cpus))
	if r.peak < r.bar()+0.3 {
		return nil // never more than a few at once
	}
	t := r.tail
	if t.share > 1-limits.passing {
		t = tail{} // there was no time before it
	}
	if r.t != nil && r.t.Tasks.By == "goroutine" && r.longest < 0.5*t.share {
		t = tail{} // in it one came after another, and none is long
	}
	long := r.longest >= limits.longTask
	switch {
	case t.share >= limits.tail && long && t.root < 0.5*t.mean && t.waiting < 0.5 && r.ownTasks(),
		t.share >= limits.unevenTail && t.root < 0.5*t.mean && t.mean >= 0.3 && t.waiting < 0.5:
		f := &finding{kind: LongTask, decided: []string{numTail, numLongest}}
		f.text = fmt.Sprintf("For the last %.0f %% of the time %s still active, where %s were before; the longest task "+
			"took %.0f %% of the whole.",
			100*t.share, isAre(t.mean), digits(r.peak), 100*math.Min(1, r.longest))
		f.try = "Start the longest task first, or divide it."
		if !long || !r.ownTasks() {
			f.by = "uneven shares"
			f.text = fmt.Sprintf("For the last %.0f %% of the time %s still active, where %s were before.",
				100*t.share, isAre(t.mean), digits(r.peak))
			f.try = "Divide the work into more and smaller pieces, and let whoever is free take the next."
			if r.loaded() && t.share < limits.surelyUneven {
				return cannotTell("outside load",
					f.text+" Others took CPUs meanwhile, which can have slowed one of them down more than another.",
					"Run it again while no other program uses the CPUs.", numTail, numUsed, numOutside)
			}
			return f
		}
		if !r.surelyLong() {
			return cannotTell("outside load",
				f.text+" Others took CPUs meanwhile, which can have made that one so long.",
				"Run it again while no other program uses the CPUs.", numTail, numLongest, numOutside)
		}
		return f
	case t.serial(), r.head.serial():
		where, part, decided := "first", r.head, numHead
		if t.serial() && !(r.head.serial() && r.head.share > t.share) {
			where, part, decided = "last", t, numTail
		}
		if r.loaded() && part.share < limits.surelyUneven {
			return cannotTell("outside load",
				fmt.Sprintf("For the %s %.0f %% of the time only the function itself was active. Others took CPUs meanwhile, "+
					"which can have made that part longer.", where, 100*part.share),
				"Run it again while no other program uses the CPUs.", decided, numUsed)
		}
		return &finding{kind: LongTask, by: "a serial part",
			text: fmt.Sprintf("For the %s %.0f %% of the time only the function itself was active, elsewhere up to %s: no "+
				"number of CPUs shortens that part.",
				where, 100*part.share, goroutines(math.Max(fits, r.peak))),
			try:     "Divide that part too, or let it overlap with the rest.",
			decided: []string{decided, numSingle}}
	}
	return nil
}

// serial reports whether it is a time in which the function itself was active
// and for the most part alone.
func (t tail) serial() bool {
	return t.share >= limits.serialPart && t.root >= 0.5*t.mean && t.mean >= 0.5 && t.share < 0.8
}

// surelyLong reports whether the longest task is longer than the others by
// more than what others on the CPUs do to it.
func (r *reading) surelyLong() bool {
	usual, longest, stretch := time.Duration(0), time.Duration(0), 1.0
	switch {
	case r.t != nil && r.loaded():
		t := r.t.Tasks
		usual, longest, stretch = t.Busy.Median+t.Outside.Median, t.Longest, r.stretch()
	case r.t == nil && r.loadedByOthers():
		usual, longest, stretch = r.e.Lab.MeanTask, r.e.Lab.LongestTask, math.Max(1, share(r.wanted, r.used))
	default:
		return true
	}
	return float64(longest) >= limits.longLoaded*stretch*float64(usual)
}

// ownTasks reports whether the goroutines are the tasks, rather than workers
// that each do many.
func (r *reading) ownTasks() bool {
	if r.t == nil || r.t.Tasks.By == "region" {
		return true
	}
	life, times := r.t.Tasks.Life, 1.5
	if r.loaded() {
		times = 3 // some stood still for longer than others
	}
	return life.N >= 3 && times*float64(life.Median) < float64(life.Max)
}
