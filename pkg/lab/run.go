package lab

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"overlap/pkg/internal/guard"
	"overlap/pkg/probe"
	"overlap/pkg/sched"
)

// An Option changes how an experiment is run, not what it measures.
type Option func(*execution)

// Observe has f called before every trial and once at the end, from the goroutine that runs the
// experiment and while nothing is measured.
func Observe(f func(Progress)) Option {
	return func(x *execution) { x.observers = append(x.observers, f) }
}

// Progress says how far a run is.
type Progress struct {
	Done, Total    int // trials; warm-up, controls and traced runs included
	Round, Repeats int // the round that runs, 0 for the warm-up; Repeats+1 for the traced runs
	Variant        string
	Size           int
	Elapsed, Left  time.Duration // Left is 0 until there is something to guess it from
	Finished       bool
	Result         *Result // what is measured so far; only to be read, and only during the call
}

// saveEvery is how often at most a run under way is saved.
const saveEvery = 5 * time.Second

type execution struct {
	*plan
	observers []func(Progress)
	traced    bool
	result    *Result
	answers   map[int]answer // by size
	lastTime  map[step]time.Duration
	failed    map[step]bool
	total     int
	done      int // as last reported
	begun     time.Time
	saved     time.Time
	stored    bool // part of this run is
	resume    bool
	have      map[measured]bool // what an earlier run measured: see [Resume]
	before    time.Duration     // how long that took

	told atomic.Pointer[time.Time] // when ctx was done: see tell
}

// tell notes that ctx is done, and returns since when that is known.
func (x *execution) tell() time.Time {
	now := time.Now()
	x.told.CompareAndSwap(nil, &now)
	return *x.told.Load()
}

// rest returns how much longer something may go on now that ctx is done.
func (x *execution) rest() time.Duration {
	return max(leastWait, guard.StopLimit-time.Since(x.tell()))
}

// A step is one trial of a round. The baseline's second run is a step of its own.
type step struct {
	variant int
	size    int
	control bool
}

// underWay are the runs under way in this process.
var underWay probe.Company

// Run measures the experiment and saves the result, also while it runs, so that even a killed
// process loses little. Where the cause of ctx is [ErrGivenUp] nothing of the interrupted run stays
// stored.
//
// It returns an error where the experiment cannot run at all, then with a nil result, and where
// only part of it could be measured, then with the result of that part: ctx was done (the result
// says Interrupted and the error wraps the cause), a variant failed (the others go on without it;
// see [Result.Failures]), or the result could not be saved.
func (e Experiment) Run(ctx context.Context, opts ...Option) (*Result, error) {
	p, err := e.plan()
	if err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, fmt.Errorf("lab: experiment %q cannot run: the context is nil; "+
			"give context.Background() if there is none", e.Name)
	}
	x := &execution{
		plan:     p,
		result:   p.blank,
		answers:  map[int]answer{},
		lastTime: map[step]time.Duration{},
		failed:   map[step]bool{},
		begun:    time.Now(),
		saved:    time.Now(),
	}
	for _, opt := range opts {
		if opt != nil {
			opt(x)
		}
	}
	measured := false
	if x.resume {
		if measured, err = x.takeUp(); err != nil {
			return nil, err
		}
		if measured && !x.untraced() {
			return x.result, nil
		}
	}
	defer guard.Stops(ctx)()
	here := underWay.Enter()
	defer here.Leave()
	x.result.Beside = here.Beside() || x.result.Beside
	defer context.AfterFunc(ctx, func() { x.tell() })()
	steps := x.steps()
	x.total = len(steps) * (p.Repeats + 1)
	if x.traced {
		x.total += len(x.variants)
	}
	var runErr error
	if !measured {
		runErr = x.rounds(ctx, steps)
	}
	if x.traced && runErr == nil {
		if !measured {
			x.result.Elapsed = x.elapsed()
			_ = x.save() // the traces may never come; a failure here comes again at the end, and is told then
		}
		runErr = x.trace(ctx, len(steps)*(p.Repeats+1))
	}
	x.result.Elapsed = x.elapsed()
	x.result.Beside = here.Beside() || x.result.Beside
	x.report(Progress{Round: p.Repeats, Finished: true})

	errs := []error{runErr}
	for _, f := range x.result.Failures {
		errs = append(errs, fmt.Errorf("lab: %q: %w", p.Name, f))
	}
	if errors.Is(context.Cause(ctx), ErrGivenUp) {
		x.forget()
	} else if len(x.result.Trials)+len(x.result.Failures) > 0 {
		if err := x.save(); err != nil {
			errs = append(errs, fmt.Errorf("lab: %q was measured, but not saved: %w; "+
				"Save of the result writes it to another folder", p.Name, err))
		}
	}
	return x.result, errors.Join(errs...)
}

// steps returns the trials of a round in their plain order: at each size the baseline first, as the
// answers of the others are compared with its.
func (x *execution) steps() []step {
	var steps []step
	for _, size := range x.Sizes {
		steps = append(steps, step{x.baseline, size, false})
		for v := range x.variants {
			if v != x.baseline {
				steps = append(steps, step{v, size, false})
			}
		}
		steps = append(steps, step{x.baseline, size, true})
	}
	return steps
}

func (x *execution) rounds(ctx context.Context, steps []step) error {
	random := rand.New(rand.NewPCG(x.Seed, 0))
	for round := 0; round <= x.Repeats; round++ {
		order := slices.Clone(steps)
		if round > 0 { // the warm-up keeps the plain order: it fixes the answers
			random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		for i, s := range order {
			if !x.toCome(s, round) {
				continue
			}
			x.report(Progress{
				Round: round, Variant: x.variants[s.variant].Name, Size: s.size,
				Done: round*len(steps) + i, Left: x.left(round, order[i:], steps),
			})
			if err := context.Cause(ctx); err != nil {
				return x.interrupted(round, err)
			}
			trial, err := x.trial(ctx, s, round, nil)
			cause := context.Cause(ctx)
			if err != nil && (cause == nil || errors.As(err, new(*sched.PanicError))) { // a panic is no way to stop
				x.fail(s, round, err)
			}
			if err != nil && cause != nil {
				return x.interrupted(round, x.atThatTime(s, cause, err))
			}
			if err == nil {
				x.keep(s, trial)
			}
		}
	}
	return nil
}

// fail notes that a variant is run no more at a size.
func (x *execution) fail(s step, round int, err error) {
	x.failed[step{s.variant, s.size, false}] = true
	f := Failure{Variant: x.variants[s.variant].Name, Size: s.size, Round: round, Reason: err.Error()}
	if panicked := new(sched.PanicError); errors.As(err, &panicked) {
		f.Stack, f.panicked = string(panicked.Stack), panicked
	}
	x.result.Failures = append(x.result.Failures, f)
}

// keep adds a trial to the result, and saves what there is from time to time.
func (x *execution) keep(s step, trial Trial) {
	trial.Order = len(x.result.Trials)
	x.result.Trials = append(x.result.Trials, trial)
	x.lastTime[s] = trial.Wall
	if time.Since(x.saved) > saveEvery {
		x.result.Elapsed = x.elapsed()
		x.result.Interrupted = true // what this file is if nothing follows
		x.stored = true
		_ = x.saveJSON() // a failure here comes again at the end, and is told then
		x.result.Interrupted = false
	}
}

// atThatTime adds to the cause of an interrupt what the trial under way tells beyond it: that it
// does not stop, or what kept its tasks from starting.
func (x *execution) atThatTime(s step, cause, err error) error {
	stopped := new(sched.StoppedError)
	switch {
	case errors.Is(err, errStuck):
		return fmt.Errorf("%w (%s: %w)", cause, x.variants[s.variant].Name, err)
	case errors.As(err, &stopped) && stopped.Held != "":
		return fmt.Errorf("%w (%s: %d of %d tasks not started; %s)",
			cause, x.variants[s.variant].Name, stopped.Left, stopped.Of, stopped.Held)
	}
	return cause
}

func (x *execution) interrupted(round int, cause error) error {
	x.result.Interrupted = true
	return fmt.Errorf("lab: %q interrupted in round %d of %d, what was measured before is kept: %w",
		x.Name, round, x.Repeats, cause)
}

// left guesses the time to the end from the last time of each step.
func (x *execution) left(round int, rest, all []step) time.Duration {
	if round == 0 {
		return 0
	}
	var left time.Duration
	for steps := rest; round <= x.Repeats; round, steps = round+1, all {
		for _, s := range steps {
			if x.toCome(s, round) {
				left += x.lastTime[s]
			}
		}
	}
	return left
}

// toCome reports whether a step of a round is still to be measured, neither given up nor there from
// an earlier run.
func (x *execution) toCome(s step, round int) bool {
	return !x.failed[step{s.variant, s.size, false}] && !x.have[measured{s, round}]
}

// elapsed returns how long the run took until now, an earlier part included.
func (x *execution) elapsed() time.Duration { return x.before + time.Since(x.begun) }

func (x *execution) report(p Progress) {
	p.Total, p.Repeats = x.total, x.Repeats
	p.Elapsed, p.Result = x.elapsed(), x.result
	if p.Finished && !x.result.Interrupted {
		p.Done = p.Total // those of variants that failed are not to come
	} else if p.Finished {
		p.Done = x.done
	}
	x.done = p.Done
	for _, f := range x.observers {
		f(p)
	}
}
