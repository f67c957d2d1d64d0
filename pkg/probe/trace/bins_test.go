package trace

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Every step holds what the times have in common with it.
func TestBins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.Int64Range(1, 10_000).Draw(t, "length")
		end := rapid.Int64Range(1, length).Draw(t, "end")
		b := newTraceBins(length, rapid.IntRange(1, 50).Draw(t, "steps"))
		type span struct {
			from, to int64
			share    float64
		}
		var spans []span
		for range rapid.IntRange(0, 20).Draw(t, "spans") {
			from := rapid.Int64Range(0, end-1).Draw(t, "from")
			s := span{from, rapid.Int64Range(from+1, end).Draw(t, "to"), rapid.SampledFrom([]float64{1, 0.25}).Draw(t, "share")}
			spans = append(spans, s)
			b.add(inSleep, s.from, s.to, s.share)
		}
		at := time.Duration(0)
		for _, step := range b.steps(end) {
			if step.Start != at || step.End <= step.Start {
				t.Fatalf("step %+v after %v", step, at)
			}
			at = step.End
			want := 0.0
			for _, s := range spans {
				if in := min(s.to, int64(step.End)) - max(s.from, int64(step.Start)); in > 0 {
					want += s.share * float64(in)
				}
			}
			want /= float64(step.End - step.Start)
			if got := step.Mean[Sleep]; math.Abs(got-want) > 1e-5 && want*float64(step.End-step.Start) > 0.6 {
				t.Fatalf("step %+v: want %v", step, want)
			}
		}
		if at != time.Duration(end) {
			t.Fatalf("the steps end at %d of %d", at, end)
		}
	})
}

func TestLifeMerges(t *testing.T) {
	l := traceLife{function: "f", start: 5, end: 45, width: 10}
	l.add(inRunning, 5, 12, 1)
	l.add(inSleep, 12, 40, 1)
	l.add(inLock, 40, 42, 1)
	l.add(inRunning, 42, 45, 1)
	want := []StateSpan{{Running, 5, 10}, {Sleep, 10, 40}, {Running, 40, 45}}
	got := l.life(7)
	if got.ID != 7 || len(got.Spans) != len(want) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	for i := range want {
		if got.Spans[i] != want[i] {
			t.Errorf("span %d: %+v, want %+v", i, got.Spans[i], want[i])
		}
	}
}
