package crawl

import (
	"fmt"
	"io"
	"strings"
)

// words are what pages are made of.
var words = strings.Fields(`river stone lamp winter copper garden window harbour
	paper morning bridge forest silver market island thunder needle orchard
	valley ladder meadow signal anchor candle feather mirror canyon whisper`)

const (
	paragraphs        = 64
	wordsPerParagraph = 60
)

// A text makes the pages of one site.
type text struct {
	site       Site
	paragraphs [paragraphs]string
}

func newText(s Site) *text {
	t := &text{site: s}
	var b strings.Builder
	for i := range t.paragraphs {
		b.Reset()
		b.WriteString("<p>")
		for w := range wordsPerParagraph {
			if w > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(words[draw(s.Seed, forText, i, w)%uint64(len(words))])
		}
		b.WriteString(".</p>\n")
		t.paragraphs[i] = b.String()
	}
	return t
}

// write writes a page of about the size that it should have. Whole paragraphs are copied, which
// costs the server next to nothing.
func (t *text) write(w io.Writer, page int) (err error) {
	n := 0
	put := func(format string, args ...any) {
		if err == nil {
			var k int
			k, err = fmt.Fprintf(w, format, args...)
			n += k
		}
	}
	put("<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Page %d</title></head>\n"+
		"<body>\n<h1>Page %[1]d</h1>\n<ul>\n", page)
	for _, to := range t.site.linksOf(page) {
		put("<li><a href=\"%s\">Page %d</a></li>\n", t.site.path(to), to)
	}
	put("</ul>\n")
	size := float64(t.site.pageSize()) * (0.5 + unit(draw(t.site.Seed, forSize, page, 0)))
	for i := 0; err == nil && n < int(size); i++ {
		var k int
		k, err = io.WriteString(w, t.paragraphs[draw(t.site.Seed, forText, page, paragraphs+i)%paragraphs])
		n += k
	}
	put("</body>\n</html>\n")
	return err
}

// size returns the number of bytes that write writes.
func (t *text) size(page int) int64 {
	var n counter
	_ = t.write(&n, page) // a counter takes everything
	return int64(n)
}

// A counter counts bytes.
type counter int64

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

func (c *counter) WriteString(s string) (int, error) { *c += counter(len(s)); return len(s), nil }
