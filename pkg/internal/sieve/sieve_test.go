package sieve

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// sifted is what a sieve passes on of a text, in parts of any size.
func sifted(t interface{ Fatal(...any) }, text string, lines, size int, r *rand.Rand) string {
	var b strings.Builder
	s := &sieve{to: &b, what: "on stdout", lines: lines, bytes: size}
	for len(text) > 0 {
		n := 1 + r.IntN(min(len(text), 1<<r.IntN(17)))
		if _, err := s.Write([]byte(text[:n])); err != nil {
			t.Fatal(err)
		}
		text = text[n:]
	}
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSievePassesBeginningAndEnd(t *testing.T) {
	var flood strings.Builder
	for i := range 100_000 {
		fmt.Fprintln(&flood, "line", i)
	}
	head := func(n int) string {
		return flood.String()[:strings.Index(flood.String(), fmt.Sprintf("line %d\n", n))]
	}
	tail := func(n int) string { return flood.String()[strings.Index(flood.String(), fmt.Sprintf("line %d\n", n)):] }
	for name, test := range map[string]struct {
		text, want  string
		lines, size int
	}{
		"nothing":     {"", "", 10, 100},
		"all":         {"a\nb\nc", "a\nb\nc", 3, 5},
		"a few more":  {"a\nb\nc\nd\n", "a\nb\nc\nd\n", 2, 100},
		"without end": {"a\nb\nc\nd", "a\nb\nc\nd\n", 2, 100},
		"empty lines": {"\n\n\n\n", "\n\n\n\n", 2, 100},
		"many": {flood.String(), head(10) + "… 99,990 more lines on stdout (1,088,820 bytes). A cell shows the beginning and the end; write more to a file.\n" +
			tail(99_950), 10, 1 << 20},
		"many and a part": {flood.String() + "the end", head(10) + "… 99,991 more lines on stdout (1,088,827 bytes). A cell shows the beginning and the end; write more to a file.\n" +
			tail(99_951) + "the end\n", 10, 1 << 20},
		"one long line": {strings.Repeat("길", 10_000), strings.Repeat("길", 34) + "\n… 1 more line on stdout (29,898 bytes). A cell shows the beginning and the end; write more to a file.\n" +
			strings.Repeat("길", 333) + "\n", 10, 100},
		"none may pass": {"a\nb", "a\nb\n", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sifted(t, test.text, test.lines, test.size, rand.New(rand.NewPCG(1, 2))); got != test.want {
				t.Errorf("got  %.300q\nwant %.300q", got, test.want)
			}
		})
	}
}

// A letter that passes as some of it may have counts like every other.
func TestSieveBoundsLettersThatComeOneByOne(t *testing.T) {
	var b strings.Builder
	s := &sieve{to: &b, what: "on stdout", lines: 10, bytes: 100}
	for range 10_000 {
		if _, err := s.Write([]byte("길")); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.String(); got != strings.Repeat("길", 34) {
		t.Errorf("%d bytes passed: %.300q", len(got), got)
	}
}

// In whatever parts it comes, a text that is short enough passes as it is, and of
// every other the beginning and the last line.
func TestSieveLosesNoBeginningAndNoEnd(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all := rapid.SliceOfN(rapid.StringMatching(`[a-zö길 ]{0,30}`), 1, 200).Draw(rt, "lines")
		lines, size := rapid.IntRange(1, 250).Draw(rt, "most lines"), rapid.IntRange(1, 5000).Draw(rt, "most bytes")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 3))
		text := strings.Join(all, "\n") + "\n"
		got := sifted(rt, text, lines, size, r)
		if len(all) <= lines && len(text) <= size && got != text {
			rt.Errorf("got %q of %q", got, text)
		}
		if n := strings.Count(got, "\n"); !utf8.ValidString(got) || n > lines+lastLines+2 {
			rt.Errorf("%d lines: %q", n, got)
		}
		first, end, cut := strings.Cut(got, "…")
		switch letters := strings.NewReplacer("\n", "").Replace; {
		case !cut && letters(got) != letters(text):
			rt.Errorf("of %q came %q", text, got)
		case cut && !strings.HasPrefix(text, strings.TrimSuffix(first, "\n")):
			rt.Errorf("%q is not the beginning of %q", first, text)
		case cut && !strings.HasSuffix(end, "\n"+all[len(all)-1]+"\n"):
			rt.Errorf("%q is not the end of %q", end, text)
		}
	})
}
