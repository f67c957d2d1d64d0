package chart

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"overlap/pkg/lab"
	"overlap/pkg/probe"
)

func drawSpans(t *rapid.T, workers bool) []lab.Span {
	n := rapid.IntRange(1, 200).Draw(t, "n")
	var out []lab.Span
	for i := range n {
		start := time.Duration(rapid.Int64Range(0, 1000).Draw(t, "start"))
		s := lab.Span{Task: i, Start: start, End: start + time.Duration(rapid.Int64Range(0, 300).Draw(t, "length"))}
		if workers {
			s.Worker = rapid.IntRange(0, 9).Draw(t, "worker")
		}
		out = append(out, s)
	}
	return tidySpans(lab.Trial{Spans: out})
}

func TestLanesWithoutWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := drawSpans(t, false)
		lane, n, _ := lanes(spans)
		end := make([]time.Duration, n)
		for i, s := range spans {
			if lane[i] < 0 || lane[i] >= n {
				t.Fatalf("lane %d of %d", lane[i], n)
			}
			if s.Start < end[lane[i]] {
				t.Fatalf("two tasks at once in lane %d", lane[i])
			}
			end[lane[i]] = s.End
		}
		most := 0
		for _, st := range inFlight(spans) {
			most = max(most, st.n)
			if st.n < 0 {
				t.Fatalf("%d in flight", st.n)
			}
		}
		// Tasks that take no time are in flight together only where they
		// meet others, so there can be fewer lanes.
		if n > most {
			t.Fatalf("%d lanes for at most %d at once", n, most)
		}
	})
}

func TestAverageKeepsTheArea(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := inFlight(drawSpans(t, false))
		width := rapid.Float64Range(1e-9, 1e-6).Draw(t, "width")
		area := 0.0
		for i := 1; i < len(steps); i++ {
			area += float64(steps[i-1].n) * (steps[i].at - steps[i-1].at).Seconds()
		}
		levels := average(steps, width)
		got := 0.0
		for i, l := range levels[:len(levels)-1] {
			next := levels[i+1].at
			if next < l.at {
				t.Fatalf("levels do not ascend: %v", levels)
			}
			got += l.n * (next - l.at)
		}
		if d := got - area; d > 1e-12 || d < -1e-12 {
			t.Fatalf("area %g, want %g", got, area)
		}
	})
}

func TestMerge(t *testing.T) {
	bars := []bar{{0, 1, 0}, {1.001, 1.002, 1}, {1.003, 1.004, 2}, {1.005, 2, 3}, {3, 4, 4}}
	got := merge(bars, 0.01)
	if len(got) >= len(bars) || got[len(got)-1] != (bar{3, 4, 4}) {
		t.Errorf("got %v", got)
	}
	if got := merge(bars, 1e-6); !slices.Equal(got, bars) {
		t.Errorf("bars wide enough were joined: %v", got)
	}
}

// of returns a result with one trial.
func of(t lab.Trial) *lab.Result {
	return &lab.Result{Name: "Made up", Unit: "tasks", Variants: []string{t.Variant}, Sizes: []int{t.Size}, Trials: []lab.Trial{t}}
}

func TestLanesAndInFlight(t *testing.T) {
	for name, trial := range map[string]lab.Trial{
		"workers":       simulated("pool(2)", 60, 2, time.Millisecond, true),
		"many":          simulated("executor(6)", 30000, 6, time.Microsecond, true),
		"all at once":   allAtOnce("goroutines", 5000, time.Microsecond),
		"one":           simulated("one", 1, 1, time.Second, false),
		"no time":       {Variant: "x", Spans: []lab.Span{{}}, Tasks: 1},
		"strange spans": {Variant: "x", Spans: []lab.Span{{Start: 5, End: 1}, {Start: -5, End: 1}, {Start: 1, End: 2, Worker: 70}}, Tasks: 9},
	} {
		t.Run(name, func(t *testing.T) {
			trial.Round = 1
			r := of(trial)
			for _, f := range []*Figure{Lanes(r, trial.Variant, trial.Size), InFlight(r, trial.Size), InFlight(r, trial.Size, trial.Variant, trial.Variant)} {
				if _, err := f.SVG(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for name, f := range map[string]*Figure{
		"lanes without spans":     Lanes(of(lab.Trial{Variant: "x", Round: 1}), "x", 0),
		"lanes of another":        Lanes(of(simulated("x", 1, 1, time.Second, false)), "y", 1),
		"lanes of nothing":        Lanes(nil, "x", 1),
		"in flight without spans": InFlight(of(lab.Trial{Variant: "x", Round: 1}), 0),
		"in flight of nothing":    InFlight(nil, 1),
		"in flight of no variant": InFlight(&lab.Result{}, 1),
	} {
		if f.Err() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	many := Lanes(of(simulated("executor(6)", 30000, 6, time.Microsecond, true)), "executor(6)", 30000).Caption()
	for _, want := range []string{"first 20,000 tasks of 30,000", "drawn as one"} {
		if !strings.Contains(many, want) {
			t.Errorf("no %q in %q", want, many)
		}
	}
}

func TestInFlightOfATrialThatWasCut(t *testing.T) {
	// 30,000 tasks, two at a time, of which the spans kept end after 8 of 15 s.
	cut := lab.Trial{Variant: "pool(2)", Size: 30_000, Round: 1, Tasks: 30_000, Workers: 2, InFlightMax: 3, InFlightMean: 1.5, Usage: probe.Usage{Wall: 15 * time.Second, CPUs: 2}}
	for i := range lab.MaxSpans {
		at := time.Duration(i/2) * 800 * time.Microsecond
		cut.Spans = append(cut.Spans, lab.Span{Task: i, Worker: 1 + i%2, Start: at, End: at + 800*time.Microsecond})
	}
	s, note := stripOf(cut)
	if s.most != 3 || s.mean != 1.5 || s.peak != 2 || s.end != 7.9992 {
		t.Errorf("most %d, mean %g, peak %d, end %g; want 3, 1.5 of the whole trial, 2 and 7.9992 of what is drawn", s.most, s.mean, s.peak, s.end)
	}
	if last := s.steps[len(s.steps)-1]; last.n != 2 {
		t.Errorf("%d in flight at the end of what is known, want 2", last.n)
	}
	if want := "the first 20,000 tasks of 30,000, 8.00 of 15.0 s"; note != want {
		t.Errorf("note %q, want %q", note, want)
	}
	for name, tc := range map[string]struct {
		f    *Figure
		want []string
	}{
		"in flight": {InFlight(of(cut), cut.Size), []string{"Only the beginning is drawn of pool(2): the first 20,000 tasks of 30,000, 8.00 of 15.0 s. Most and mean are of the whole trial."}},
		"lanes":     {Lanes(of(cut), "pool(2)", cut.Size), []string{"nly the first 20,000 tasks of 30,000 are drawn, which is 8.00 of 15.0 s"}},
	} {
		for _, want := range tc.want {
			if tc.f.Err() != nil || !strings.Contains(tc.f.Caption(), want) {
				t.Errorf("%s: %v, no %q in %q", name, tc.f.Err(), want, tc.f.Caption())
			}
		}
		// The axis ends with what is drawn: none of its labels is beyond.
		svg, err := tc.f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := readSVG(t, svg)
		labels := strings.Split(text, "\n")
		if !slices.Contains(labels, "6") || slices.Contains(labels, "10") || slices.Contains(labels, "12") {
			t.Errorf("%s: labels %q", name, labels)
		}
	}
	if alt := InFlight(of(cut), cut.Size).Alt(); !strings.Contains(alt, "at most 3, on average 1.50") {
		t.Errorf("alt %q", alt)
	}

	whole := simulated("pool(2)", 60, 2, time.Millisecond, true)
	s, note = stripOf(whole)
	if note != "" || s.end != whole.Wall.Seconds() || s.most != whole.InFlightMax || s.mean != whole.InFlightMean {
		t.Errorf("a whole trial: %q, end %g, most %d, mean %g", note, s.end, s.most, s.mean)
	}
	// Tasks that all start at once leave no time before the last start.
	cut.Spans = []lab.Span{{End: time.Second}, {End: 2 * time.Second}}
	if s, _ := stripOf(cut); s.end != 2 || s.peak != 2 {
		t.Errorf("all at once: end %g, peak %d", s.end, s.peak)
	}
}
