package lab

import (
	"fmt"
	"math"
	"slices"
	"time"

	"overlap/pkg/internal/text"
)

// A Warning is a reason to trust a result less, with its evidence and what to do about it.
type Warning struct {
	Kind   WarningKind
	Text   string // what was seen, with its numbers
	Remedy string // one thing to try
}

// A WarningKind says what a [Warning] is about, for code to decide by.
type WarningKind string

// The kinds of warnings of a result, and of a comparison across results.
const (
	WarnFailure     WarningKind = "failure"
	WarnQuick       WarningKind = "quick"
	WarnOlder       WarningKind = "older"
	WarnResumed     WarningKind = "resumed"
	WarnNotAlone    WarningKind = "not alone"
	WarnLeftRunning WarningKind = "left running"
	WarnNoTasks     WarningKind = "no tasks"
	WarnInterrupted WarningKind = "interrupted"
	WarnFewRepeats  WarningKind = "few repeats"
	WarnNoise       WarningKind = "noise"
	WarnTooShort    WarningKind = "too short"
	WarnSpread      WarningKind = "spread"
	WarnColdStart   WarningKind = "cold start"
	WarnSuspended   WarningKind = "suspended"
	WarnGOMAXPROCS  WarningKind = "GOMAXPROCS"
	WarnOutsideLoad WarningKind = "outside load"
	WarnSteal       WarningKind = "steal"
	WarnQuota       WarningKind = "quota"

	WarnSame        WarningKind = "the same"
	WarnOtherWork   WarningKind = "not the same work"
	WarnOtherAnswer WarningKind = "not the same answer"
)

// String returns the text and the remedy.
func (w Warning) String() string { return w.Text + " " + w.Remedy }

// warnings are gathered worst first.
type warnings []Warning

func (ws *warnings) add(kind WarningKind, remedy, format string, args ...any) {
	*ws = append(*ws, Warning{kind, fmt.Sprintf(format, args...), remedy})
}

// The thresholds of the warnings, each with its reason.
const (
	shortTrial     = 2 * time.Millisecond   // below it one preemption or garbage collection is most of it
	noisyFloor     = 0.1                    // identical code that may differ by more hides gains that people care about
	wideInterval   = 0.2                    // a fifth of the median either way does not tell 1.5 times as fast from 1.9
	coldFirst      = 1.5                    // a warm-up so much slower: caches, or memory touched for the first time
	outsideLoad    = 0.15                   // share of the machine that others used: then run delay becomes visible
	stolen         = 0.02                   // share of the CPUs that the hypervisor gave away; usual is below 0.005
	throttledShare = 0.01                   // share of the CPUs' time for which a quota held the process back
	fewTicks       = 100 * time.Millisecond // /proc/stat counts in ticks of 10 ms: ten are the least to judge by
)

// Warnings returns the reasons to trust the result less, worst first.
func (r *Result) Warnings() []Warning {
	if r == nil {
		return nil
	}
	var ws warnings
	measured := r.pick(func(t *Trial) bool { return t.Round > 0 && slices.Contains(r.Sizes, t.Size) })
	r.warnRun(&ws, measured)
	r.warnNoise(&ws)
	r.warnSpread(&ws)
	r.warnMachine(&ws, measured)
	return ws
}

// warnRun tells what was not measured as asked for.
func (r *Result) warnRun(ws *warnings, measured []Trial) {
	for _, f := range r.Failures {
		ws.add(WarnFailure, "Mend the cause and run again; the figures of the other variants stand.", "%v.", f)
	}
	if r.Quick {
		ws.add(WarnQuick, "Unset OVERLAP_QUICK and run again.",
			"Sizes and repeats were cut, to test that it runs: nothing here is about speed.")
	}
	if !r.newer.IsZero() {
		const layout = "15:04:05 on 2 January"
		ws.add(WarnOlder, "Run the cell that measures it again.",
			"A run of %s was not completed; this is the last complete one, of %s.",
			r.newer.Format(layout), r.Started.Format(layout))
	}
	if n := len(r.Resumed); n > 0 {
		ws.add(WarnResumed, "Where the machine may have changed meanwhile, run all of it again, without lab.Resume.",
			"An interrupted run was taken up again, on %s: rounds are apart in time.",
			r.Resumed[n-1].Format("2 January at 15:04"))
	}
	if r.Beside {
		ws.add(WarnNotAlone, "Run one after the other.",
			"The same program measured another experiment meanwhile: times suffered, and CPU time and memory are of both.")
	}
	rounds, left, busy, idle := 0, 0, 0, ""
	for _, t := range measured {
		rounds, left = max(rounds, t.Round), max(left, t.Left)
		if t.Left > 0 {
			busy++
		}
		if t.Tasks == 0 {
			idle = fmt.Sprintf("%s at size %s", t.Variant, text.Count(t.Size))
		}
	}
	if busy > 0 {
		ws.add(WarnLeftRunning, "Run it in a program of its own (in a notebook, in another cell), "+
			"and let tasks return once their context is done.",
			"Up to %s of an earlier run, which did not stop when told to, still ran beside %d of %d trials: "+
				"they used CPUs, and CPU time and memory are of all together.",
			text.Counted(left, "tasks"), busy, len(measured))
	}
	if idle != "" {
		ws.add(WarnNoTasks, "Give sizes with work in them.",
			"%s had no tasks: what was measured is a run of nothing.", idle)
	}
	if r.Interrupted {
		ws.add(WarnInterrupted, "Run again for all of it, or with lab.Resume() for the rest.",
			"The run was interrupted: it began %d of %s.", rounds, text.Counted(r.Repeats, "rounds"))
	} else if rounds < MinRepeats {
		are := "are"
		if rounds == 1 {
			are = "is"
		}
		ws.add(WarnFewRepeats, fmt.Sprintf("Set Repeats to at least %d.", MinRepeats),
			"%s %s too few for a 95 %% interval, so no difference can be claimed.", text.Counted(rounds, "rounds"), are)
	}
}

// A worst is the worst of several cases, by a figure above limit.
type worst struct {
	limit, by float64
	variant   string
	size, n   int
}

func (w *worst) see(by float64, variant string, size int) {
	if by > w.limit {
		if w.n++; by > w.by {
			w.by, w.variant, w.size = by, variant, size
		}
	}
}

// others tells that the case is one of several.
func (w *worst) others() string {
	if w.n == 1 {
		return ""
	}
	return fmt.Sprintf(", the worst of %d such cases", w.n)
}

func (r *Result) warnNoise(ws *warnings) {
	noisy := worst{limit: noisyFloor}
	for _, size := range r.Sizes {
		if floor, ok := r.NoiseFloor(size); ok {
			noisy.see(floor, "", size)
		}
	}
	if noisy.n > 0 {
		ws.add(WarnNoise, "Close other programs, or make the work longer.",
			"At size %s (%s) two runs of the same code can differ by %.0f %%%s.",
			text.Count(noisy.size), r.Unit, 100*noisy.by, noisy.others())
	}
}

// warnSpread adds one warning a kind, with the worst case as its evidence.
func (r *Result) warnSpread(ws *warnings) {
	short, wide, cold := worst{limit: 1}, worst{limit: wideInterval}, worst{limit: coldFirst}
	for _, size := range r.Sizes {
		for _, v := range r.Variants {
			e := r.Time(v, size)
			if e.N == 0 {
				continue
			}
			short.see(shortTrial.Seconds()/e.Median, v, size) // infinite for 0
			if e.Median <= 0 {
				continue
			}
			if e.Interval() {
				wide.see(math.Max(e.Hi-e.Median, e.Median-e.Lo)/e.Median, v, size)
			}
			for _, t := range r.Trials {
				if t.Round == 0 && !t.Control && t.Variant == v && t.Size == size {
					cold.see(t.Wall.Seconds()/e.Median, v, size)
				}
			}
		}
	}
	if short.n > 0 {
		ws.add(WarnTooShort, "Make the sizes larger.",
			"%s with %s takes less than %s, where a single pause of the system is much of what is measured%s.",
			short.variant, text.Counted(short.size, r.Unit), text.Duration(shortTrial.Seconds()), short.others())
	}
	if wide.n > 0 {
		ws.add(WarnSpread, "Close other programs, or set more Repeats.",
			"The median of %s with %s is only known to within %.0f %%%s.",
			wide.variant, text.Counted(wide.size, r.Unit), 100*wide.by, wide.others())
	}
	if cold.n > 0 {
		ws.add(WarnColdStart, "It is left out of the figures; look at it where a first run is what matters.",
			"The first run of %s with %s took %.1f times the median%s.",
			cold.variant, text.Counted(cold.size, r.Unit), cold.by, cold.others())
	}
}

// warnMachine tells what the machine did meanwhile.
func (r *Result) warnMachine(ws *warnings, measured []Trial) {
	var wall, outside, steal, throttled, slept time.Duration
	asleep, procs, other := 0, 0, 0
	for _, t := range measured {
		if t.Suspended > 0 {
			slept, asleep = slept+t.Suspended, asleep+1
		}
		if t.GOMAXPROCS > 0 && r.Machine.GOMAXPROCS > 0 && t.GOMAXPROCS != r.Machine.GOMAXPROCS {
			procs, other = t.GOMAXPROCS, other+1
		}
		wall, outside, steal, throttled = wall+t.Wall, outside+t.Outside(), steal+t.Steal, throttled+t.Throttled
	}
	if asleep > 0 {
		ws.add(WarnSuspended, "Run again while the machine stays awake.",
			"The machine slept for %s during %d of %d trials. That is not in their times: "+
				"what waited for another machine then waited longer than it seems.",
			text.Duration(slept.Seconds()), asleep, len(measured))
	}
	if other > 0 {
		ws.add(WarnGOMAXPROCS,
			"Set it once, before the experiment, or put it back within the scheduler that needs another.",
			"GOMAXPROCS was %d when the run began, and %d after %d of %d trials.",
			r.Machine.GOMAXPROCS, procs, other, len(measured))
	}
	all := float64(wall) * float64(r.Machine.Logical)
	if all <= 0 {
		return
	}
	if share := float64(outside) / all; share > outsideLoad && outside > fewTicks {
		ws.add(WarnOutsideLoad, "Close other programs and run again.",
			"Other programs used %.0f %% of the machine meanwhile.", 100*share)
	}
	if share := float64(steal) / all; share > stolen && steal > fewTicks {
		ws.add(WarnSteal, "Run on a machine that is not shared, or trust only ratios.",
			"The host of this virtual machine took %.0f %% of the CPU time for others.", 100*share)
	}
	if share := float64(throttled) / all; share > throttledShare {
		ws.add(WarnQuota, "Raise the container's CPU quota.",
			"A CPU quota held the process back for %.0f %% of the CPUs' time.", 100*share)
	}
}
