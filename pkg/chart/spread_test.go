package chart

import (
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

func TestSpreadNeverOverlaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(t, "n")
		want := make([]vg.Length, n)
		size := make([]vg.Length, n)
		var total vg.Length
		for i := range n {
			want[i] = vg.Length(rapid.Float64Range(-50, 400).Draw(t, "want"))
			size[i] = vg.Length(rapid.Float64Range(1, 40).Draw(t, "size"))
			total += size[i]
		}
		hi := vg.Length(rapid.Float64Range(10, 500).Draw(t, "hi"))
		got := spread(want, size, 0, hi)
		const eps = 1e-6
		for i := range n {
			for j := range n {
				if i != j && got[i] <= got[j] && got[i]+size[i]/2 > got[j]-size[j]/2+eps {
					t.Fatalf("labels %d and %d overlap: %v, sizes %v", i, j, got, size)
				}
				if want[i] < want[j] && got[i] > got[j] {
					t.Fatalf("labels %d and %d changed places", i, j)
				}
			}
			if total <= hi && (got[i]-size[i]/2 < -eps || got[i]+size[i]/2 > hi+eps) {
				t.Fatalf("label %d at %v lies outside 0 to %v", i, got[i], hi)
			}
		}
	})
}

func TestSpreadLeavesFreeLabels(t *testing.T) {
	got := spread([]vg.Length{80, 10, 40}, []vg.Length{10, 10, 10}, 0, 100)
	for i, want := range []vg.Length{80, 10, 40} {
		if got[i] != want {
			t.Errorf("label %d moved from %v to %v", i, want, got[i])
		}
	}
}

func TestBeeswarm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "n")
		xs := make([]vg.Length, n)
		for i := range xs {
			xs[i] = vg.Length(i) * vg.Length(rapid.Float64Range(0, 1).Draw(t, "step"))
			if i > 0 {
				xs[i] = max(xs[i], xs[i-1])
			}
		}
		limit := vg.Length(rapid.Float64Range(0, 20).Draw(t, "limit"))
		for i, o := range beeswarm(xs, 5, limit) {
			if o < -limit || o > limit {
				t.Fatalf("dot %d moved by %v, limit %v", i, o, limit)
			}
		}
	})
	got := beeswarm([]vg.Length{10, 10, 10, 30}, 5, 100)
	if got[3] != 0 {
		t.Errorf("a dot alone moved by %v", got[3])
	}
	for i := range 3 {
		for j := range i {
			if d := got[i] - got[j]; d > -4.9 && d < 4.9 {
				t.Errorf("dots %d and %d overlap: %v", i, j, got)
			}
		}
	}
}
