package corpus

import (
	"fmt"
	"strings"

	"overlap/pkg/verdict"
)

// Kinds are all verdicts, in the order of a confusion table.
var Kinds = []verdict.Kind{
	verdict.AllCPUs, verdict.Overlaps, verdict.OneAtATime, verdict.TooFew,
	verdict.Oversubscribed, verdict.HeldByLock, verdict.LongTask, verdict.TooSmall,
	verdict.Shared, verdict.Quota, verdict.Collector, verdict.CannotTell,
}

// A Confusion counts which verdicts were given where which would have been
// best. The zero value is an empty one.
type Confusion struct {
	given    map[[2]verdict.Kind]int // by the best verdict and the one given
	outcomes map[Outcome]int
}

// Add counts a verdict and returns its outcome.
func (c *Confusion) Add(p Program, given verdict.Kind) Outcome {
	if c.given == nil {
		c.given = map[[2]verdict.Kind]int{}
		c.outcomes = map[Outcome]int{}
	}
	outcome := p.Outcome(given)
	c.given[[2]verdict.Kind{p.Right[0], given}]++
	c.outcomes[outcome]++
	return outcome
}

// Total returns how many verdicts were counted.
func (c *Confusion) Total() int {
	return c.outcomes[Right] + c.outcomes[Milder] + c.outcomes[Wrong]
}

// Count returns how many verdicts had an outcome.
func (c *Confusion) Count(o Outcome) int { return c.outcomes[o] }

// Share returns the share of the verdicts that had an outcome, from 0 to 1; 0
// where there are none.
func (c *Confusion) Share(o Outcome) float64 {
	if c.Total() == 0 {
		return 0
	}
	return float64(c.outcomes[o]) / float64(c.Total())
}

// String returns the table, a row for each best verdict and a column for each
// one given, and the totals. A verdict beside the diagonal is no miss where
// more than one is right: the totals count that.
func (c *Confusion) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-46s", "best \\ given")
	for i := range Kinds {
		fmt.Fprintf(&b, "%5c", 'A'+i)
	}
	b.WriteByte('\n')
	for i, best := range Kinds {
		fmt.Fprintf(&b, "%c  %-43s", 'A'+i, best)
		for _, given := range Kinds {
			if n := c.given[[2]verdict.Kind{best, given}]; n > 0 {
				fmt.Fprintf(&b, "%5d", n)
			} else {
				fmt.Fprintf(&b, "%5s", ".")
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%d verdicts:", c.Total())
	for i, o := range []Outcome{Right, Milder, Wrong} {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %d %s (%.1f %%)", c.outcomes[o], o, 100*c.Share(o))
	}
	b.WriteByte('\n')
	return b.String()
}
