package verdict

// Judge says what the evidence shows. It is a pure function: the same evidence
// gives the same verdict, also on another machine and later. Evidence that is
// missing or makes no sense gives [CannotTell].
func Judge(e Evidence) Verdict {
	r := read(e)
	f := cannotTell("the rules", "No rule fits what was measured.",
		"Look at the numbers, and at what the goroutines waited for.")
	for _, rule := range rules {
		if g := rule(r); g != nil {
			f = g
			break
		}
	}
	return Verdict{
		Kind:     f.kind,
		By:       f.by,
		Text:     f.text,
		Try:      f.try,
		Numbers:  r.numbers(f.decided),
		Notes:    append(f.notes, r.notes(f)...),
		Evidence: e,
	}
}

// A finding is what a rule says where it applies.
type finding struct {
	kind      Kind
	by        string
	text, try string
	decided   []string // names of the numbers that decided
	notes     []string
}

// A rule returns nil where it does not apply.
type rule func(r *reading) *finding

// rules are asked in this order, and the first that applies is the verdict.
// Faults that make others look like themselves come first: a program that
// only starts goroutines is busy, and one that is throttled seems to wait.
var rules = []rule{
	nothingMeasured,
	oneShortTask,
	tooShort,
	usageOnly,
	quotaReached,
	callsCollector,
	tasksTooSmall,
	strangersCompute,
	waitsForCollector,
	collectorBusy,
	threadsQueue,
	oneCPU,
	heldByLock,
	loadHides,
	oneLongTask,
	oneAtATime,
	waitForEachOther,
	nothingHappens,
	unseenWait,
	heldAtChannel,
	allCPUs,
	waitsOutside,
	nearlyAllCPUs,
	growsAtLock,
	noCause,
}
