package chart

import (
	"fmt"
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSlug keeps a name and its extension within every file system's limit of
// bytes.
const maxSlug = 120

// slug makes a file name of a title and the kind of the figure: letters and
// digits of any script in lower case, and hyphens.
func slug(title, kind string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(strings.ToValidUTF8(title, "")) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	s := b.String()
	if limit := maxSlug - len(kind) - 1; len(s) > limit {
		// A hash keeps titles apart that begin alike.
		h := fnv.New32a()
		h.Write([]byte(s))
		end := limit - 9
		for !utf8.RuneStart(s[end]) {
			end--
		}
		s = strings.TrimRight(s[:end], "-") + fmt.Sprintf("-%08x", h.Sum32())
	}
	if s == "" {
		return kind
	}
	return s + "-" + kind
}
