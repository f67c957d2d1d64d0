package crawl

import (
	"errors"
	"io"
	"net/url"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// content is what is on a page.
type content struct {
	words int      // runs of characters without white space between, outside of tags, scripts and styles
	links []string // where its <a href> lead by http or https: absolute, without fragments, each once, in the page's order
}

// parse reads a page of HTML and finds its words and links. Links are relative to base, or to the
// page's own <base href>. Broken HTML is no error: browsers take it too. It returns what was found
// so far and the reader's error if reading fails.
func parse(r io.Reader, base *url.URL) (content, error) {
	p := parser{base: base, seen: map[string]bool{}}
	z := html.NewTokenizer(r)
	for {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return p.content, err
			}
			return p.content, nil
		case html.TextToken:
			if !p.hidden {
				p.content.words += countWords(z.Text())
			}
		case html.StartTagToken:
			p.tag(z, true)
		case html.SelfClosingTagToken:
			p.tag(z, false)
		case html.EndTagToken:
			p.hidden = false // nothing but its own end tag ends a script or a style
		}
	}
}

type parser struct {
	base    *url.URL
	based   bool // a <base href> was there: only the first counts
	hidden  bool // within a script or a style
	seen    map[string]bool
	content content
}

func (p *parser) tag(z *html.Tokenizer, open bool) {
	name, more := z.TagName()
	switch atom.Lookup(name) {
	case atom.Script, atom.Style:
		p.hidden = open
	case atom.A:
		if href, ok := attribute(z, more, "href"); ok {
			p.link(href)
		}
	case atom.Base:
		if href, ok := attribute(z, more, "href"); ok && !p.based {
			if u, err := p.base.Parse(href); err == nil {
				p.base, p.based = u, true
			}
		}
	}
}

func attribute(z *html.Tokenizer, more bool, name string) (value string, ok bool) {
	for more {
		var key, val []byte
		key, val, more = z.TagAttr()
		if string(key) == name {
			return string(val), true
		}
	}
	return "", false
}

func (p *parser) link(href string) {
	u, err := p.base.Parse(href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return
	}
	u.Fragment, u.RawFragment = "", ""
	if text := u.String(); !p.seen[text] {
		p.seen[text] = true
		p.content.links = append(p.content.links, text)
	}
}

func countWords(text []byte) int {
	n, within := 0, false
	for _, r := range string(text) {
		space := unicode.IsSpace(r)
		if !space && !within {
			n++
		}
		within = !space
	}
	return n
}
