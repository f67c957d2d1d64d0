package lab

import (
	"fmt"
	"math"
	"slices"
	"time"

	"overlap/pkg/internal/text"
)

// A Warning is a reason to trust a result less, with its evidence and what to
// do about it.
type Warning struct {
	Kind   string // in one or two words, such as "noise", "few repeats", "outside load"
	Text   string // what was seen, with its numbers
	Remedy string // one thing to try
}

// String returns the text and the remedy.
func (w Warning) String() string { return w.Text + " " + w.Remedy }

// The thresholds of the warnings, each with its reason.
const (
	shortTrial     = 2 * time.Millisecond   // below it one preemption or garbage collection is most of what is measured
	noisyFloor     = 0.1                    // identical code that may differ by more hides gains that people care about
	wideInterval   = 0.2                    // an interval of a fifth of the median on either side does not tell 1.5 times as fast from 1.9
	coldFirst      = 1.5                    // a warm-up that much slower than the median: caches, or memory touched for the first time
	outsideLoad    = 0.15                   // share of the machine that others used; at that load run delay becomes visible
	stolen         = 0.02                   // share of the CPUs that the hypervisor gave away; usual values are below 0.005
	throttledShare = 0.01                   // share of the CPUs' time for which a quota held the process back
	fewTicks       = 100 * time.Millisecond // /proc/stat counts in ticks of 10 ms: ten of them are the least to judge by
)

// Warnings returns the reasons to trust the result less, worst first.
func (r *Result) Warnings() []Warning {
	if r == nil {
		return nil
	}
	var ws []Warning
	warn := func(kind, remedy, format string, args ...any) {
		ws = append(ws, Warning{Kind: kind, Text: fmt.Sprintf(format, args...), Remedy: remedy})
	}
	for _, f := range r.Failures {
		warn("failure", "Mend the cause and run again; the figures of the other variants stand.", "%v.", f)
	}
	measured := r.pick(func(t *Trial) bool { return t.Round > 0 && slices.Contains(r.Sizes, t.Size) })
	rounds := 0
	for _, t := range measured {
		rounds = max(rounds, t.Round)
	}
	if r.Quick {
		warn("quick", "Unset OVERLAP_QUICK and run again.", "Sizes and repeats were cut, to test that it runs: nothing here is about speed.")
	}
	if !r.newer.IsZero() {
		warn("older", "Run the cell that measures it again.", "A run of %s was not completed; this is the last complete one, of %s.",
			r.newer.Format("15:04:05 on 2 January"), r.Started.Format("15:04:05 on 2 January"))
	}
	if n := len(r.Resumed); n > 0 {
		warn("resumed", "Where the machine may have changed meanwhile, run all of it again, without lab.Resume.",
			"An interrupted run was taken up again, on %s: rounds are apart in time.", r.Resumed[n-1].Format("2 January at 15:04"))
	}
	if r.Beside {
		warn("not alone", "Run one after the other.", "The same program measured another experiment meanwhile: times suffered, and CPU time and memory are of both.")
	}
	left, busy, idle := 0, 0, ""
	for _, t := range measured {
		if t.Left > 0 {
			left, busy = max(left, t.Left), busy+1
		}
		if t.Tasks == 0 {
			idle = fmt.Sprintf("%s at size %s", t.Variant, text.Count(t.Size))
		}
	}
	if busy > 0 {
		warn("left running", "Run it in a program of its own (in a notebook, in another cell), and let tasks return once their context is done.",
			"Up to %s of an earlier run, which did not stop when told to, still ran beside %d of %d trials: they used CPUs, and CPU time and memory are of all together.", text.Counted(left, "tasks"), busy, len(measured))
	}
	if idle != "" {
		warn("no tasks", "Give sizes with work in them.", "%s had no tasks: what was measured is a run of nothing.", idle)
	}
	if r.Interrupted {
		warn("interrupted", "Run again for all of it, or with lab.Resume() for the rest.", "The run was interrupted: it began %d of %s.", rounds, text.Counted(r.Repeats, "rounds"))
	}
	if rounds < MinRepeats && !r.Interrupted {
		warn("few repeats", fmt.Sprintf("Set Repeats to at least %d.", MinRepeats),
			"%s for a 95 %% interval, so no difference can be claimed.", few(rounds))
	}
	worst, at, noisy := 0.0, 0, 0
	for _, size := range r.Sizes {
		if floor, ok := r.NoiseFloor(size); ok && floor > noisyFloor {
			if noisy++; floor > worst {
				worst, at = floor, size
			}
		}
	}
	if noisy > 0 {
		warn("noise", "Close other programs, or make the work longer.",
			"At size %s (%s) two runs of the same code can differ by %.0f %%%s.", text.Count(at), r.Unit, 100*worst, cases(noisy))
	}
	r.warnSpread(warn)

	var wall, outside, steal, throttled time.Duration
	procs, other := 0, 0
	var slept time.Duration
	asleep := 0
	for _, t := range measured {
		if t.Suspended > 0 {
			slept, asleep = slept+t.Suspended, asleep+1
		}
		if t.GOMAXPROCS > 0 && r.Machine.GOMAXPROCS > 0 && t.GOMAXPROCS != r.Machine.GOMAXPROCS {
			procs, other = t.GOMAXPROCS, other+1
		}
		wall += t.Wall
		outside += t.Outside()
		steal += t.Steal
		throttled += t.Throttled
	}
	if asleep > 0 {
		warn("suspended", "Run again while the machine stays awake.",
			"The machine slept for %s during %d of %d trials. That is not in their times: what waited for another machine then waited longer than it seems.", text.Duration(slept.Seconds()), asleep, len(measured))
	}
	if other > 0 {
		warn("GOMAXPROCS", "Set it once, before the experiment, or put it back within the scheduler that needs another.",
			"GOMAXPROCS was %d when the run began, and %d after %d of %d trials.", r.Machine.GOMAXPROCS, procs, other, len(measured))
	}
	if wall > 0 && r.Machine.Logical > 0 {
		all := float64(wall) * float64(r.Machine.Logical)
		if share := float64(outside) / all; share > outsideLoad && outside > fewTicks {
			warn("outside load", "Close other programs and run again.", "Other programs used %.0f %% of the machine meanwhile.", 100*share)
		}
		if share := float64(steal) / all; share > stolen && steal > fewTicks {
			warn("steal", "Run on a machine that is not shared, or trust only ratios.", "The host of this virtual machine took %.0f %% of the CPU time for others.", 100*share)
		}
		if share := float64(throttled) / all; share > throttledShare {
			warn("quota", "Raise the container's CPU quota.", "A CPU quota held the process back for %.0f %% of the CPUs' time.", 100*share)
		}
	}
	return ws
}

// few is "1 round is too few", "3 rounds are too few".
func few(rounds int) string {
	if rounds == 1 {
		return "1 round is too few"
	}
	return fmt.Sprintf("%d rounds are too few", rounds)
}

// warnSpread adds one warning a kind, with the worst case as its evidence.
func (r *Result) warnSpread(warn func(kind, remedy, format string, args ...any)) {
	var short, wide, cold struct {
		by      float64
		variant string
		size    int
		n       int
	}
	for _, size := range r.Sizes {
		for _, v := range r.Variants {
			e := r.Time(v, size)
			if e.N == 0 {
				continue
			}
			if by := shortTrial.Seconds() / e.Median; by > 1 { // infinite for 0
				if short.n++; by > short.by {
					short.by, short.variant, short.size = by, v, size
				}
			}
			if e.Median <= 0 {
				continue
			}
			if by := math.Max(e.Hi-e.Median, e.Median-e.Lo) / e.Median; e.Interval() && by > wideInterval {
				if wide.n++; by > wide.by {
					wide.by, wide.variant, wide.size = by, v, size
				}
			}
			for _, t := range r.pick(func(t *Trial) bool { return t.Round == 0 && !t.Control && t.Variant == v && t.Size == size }) {
				if by := t.Wall.Seconds() / e.Median; by > coldFirst {
					if cold.n++; by > cold.by {
						cold.by, cold.variant, cold.size = by, v, size
					}
				}
			}
		}
	}
	if short.n > 0 {
		warn("too short", "Make the sizes larger.", "%s with %s takes less than %s, where a single pause of the system is much of what is measured%s.",
			short.variant, text.Counted(short.size, r.Unit), text.Duration(shortTrial.Seconds()), cases(short.n))
	}
	if wide.n > 0 {
		warn("spread", "Close other programs, or set more Repeats.", "The median of %s with %s is only known to within %.0f %%%s.",
			wide.variant, text.Counted(wide.size, r.Unit), 100*wide.by, cases(wide.n))
	}
	if cold.n > 0 {
		warn("cold start", "It is left out of the figures; look at it where a first run is what matters.", "The first run of %s with %s took %.1f times the median%s.",
			cold.variant, text.Counted(cold.size, r.Unit), cold.by, cases(cold.n))
	}
}

// cases tells that the worst case named is one of several.
func cases(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(", the worst of %d such cases", n)
}
