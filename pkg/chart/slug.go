package chart

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"overlap/pkg/lab"
)

// maxSlug is how many bytes a slug has at most: short enough to read in a list of files, and within
// every file system's limit with an extension.
const maxSlug = 99

// slug makes a file name of what a figure is about, its kind, and what sets it apart from others of
// that kind. What is too long ends in a hash of all of it.
func slug(about, kind, apart string) string {
	before, after := joined(words(about), signs(about)), words(apart)
	s := joined(before, kind, after)
	if len(s) <= maxSlug {
		return s
	}
	h := fnv.New32a()
	h.Write([]byte(s))
	end := min(len(before), maxSlug-len(kind)-len("--12345678"))
	for end < len(before) && !utf8.RuneStart(before[end]) {
		end--
	}
	return joined(strings.TrimRight(before[:end], "-"), fmt.Sprintf("%08x", h.Sum32()), kind)
}

// words returns the letters and digits of any script in lower case, with hyphens for all else.
func words(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(norm.NFC.String(strings.ToValidUTF8(s, ""))) {
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
	return b.String()
}

// signs returns a hash of the signs in a text that are more than punctuation, so that "C++" and "C#" do
// not have the same files; "" where there are none.
func signs(s string) string {
	h, found := fnv.New32a(), false
	for _, r := range strings.ToValidUTF8(s, "") {
		if unicode.IsSymbol(r) && r != '×' || strings.ContainsRune("#%&*@", r) {
			fmt.Fprintf(h, "%c", r)
			found = true
		}
	}
	if !found {
		return ""
	}
	return fmt.Sprintf("%08x", h.Sum32())
}

// joined puts hyphens between the parts that are not empty.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "-")
}

// sizesSlug names sizes so that others have another name: "500-tasks", "1-to-5-rasters",
// "1-10-100-tasks".
func sizesSlug(sizes []int, unit string) string {
	sizes = slices.Compact(slices.Sorted(slices.Values(sizes)))
	if len(sizes) == 0 {
		return words(unit)
	}
	text := make([]string, len(sizes))
	even := true
	for i, n := range sizes {
		text[i] = strconv.Itoa(n)
		even = even && n == sizes[0]+i
	}
	list := strings.Join(text, "-")
	last := text[len(text)-1]
	switch {
	case even && len(sizes) > 1:
		list = text[0] + "-to-" + last
	case len(sizes) > 6:
		h := fnv.New32a()
		h.Write([]byte(list))
		list = fmt.Sprintf("%d-sizes-%s-to-%s-%08x", len(sizes), text[0], last, h.Sum32())
	}
	return joined(list, words(unit))
}

// variantSlug names a variant of a result so that no other variant of it has that name.
func variantSlug(r *lab.Result, variant string) string {
	s := words(variant)
	same := func(other string) bool { return words(other) == s }
	if at := slices.Index(r.Variants, variant); s == "" || at > slices.IndexFunc(r.Variants, same) {
		return joined(s, strconv.Itoa(at+1))
	}
	return s
}

// against names the baseline of ratios where it is not the one that a reader expects.
func against(r *lab.Result) string {
	if len(r.Variants) == 0 || r.Baseline == r.Variants[0] || !slices.Contains(r.Variants, r.Baseline) {
		return ""
	}
	return "vs " + variantSlug(r, r.Baseline)
}
