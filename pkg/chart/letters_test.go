package chart

import (
	"slices"
	"strings"
	"testing"

	"overlap/pkg/chart/internal/ink"
)

// onlyFontsIn lets figures find the fonts below some folders and no others.
func onlyFontsIn(t *testing.T, dirs ...string) {
	t.Helper()
	t.Cleanup(ink.SearchIn(dirs...))
}

// drawnTexts returns the texts that a figure puts on a canvas, from left to
// right as they are seen.
func drawnTexts(t *testing.T, f *Figure) []string {
	t.Helper()
	c := newTexts(f.width, f.height)
	if _, err := f.draw(c); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, b := range c.boxes {
		out = append(out, b.text)
	}
	return out
}

// A browser orders the letters of an SVG itself, so they are in it as they are
// read, and as wide as they were laid out.
func TestSVGHasTextsAsTheyAreRead(t *testing.T) {
	onlyFontsIn(t, t.TempDir())
	f := Times(synthetic("Primes", "tasks", []int{1}, 6, []string{"pool(2)", "שלום עולם"}, func(v, _ int) float64 { return float64(v + 1) }))
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := readSVG(t, svg); !slices.Contains(strings.Split(text, "\n"), "שלום עולם") {
		t.Errorf("not as it is read: %q", text)
	}
	if !slices.Contains(drawnTexts(t, f), "םלוע םולש") {
		t.Errorf("not turned around elsewhere: %q", drawnTexts(t, f))
	}
	if n, widths := strings.Count(string(svg), "<text "), strings.Count(string(svg), "textLength="); n != widths || n < 10 {
		t.Errorf("%d texts, %d of them with a width", n, widths)
	}
}

// What the page that is looked at may have a font for stays in the SVG; where
// letters are drawn, a box stands for each that no font has, and the warning
// says so.
func TestMissingLettersAreBoxes(t *testing.T) {
	onlyFontsIn(t, t.TempDir())
	r := primesLike(6)
	r.Name = "소수 🚀"
	f := Times(r)
	if got := drawnTexts(t, f)[0]; got != "□□ □: time for 10,000 tasks" {
		t.Errorf("drawn %q", got)
	}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := readSVG(t, svg); !strings.Contains(text, "소수 🚀: time for 10,000 tasks") {
		t.Errorf("the SVG has %q", text)
	}
	w := strings.Join(f.Warnings(), "\n")
	for _, want := range []string{"소", "수", "🚀", "fonts-nanum", "fonts-symbola", "boxes", ink.FontVariable} {
		if !strings.Contains(w, want) {
			t.Errorf("the warning lacks %q: %s", want, w)
		}
	}
}

// Letters that are written joined are told of where they are drawn apart.
func TestLettersThatShouldJoinAreTold(t *testing.T) {
	for name, want := range map[string]string{"مرحبا": "Arabic", "हिन्दी": "Devanagari", "한국어": "", "שלום": "", "Ελλάδα": ""} {
		r := primesLike(6)
		r.Name = name
		w := strings.Join(Times(r).Warnings(), "\n")
		if got := strings.Contains(w, "not joined"); got != (want != "") || !strings.Contains(w, want) {
			t.Errorf("%s: %q", name, w)
		}
	}
}
