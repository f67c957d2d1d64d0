package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Capital returns text with its first letter as at the beginning of a sentence. A letter of any
// script is taken whole.
func Capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 || first == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Counted returns a number with what it counts, which is given in the plural of a result's Unit:
// "10,000 tasks", "1 task", "1 entry".
func Counted(n int, unit string) string {
	if n == 1 {
		if stem, ok := strings.CutSuffix(unit, "ies"); ok {
			unit = stem + "y"
		} else {
			unit = strings.TrimSuffix(unit, "s")
		}
	}
	return strings.TrimSpace(Count(n) + " " + unit)
}

// inLine returns text without what would break a line of a table.
func inLine(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, text)
}

// columns returns how many columns of a terminal text takes: two for a letter of East Asian scripts
// and for a picture, none for a mark on the letter before (Unicode Standard Annex 11, "East Asian
// Width", in its coarse outline).
func columns(text string) (n int) {
	for _, c := range text {
		switch {
		case unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf),
			c >= 0x1160 && c <= 0x11ff: // with vowels of Hangul that is written in parts
		case c >= 0x1100 && c <= 0x115f, c >= 0x2e80 && c <= 0xa4cf, c >= 0xac00 && c <= 0xd7a3, c >= 0xf900 && c <= 0xfaff,
			c >= 0xfe30 && c <= 0xfe6f, c >= 0xff00 && c <= 0xff60, c >= 0xffe0 && c <= 0xffe6, c >= 0x1f300 && c <= 0x1faff,
			c >= 0x20000 && c <= 0x3fffd:
			n += 2
		default:
			n++
		}
	}
	return n
}
