package chart

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// onlyFontsIn lets figures find the fonts below some folders and no others.
func onlyFontsIn(t *testing.T, dirs ...string) {
	t.Helper()
	old := system.dirs
	set := func(dirs func() []string) {
		system.mu.Lock()
		defer system.mu.Unlock()
		system.dirs, system.looked = dirs, false
	}
	t.Cleanup(func() { set(old) })
	set(func() []string { return dirs })
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

func TestTextsAreOrderedFromLeftToRight(t *testing.T) {
	onlyFontsIn(t)
	for name, tc := range map[string]struct{ text, drawn, read string }{
		"from the left":      {"one (2)", "one (2)", "one (2)"},
		"Hebrew":             {"שלום עולם", "םלוע םולש", "שלום עולם"},
		"Hebrew among Latin": {"pool שלום (2)", "pool |םולש| (2)", "pool |שלום| (2)"},
		"brackets inside":    {"שלום (עולם) כאן", "ןאכ (םלוע) םולש", "שלום (עולם) כאן"},
		"a number inside":    {"שלום 1,250 עולם", "םלוע |1,250| םולש", "עולם|1,250|שלום"},
		"two parts":          {"שלום a עולם", "םולש| a |םלוע", "שלום| a |עולם"},
	} {
		t.Run(name, func(t *testing.T) {
			k := light.kit()
			var drawn, read []string
			for _, r := range k.letters.runs(tc.text, k.text.Font) {
				drawn, read = append(drawn, r.text), append(read, strings.TrimSpace(r.read))
			}
			if got := strings.Join(drawn, "|"); got != tc.drawn {
				t.Errorf("drawn %q, want %q", got, tc.drawn)
			}
			want := strings.Split(tc.read, "|")
			for i := range want {
				want[i] = strings.TrimSpace(want[i])
			}
			if !slices.Equal(read, want) {
				t.Errorf("read %q, want %q", read, want)
			}
			if len(k.letters.lost()) > 0 {
				t.Errorf("lost %q", string(k.letters.lost()))
			}
		})
	}
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
	for _, want := range []string{"소", "수", "🚀", "fonts-nanum", "fonts-symbola", "boxes", fontVariable} {
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

func TestPrintable(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"accents apart":          {"e\u0301te\u0301", "été"},
		"Korean apart":           {"\u1112\u1161\u11ab\u1100\u1173\u11af.tif", "한글.tif"},
		"turned around":          {"a\u202eb\u202cc\u2067d\u2069", "abcd"},
		"no width":               {"a\u200bb\ufeffc\u00add", "abcd"},
		"control":                {"a\tb\nc\x00d\u2028e", "a b c d e"},
		"not UTF-8":              {"a\xffb", "a\uFFFDb"},
		"a family":               {"👩\u200d👧", "👩\u200d👧"},
		"a form of a letter":     {"❤\ufe0f", "❤\ufe0f"},
		"a mark without another": {"q\u0323", "q\u0323"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := printable(tc.in); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// Whatever the text, the runs hold all of it to be read, and nothing is drawn
// that has no picture.
func TestNothingIsLostBetweenTheRuns(t *testing.T) {
	letters := rapid.SampledFrom([]rune("abcÅ é가שםعर1290 .,:()[]«»\u200d\ufe0f😀\u0301\u0323"))
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(letters, 0, 30).Draw(t, "text"))
		k := light.kit()
		var drawn, read []rune
		for _, r := range k.letters.runs(s, k.text.Font) {
			drawn, read = append(drawn, []rune(r.text)...), append(read, []rune(r.read)...)
		}
		if slices.ContainsFunc(drawn, unseen) {
			t.Fatalf("draws a sign without a picture: %q", string(drawn))
		}
		sorted := func(rs []rune) string { return string(slices.Sorted(slices.Values(rs))) }
		if got, want := sorted(read), sorted([]rune(printable(s))); got != want {
			t.Fatalf("the runs of %q hold %q", s, string(read))
		}
	})
}

// Lines end between letters, and never between a letter and its marks.
func TestLinesEndBetweenLetters(t *testing.T) {
	letters := rapid.SampledFrom([]rune("abc 가é\u200d\ufe0f👩\u0301\u0323हि"))
	rapid.Check(t, func(t *rapid.T) {
		s := "a" + string(rapid.SliceOfN(letters, 0, 60).Draw(t, "text"))
		k := light.kit()
		width := vg.Length(rapid.Float64Range(5, 80).Draw(t, "width"))
		for _, lines := range [][]string{wrap(k.text, s, width, 3), wrapName(k.text, s, width, 3)} {
			for i, line := range lines {
				// A mark after a space stands for itself.
				if r, _ := utf8.DecodeRuneInString(line); i > 0 && (unicode.Is(unicode.M, r) || unseen(r)) && !strings.Contains(printable(s), " "+string(r)) {
					t.Fatalf("%q begins with the mark of the letter before: %q", line, lines)
				}
			}
		}
	})
}
