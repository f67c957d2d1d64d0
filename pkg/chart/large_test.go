package chart

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"

	"overlap/pkg/lab"
	"overlap/pkg/verdict"
)

// staySmall checks that none of a figure's formats is larger than what notebooks
// and pages take, which is 1 MB: the PNG as it is in a notebook, in base64, and
// so that twenty of them make no more than 5 MB.
func staySmall(t *testing.T, f *Figure) {
	t.Helper()
	png, _, _, err := f.PNG()
	if err != nil {
		t.Fatal(err)
	}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	pdf, err := f.PDF()
	if err != nil {
		t.Fatal(err)
	}
	for format, got := range map[string][2]int{"PNG": {len(png) * 4 / 3, 5_000_000 / 20}, "SVG": {len(svg), 1_000_000}, "PDF": {len(pdf), 1_000_000}} {
		if got[0] > got[1] {
			t.Errorf("%s: %d bytes, want at most %d", format, got[0], got[1])
		}
	}
}

func TestManyTrialsAreDrawnAsTheirOutline(t *testing.T) {
	r := synthetic("Many trials", "tasks", []int{1}, 25_000, []string{"a", "b", "c"}, func(v, _ int) float64 { return 0.01 * float64(v+1) })
	if len(r.Trials) < 100_000 {
		t.Fatalf("only %d trials", len(r.Trials))
	}
	f := Trials(r)
	if f.Err() != nil {
		t.Fatal(f.Err())
	}
	staySmall(t, f)
	if want := "Of more than 400 runs, the height at a time is how many took it."; !strings.Contains(f.Caption(), want) {
		t.Errorf("no %q in %q", want, f.Caption())
	}
	if c := Trials(primesLike(10)).Caption(); strings.Contains(c, "how many took it") {
		t.Errorf("of a few: %q", c)
	}
}

// The outline is as wide as its values, highest where most are, and holds also
// a value that is alone.
func TestSilhouette(t *testing.T) {
	xs := []vg.Length{10, 10.5, 11, 11.5, 20, 20.5, 40}
	shape := silhouette(xs, 100, 8)
	at := func(x vg.Length) (h vg.Length) {
		for i := 0; i+1 < len(shape)/2; i += 2 {
			if shape[i].X <= x && x < shape[i+1].X {
				h = shape[i].Y - 100
			}
		}
		return h
	}
	if at(10.7) != 8 || at(20.2) != 4 || at(30) != 0 || at(40) <= 0 {
		t.Errorf("heights %v, %v, %v, %v", at(10.7), at(20.2), at(30), at(40))
	}
	for i, p := range shape[:len(shape)/2] {
		if q := shape[len(shape)-1-i]; q.X != p.X || q.Y-100 != 100-p.Y {
			t.Errorf("%v above and %v below", p, q)
		}
	}
	if silhouette(nil, 1, 1) != nil {
		t.Error("a shape of nothing")
	}
}

func TestManyTasksStaySmall(t *testing.T) {
	trial := simulated("pool(40)", lab.MaxSpans, 40, time.Millisecond, true)
	staySmall(t, Lanes(of(trial), trial.Variant, trial.Size))
	staySmall(t, InFlight(of(trial), trial.Size))
}

// A line goes through the lowest and the highest of points that lie too close to
// be told apart.
func TestLinesOfManyPoints(t *testing.T) {
	s := series{}
	for i := range 10_000 {
		e := estimate{at: float64(i), mid: 5}
		switch i % 1000 {
		case 500:
			e.mid = 9
		case 700:
			e.mid = 1
		}
		s.points = append(s.points, e)
	}
	thin := s.thin(func(v float64) vg.Length { return vg.Length(v) * 400 / 10_000 })
	if len(thin) > 4*801 || thin[0] != s.points[0] || thin[len(thin)-1] != s.points[9999] {
		t.Errorf("%d points, from %v to %v", len(thin), thin[0], thin[len(thin)-1])
	}
	lows, highs := 0, 0
	for i, p := range thin {
		if p.mid == 1 {
			lows++
		}
		if p.mid == 9 {
			highs++
		}
		if i > 0 && p.at <= thin[i-1].at {
			t.Fatalf("points do not ascend: %v, %v", thin[i-1], p)
		}
	}
	if lows != 10 || highs != 10 {
		t.Errorf("%d of 10 lows and %d of 10 highs", lows, highs)
	}
	few := series{points: s.points[:300]}
	if got := few.thin(func(v float64) vg.Length { return vg.Length(v) }); len(got) != 300 {
		t.Errorf("%d of 300 points that lie apart", len(got))
	}
}

// Of more variants than a picture holds the first are drawn, and the caption
// says so. What cannot be cut is refused.
func TestTooManyVariants(t *testing.T) {
	var names []string
	for i := range 130 {
		names = append(names, fmt.Sprintf("variant %d", i))
	}
	seconds := func(v, n int) float64 { return 0.01 * float64(n) * float64(v%7+1) }
	r := withSpans(synthetic("Too many", "tasks", []int{1, 2}, 1, names, seconds))
	var rows []lab.PublishedRow
	match := map[string]string{}
	for _, n := range names {
		rows = append(rows, lab.PublishedRow{Experiment: "e", Variant: "their " + n, Milliseconds: 1})
		match["their "+n] = n
	}
	x, err := lab.CompareAcross(r, r, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		f    *Figure
		want string
	}{
		"times":     {Times(r), "Drawn are the first 60 of 130 variants"},
		"one size":  {Times(r.Only(1)), "Drawn are the first 60 of 130 variants"},
		"speedup":   {Speedup(r), "Drawn are the first 60 of 129 variants"},
		"trials":    {Trials(r), "Drawn are the first 60 of 130 variants"},
		"expected":  {Expected(r, 1, nil, ""), "Drawn are the first 60 of 130 variants"},
		"published": {Published(r, 1, rows, match), "Drawn are the first 60 of 130 published variants"},
		"in flight": {InFlight(r, 2), "Drawn are the first 60 of 130 variants"},
		"across":    {Across(x), "Drawn are the first 120 of 260 comparisons"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.f.Err() != nil || !strings.Contains(tc.f.Caption(), tc.want) {
				t.Fatalf("%v, no %q in %q", tc.f.Err(), tc.want, tc.f.Caption())
			}
			if tc.f.height > highest {
				t.Errorf("%v high", tc.f.height)
			}
			keepsApart(t, tc.f)
		})
	}
	for _, f := range []*Figure{Times(r.Only(1)), InFlight(r, 2)} {
		if strings.Contains(f.Slug(), "variant-59") {
			t.Errorf("slug %q", f.Slug())
		}
	}
	many := make([]verdict.Verdict, 100)
	for i := range many {
		many[i] = honest(2)
	}
	if err := RunningOver(many...).Err(); err == nil || !strings.Contains(err.Error(), "show fewer at once") {
		t.Errorf("a hundred strips: %v", err)
	}
}

// The same figure is the same file, so that exports can be compared.
func TestFiguresAreTheSameEveryTime(t *testing.T) {
	draw := func() map[string]*Figure {
		out := all(withSpans(rastersLike(6)))
		out["lives"], out["running"] = Lives(locked(30)), RunningOver(locked(30), giant())
		return out
	}
	again := draw()
	for name, f := range draw() {
		a, err := f.SVG()
		b, againErr := again[name].SVG()
		if err != nil || againErr != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %d and %d bytes that differ, %v, %v", name, len(a), len(b), err, againErr)
		}
	}
}
