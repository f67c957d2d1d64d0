package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"
)

// Resume takes up the last run of the experiment where it was interrupted, or where a variant
// failed: the rounds that it measured whole at a size stay, and the rest is measured, in the order
// that its seed gives. Of a round that lacks a trial, as of a variant that failed, all is measured
// again: figures are compared within rounds. A warm-up comes first, as in any run, and takes the
// place of the earlier one.
//
// Where the last run was complete its result is returned as it is, and nothing is measured, but
// what [Traced] asks for and it lacks. Without this option a run starts over.
//
// A run on another machine, with another GOMAXPROCS, kernel, or version of Go or of a library, or
// with another seed than the one that the experiment gives, is not taken up: figures of both would
// not belong together.
func Resume() Option { return func(x *execution) { x.resume = true } }

// measured is a trial of a round.
type measured struct {
	step
	round int
}

// takeUp makes the execution go on where the stored run ended. It reports whether no round is left
// to measure.
func (x *execution) takeUp() (measuredAll bool, err error) {
	dir, err := x.dir()
	if err != nil {
		return false, err
	}
	load := func(name string) (*Result, error) {
		r, err := LoadFile(filepath.Join(dir, name+".json"))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("%w; run without lab.Resume to start over", err)
		case !x.continues(r):
			return nil, nil
		}
		return r, nil
	}
	part, err := load(x.result.base() + partial)
	if err != nil {
		return false, err
	}
	whole, err := load(x.result.base())
	if err != nil {
		return false, err
	}
	switch {
	case whole != nil && (part == nil || part.Started.Before(whole.Started)):
		x.result, x.Seed, x.before = whole, whole.Seed, whole.Elapsed
		for _, t := range whole.Trials { // for the traced runs, if there are any
			x.answered(t)
		}
		return true, nil
	case part != nil:
		x.goOn(part)
	}
	return false, nil
}

// continues reports whether what is to be measured belongs with a stored run.
func (x *execution) continues(r *Result) bool {
	was, is := r.Machine, x.result.Machine
	return r.key() == x.result.key() && was.String() == is.String() &&
		was.GOMAXPROCS == is.GOMAXPROCS && was.Kernel == is.Kernel &&
		(!x.seeded || r.Seed == x.Seed)
}

// answered notes the answer of an earlier trial, which later ones must equal.
func (x *execution) answered(t Trial) {
	base := x.variants[x.baseline].Name
	if known, ok := x.answers[t.Size]; !ok || t.Variant == base && known.by != base {
		x.answers[t.Size] = answer{t.Answer, t.Variant}
	}
}

// goOn keeps the whole rounds of an incomplete run. Where it has none the run starts over.
func (x *execution) goOn(part *Result) {
	type sized struct{ size, round int }
	of := func(t Trial) step { return step{slices.Index(part.Variants, t.Variant), t.Size, t.Control} }
	trials := map[sized]int{}
	for _, t := range part.Trials {
		trials[sized{t.Size, t.Round}]++
	}
	kept := slices.DeleteFunc(slices.Clone(part.Trials), func(t Trial) bool {
		return t.Round == 0 || trials[sized{t.Size, t.Round}] <= len(x.variants) // the control is one more
	})
	if len(kept) == 0 {
		return
	}
	x.have = map[measured]bool{}
	for _, t := range part.Trials {
		x.answered(t)
	}
	for i, t := range kept {
		x.have[measured{of(t), t.Round}] = true
		x.lastTime[of(t)] = t.Wall
		kept[i].Order = i
	}
	x.Seed, x.before = part.Seed, part.Elapsed
	part.Trials = kept
	part.Machine = x.result.Machine // as it is now
	part.Interrupted, part.Failures = false, nil
	part.Resumed = append(part.Resumed, time.Now())
	x.result = part
}
