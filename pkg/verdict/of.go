package verdict

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"overlap/pkg/lab"
	"overlap/pkg/probe"
)

// Of judges each variant of a lab's result at the largest size that was
// measured of it. Variants of which no trial is there are left out.
func Of(r *lab.Result) []Verdict {
	if r == nil {
		return nil
	}
	var vs []Verdict
	for _, variant := range r.Variants {
		largest := 0
		for _, size := range r.Sizes {
			if size > largest && len(r.Of(variant, size)) > 0 {
				largest = size
			}
		}
		if largest > 0 {
			vs = append(vs, OfTrial(r, variant, largest))
		}
	}
	return vs
}

// OfTrial judges one variant of a lab's result at one size: by its traced run,
// with what that run itself used, or, where there is none, by the medians of its
// rounds and the times of its tasks. CPU time is compared with the sequential
// variant's at the same size, or a pool of one's, if the result has one of the
// same work, traced too if it can be. What was not measured gives [CannotTell].
func OfTrial(r *lab.Result, variant string, size int) Verdict {
	v := Judge(evidenceOf(r, variant, size))
	v.Subject, v.Size = variant, size
	if r == nil {
		return v
	}
	v.Experiment = r.Name
	v.Notes = append(v.Notes, doubts(r)...)
	return v
}

// doubts are the warnings of a result that qualify all of its verdicts, and
// that the evidence of a single trial does not show.
func doubts(r *lab.Result) (notes []string) {
	for _, w := range r.Warnings() {
		switch w.Kind {
		case "noise", "spread", "quick", "interrupted", "not alone", "left running", "GOMAXPROCS", "suspended":
			notes = append(notes, w.Text)
		}
	}
	return notes
}

// evidenceOf gathers what a result knows of a variant at a size.
func evidenceOf(r *lab.Result, variant string, size int) Evidence {
	var e Evidence
	if r == nil {
		return e
	}
	e.Procs, e.CPUs, e.Machine = r.Machine.GOMAXPROCS, r.Machine.Usable, r.Machine
	trials := r.Of(variant, size)
	if len(trials) == 0 {
		return e
	}
	e.Usage = medianUsage(trials)
	e.Procs = cmp.Or(e.Usage.GOMAXPROCS, e.Procs)
	e.Lab = labEvidence(trials)
	spec, ok := specOf(r, variant)
	if ok {
		e.Lab.Scheduler = spec.Scheduler
	}
	run := tracedRun(r, variant, size)
	if run != nil {
		// What failed, or was read in part only, is not the whole work.
		if e.Untraced = run.Problem; e.Untraced == "" {
			e.Trace = run.Trace
		}
	}
	traced := e.Trace != nil && run.Wall > 0
	if traced { // its own figures belong to the trace, which slows it down
		e.Lab.traced(run, ratio(e.Lab.LongestTask, e.Usage.Wall))
		e.Usage = run.Usage
	}
	for _, isAlone := range []func(string) bool{isSequential, isPoolOfOne} {
		for i, other := range r.Specs {
			if e.Alone != nil || i >= len(r.Variants) || r.Variants[i] == variant || !ok || !isAlone(other.Scheduler) || !sameWork(spec, other) {
				continue
			}
			if run := tracedRun(r, r.Variants[i], size); traced && run != nil && run.Trace != nil && run.Problem == "" && run.Wall > 0 {
				e.Alone = &run.Usage
			} else if alone := r.Of(r.Variants[i], size); len(alone) > 0 {
				usage := medianUsage(alone)
				e.Alone = &usage
			}
		}
	}
	return e
}

// tracedRun returns the traced run of a variant at a size, nil where there is
// none.
func tracedRun(r *lab.Result, variant string, size int) *lab.TracedTrial {
	for i := range r.Traced {
		if t := &r.Traced[i]; t.Variant == variant && t.Size == size {
			return t
		}
	}
	return nil
}

func specOf(r *lab.Result, variant string) (lab.Spec, bool) {
	if i := slices.Index(r.Variants, variant); i >= 0 && i < len(r.Specs) {
		return r.Specs[i], true
	}
	return lab.Spec{}, false
}

func isPoolOfOne(scheduler string) bool { return scheduler == "pool(1)" }

func isSequential(scheduler string) bool {
	return strings.HasPrefix(scheduler, "sequential") || scheduler == "unconfined"
}

func sameWork(a, b lab.Spec) bool {
	if a.Kind != b.Kind || len(a.Params) != len(b.Params) {
		return false
	}
	for k, v := range a.Params {
		if b.Params[k] != v {
			return false
		}
	}
	return true
}

// medianUsage returns the median of each figure. It is missing where it is
// missing of any trial.
func medianUsage(trials []lab.Trial) probe.Usage {
	u := probe.Usage{
		Wall:        median(trials, func(t lab.Trial) time.Duration { return t.Wall }),
		User:        median(trials, func(t lab.Trial) time.Duration { return t.User }),
		System:      median(trials, func(t lab.Trial) time.Duration { return t.System }),
		Children:    median(trials, func(t lab.Trial) time.Duration { return t.Children }),
		RunDelay:    median(trials, func(t lab.Trial) time.Duration { return t.RunDelay }),
		Voluntary:   median(trials, func(t lab.Trial) int64 { return t.Voluntary }),
		Involuntary: median(trials, func(t lab.Trial) int64 { return t.Involuntary }),
		MinorFaults: median(trials, func(t lab.Trial) int64 { return t.MinorFaults }),
		MajorFaults: median(trials, func(t lab.Trial) int64 { return t.MajorFaults }),
		PeakMemory:  median(trials, func(t lab.Trial) int64 { return t.PeakMemory }),
		Steal:       median(trials, func(t lab.Trial) time.Duration { return t.Steal }),
		HostBusy:    median(trials, func(t lab.Trial) time.Duration { return t.HostBusy }),
		Throttled:   median(trials, func(t lab.Trial) time.Duration { return t.Throttled }),
		Suspended:   median(trials, func(t lab.Trial) time.Duration { return t.Suspended }),
		CPUs:        median(trials, func(t lab.Trial) float64 { return t.CPUs }),
		GOMAXPROCS:  int(median(trials, func(t lab.Trial) int64 { return int64(t.GOMAXPROCS) })),
	}
	for _, t := range trials {
		u.Missing = append(u.Missing, t.Missing...)
	}
	slices.Sort(u.Missing)
	u.Missing = slices.Compact(u.Missing)
	return u
}

// median returns the middle value, of an even number the lower of the two.
func median[T int64 | float64 | time.Duration](trials []lab.Trial, figure func(lab.Trial) T) T {
	values := make([]T, len(trials))
	for i, t := range trials {
		values[i] = figure(t)
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

func labEvidence(trials []lab.Trial) *LabEvidence {
	first := trials[0]
	l := &LabEvidence{
		Tasks:        first.Tasks,
		Workers:      int(median(trials, func(t lab.Trial) int64 { return int64(t.Workers) })),
		InFlightMax:  int(median(trials, func(t lab.Trial) int64 { return int64(t.InFlightMax) })),
		InFlightMean: median(trials, func(t lab.Trial) float64 { return t.InFlightMean }),
	}
	wall := median(trials, func(t lab.Trial) time.Duration { return t.Wall })
	l.meanTask(wall)
	for _, t := range trials {
		if len(t.Spans) == t.Tasks && t.Tasks > 0 { // the spans of all tasks
			l.spans(t, wall)
			break
		}
	}
	return l
}

func (l *LabEvidence) meanTask(wall time.Duration) {
	if l.Tasks > 0 {
		l.MeanTask = time.Duration(l.InFlightMean * float64(wall) / float64(l.Tasks))
	}
}

// spans adds what the tasks' times of one trial show. Beside other trials'
// figures, a task is the same share of the makespan as in its own.
func (l *LabEvidence) spans(t lab.Trial, wall time.Duration) {
	var longest, lastStart, lastEnd, secondEnd time.Duration
	for _, s := range t.Spans {
		longest = max(longest, s.End-s.Start)
		lastStart = max(lastStart, s.Start)
		if s.End > lastEnd {
			lastEnd, secondEnd = s.End, lastEnd
		} else {
			secondEnd = max(secondEnd, s.End)
		}
	}
	l.LongestTask = time.Duration(math.Min(1, ratio(longest, t.Wall)) * float64(wall))
	l.Queued = ratio(lastStart, t.Wall)
	if len(t.Spans) > 1 {
		l.Tail = ratio(lastEnd-max(secondEnd, lastStart), t.Wall)
	}
}

// traced puts the traced run's own figures in the place of the rounds', of
// which the longest task took a share of the makespan.
func (l *LabEvidence) traced(run *lab.TracedTrial, share float64) {
	l.Tasks, l.InFlightMax, l.InFlightMean, l.Workers = run.Tasks, run.InFlightMax, run.InFlightMean, run.Workers
	l.meanTask(run.Wall)
	l.LongestTask = time.Duration(share * float64(run.Wall))
	if t := run.Trace.Tasks; t.By == "region" && !run.Trace.Truncated {
		l.LongestTask = min(t.Life.Max, run.Wall)
	}
}
