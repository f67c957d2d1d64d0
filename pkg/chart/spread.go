package chart

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
)

// spread moves labels along one direction so that none overlap, each as near to where it wants to be as
// the others let it. want holds their wanted centres, size their extents; the result holds their
// centres and keeps their order. Labels stay between lo and hi if they fit there together.
//
// Taking from each place what all before it need turns "do not overlap" into "do not decrease", so that
// the least sum of squared moves is an isotonic regression, done by pooling neighbours.
func spread(want, size []vg.Length, lo, hi vg.Length) []vg.Length {
	order := make([]int, len(want))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(want[a], want[b]) })

	type pool struct {
		sum vg.Length
		n   int
	}
	var pools []pool
	var before vg.Length
	for _, i := range order {
		pools = append(pools, pool{want[i] - size[i]/2 - before, 1})
		before += size[i]
		mean := func(k int) vg.Length { return pools[k].sum / vg.Length(pools[k].n) }
		for n := len(pools); n > 1 && mean(n-2) > mean(n-1); n = len(pools) {
			pools[n-2].sum += pools[n-1].sum
			pools[n-2].n += pools[n-1].n
			pools = pools[:n-1]
		}
	}
	out := make([]vg.Length, len(want))
	last := hi - before
	before = 0
	k := 0
	for _, p := range pools {
		at := max(lo, min(last, p.sum/vg.Length(p.n)))
		for range p.n {
			i := order[k]
			out[i] = at + before + size[i]/2
			before += size[i]
			k++
		}
	}
	return out
}
