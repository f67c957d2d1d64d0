package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"
)

// Resume takes up the last run of the experiment where it was interrupted, or
// where a variant failed: what that run measured stays, and only the rest is
// measured, in the order that its seed gives. Where the last run was complete
// its result is returned as it is, and nothing is measured. Without this
// option a run starts over.
//
// A run on another machine, or with another version of Go or of a library, is
// not taken up: figures of both would not belong together.
func Resume() Option { return func(x *execution) { x.resume = true } }

// measured is a trial of a round.
type measured struct {
	step
	round int
}

// takeUp makes the execution go on where the stored run ended. It returns the
// stored result where there is nothing left to measure, and nil where there is
// something.
func (x *execution) takeUp() (*Result, error) {
	dir, err := x.dir()
	if err != nil {
		return nil, err
	}
	blank := x.result
	load := func(name string) (*Result, error) {
		r, err := LoadFile(filepath.Join(dir, name+".json"))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("%w; run without lab.Resume to start over", err)
		case r.key() != blank.key() || r.Machine.String() != blank.Machine.String():
			return nil, nil
		}
		return r, nil
	}
	part, err := load(blank.base() + partial)
	if err != nil {
		return nil, err
	}
	whole, err := load(blank.base())
	if err != nil {
		return nil, err
	}
	if whole != nil && (part == nil || part.Started.Before(whole.Started)) {
		return whole, nil
	}
	if part == nil {
		return nil, nil
	}
	x.have = map[measured]bool{}
	for i, t := range part.Trials {
		v := slices.Index(part.Variants, t.Variant)
		s := step{v, t.Size, t.Control}
		x.have[measured{s, t.Round}] = true
		x.lastTime[s] = t.Wall
		part.Trials[i].Order = i
		if known, ok := x.answers[t.Size]; !ok || v == x.baseline && known.by != x.variants[v].Name {
			x.answers[t.Size] = answer{t.Answer, t.Variant}
		}
	}
	x.Seed, x.before = part.Seed, part.Elapsed
	part.Machine = blank.Machine // GOMAXPROCS, say, as it is now
	part.Interrupted, part.Failures = false, nil
	part.Resumed = append(part.Resumed, time.Now())
	x.result = part
	return nil, nil
}
