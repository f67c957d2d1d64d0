package chart

import (
	"fmt"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"pgregory.net/rapid"

	"overlap/pkg/chart/internal/ink"
)

// on returns a chart of n series at the sizes, and where its X axis puts them.
func on(sizes []float64, n int, width vg.Length) (*lines, draw.Canvas, func(float64) vg.Length) {
	l := &lines{x: sizeScale(sizes), sizes: sizes, series: make([]series, n)}
	c := draw.Canvas{Rectangle: vg.Rectangle{Min: vg.Point{X: 40}, Max: vg.Point{X: 40 + width, Y: 200}}}
	p := ink.Light.Kit().Plot()
	l.x.on(&p.X, nil)
	x, _ := p.Transforms(&c)
	return l, c, x
}

func TestDodgeTellsVariantsApart(t *testing.T) {
	for name, tc := range map[string]struct {
		sizes []float64
		n     int
		least vg.Length // between neighbours
	}{
		"rasters": {[]float64{1, 2, 3, 4, 5}, 6, 3},
		"primes":  {[]float64{1, 10, 100, 1000}, 6, 3},
		"two":     {[]float64{1, 2}, 2, dodgeStep},
		"one":     {[]float64{1, 2}, 1, 0},
	} {
		t.Run(fmt.Sprintf("%s of %d", name, tc.n), func(t *testing.T) {
			l, c, x := on(tc.sizes, tc.n, 330)
			got := l.dodge(c, x)
			if got[0] != -got[len(got)-1] {
				t.Errorf("not symmetric: %v", got)
			}
			for i := 1; i < len(got); i++ {
				if d := got[i] - got[i-1]; d < tc.least || d > dodgeStep+1e-9 {
					t.Errorf("%v between neighbours, want %v to %v", d, tc.least, dodgeStep)
				}
			}
		})
	}
}

func TestDodgeStaysInItsPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfNDistinct(rapid.IntRange(1, 100_000), 2, 60, rapid.ID).Draw(t, "sizes")
		s := floats(sortedKeys(setOf(sizes)))
		l, c, x := on(s, rapid.IntRange(1, 30).Draw(t, "series"), vg.Length(rapid.Float64Range(60, 500).Draw(t, "width")))
		got := l.dodge(c, x)
		if len(got) != len(l.series) {
			t.Fatalf("%d places for %d series", len(got), len(l.series))
		}
		const eps = 1e-6
		lo, hi := got[0], got[len(got)-1]
		if lo > 0 || lo+hi > eps || lo+hi < -eps {
			t.Fatalf("not symmetric: %v", got)
		}
		for i := range s[1:] {
			if step := x(s[i+1]) - x(s[i]); hi-lo > step/2+eps {
				t.Fatalf("a group is %v wide and the next is %v away", hi-lo, step)
			}
		}
		if hi > 0 && (x(s[0])+lo-markRoom < c.Min.X-eps || x(s[len(s)-1])+hi+markRoom > c.Max.X+eps) {
			t.Fatalf("marks leave the axis: %v", got)
		}
	})
}

func setOf(ns []int) map[int]bool {
	m := map[int]bool{}
	for _, n := range ns {
		m[n] = true
	}
	return m
}
