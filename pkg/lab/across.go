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

// Across is one experiment measured twice: on two machines, or with two
// versions of something.
type Across struct {
	Name           string
	AName, BName   string // what tells the two apart
	A, B           *Result
	Comparisons    []AcrossComparison
	Warnings       []Warning
	OnlyA, OnlyB   []string // variants that the other has not
	SizesA, SizesB []int    // sizes that the other has not
}

// An AcrossComparison is a variant at a size in both.
type AcrossComparison struct {
	Variant    string
	Size       int
	A, B       Estimate // times in seconds
	Speedup    Estimate // how many times as fast as A: A's time over B's
	Difference Difference
}

// CompareAcross compares two results of one experiment, variant by variant at
// the sizes that both have. The names say what tells them apart; in the place of
// an empty one, and of two that are the same, it is the machines, or what else
// differs.
//
// The trials are not paired, so the ratio is the Hodges-Lehmann estimate: the
// median of the ratios of all pairs (J. L. Hodges and E. L. Lehmann, "Estimates
// of location based on rank tests", 1963). Its 95 % interval has the bounds
// that the Mann-Whitney U test does not reject; as everywhere in this package
// there is none where either side has fewer than [MinRepeats] trials. Where it leaves out 1 and the
// ratio is further from 1 than both noise floors, there is a difference: between
// the two runs, whatever caused it. What drifts between runs is part of that,
// as rounds do not interleave. Where the two gave different answers neither is
// faster: it is [OtherAnswer].
func CompareAcross(a, b *Result, aName, bName string) (Across, error) {
	if a == nil || b == nil {
		return Across{}, errors.New("lab: compare: there must be two results")
	}
	x := Across{Name: a.Name, A: a, B: b}
	x.AName, x.BName = apart(a, b, aName, bName)
	if a.Name != b.Name {
		x.Name += " and " + b.Name
	}
	x.OnlyA, x.OnlyB = without(a.Variants, b.Variants), without(b.Variants, a.Variants)
	x.SizesA, x.SizesB = without(a.Sizes, b.Sizes), without(b.Sizes, a.Sizes)
	for _, size := range a.Sizes {
		for _, v := range a.Variants {
			c := AcrossComparison{Variant: v, Size: size, A: a.Time(v, size), B: b.Time(v, size)}
			if c.A.N == 0 || c.B.N == 0 {
				continue
			}
			c.Speedup = ratioApart(wallSeconds(a.Of(v, size)), wallSeconds(b.Of(v, size)))
			c.Difference = difference(c.Speedup, floorOf(a, b, size))
			if anyZero(a.Of(v, size)) || anyZero(b.Of(v, size)) {
				c.Speedup, c.Difference = estimate(nil), TooShort
			}
			if answerOf(a, v, size) != answerOf(b, v, size) {
				c.Difference = OtherAnswer
			}
			x.Comparisons = append(x.Comparisons, c)
		}
	}
	if len(x.Comparisons) == 0 {
		return x, fmt.Errorf("lab: compare: %q and %q have no variant at a size in common: %q at %d, and %q at %d", a.Name, b.Name, a.Variants, a.Sizes, b.Variants, b.Sizes)
	}
	x.Warnings = x.doubts()
	return x, nil
}

// answerOf returns what a variant answered at a size, which is the same in all
// trials of a result.
func answerOf(r *Result, variant string, size int) string {
	for _, t := range r.Of(variant, size) {
		return t.Answer
	}
	return ""
}

// floorOf returns the greater noise floor of the two.
func floorOf(a, b *Result, size int) float64 {
	fa, _ := a.NoiseFloor(size)
	fb, _ := b.NoiseFloor(size)
	return max(fa, fb)
}

func wallSeconds(trials []Trial) []float64 {
	var out []float64
	for _, t := range trials {
		out = append(out, t.Wall.Seconds())
	}
	return out
}

// ratioApart returns the Hodges-Lehmann estimate of a over b with its 95 %
// interval.
func ratioApart(a, b []float64) Estimate {
	n := len(a) * len(b)
	e := Estimate{N: min(len(a), len(b)), Median: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1)}
	if n == 0 {
		return e
	}
	ratios := make([]float64, 0, n)
	for _, x := range a {
		for _, y := range b {
			ratios = append(ratios, x/y)
		}
	}
	slices.Sort(ratios)
	// The geometric mean of the middle two: the estimate of A over B is then 1
	// over that of B over A.
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

func without[T comparable](all, those []T) []T {
	var out []T
	for _, v := range all {
		if !slices.Contains(those, v) {
			out = append(out, v)
		}
	}
	return out
}

// apart names two results by what differs between them.
func apart(a, b *Result, aName, bName string) (string, string) {
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
	v := map[string]string{"Go": strings.TrimPrefix(r.Machine.Go, "go"), "Linux": strings.TrimPrefix(r.Machine.Kernel, "Linux ")}
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
	slices.SortStableFunc(names, func(x, y string) int {
		_, ix := a.Machine.Versions[x]
		_, iy := a.Machine.Versions[y]
		switch {
		case ix == iy:
			return 0
		case ix:
			return -1
		}
		return 1
	})
	return names
}

// doubts are the reasons to trust the comparison less.
func (x Across) doubts() []Warning {
	var out []Warning
	if x.A.Seed != 0 && x.A.Seed == x.B.Seed && x.A.Started.Equal(x.B.Started) && x.A.Elapsed == x.B.Elapsed {
		out = append(out, Warning{"the same", "Both are the same measurement.", "Give results of two runs."})
	}
	if params := paramsApart(x.A, x.B); len(params) > 0 {
		out = append(out, Warning{"not the same work", "The two did not measure the same work: " + strings.Join(params, "; ") + ".", "Compare results of one experiment with the same parameters."})
	}
	var others []string
	for _, c := range x.Comparisons {
		if c.Difference == OtherAnswer {
			others = append(others, fmt.Sprintf("%s with %s: %s and %s", c.Variant, text.Counted(c.Size, x.unit()), quoted(answerOf(x.A, c.Variant, c.Size)), quoted(answerOf(x.B, c.Variant, c.Size))))
		}
	}
	if len(others) > 0 {
		out = append(out, Warning{"not the same answer", "The two gave different answers, so neither is faster: " + some(others) + ".", "Find out which is wrong, or compare results of the same work."})
	}
	if x.A.Quick || x.B.Quick {
		out = append(out, Warning{"quick", "At least one of the two is a quick run, which shows that all works and nothing about speed.", "Run both without OVERLAP_QUICK."})
	}
	for i, r := range []*Result{x.A, x.B} {
		name := []string{x.AName, x.BName}[i]
		if r.Interrupted {
			out = append(out, Warning{"interrupted", fmt.Sprintf("The run of %s was stopped before its last round.", name), "Run it to its end."})
		}
		for _, w := range r.Warnings() {
			switch w.Kind {
			case "noise", "outside load", "few repeats", "resumed", "not alone", "GOMAXPROCS", "suspended":
				out = append(out, Warning{w.Kind, name + ": " + w.Text, w.Remedy})
			}
		}
	}
	return out
}

// some joins at most three parts of a sentence.
func some(parts []string) string {
	if n := len(parts) - 3; n > 0 {
		parts = append(parts[:3:3], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(parts, "; ")
}

// quoted returns an answer, cut where it is long.
func quoted(answer string) string {
	if letters := []rune(answer); len(letters) > 40 {
		answer = string(letters[:39]) + "…"
	}
	return strconv.Quote(answer)
}

// paramsApart says how the work of variants that both have differs.
func paramsApart(a, b *Result) []string {
	var out []string
	for i, v := range a.Variants {
		j := slices.Index(b.Variants, v)
		if j < 0 || i >= len(a.Specs) || j >= len(b.Specs) {
			continue
		}
		sa, sb := a.Specs[i], b.Specs[j]
		if sa.Kind != sb.Kind {
			out = append(out, fmt.Sprintf("%s is %s and %s", v, sa.Kind, sb.Kind))
		}
		params := maps.Clone(sa.Params)
		if params == nil {
			params = map[string]string{}
		}
		maps.Copy(params, sb.Params)
		for _, p := range slices.Sorted(maps.Keys(params)) {
			one, inA := sa.Params[p]
			other, inB := sb.Params[p]
			if inA != inB || one != other {
				if !inA {
					one = "not given"
				}
				if !inB {
					other = "not given"
				}
				text := fmt.Sprintf("%s %s and %s", p, one, other)
				if !slices.Contains(out, text) {
					out = append(out, text)
				}
			}
		}
	}
	return out
}

// Table returns a row for each comparison.
func (x Across) Table() Table {
	t := Table{
		Title: x.Name + ": " + x.AName + " and " + x.BName,
		Head:  []string{"variant", x.unit(), x.AName, x.BName, "times as fast", "shown"},
	}
	sizes := map[int]bool{}
	for _, c := range x.Comparisons {
		sizes[c.Size] = true
	}
	for _, c := range x.Comparisons {
		t.Rows = append(t.Rows, []string{c.Variant, text.Count(c.Size), text.Duration(c.A.Median), text.Duration(c.B.Median), c.Speedup.String(), c.says(x.BName)})
	}
	if len(sizes) == 1 {
		t.Title += ", " + text.Counted(x.Comparisons[0].Size, x.unit())
		for i, row := range t.Rows {
			t.Rows[i] = slices.Delete(row, 1, 2)
		}
		t.Head = slices.Delete(t.Head, 1, 2)
	}
	interval := ""
	if slices.ContainsFunc(x.Comparisons, func(c AcrossComparison) bool { return c.Speedup.Interval() }) {
		interval = ", with its 95 % interval"
	}
	t.Notes = append(t.Notes, fmt.Sprintf("Times are medians. The ratio is how many times as fast %s is: the median over all pairs of trials, which need not be the ratio of the medians%s.", x.BName, interval),
		fmt.Sprintf("%s: %s.", x.AName, x.A.Machine), fmt.Sprintf("%s: %s.", x.BName, x.B.Machine))
	for _, only := range []struct {
		name     string
		variants []string
	}{{x.AName, x.OnlyA}, {x.BName, x.OnlyB}} {
		if len(only.variants) > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("Only of %s: %s.", only.name, strings.Join(only.variants, ", ")))
		}
	}
	return t
}

func (c AcrossComparison) says(b string) string {
	switch c.Difference {
	case Faster:
		return b + " is faster"
	case Slower:
		return b + " is slower"
	}
	return string(c.Difference)
}

func (x Across) unit() string { return x.A.Unit }
