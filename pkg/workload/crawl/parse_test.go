package crawl

import (
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func TestParse(t *testing.T) {
	base, err := url.Parse("http://h/a/b")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, html string
		words      int
		links      []string
	}{
		{"nothing", "", 0, nil},
		{"text only", "one two\n three", 3, nil},
		{"relative", `<a href="c">x</a><a href="/d">y</a><a href="?q=1">z</a>`, 3, []string{"http://h/a/c", "http://h/d", "http://h/a/b?q=1"}},
		{"other host", `<a href="https://i/">x</a><a href="//j/k">y</a>`, 2, []string{"https://i/", "http://j/k"}},
		{"twice and fragments", `<a href="/d#1">x</a> <a href="/d#2">x</a> <a href="#top">x</a>`, 3, []string{"http://h/d", "http://h/a/b"}},
		{"not pages", `<a href="mailto:a@b">x</a><a href="javascript:f()">x</a><a href="http://[">x</a><a name="n">x</a>`, 4, nil},
		{"other tags", `<link href="/style.css"><img src="/i.png"><area href="/map">`, 0, nil},
		{"capitals and no quotes", `<A HREF=/d>x</A>`, 1, []string{"http://h/d"}},
		{"entities", `<a href="/d?a=1&amp;b=2">x&amp;y z</a>`, 2, []string{"http://h/d?a=1&b=2"}},
		{"base", `<base href="/e/"><base href="/f/"><a href="g">x</a>`, 1, []string{"http://h/e/g"}},
		{"script and style", `<script>var x = "<a href='/no'>"; y</script>a<style>b c</style><script src="s"></script>d`, 2, nil},
		{"comment", `<!-- <a href="/no">x</a> -->a`, 1, nil},
		{"not closed", `<p>a <a href="/d">b <b>c`, 3, []string{"http://h/d"}},
		{"cut in a tag", `a <a href="/d`, 1, nil},
		{"unicode", "räven\u00a0hoppar\u3000世界", 3, nil},
		{"not utf-8", "a\xff b", 2, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parse(strings.NewReader(c.html), base)
			if err != nil {
				t.Fatal(err)
			}
			if got.words != c.words || !slices.Equal(got.links, c.links) {
				t.Errorf("%d words, links %q; want %d, %q", got.words, got.links, c.words, c.links)
			}
			// The same in the smallest pieces.
			again, err := parse(iotest.OneByteReader(strings.NewReader(c.html)), base)
			if err != nil || again.words != got.words || !slices.Equal(again.links, got.links) {
				t.Errorf("byte by byte: %+v, %v", again, err)
			}
		})
	}
	broken := errors.New("broken")
	got, err := parse(io.MultiReader(strings.NewReader("a <b>b</b> "), iotest.ErrReader(broken)), base)
	if !errors.Is(err, broken) || got.words != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", `<a href="/x">y</a>`, `<base href="http://[::1]:1/"><a href=x#y>`, "<script></", "<a href='\x00'>", "<style><a href=/>", "<!doctype", "<![CDATA[a", "&amp;&#0;",
	} {
		f.Add(s)
	}
	base, _ := url.Parse("http://h/")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parse(strings.NewReader(text), base)
		if err != nil {
			t.Fatal(err)
		}
		if got.words < 0 || got.words > len(text) {
			t.Errorf("%d words in %d bytes", got.words, len(text))
		}
		seen := map[string]bool{}
		for _, link := range got.links {
			u, err := url.Parse(link)
			if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Fragment != "" {
				t.Errorf("link %q", link)
			}
			if seen[link] {
				t.Errorf("link %q twice", link)
			}
			seen[link] = true
		}
		if utf8.ValidString(text) && !strings.ContainsAny(text, "<&") && got.words != len(strings.Fields(strings.ReplaceAll(text, "\x00", "\ufffd"))) {
			t.Errorf("%d words in %q", got.words, text)
		}
	})
}
