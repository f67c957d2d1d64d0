package ink

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
)

// A glyph is a letter with the marks that stand on it.
type glyph struct {
	base  rune
	marks []rune
}

// String returns the glyph as it is read.
func (g glyph) String() string { return string(g.base) + string(g.marks) }

// glyphs splits a text into letters with their marks.
func glyphs(s string) []glyph {
	var out []glyph
	for _, r := range s {
		if n := len(out); n > 0 && (unicode.Is(unicode.M, r) || unseen(r)) {
			out[n-1].marks = append(out[n-1].marks, r)
		} else {
			out = append(out, glyph{base: r})
		}
	}
	return out
}

// A stretch is glyphs of one direction in the order in which they stand from left to right.
type stretch struct {
	glyphs   []glyph
	backward bool // read from the right
}

// directions orders a line from left to right. All that lies between letters that are read from the
// right, and no other letter, is turned around with them; numbers keep their order. This is what the
// Unicode Bidirectional Algorithm (UAX #9) does in a line that is read from the left, for texts without
// its control characters; digits at the end of such a part stay at its right.
func directions(line []glyph) []stretch {
	var out []stretch
	add := func(glyphs []glyph, backward bool) {
		if len(glyphs) > 0 {
			out = append(out, stretch{glyphs, backward})
		}
	}
	from := 0 // what comes before is in out
	for i := 0; i < len(line); i++ {
		if !fromRight(line[i].base) {
			continue
		}
		last := i
		for j := i + 1; j < len(line) && (fromRight(line[j].base) || !unicode.IsLetter(line[j].base)); j++ {
			if fromRight(line[j].base) {
				last = j
			}
		}
		add(line[from:i], false)
		turned := slices.Clone(line[i : last+1])
		slices.Reverse(turned)
		for at := 0; at < len(turned); {
			n := number(turned[at:])
			if n == 0 {
				at++
				continue
			}
			add(turned[:at], true)
			slices.Reverse(turned[at : at+n])
			add(turned[at:at+n], false)
			turned, at = turned[at+n:], 0
		}
		add(turned, true)
		from, i = last+1, last
	}
	add(line[from:], false)
	return out
}

// number returns how many glyphs at the beginning are a number.
func number(line []glyph) (n int) {
	for i, g := range line {
		if unicode.IsDigit(g.base) {
			n = i + 1
		} else if i == 0 || !strings.ContainsRune(".,:", g.base) {
			break
		}
	}
	return n
}

// special reports whether a letter is more than its picture: it is read from the right, has none, or
// belongs to the one before.
func special(r rune) bool {
	return fromRight(r) || unseen(r) || unicode.Is(unicode.M, r) || joiningScript(r) != ""
}

// fromRight reports whether a letter is read from the right.
func fromRight(r rune) bool {
	if r < 0x590 || !unicode.IsLetter(r) {
		return false
	}
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}

// unseen reports whether a character only says something about its neighbours: joins them, or chooses a
// form of the one before.
func unseen(r rune) bool {
	return r >= 0x200C && unicode.In(r, unicode.Cf, unicode.Variation_Selector)
}

// joiningScript names the script of a letter whose form depends on its neighbours, "" for others. Such
// letters can be read when drawn one by one, but are not written that way.
func joiningScript(r rune) string {
	if r < 0x600 || !unicode.IsLetter(r) {
		return ""
	}
	for _, s := range joiningScripts {
		if unicode.Is(unicode.Scripts[s], r) {
			return s
		}
	}
	return ""
}

var joiningScripts = []string{"Arabic", "Bengali", "Devanagari", "Gujarati", "Gurmukhi", "Kannada", "Khmer",
	"Malayalam", "Mongolian", "Myanmar", "Nko", "Oriya", "Sinhala", "Syriac", "Tamil", "Telugu", "Tibetan"}

// mirrored has for each sign the one that stands for it in text that is read from the right.
var mirrored = strings.NewReplacer("(", ")", ")", "(", "[", "]", "]", "[", "{", "}", "}", "{",
	"<", ">", ">", "<", "«", "»", "»", "«", "‹", "›", "›", "‹")
