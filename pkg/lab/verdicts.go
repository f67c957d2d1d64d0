package lab

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/sched"
	"overlap/pkg/verdict"
)

// Verdicts judges each variant at the largest size that was measured of it: see [Result.Verdict].
// Variants of which no trial is there are left out.
func (r *Result) Verdicts() []verdict.Verdict {
	if r == nil {
		return nil
	}
	var vs []verdict.Verdict
	for _, variant := range r.Variants {
		largest := 0
		for _, size := range r.Sizes {
			if size > largest && len(r.Of(variant, size)) > 0 {
				largest = size
			}
		}
		if largest > 0 {
			vs = append(vs, r.Verdict(variant, largest))
		}
	}
	return vs
}

// Verdict judges one variant at one size: by its traced run, with what that run itself used, or,
// where there is none, by the medians of its rounds and the times of its tasks. CPU time is
// compared with the sequential variant's at the same size, or a pool of one's, if the result has
// one of the same work, traced too if it can be. What was not measured gives [verdict.CannotTell].
func (r *Result) Verdict(variant string, size int) verdict.Verdict {
	v := verdict.Judge(r.evidence(variant, size))
	v.Subject, v.Size = variant, size
	if r == nil {
		return v
	}
	v.Experiment = r.Name
	v.Notes = append(v.Notes, r.doubts()...)
	return v
}

// doubts are the warnings of a result that qualify all of its verdicts, and that the evidence of a
// single trial does not show.
func (r *Result) doubts() (notes []string) {
	for _, w := range r.Warnings() {
		switch w.Kind {
		case WarnNoise, WarnSpread, WarnQuick, WarnInterrupted, WarnNotAlone, WarnLeftRunning, WarnGOMAXPROCS, WarnSuspended:
			notes = append(notes, w.Text)
		}
	}
	return notes
}

// evidence gathers what a result knows of a variant at a size.
func (r *Result) evidence(variant string, size int) verdict.Evidence {
	var e verdict.Evidence
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
	l := taskEvidence(trials)
	e.Lab = l.LabEvidence
	spec, ok := r.spec(variant)
	if ok {
		l.Scheduler, l.Kind, l.Limit = spec.Scheduler, string(spec.Facts.Kind), spec.Facts.Limit
	}
	run := r.tracedRun(variant, size)
	if run != nil {
		// What failed, or was read in part only, is not the whole work.
		if e.Untraced = run.Problem; e.Untraced == "" {
			e.Trace = run.Trace
		}
	}
	traced := e.Trace != nil && run.Wall > 0
	if traced { // its own figures belong to the trace, which slows it down
		l.traced(run, share(l.LongestTask, e.Usage.Wall))
		e.Usage = run.Usage
	}
	if ok {
		e.Alone = r.alone(variant, size, traced)
	}
	return e
}

// alone returns what the same work used under a sequential variant, or else a pool of one: in its
// traced run where one is wanted and there, or by the medians of its rounds.
func (r *Result) alone(variant string, size int, traced bool) *probe.Usage {
	spec, _ := r.spec(variant)
	for _, isAlone := range []func(sched.Facts) bool{isLoop, isPoolOfOne} {
		for _, v := range r.Variants {
			other, ok := r.spec(v)
			if v == variant || !ok || !isAlone(other.Facts) || !sameWork(spec, other) {
				continue
			}
			run := r.tracedRun(v, size)
			if traced && run != nil && run.Trace != nil && run.Problem == "" && run.Wall > 0 {
				return &run.Usage
			} else if trials := r.Of(v, size); len(trials) > 0 {
				usage := medianUsage(trials)
				return &usage
			}
		}
	}
	return nil
}

// tracedRun returns the traced run of a variant at a size, nil where there is none.
func (r *Result) tracedRun(variant string, size int) *TracedTrial {
	for i := range r.Traced {
		if t := &r.Traced[i]; t.Variant == variant && t.Size == size {
			return t
		}
	}
	return nil
}

// spec returns what a variant runs, and false for one that is not known.
func (r *Result) spec(variant string) (Spec, bool) {
	if i := slices.Index(r.Variants, variant); i >= 0 && i < len(r.Specs) {
		return r.Specs[i], true
	}
	return Spec{}, false
}

func isLoop(f sched.Facts) bool { return f.Kind == sched.KindSequential }

func isPoolOfOne(f sched.Facts) bool { return f.Kind == sched.KindPool && f.Limit == 1 }

func sameWork(a, b Spec) bool {
	return a.Kind == b.Kind && maps.Equal(a.Params, b.Params)
}

// medianUsage returns the median of each figure. It is missing where it is missing of any trial.
func medianUsage(trials []Trial) probe.Usage {
	u := probe.Usage{
		Wall:        lowerMedian(trials, func(t Trial) time.Duration { return t.Wall }),
		User:        lowerMedian(trials, func(t Trial) time.Duration { return t.User }),
		System:      lowerMedian(trials, func(t Trial) time.Duration { return t.System }),
		Children:    lowerMedian(trials, func(t Trial) time.Duration { return t.Children }),
		RunDelay:    lowerMedian(trials, func(t Trial) time.Duration { return t.RunDelay }),
		Voluntary:   lowerMedian(trials, func(t Trial) int64 { return t.Voluntary }),
		Involuntary: lowerMedian(trials, func(t Trial) int64 { return t.Involuntary }),
		MinorFaults: lowerMedian(trials, func(t Trial) int64 { return t.MinorFaults }),
		MajorFaults: lowerMedian(trials, func(t Trial) int64 { return t.MajorFaults }),
		PeakMemory:  lowerMedian(trials, func(t Trial) int64 { return t.PeakMemory }),
		Steal:       lowerMedian(trials, func(t Trial) time.Duration { return t.Steal }),
		HostBusy:    lowerMedian(trials, func(t Trial) time.Duration { return t.HostBusy }),
		Throttled:   lowerMedian(trials, func(t Trial) time.Duration { return t.Throttled }),
		Suspended:   lowerMedian(trials, func(t Trial) time.Duration { return t.Suspended }),
		CPUs:        lowerMedian(trials, func(t Trial) float64 { return t.CPUs }),
		GOMAXPROCS:  int(lowerMedian(trials, func(t Trial) int64 { return int64(t.GOMAXPROCS) })),
	}
	for _, t := range trials {
		u.Missing = append(u.Missing, t.Missing...)
	}
	slices.Sort(u.Missing)
	u.Missing = slices.Compact(u.Missing)
	return u
}

// lowerMedian returns the middle value, of an even number the lower of the two: a value that was
// measured, as counts must be, and the one that verdicts of stored results were given by.
func lowerMedian[T int64 | float64 | time.Duration](trials []Trial, figure func(Trial) T) T {
	values := make([]T, len(trials))
	for i, t := range trials {
		values[i] = figure(t)
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

// tasksOf is the evidence of a trial's tasks while it is gathered.
type tasksOf struct{ *verdict.LabEvidence }

func taskEvidence(trials []Trial) tasksOf {
	l := tasksOf{&verdict.LabEvidence{
		Tasks:        trials[0].Tasks,
		Workers:      int(lowerMedian(trials, func(t Trial) int64 { return int64(t.Workers) })),
		InFlightMax:  int(lowerMedian(trials, func(t Trial) int64 { return int64(t.InFlightMax) })),
		InFlightMean: lowerMedian(trials, func(t Trial) float64 { return t.InFlightMean }),
	}}
	wall := lowerMedian(trials, func(t Trial) time.Duration { return t.Wall })
	l.meanTask(wall)
	if i := slices.IndexFunc(trials, func(t Trial) bool { return len(t.Spans) == t.Tasks && t.Tasks > 0 }); i >= 0 {
		l.spans(trials[i], wall) // of all tasks
	}
	return l
}

func (l tasksOf) meanTask(wall time.Duration) {
	if l.Tasks > 0 {
		l.MeanTask = time.Duration(l.InFlightMean * float64(wall) / float64(l.Tasks))
	}
}

// spans adds what the tasks' times of one trial show. Beside other trials' figures, a task is the
// same share of the makespan as in its own.
func (l tasksOf) spans(t Trial, wall time.Duration) {
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
	l.LongestTask = time.Duration(math.Min(1, share(longest, t.Wall)) * float64(wall))
	l.Queued = share(lastStart, t.Wall)
	if len(t.Spans) > 1 {
		l.Tail = share(lastEnd-max(secondEnd, lastStart), t.Wall)
	}
}

// traced puts the traced run's own figures in the place of the rounds', of which the longest task
// took a share of the makespan.
func (l tasksOf) traced(run *TracedTrial, share float64) {
	l.Tasks, l.InFlightMax, l.InFlightMean, l.Workers = run.Tasks, run.InFlightMax, run.InFlightMean, run.Workers
	l.meanTask(run.Wall)
	l.LongestTask = time.Duration(share * float64(run.Wall))
	if t := run.Trace.Tasks; t.By == "region" && !run.Trace.Truncated {
		l.LongestTask = min(t.Life.Max, run.Wall)
	}
}

// share returns a/b, 0 where that is not a number above 0.
func share(a, b time.Duration) float64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	return float64(a) / float64(b)
}
