package chart

import (
	"cmp"
	"hash/fnv"
	"slices"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/lab"
	"overlap/pkg/sched"
)

// colors are the numbers of the colours that well-known kinds of schedulers have in every figure.
var colors = map[sched.Kind]int{
	sched.KindSequential: 0, sched.KindGoroutines: 1, sched.KindPool: 2, sched.KindThreads: 3, sched.KindEventLoop: 4,
	sched.KindAwaitEach: 5, sched.KindExecutor: 6, sched.KindDefault: 3, sched.KindIO: 6,
}

// dashOf is the dash pattern that goes with each colour, so that lines differ in print as well.
var dashOf = []int{0, 0, 1, 2, 3, 4, 1}

// mostShades is how many variants share a colour for their scheduler's sake: more could hardly be told
// apart.
const mostShades = 4

// looksOf returns the look of each variant of a result, by what its scheduler is, whatever the two are
// called.
func looksOf(r *lab.Result, variants []string) map[string]ink.Look {
	return looks(variants, func(variant string) sched.Facts {
		if i := slices.Index(r.Variants, variant); i >= 0 && i < len(r.Specs) {
			return r.Specs[i].Facts
		}
		return sched.Facts{}
	})
}

// looks returns the look of each variant. A well-known kind of scheduler has its own colour wherever it
// appears. Of several that differ in their limit, such as pool(1) and pool(2), the one with the
// greatest has the look of one alone, and the others have the colour in another shade, with another
// marker and dash. Any other scheduler prefers a colour that follows from the variant's name and gives
// way where that is taken. The same variants in the same order always get the same looks.
func looks(variants []string, facts func(variant string) sched.Facts) map[string]ink.Look {
	n := len(ink.Light.Series)
	out := make(map[string]ink.Look, len(variants))
	used := make([]int, n) // how many variants have the colour
	set := func(name string, c int, shaded bool) {
		out[name] = ink.Look{Color: c, Shaded: shaded, Marker: ink.Marker((c + used[c]) % int(ink.Markers)),
			Dash: (dashOf[c] + 2*used[c]) % ink.Dashes}
		used[c]++
	}
	var kinds []sched.Kind // in the order in which they appear
	of := map[sched.Kind][]string{}
	var rest []string
	for i, v := range variants {
		kind := facts(v).Kind
		if _, known := colors[kind]; slices.Contains(variants[:i], v) {
			continue
		} else if !known {
			rest = append(rest, v)
			continue
		}
		if of[kind] == nil {
			kinds = append(kinds, kind)
		}
		of[kind] = append(of[kind], v)
	}
	for _, kind := range kinds {
		siblings, c := of[kind], colors[kind]
		if used[c] > 0 { // another kind's
			rest = append(rest, siblings...)
			continue
		}
		slices.SortStableFunc(siblings, func(a, b string) int { return cmp.Compare(facts(b).Limit, facts(a).Limit) })
		few, more := siblings[:min(len(siblings), mostShades)], siblings[min(len(siblings), mostShades):]
		for i, v := range few {
			set(v, c, i%2 == 1)
		}
		rest = append(rest, more...)
	}
	for _, v := range rest {
		h := fnv.New32a()
		h.Write([]byte(v))
		c := int(h.Sum32() % uint32(n))
		for least := slices.Min(used); used[c] > least; {
			c = (c + 1) % n
		}
		set(v, c, false)
	}
	return out
}
