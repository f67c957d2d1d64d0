package ink

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"regexp"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// family finds the font of a text element. The letters of labels cannot look like it: their quotes are
// escaped.
var family = regexp.MustCompile(`style="font-family:([^;"]*);`)

var textStart = regexp.MustCompile(`<text `)

// measured is an SVG canvas that keeps how wide each text is.
type measured struct {
	*vgsvg.Canvas
	widths []vg.Length
}

// fallbacks are fonts as wide as Liberation Sans, then others with Korean letters.
const fallbacks = `Arial, Helvetica, 'Noto Sans KR', 'Apple SD Gothic Neo', 'Malgun Gothic', sans-serif`

// SVG returns what paint draws on a canvas of a size as an SVG whose text is text. Its title and text
// alternative are for screen readers; id sets those of several in one page apart.
func SVG(width, height vg.Length, id, title, alt string, paint func(vg.CanvasSizer) error) ([]byte, error) {
	c := &measured{Canvas: vgsvg.New(width, height)}
	if err := paint(c); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
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
		return nil, errors.New("no root element")
	}
	end := at + bytes.IndexByte(data[at:], '>')
	var out bytes.Buffer
	out.Write(data[:end])
	id = html.EscapeString(id)
	fmt.Fprintf(&out, ` role="img" aria-labelledby="%s-title %[1]s-desc"`, id)
	fmt.Fprintf(&out, ">\n<title id=\"%s-title\">%s</title>\n<desc id=\"%[1]s-desc\">%s</desc>",
		id, html.EscapeString(Printable(title)), html.EscapeString(Printable(alt)))
	out.Write(data[end+1:])
	return out.Bytes(), nil
}

// svgBelow returns the SVG that a canvas draws on, nil for another. What shows an SVG orders and joins
// letters itself.
func svgBelow(c vg.Canvas) *measured {
	for {
		switch d := c.(type) {
		case *draw.Canvas:
			c = d.Canvas
		case draw.Canvas:
			c = d.Canvas
		case *measured:
			return d
		default:
			return nil
		}
	}
}
