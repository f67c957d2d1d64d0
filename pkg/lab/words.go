package lab

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Capital returns text with its first letter as at the beginning of a sentence.
// A letter of any script is taken whole.
func Capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 || first == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Counted returns a number with what it counts, which is given in the plural of
// a result's Unit: "10,000 tasks", "1 task", "1 entry".
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
