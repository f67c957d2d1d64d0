package chart

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestSlug(t *testing.T) {
	for name, tc := range map[string]struct{ title, want string }{
		"plain":       {"Primes", "primes-times"},
		"signs":       {"  Raster reads: 5 × 300 MB / whole ", "raster-reads-5-300-mb-whole-times"},
		"Korean":      {"소수 세기", "소수-세기-times"},
		"empty":       {"", "times"},
		"only signs":  {"../..", "times"},
		"not UTF-8":   {"a\xff\xfeb", "ab-times"},
		"path inside": {"a/../../etc/passwd", "a-etc-passwd-times"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := slug(tc.title, "times"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	long := strings.Repeat("긴 이름 ", 100)
	if slug(long+"a", "times") == slug(long+"b", "times") {
		t.Error("long titles that differ at the end have one slug")
	}
}

func TestSlugIsAFileName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := slug(rapid.String().Draw(t, "title"), "in-flight")
		if len(s) > maxSlug || !utf8.ValidString(s) || strings.ContainsAny(s, "/\\:*?\"<>| \x00") || strings.HasPrefix(s, ".") || strings.HasPrefix(s, "-") {
			t.Fatalf("slug %q", s)
		}
	})
}
