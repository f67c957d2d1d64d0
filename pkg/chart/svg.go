package chart

import (
	"bytes"
	"fmt"
	"html"
	"regexp"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// family finds the font of a text element. The letters of labels cannot look
// like it: their quotes are escaped.
var family = regexp.MustCompile(`style="font-family:([^;"]*);`)

var textStart = regexp.MustCompile(`<text `)

// measured is an SVG canvas that keeps how wide each text is.
type measured struct {
	*vgsvg.Canvas
	widths []vg.Length
}

// fallbacks are fonts as wide as Liberation Sans, then others with Korean
// letters.
const fallbacks = `Arial, Helvetica, 'Noto Sans KR', 'Apple SD Gothic Neo', 'Malgun Gothic', sans-serif`

// SVG returns the figure as an SVG whose text is text, with its title and
// text alternative for screen readers.
func (f *Figure) SVG() ([]byte, error) { return f.svg.bytes(f.renderSVG) }

func (f *Figure) renderSVG() ([]byte, error) {
	if err := f.Err(); err != nil {
		return nil, err
	}
	c := &measured{Canvas: vgsvg.New(f.width, f.height)}
	if _, err := f.draw(c); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("chart: figure %q: encoding as SVG: %w", f.slug, err)
	}
	data := family.ReplaceAll(b.Bytes(), []byte(`style="font-family:'$1', `+fallbacks+`;`))
	// A wider font in Liberation's place would run over what is beside it.
	n := 0
	data = textStart.ReplaceAllFunc(data, func(m []byte) []byte {
		if n == len(c.widths) {
			return m
		}
		n++
		return fmt.Appendf(nil, `<text textLength="%.2f" lengthAdjust="spacingAndGlyphs" `, c.widths[n-1].Points())
	})

	// The first > after <svg ends the root's tag.
	at := bytes.Index(data, []byte("<svg"))
	if at < 0 {
		return nil, fmt.Errorf("chart: figure %q: encoding as SVG: no root element", f.slug)
	}
	end := at + bytes.IndexByte(data[at:], '>')
	var out bytes.Buffer
	out.Write(data[:end])
	fmt.Fprintf(&out, ` role="img" aria-labelledby="%s-title %[1]s-desc"`, html.EscapeString(f.slug))
	fmt.Fprintf(&out, ">\n<title id=\"%s-title\">%s</title>\n<desc id=\"%[1]s-desc\">%s</desc>",
		html.EscapeString(f.slug), html.EscapeString(printable(f.title)), html.EscapeString(printable(f.alt)))
	out.Write(data[end+1:])
	return out.Bytes(), nil
}
