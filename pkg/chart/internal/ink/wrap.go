package ink

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const ellipsis = "…"

// Wrap breaks s into at most lines lines no wider than width. It breaks at spaces, within words only
// where one is wider than a line, and ends what does not fit with an ellipsis. The result has at least
// one line.
func Wrap(sty draw.TextStyle, s string, width vg.Length, lines int) []string {
	var words, out []string
	for _, w := range strings.Fields(Printable(s)) {
		if n := len(words); n > 0 && w == "·" { // what separates stays at the line's end
			words[n-1] += " " + w
		} else {
			words = append(words, w)
		}
	}
	line := ""
	for len(words) > 0 {
		word := words[0]
		next := word
		if line != "" {
			next = line + " " + word
		}
		if sty.Width(next) <= width {
			line, words = next, words[1:]
			continue
		}
		if len(out) == lines-1 { // the last line: as much as fits
			rest := strings.Join(words, " ")
			if line != "" {
				rest = line + " " + rest
			}
			return append(out, shorten(sty, rest, width))
		}
		if line != "" {
			out, line = append(out, line), ""
			continue
		}
		// One word wider than a line. Prefer to break after a sign.
		n := prefix(sty, word, width)
		if i := strings.LastIndexAny(word[:n], "-_/.,:;)]}"); i > n/2 {
			n = i + 1
		}
		out, words[0] = append(out, word[:n]), word[n:]
	}
	if line != "" || len(out) == 0 {
		out = append(out, line)
	}
	return out
}

// WrapName is [Wrap] for names, of which the end tells as much as the beginning: what does not fit is
// left out in the middle.
func WrapName(sty draw.TextStyle, s string, width vg.Length, lines int) []string {
	out := Wrap(sty, s, width, lines)
	if !strings.HasSuffix(out[len(out)-1], ellipsis) || strings.HasSuffix(s, ellipsis) {
		return out
	}
	letters := glyphs(strings.Join(strings.Fields(Printable(s)), " "))
	text := func(part []glyph) string {
		var b strings.Builder
		for _, g := range part {
			b.WriteString(g.String())
		}
		return b.String()
	}
	fits := func(keep int) ([]string, bool) {
		head := keep * 3 / 5
		short := strings.TrimRight(text(letters[:head]), " ") + ellipsis +
			strings.TrimLeft(text(letters[len(letters)-keep+head:]), " ")
		w := Wrap(sty, short, width, lines)
		return w, !strings.HasSuffix(w[len(w)-1], ellipsis)
	}
	tooMany := sort.Search(len(letters), func(keep int) bool {
		_, ok := fits(keep)
		return keep > 3 && !ok
	})
	if w, ok := fits(max(0, tooMany-1)); ok && tooMany > 4 {
		return w
	}
	return out
}

// WrapNames is WrapName for names that stand beside each other: those that would look alike, since they
// differ only in what is left out, begin with their place among all.
func WrapNames(sty draw.TextStyle, names []string, width vg.Length, lines int) [][]string {
	out := make([][]string, len(names))
	by := map[string][]int{}
	for i, name := range names {
		out[i] = WrapName(sty, name, width, lines)
		look := strings.Join(out[i], " ")
		by[look] = append(by[look], i)
	}
	for _, alike := range by {
		for _, i := range alike {
			if slices.ContainsFunc(alike, func(j int) bool { return names[j] != names[i] }) {
				out[i] = WrapName(sty, fmt.Sprintf("%d: %s", i+1, names[i]), width, lines)
			}
		}
	}
	return out
}

// OneLine returns a text as one line no wider than width.
func OneLine(sty draw.TextStyle, s string, width vg.Length) string {
	return WrapName(sty, s, width, 1)[0]
}

// shorten returns s, cut and ended with an ellipsis if it is wider than width.
func shorten(sty draw.TextStyle, s string, width vg.Length) string {
	if sty.Width(s) <= width {
		return s
	}
	n := prefix(sty, s, width-sty.Width(ellipsis))
	return strings.TrimRight(s[:n], " ,;(") + ellipsis
}

// prefix returns how many bytes of s fit in width: whole letters with their marks, at least one.
func prefix(sty draw.TextStyle, s string, width vg.Length) int {
	n := 0
	for _, g := range glyphs(s) {
		end := n + len(g.String())
		if n > 0 && sty.Width(s[:end]) > width {
			break
		}
		n = end
	}
	return n
}

// Widest returns the width of the Widest line.
func Widest(sty draw.TextStyle, lines []string) vg.Length {
	var w vg.Length
	for _, l := range lines {
		w = max(w, sty.Width(l))
	}
	return w
}

// Leading returns the distance of two baselines.
func Leading(sty draw.TextStyle) vg.Length { return sty.FontExtents().Height }
