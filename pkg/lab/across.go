package lab

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/aclements/go-moremath/stats"

	"overlap/pkg/internal/text"
)

// Across is one experiment measured twice: on two machines, or with two versions of something.
type Across struct {
	Name         string
	AName, BName string // what tells the two apart
	A, B         *Result
	Comparisons  []AcrossComparison
	Warnings     []Warning
	OnlyA, OnlyB []string // variants that the other has not
}

// An AcrossComparison is a variant at a size in both.
type AcrossComparison struct {
	Variant    string
	Size       int
	A, B       Estimate // times in seconds
	Speedup    Estimate // how many times as fast as A: A's time over B's
	Difference Difference
}

// CompareAcross compares two results of one experiment, variant by variant at the sizes that both
// have. The names say what tells them apart; in the place of an empty one, and of two that are the
// same, it is the machines, or what else differs.
//
// The trials are not paired, so the ratio is the Hodges-Lehmann estimate: the median of the ratios
// of all pairs (J. L. Hodges and E. L. Lehmann, "Estimates of location based on rank tests", 1963).
// Its 95 % interval has the bounds that the Mann-Whitney U test does not reject; as everywhere in
// this package there is none where either side has fewer than [MinRepeats] trials. Where it leaves
// out 1 and the ratio is further from 1 than both noise floors, there is a difference: between the
// two runs, whatever caused it. What drifts between runs is part of that, as rounds do not
// interleave. Where the two gave different answers neither is faster: it is [OtherAnswer].
func CompareAcross(a, b *Result, aName, bName string) (Across, error) {
	if a == nil || b == nil {
		return Across{}, errors.New("lab: compare: there must be two results")
	}
	x := Across{Name: a.Name, A: a, B: b}
	x.AName, x.BName = namesOf(a, b, aName, bName)
	if a.Name != b.Name {
		x.Name += " and " + b.Name
	}
	x.OnlyA, x.OnlyB = variantsOnlyOf(a, b), variantsOnlyOf(b, a)
	for _, size := range a.Sizes {
		for _, v := range a.Variants {
			c := AcrossComparison{Variant: v, Size: size, A: a.Time(v, size), B: b.Time(v, size)}
			if c.A.N == 0 || c.B.N == 0 {
				continue
			}
			ofA, ofB := a.Of(v, size), b.Of(v, size)
			c.Speedup = hodgesLehmann(ofA, ofB)
			floorA, _ := a.NoiseFloor(size)
			floorB, _ := b.NoiseFloor(size)
			c.Difference = difference(c.Speedup, max(floorA, floorB))
			if anyZero(ofA) || anyZero(ofB) {
				c.Speedup, c.Difference = estimate(nil), TooShort
			}
			if answerOf(a, v, size) != answerOf(b, v, size) {
				c.Difference = OtherAnswer
			}
			x.Comparisons = append(x.Comparisons, c)
		}
	}
	if len(x.Comparisons) == 0 {
		return x, fmt.Errorf("lab: compare: %q and %q have no variant at a size in common: %q at %d, and %q at %d",
			a.Name, b.Name, a.Variants, a.Sizes, b.Variants, b.Sizes)
	}
	x.Warnings = x.doubts()
	return x, nil
}

// answerOf returns what a variant answered at a size, which is the same in all trials of a result.
func answerOf(r *Result, variant string, size int) string {
	for _, t := range r.Of(variant, size) {
		return t.Answer
	}
	return ""
}

// hodgesLehmann returns the Hodges-Lehmann estimate of a's times over b's, with its 95 % interval.
func hodgesLehmann(a, b []Trial) Estimate {
	e := Estimate{N: min(len(a), len(b)), Median: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1)}
	var ratios []float64
	for _, x := range a {
		for _, y := range b {
			ratios = append(ratios, x.Wall.Seconds()/y.Wall.Seconds())
		}
	}
	n := len(ratios)
	if n == 0 {
		return e
	}
	slices.Sort(ratios)
	// The geometric mean of the middle two: the estimate of A over B is then 1 over that of B over A.
	e.Median = math.Sqrt(ratios[(n-1)/2] * ratios[n/2])
	// The most pairs to leave out at each end: P(U <= k) <= 2.5 %.
	u := stats.UDist{N1: len(a), N2: len(b)}
	k := -1
	for e.N >= MinRepeats && k+1 < n/2 && u.CDF(float64(k+1)) <= 0.025 {
		k++
	}
	if k >= 0 {
		e.Lo, e.Hi = ratios[k], ratios[n-1-k]
	}
	return e
}

// variantsOnlyOf returns the variants that another result has not.
func variantsOnlyOf(r, other *Result) []string {
	return slices.DeleteFunc(slices.Clone(r.Variants), func(v string) bool { return slices.Contains(other.Variants, v) })
}

// namesOf names two results by what differs between them.
func namesOf(a, b *Result, aName, bName string) (string, string) {
	if aName != "" && bName != "" && aName != bName {
		return aName, bName
	}
	x, y := a.Machine.CPU, b.Machine.CPU
	if versions := differing(a, b); x == y && len(versions) > 0 {
		name := versions[0]
		x, y = name+" "+versionsOf(a)[name], name+" "+versionsOf(b)[name]
	}
	if x == y {
		const layout = "2006-01-02 15:04"
		x, y = "run of "+a.Started.Format(layout), "run of "+b.Started.Format(layout)
	}
	if x == y {
		x, y = "A", "B"
	}
	if aName == bName { // both empty, or the same
		return x, y
	}
	return cmp.Or(aName, x), cmp.Or(bName, y)
}

// versionsOf returns all that a result says of what it was measured with.
func versionsOf(r *Result) map[string]string {
	v := map[string]string{"Go": strings.TrimPrefix(r.Machine.Go, "go"),
		"Linux": strings.TrimPrefix(r.Machine.Kernel, "Linux ")}
	maps.Copy(v, r.Machine.Versions)
	return v
}

// differing returns the versions that differ, libraries before Go and the kernel.
func differing(a, b *Result) []string {
	va, vb := versionsOf(a), versionsOf(b)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(va)) {
		if other, ok := vb[name]; ok && other != va[name] {
			names = append(names, name)
		}
	}
	rank := func(name string) int {
		if _, library := a.Machine.Versions[name]; library {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(names, func(x, y string) int { return rank(x) - rank(y) })
	return names
}

// doubts are the reasons to trust the comparison less.
func (x Across) doubts() []Warning {
	var ws warnings
	if x.A.Seed != 0 && x.A.Seed == x.B.Seed && x.A.Started.Equal(x.B.Started) && x.A.Elapsed == x.B.Elapsed {
		ws.add(WarnSame, "Give results of two runs.", "Both are the same measurement.")
	}
	if params := otherWork(x.A, x.B); len(params) > 0 {
		ws.add(WarnOtherWork, "Compare results of one experiment with the same parameters.",
			"The two did not measure the same work: %s.", strings.Join(params, "; "))
	}
	var others []string
	for _, c := range x.Comparisons {
		if c.Difference == OtherAnswer {
			others = append(others, fmt.Sprintf("%s with %s: %s and %s", c.Variant, text.Counted(c.Size, x.A.Unit),
				quoted(answerOf(x.A, c.Variant, c.Size)), quoted(answerOf(x.B, c.Variant, c.Size))))
		}
	}
	if n := len(others) - 3; n > 0 {
		others = append(others[:3], fmt.Sprintf("and %d more", n))
	}
	if len(others) > 0 {
		ws.add(WarnOtherAnswer, "Find out which is wrong, or compare results of the same work.",
			"The two gave different answers, so neither is faster: %s.", strings.Join(others, "; "))
	}
	if x.A.Quick || x.B.Quick {
		ws.add(WarnQuick, "Run both without OVERLAP_QUICK.",
			"At least one of the two is a quick run, which shows that all works and nothing about speed.")
	}
	for i, r := range []*Result{x.A, x.B} {
		name := []string{x.AName, x.BName}[i]
		if r.Interrupted {
			ws.add(WarnInterrupted, "Run it to its end.", "The run of %s was stopped before its last round.", name)
		}
		for _, w := range r.Warnings() {
			switch w.Kind {
			case WarnNoise, WarnOutsideLoad, WarnFewRepeats, WarnResumed, WarnNotAlone, WarnGOMAXPROCS, WarnSuspended:
				ws.add(w.Kind, w.Remedy, "%s: %s", name, w.Text)
			}
		}
	}
	return ws
}

// quoted returns an answer, cut where it is long.
func quoted(answer string) string {
	if letters := []rune(answer); len(letters) > 40 {
		answer = string(letters[:39]) + "…"
	}
	return strconv.Quote(answer)
}

// otherWork says how the work of variants that both have differs.
func otherWork(a, b *Result) []string {
	var out []string
	for i, v := range a.Variants {
		sb, ok := b.spec(v)
		if !ok || i >= len(a.Specs) {
			continue
		}
		sa := a.Specs[i]
		if sa.Kind != sb.Kind {
			out = append(out, fmt.Sprintf("%s is %s and %s", v, sa.Kind, sb.Kind))
		}
		both := map[string]string{}
		maps.Copy(both, sa.Params)
		maps.Copy(both, sb.Params)
		for _, p := range slices.Sorted(maps.Keys(both)) {
			one, inA := sa.Params[p]
			other, inB := sb.Params[p]
			if inA == inB && one == other {
				continue
			}
			if !inA {
				one = "not given"
			}
			if !inB {
				other = "not given"
			}
			if differ := fmt.Sprintf("%s %s and %s", p, one, other); !slices.Contains(out, differ) {
				out = append(out, differ)
			}
		}
	}
	return out
}

// Table returns a row for each comparison.
func (x Across) Table() Table {
	t := Table{
		Title: x.Name + ": " + x.AName + " and " + x.BName,
		Head:  []string{"variant", x.A.Unit, x.AName, x.BName, "times as fast", "shown"},
	}
	intervals, oneSize := false, true
	for _, c := range x.Comparisons {
		shown := string(c.Difference)
		if c.Difference == Faster || c.Difference == Slower {
			shown = x.BName + " is " + shown
		}
		t.Rows = append(t.Rows, []string{c.Variant, text.Count(c.Size), text.Duration(c.A.Median),
			text.Duration(c.B.Median), c.Speedup.String(), shown})
		intervals = intervals || c.Speedup.Interval()
		oneSize = oneSize && c.Size == x.Comparisons[0].Size
	}
	if oneSize && len(x.Comparisons) > 0 {
		t.Title += ", " + text.Counted(x.Comparisons[0].Size, x.A.Unit)
		for i, row := range t.Rows {
			t.Rows[i] = slices.Delete(row, 1, 2)
		}
		t.Head = slices.Delete(t.Head, 1, 2)
	}
	interval := ""
	if intervals {
		interval = ", with its 95 % interval"
	}
	t.Notes = append(t.Notes, fmt.Sprintf("Times are medians. The ratio is how many times as fast %s is: "+
		"the median over all pairs of trials, which need not be the ratio of the medians%s.", x.BName, interval),
		fmt.Sprintf("%s: %s.", x.AName, x.A.Machine), fmt.Sprintf("%s: %s.", x.BName, x.B.Machine))
	if len(x.OnlyA) > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Only of %s: %s.", x.AName, strings.Join(x.OnlyA, ", ")))
	}
	if len(x.OnlyB) > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Only of %s: %s.", x.BName, strings.Join(x.OnlyB, ", ")))
	}
	return t
}
