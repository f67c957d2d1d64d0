package ink

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// onlyFontsIn lets texts find the fonts below some folders and no others.
func onlyFontsIn(t *testing.T, dirs ...string) {
	t.Helper()
	t.Cleanup(SearchIn(dirs...))
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
			k := Light.Kit()
			var drawn, read []string
			for _, r := range k.Letters.runs(tc.text, k.Text.Font) {
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
			if len(k.Letters.missing) > 0 {
				t.Errorf("lost %v", k.Letters.missing)
			}
		})
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
			if got := Printable(tc.in); got != tc.want {
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
		k := Light.Kit()
		var drawn, read []rune
		for _, r := range k.Letters.runs(s, k.Text.Font) {
			drawn, read = append(drawn, []rune(r.text)...), append(read, []rune(r.read)...)
		}
		if slices.ContainsFunc(drawn, unseen) {
			t.Fatalf("draws a sign without a picture: %q", string(drawn))
		}
		sorted := func(rs []rune) string { return string(slices.Sorted(slices.Values(rs))) }
		if got, want := sorted(read), sorted([]rune(Printable(s))); got != want {
			t.Fatalf("the runs of %q hold %q", s, string(read))
		}
	})
}

// Lines end between letters, and never between a letter and its marks.
func TestLinesEndBetweenLetters(t *testing.T) {
	letters := rapid.SampledFrom([]rune("abc 가é\u200d\ufe0f👩\u0301\u0323हि"))
	rapid.Check(t, func(t *rapid.T) {
		s := "a" + string(rapid.SliceOfN(letters, 0, 60).Draw(t, "text"))
		k := Light.Kit()
		width := vg.Length(rapid.Float64Range(5, 80).Draw(t, "width"))
		for _, lines := range [][]string{Wrap(k.Text, s, width, 3), WrapName(k.Text, s, width, 3)} {
			for i, line := range lines {
				// A mark after a space stands for itself.
				if r, _ := utf8.DecodeRuneInString(line); i > 0 && (unicode.Is(unicode.M, r) || unseen(r)) && !strings.Contains(Printable(s), " "+string(r)) {
					t.Fatalf("%q begins with the mark of the letter before: %q", line, lines)
				}
			}
		}
	})
}

func TestMissingLettersAreTold(t *testing.T) {
	const s = "소수"
	installed := findFonts(system.dirs())
	warnings := func() string {
		k := Light.Kit()
		k.Letters.runs(s, k.Text.Font)
		return strings.Join(k.Letters.Warnings("a figure"), "\n")
	}

	// A font that is named and cannot be used is told, and one that can helps.
	none := filepath.Join(t.TempDir(), "none.ttf")
	t.Setenv(FontVariable, none)
	onlyFontsIn(t)
	if w := warnings(); !strings.Contains(w, none) || !strings.Contains(w, "소") {
		t.Errorf("warnings of a font that is not there: %q", w)
	}
	for _, file := range installed {
		if f := file.face(false); f != nil && has(f, '소') && has(f, '수') {
			t.Setenv(FontVariable, none+string(filepath.ListSeparator)+file.regular)
			onlyFontsIn(t)
			if w := warnings(); w != "" {
				t.Errorf("warnings with %s: %q", file.regular, w)
			}
			return
		}
	}
	t.Log("no font here has Korean letters: that a named one is used was not tested")
}
