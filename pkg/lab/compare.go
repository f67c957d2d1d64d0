package lab

import (
	"fmt"
	"math"
	"slices"

	"overlap/pkg/internal/text"
	"overlap/pkg/probe"
)

// A Difference says what a comparison shows.
type Difference string

// What a comparison can show.
const (
	Faster         Difference = "faster"
	Slower         Difference = "slower"
	NoneShown      Difference = "no difference shown"
	TooFewRepeats  Difference = "too few repeats"
	NothingToMatch Difference = "not measured"
	TooShort       Difference = "too short to measure" // a time of zero, which has no ratio to another
	OtherAnswer    Difference = "another answer"       // across results: what is compared is not the same work
)

// A Comparison is a variant's time beside the baseline's at one size.
type Comparison struct {
	Variant, Baseline string
	Size              int
	Speedup           Estimate // above 1 where the variant is faster
	Floor             float64  // the noise floor: see [Result.NoiseFloor]
	Difference        Difference

	// Cost is how much more CPU time the variant used than the baseline, in seconds for each of its
	// tasks, as the median over rounds. Where both do the same work, it is what running a task costs,
	// with less than 200 ns for noting its times. Its N is 0 where that was not measured.
	Cost      Estimate
	CostFloor float64 // how much two runs of the same code may differ in that, in seconds
}

// Compare says whether a variant differs from the baseline. It does only where the interval of the
// speedup leaves out 1 and the speedup is further from 1 than the noise floor. Where a time is
// zero, less than the clock can tell, it does not, as the rounds that have a ratio are then the
// slower ones.
func (r *Result) Compare(variant string, size int) Comparison {
	c := Comparison{Variant: variant, Baseline: r.Baseline, Size: size, Speedup: r.Speedup(variant, size)}
	c.Floor, _ = r.NoiseFloor(size)
	c.Difference = difference(c.Speedup, c.Floor)
	c.Cost, c.CostFloor = r.costs(variant, size)
	if anyZero(r.Of(variant, size)) || anyZero(r.Of(r.Baseline, size)) {
		c.Speedup, c.Difference = estimate(nil), TooShort
	}
	return c
}

// costs returns Cost and CostFloor of a comparison.
func (r *Result) costs(variant string, size int) (cost Estimate, floor float64) {
	trials := r.Of(variant, size)
	costs, tasks := r.extraCPU(size, trials), math.MaxInt
	for i := range costs {
		costs[i] /= float64(trials[i].Tasks)
		tasks = min(tasks, trials[i].Tasks)
	}
	// Of the whole, as the control may have another number of tasks.
	if e := r.control(size, (*Result).extraCPU); e.N > 0 {
		floor = furthest(e, 0) / float64(tasks)
	}
	return estimate(costs), floor
}

// extraCPU returns how much more CPU time each trial used than the baseline's of the same round, in
// seconds, and nothing where that is not known of one.
func (r *Result) extraCPU(size int, trials []Trial) []float64 {
	base := map[int]Trial{}
	for _, t := range r.Of(r.Baseline, size) {
		base[t.Round] = t
	}
	var extra []float64
	for _, t := range trials {
		b, ok := base[t.Round]
		if !ok || t.Tasks == 0 || !t.Has(probe.CPUTime) || !b.Has(probe.CPUTime) ||
			min(t.Wall, b.Wall).Seconds() < leastForCPU {
			return nil
		}
		extra = append(extra, (t.CPU() - b.CPU()).Seconds())
	}
	return extra
}

func anyZero(trials []Trial) bool {
	return slices.ContainsFunc(trials, func(t Trial) bool { return t.Wall <= 0 })
}

func difference(s Estimate, floor float64) Difference {
	switch {
	case s.N == 0:
		return NothingToMatch
	case !s.Interval():
		return TooFewRepeats
	case s.Lo <= 1 && s.Hi >= 1, math.Abs(math.Log(s.Median)) <= math.Log1p(floor):
		return NoneShown
	case s.Median > 1:
		return Faster
	default:
		return Slower
	}
}

// String returns a sentence: "goroutines is 1.95 times as fast as sequential (95 % interval 1.90 to
// 1.99, 10 rounds)". Where the interval of Cost is above 0, and Cost above CostFloor, it goes on
// with ", with 0.41 μs more CPU time a task".
func (c Comparison) String() string {
	said := c.words()
	apart := c.Difference == NothingToMatch || c.Difference == OtherAnswer
	if !apart && c.Cost.Interval() && c.Cost.Lo > 0 && c.Cost.Median > c.CostFloor {
		said += fmt.Sprintf(", with %s more CPU time a task", text.Duration(c.Cost.Median))
	}
	return said
}

func (c Comparison) words() string {
	interval := fmt.Sprintf("95 %% interval %.3g to %.3g, %d rounds", c.Speedup.Lo, c.Speedup.Hi, c.Speedup.N)
	switch c.Difference {
	case NothingToMatch:
		return fmt.Sprintf("%s and %s: not measured together", c.Variant, c.Baseline)
	case OtherAnswer:
		return fmt.Sprintf("%s and %s: not the same answer", c.Variant, c.Baseline)
	case TooShort:
		return fmt.Sprintf("%s and %s: too short to measure, as the clock gave a time of 0", c.Variant, c.Baseline)
	case TooFewRepeats:
		return fmt.Sprintf("%s had %.3g times the speed of %s in %s; at least %d are needed to say more",
			c.Variant, c.Speedup.Median, c.Baseline, text.Counted(c.Speedup.N, "rounds"), MinRepeats)
	case NoneShown:
		return fmt.Sprintf("%s and %s: no difference shown (speed ratio %.3g, %s; noise floor %.1f %%)",
			c.Variant, c.Baseline, c.Speedup.Median, interval, 100*c.Floor)
	case Faster:
		return fmt.Sprintf("%s is %.3g times as fast as %s (%s)", c.Variant, c.Speedup.Median, c.Baseline, interval)
	default:
		return fmt.Sprintf("%s is slower than %s: %.3g times its speed (%s)",
			c.Variant, c.Baseline, c.Speedup.Median, interval)
	}
}
