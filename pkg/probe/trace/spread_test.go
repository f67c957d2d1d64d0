package trace

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestSpreads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		durations := rapid.SliceOfN(rapid.Int64Range(0, 1<<40), 1, 200).Draw(t, "durations")
		var s spreads
		var sum int64
		for _, d := range durations {
			s.add(d)
			sum += d
		}
		got := s.spread()
		slices.Sort(durations)
		n := len(durations)
		if got.N != int64(n) || got.Sum != time.Duration(sum) || got.Max != time.Duration(durations[n-1]) {
			t.Fatalf("%+v of %d durations", got, n)
		}
		for _, q := range []struct {
			share float64
			got   time.Duration
		}{{0.5, got.Median}, {0.99, got.P99}} {
			want := float64(durations[int(math.Ceil(q.share*float64(n)))-1])
			if math.Abs(float64(q.got)-want) > 0.016*want {
				t.Fatalf("the quantile %v is %d, want %v", q.share, q.got, want)
			}
		}
	})
}

func TestNoSpread(t *testing.T) {
	if got := new(spreads).spread(); got != (Spread{}) {
		t.Errorf("%+v of nothing", got)
	}
}
