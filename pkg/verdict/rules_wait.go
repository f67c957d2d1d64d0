package verdict

import (
	"fmt"
	"math"
	"strings"
	"time"

	"overlap/pkg/internal/text"
	"overlap/pkg/probe/trace"
)

// waitsOutside is for work that waits for something outside more than it
// computes: does it have as much in flight as helps?
func waitsOutside(r *reading) *finding {
	if r.phi() >= limits.waiting || r.demand >= limits.saturated {
		return nil
	}
	if r.t == nil && r.e.Alone == nil && r.cpus >= limits.oneCPU && r.used >= limits.saturated && r.used <= limits.serial {
		return cannotTell("no trace",
			fmt.Sprintf("On average %s of %s tasks were in flight, and %s: that can be a lock which lets one compute at a "+
				"time, or waiting for something outside.", digits(r.active), count(int64(r.tasks)), r.usedText()),
			"Run it traced, or beside a sequential variant, which tells how much a task waits.", numInFlight, numUsed)
	}
	for _, rule := range []rule{fewConnections, paced, steadyRate} {
		if f := rule(r); f != nil {
			return f
		}
	}
	why, queues := r.queue()
	items := r.items()
	if items > 0 && math.Max(r.peak, r.active) >= limits.underWay*items {
		queues = false // nearly all were under way at once
	}
	chain := r.longest >= limits.longestChain
	if chain && !queues {
		f := &finding{kind: Overlaps, decided: []string{numLongest, numActive, numUsed}}
		f.text = fmt.Sprintf("On average %s waiting at the same time, and the whole took no longer than its longest task.",
			isAre(r.outside))
		if r.longest < 0.95 {
			f.text = fmt.Sprintf("On average %s waiting at the same time, and the longest task took %.0f %% of the whole.",
				isAre(r.outside), 100*r.longest)
		}
		f.try = "Nothing about its concurrency. To be faster the longest task has to wait less."
		if w, each := r.repeats(); each >= 1.5 {
			f.notes = append(f.notes, fmt.Sprintf("Each goroutine waited about %s times in turn at %s: if those waits do "+
				"not need each other, more in flight would shorten it.", digits(each), at(w)))
		}
		return f
	}
	if !queues || r.demand >= limits.room {
		return nil
	}
	bound := math.Max(1, math.Round(math.Min(r.atOnceOutside(), math.Max(1, r.atOnce))))
	target := r.raised(bound, items)
	if target < bound+1 {
		return nil
	}
	f := &finding{kind: TooFew, by: "a bound of " + count(int64(bound)), decided: []string{numActive, numUsed, numAtOnce}}
	f.text = fmt.Sprintf("About %s in flight, %s, and %s.", count(int64(bound)), r.usedText(), why)
	f.try = fmt.Sprintf("Raise the number in flight from %s to %s, if they do not need each other; then watch again.",
		count(int64(bound)), count(int64(target)))
	if law := bound / math.Max(r.demand, 0.001); law > 2*target && items > target {
		f.notes = append(f.notes, fmt.Sprintf("By Little's law the CPUs would allow about %s; what the other side allows "+
			"is not known, so raise it step by step.", count(int64(nice(math.Min(law, math.Max(items, target)))))))
	}
	return f
}

// raised is the number in flight to try instead of a bound, for so many items,
// 0 where that is not known.
func (r *reading) raised(bound, items float64) float64 {
	target := nice(bound * math.Min(limits.most, 1/math.Max(r.demand, 0.001)))
	if items > 0 {
		target = math.Min(target, items)
	}
	return target
}

// fewConnections is for requests that wait for one of few connections, most of
// the time within the client.
func fewConnections(r *reading) *finding {
	queued, ok := r.longestWait(func(w trace.Wait) bool { return w.State == trace.Network && isConnecting(w) })
	if !ok || queued.N < 2 {
		return nil
	}
	var answers, longest time.Duration
	for _, w := range r.t.Waits {
		if w.State == trace.Network && !isConnecting(w) {
			answers += w.Time
			longest = max(longest, w.Longest)
		}
	}
	// To open a connection takes about as long as an answer, seldom longer.
	if queued.Time < answers || float64(queued.Longest) < limits.queuedLonger*float64(longest) {
		return nil
	}
	bound := math.Max(1, math.Round(ratio(answers, r.covered())))
	return &finding{kind: TooFew, by: "a bound of " + text.Counted(int(bound), "connections"),
		decided: []string{numActive, numAtOnce, numUsed},
		text: fmt.Sprintf("Up to %s requests were under way, but only about %s on average waited for an answer: the "+
			"others waited up to %s for a connection, at %s.",
			digits(r.atOnce), digits(ratio(answers, r.covered())), seconds(queued.Longest.Seconds()), at(queued)),
		try: fmt.Sprintf("Raise what bounds the connections (MaxConnsPerHost of the transport), such as from %s to %s.",
			count(int64(bound)), count(int64(math.Max(bound+1, r.raised(bound, float64(r.tasks))))))}
}

func isConnecting(w trace.Wait) bool { return strings.HasSuffix(w.Place.What, ".getConn") }

// paced is for work of which the next piece begins only after a time, as a
// ticker or a rate limiter has it: no bound is to be raised, but a rate.
func paced(r *reading) *finding {
	w, ok := r.pace()
	if !ok || r.longest >= limits.longestChain || r.demand >= limits.room {
		return nil
	}
	return &finding{kind: TooFew, by: "a rate", decided: []string{numActive, numUsed, numTasks},
		text: fmt.Sprintf("About %s on average in flight, and %s: the next one begins only after a time, "+
			"about every %s, at %s.",
			isAre(r.active), r.usedText(), seconds(share(w.Time.Seconds(), float64(w.N))), at(w)),
		try: "If the rate is not meant so, raise it; nothing else bounds how many are in flight."}
}

// pace returns the wait for a time between the beginnings of pieces of work:
// who starts them sleeps about as often as it starts one, and few are there at
// once.
func (r *reading) pace() (trace.Wait, bool) {
	if r.t == nil {
		return trace.Wait{}, false
	}
	return r.longestWait(func(w trace.Wait) bool {
		switch {
		case w.State != trace.Sleep || w.N < int64(limits.pieces) || ratio(w.Time, r.covered()) < 0.5:
			return false
		case strings.Contains(w.Place.Via+w.Place.Func, "golang.org/x/time/rate."):
			return true
		}
		return w.Root && r.t.Tasks.By == "goroutine" && 2*w.N >= int64(r.tasks) && 2*w.N <= 3*int64(r.tasks) &&
			2*r.t.Tasks.AtOnceMax <= r.tasks
	})
}

// steadyRate is for requests that are all under way from the beginning and
// answered one after another, in equal steps: fewer at a time than it seems are
// served. Answers that take as long as each other come together instead, and
// times of their own give a curve that flattens.
func steadyRate(r *reading) *finding {
	t := r.t
	if t == nil || t.Tasks.By != "goroutine" || t.Tasks.Outside.N < limits.steadyTasks ||
		r.atOnce < float64(limits.steadyTasks) {
		return nil
	}
	w, ok := r.waits(false, trace.Network)
	out := t.Tasks.Outside
	if !ok || ratio(w.Time, out.Sum) < 0.8 || r.longest < limits.longestChain {
		return nil
	}
	middle, mean := ratio(out.Median, out.Max), r.active/r.atOnce
	if math.Abs(middle-0.5) > 1.5*limits.steady || math.Abs(mean-0.5) > limits.steady {
		return nil
	}
	return &finding{kind: TooFew, by: "answers one after another", decided: []string{numActive, numAtOnce, numUsed},
		text: fmt.Sprintf("%s requests were under way, but their answers came one after another at a steady pace, the "+
			"last after %s: somewhere only a few at a time are served. Most was waited at %s.",
			digits(r.atOnce), seconds(out.Max.Seconds()), at(w)),
		try: "Raise what bounds them: MaxConnsPerHost of the transport, the size of a connection pool, or the " +
			"server's own limit."}
}

// queue reports whether work waited its turn while others waited outside, and
// how that shows.
func (r *reading) queue() (why string, ok bool) {
	if l := r.e.Lab; l != nil && l.Queued >= limits.queued {
		return fmt.Sprintf("for %.0f %% of the time there were tasks that had not begun yet", 100*math.Min(1, l.Queued)), true
	}
	if r.t == nil {
		return "", false
	}
	// The one who hands out work waits to hand it out.
	if w, found := r.longestWait(func(w trace.Wait) bool { return w.Root && handsOut(w) }); found &&
		ratio(w.Time, r.covered()) >= limits.lock && w.N >= 2 {
		return "the next one waited to begin at " + at(w), true
	}
	// Goroutines wait for their turn at a semaphore.
	if w, found := r.longestWait(func(w trace.Wait) bool {
		return !w.Root && (handsOut(w) || w.State == trace.Channel && float64(w.N) <= 1.5*float64(r.tasks))
	}); found && ratio(w.Time, r.covered()) >= 0.5*r.active && w.N >= 2 {
		return "others waited for their turn at " + at(w), true
	}
	// They come in batches: each waits for the whole of the one before.
	if w, found := r.waits(true, trace.Join, trace.Channel); found && w.N >= 2 && r.atOnce > 0 &&
		float64(r.tasks) >= limits.waves*r.atOnce && r.longest < limits.longestChain {
		return "one batch waited for the one before at " + at(w), true
	}
	if w, each := r.repeats(); each >= limits.repeats {
		return fmt.Sprintf("each waited about %.0f times in turn at %s", each, at(w)), true
	}
	return "", false
}

// handsOut reports a wait of who wants to begin something and may not yet.
func handsOut(w trace.Wait) bool {
	return w.State == trace.Channel && (strings.Contains(w.Place.What, "send") ||
		strings.Contains(w.Place.Func, "semaphore") || strings.Contains(w.Place.What, "semaphore"))
}

// atOnceOutside is how many were active when most were.
func (r *reading) atOnceOutside() float64 {
	if r.peak >= 1 {
		return r.peak
	}
	return r.active
}

// items is how many there are to be in flight, 0 where that is not known.
func (r *reading) items() float64 {
	if r.e.Lab != nil {
		return float64(max(0, r.e.Lab.Tasks))
	}
	items := float64(r.tasks)
	if r.t.Tasks.By == "region" {
		items = math.Max(items, float64(r.t.Tasks.Life.N))
	}
	if w, each := r.repeats(); each >= limits.repeats {
		items = math.Max(items, float64(w.N))
	}
	return items
}

// nice rounds to a power of two, which says that it is no exact figure.
func nice(n float64) float64 {
	if n < 1 {
		return 1
	}
	return math.Exp2(math.Round(math.Log2(n)))
}
