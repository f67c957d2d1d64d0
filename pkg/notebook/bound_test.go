package notebook

import (
	"fmt"
	"strings"
	"testing"
)

func TestFloodOfLinesIsBounded(t *testing.T) {
	const flood = 100_000
	for name, print := range map[string]func(output){
		"one by one": func(o output) {
			for i := range flood {
				o.show(textBlock(fmt.Sprint("line ", i)))
			}
		},
		"at once": func(o output) { o.show(textBlock(strings.TrimSuffix(strings.Repeat("line\n", flood), "\n"))) },
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{}
			o := &bounded{to: r, id: "more"}
			print(o)
			lines, updates := 0, 0
			for _, b := range r.blocks {
				if b.id == "more" {
					updates++
				} else {
					lines += strings.Count(b.text, "\n") + 1
				}
			}
			if lines != mostLines || updates == 0 || updates > 200 {
				t.Errorf("%d lines and %d updates", lines, updates)
			}
			var least int
			last := r.blocks[len(r.blocks)-1].text
			if _, err := fmt.Sscanf(strings.ReplaceAll(last, ",", ""), "… and at least %d more lines", &least); err != nil || least > flood-mostLines || least < (flood-mostLines)*9/10 {
				t.Errorf("the last update is %q", last)
			}
			// What is not text by itself still comes, and text no more.
			o.show(block{text: "a figure", png: []byte("p")})
			o.show(noteBlock("a note"))
			if got := r.blocks[len(r.blocks)-2:]; got[0].text != "a figure" || got[1].text != "a note" {
				t.Errorf("then came %+v", got)
			}
		})
	}
}

func TestFewLinesAreAllShown(t *testing.T) {
	r := &recorder{}
	o := &bounded{to: r, id: "more"}
	for _, s := range []string{"a", "", "b\nc"} {
		o.show(textBlock(s))
	}
	o.show(textBlock(strings.Repeat("x\n", mostLines-5) + "x"))
	if len(r.blocks) != 4 || r.blocks[1].text != "" || r.blocks[2].text != "b\nc" {
		t.Errorf("showed %d blocks", len(r.blocks))
	}
}

func TestOneOutputIsBounded(t *testing.T) {
	for name, b := range map[string]block{
		"lines":     {text: strings.Repeat("a line\n", 1<<20)},
		"one line":  {text: strings.Repeat("길", 1<<20)},
		"html":      {text: "short", html: strings.Repeat("<b>x</b>", 1<<20)},
		"both":      {text: strings.Repeat("a line\n", 1<<20), html: strings.Repeat("<b>x</b>", 1<<20)},
		"in bounds": {text: "short", html: "<b>short</b>"},
	} {
		t.Run(name, func(t *testing.T) {
			got := b.bounded()
			if len(got.text) > mostBytes+100 || len(got.html) > mostBytes || got.text == "" {
				t.Errorf("%d bytes of text, %d of html", len(got.text), len(got.html))
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
