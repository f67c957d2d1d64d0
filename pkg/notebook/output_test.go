package notebook

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"overlap/pkg/internal/sieve"
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
			o := &bounded{to: r, overflow: &beyond}
			print(o)
			lines := 0
			for _, b := range r.blocks[:len(r.blocks)-1] {
				lines += strings.Count(b.text, "\n") + 1
			}
			if last := r.blocks[len(r.blocks)-1].text; lines != sieve.MostLines || !strings.HasPrefix(last, "There is more than a cell shows") {
				t.Errorf("%d lines, and then %q", lines, last)
			}
			// What is not text by itself still comes, and text no more.
			o.show(block{text: "a figure", png: []byte("p")})
			o.show(noteBlock("a note"))
			o.show(textBlock("the last"))
			if got := r.blocks[len(r.blocks)-2:]; got[0].text != "a figure" || got[1].text != "a note" {
				t.Errorf("then came %+v", got)
			}
			if n := strings.Count(beyond.String(), "\n"); n != flood-sieve.MostLines+1 || !strings.HasSuffix(beyond.String(), "\nthe last\n") {
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
	o.show(textBlock(strings.Repeat("x\n", sieve.MostLines-5) + "x\n"))
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
		"several":        {text: strings.Repeat("x", sieve.MostBytes/5)},
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
			if size > sieve.MostBytes+300 || len(got.html) > sieve.MostBytes || got.text == "" || !utf8.ValidString(got.text) {
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
			o := &bounded{to: r, overflow: &beyond}
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
