package notebook

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"overlap/pkg/lab"
)

func TestFloodOfLinesIsBounded(t *testing.T) {
	const flood = 100_000
	for name, print := range map[string]func(output){
		"one by one": func(o output) {
			for i := range flood {
				o.show(textBlock(fmt.Sprint("line ", i)))
			}
		},
		"at once": func(o output) { o.show(textBlock(strings.Repeat("line\n", flood))) },
		"empty": func(o output) {
			for range flood {
				o.show(textBlock(""))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var beyond bytes.Buffer
			r := &recorder{}
			o := &bounded{to: r, beyond: &beyond}
			print(o)
			lines := 0
			for _, b := range r.blocks[:len(r.blocks)-1] {
				lines += strings.Count(b.text, "\n") + 1
			}
			if last := r.blocks[len(r.blocks)-1].text; lines != mostLines || !strings.HasPrefix(last, "There is more than a cell shows") {
				t.Errorf("%d lines, and then %q", lines, last)
			}
			// What is not text by itself still comes, and text no more.
			o.show(block{text: "a figure", png: []byte("p")})
			o.show(noteBlock("a note"))
			o.show(textBlock("the last"))
			if got := r.blocks[len(r.blocks)-2:]; got[0].text != "a figure" || got[1].text != "a note" {
				t.Errorf("then came %+v", got)
			}
			if n := strings.Count(beyond.String(), "\n"); n != flood-mostLines+1 || !strings.HasSuffix(beyond.String(), "\nthe last\n") {
				t.Errorf("%d lines were left, the last of them %q", n, beyond.String()[max(0, beyond.Len()-20):])
			}
		})
	}
}

func TestFewLinesAreAllShown(t *testing.T) {
	r := &recorder{}
	o := &bounded{to: r}
	for _, s := range []string{"a", "", "b\nc"} {
		o.show(textBlock(s))
	}
	o.show(textBlock(strings.Repeat("x\n", mostLines-5) + "x\n"))
	if len(r.blocks) != 4 || r.blocks[1].text != "" || r.blocks[2].text != "b\nc" {
		t.Errorf("showed %d blocks", len(r.blocks))
	}
}

func TestBytesAreBounded(t *testing.T) {
	lines := strings.Repeat("a line\n", 1<<20)
	long := strings.Repeat("길", 1<<20)
	html := strings.Repeat("<b>x</b>", 1<<20)
	for name, b := range map[string]block{
		"lines":          {text: lines},
		"one line":       {text: long},
		"several":        {text: strings.Repeat("x", mostBytes/5)},
		"html":           {text: "short", html: html},
		"both":           {text: lines, html: html},
		"one line, html": {text: long, html: html},
		"in place":       {text: long, id: "x"},
		"in bounds":      {text: "short", html: "<b>short</b>"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{}
			o := &bounded{to: r}
			for range 10 {
				if err := o.show(b); err != nil {
					t.Fatal(err)
				}
			}
			got := r.blocks[0]
			size := len(got.text)
			if b.html == "" && b.id == "" { // text by itself counts together
				for _, more := range r.blocks[1:] {
					size += len(more.text)
				}
			}
			if size > mostBytes+300 || len(got.html) > mostBytes || got.text == "" || !utf8.ValidString(got.text) {
				t.Errorf("%d bytes of text, %d of html", size, len(got.html))
			}
			if name == "in bounds" && got.html != b.html {
				t.Error("it was changed")
			}
			if !strings.HasPrefix(b.text, strings.SplitN(got.text, "\n…", 2)[0]) {
				t.Errorf("the text is %.40q, and not the beginning of what it was", got.text)
			}
		})
	}
}

func TestTablesAndFiguresAreBounded(t *testing.T) {
	for name, b := range map[string]block{
		"many":  tableBlock(lab.Table{Head: []string{"a"}, Rows: [][]string{{"1"}}}),
		"large": {text: "a figure", png: make([]byte, 1<<20)},
	} {
		t.Run(name, func(t *testing.T) {
			var beyond bytes.Buffer
			r := &recorder{}
			o := &bounded{to: r, beyond: &beyond}
			const all = 2 * mostOutputs
			for range all {
				o.show(b)
			}
			size := 0
			for _, b := range r.blocks {
				size += len(b.png) + len(b.html) + len(b.text)
			}
			shown := len(r.blocks) - 1
			if shown > mostOutputs || size > mostShown+1000 || shown < 30 {
				t.Errorf("%d were shown, %d bytes", shown, size)
			}
			if left := strings.Count(beyond.String(), strings.TrimSpace(b.text)); left != all-shown {
				t.Errorf("%d were shown and %d left, of %d", shown, left, all)
			}
		})
	}
}

func TestLargeTableIsBounded(t *testing.T) {
	table := lab.Table{Head: []string{"n"}, Notes: []string{"its own note"}}
	for i := range 100_000 {
		table.Rows = append(table.Rows, []string{fmt.Sprint(i)})
	}
	blocks, err := blocksOf(&table, saved)
	if err != nil || len(blocks) != 1 {
		t.Fatalf("%d blocks, %v", len(blocks), err)
	}
	for name, text := range map[string]string{"text": blocks[0].text, "html": blocks[0].html} {
		if n := strings.Count(text, "\n"); n > mostRows+10 || !strings.Contains(text, "… and 99,000 more rows.") || !strings.Contains(text, "its own note") {
			t.Errorf("the %s has %d lines and ends with %q", name, n, text[max(0, len(text)-100):])
		}
	}
	if len(table.Rows) != 100_000 || len(table.Notes) != 1 {
		t.Error("the table itself was changed")
	}
}

// sifted is what a sieve passes on of a text, in parts of any size.
func sifted(t interface{ Fatal(...any) }, text string, lines, size int, r *rand.Rand) string {
	var b strings.Builder
	s := newSieve(&b, "on stdout", lines, size)
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
	s := newSieve(&b, "on stdout", 10, 100)
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
