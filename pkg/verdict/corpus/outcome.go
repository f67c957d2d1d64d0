package corpus

import (
	"slices"

	"overlap/pkg/verdict"
)

// An Outcome says how a verdict compares with the right ones.
type Outcome string

// The outcomes.
const (
	Right  Outcome = "right"
	Milder Outcome = "milder" // "cannot tell" where one can
	Wrong  Outcome = "wrong"  // a confident verdict that is not among the right ones
)

// Outcome compares a verdict that was given with the right ones.
func (p Program) Outcome(given verdict.Kind) Outcome {
	switch {
	case slices.Contains(p.Right, given):
		return Right
	case given == verdict.CannotTell:
		return Milder
	}
	return Wrong
}
