package ink

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/norm"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// base holds the fonts that come with gonum/plot.
var base = font.NewCache(liberation.Collection())

// Letters is a text handler for one drawing, not to be shared. It draws each run of letters in the
// first font that has them: the text's own, then those found on the system.
type Letters struct {
	fonts   *systemFonts
	missing map[rune]bool   // letters that no font has
	joining map[string]bool // scripts whose letters are drawn one by one, and should be joined
	cache   map[styled][]run
}

// styled is a text in a font.
type styled struct {
	text string
	font font.Font
}

var _ text.Handler = (*Letters)(nil)

// NewLetters returns a handler that has met no letter yet.
func NewLetters() *Letters {
	return &Letters{fonts: &system, missing: map[rune]bool{}, joining: map[string]bool{}, cache: map[styled][]run{}}
}

// Cache implements text.Handler.
func (l *Letters) Cache() *font.Cache { return base }

// Extents implements text.Handler.
func (l *Letters) Extents(f font.Font) font.Extents {
	face := base.Lookup(f, f.Size)
	return face.Extents()
}

// Lines implements text.Handler.
func (l *Letters) Lines(s string) []string {
	return strings.Split(strings.TrimRight(s, "\n"), "\n")
}

// Box implements text.Handler.
func (l *Letters) Box(s string, f font.Font) (width, height, depth vg.Length) {
	e := l.Extents(f)
	return l.width(s, f), e.Ascent, e.Descent
}

func (l *Letters) width(s string, f font.Font) vg.Length {
	var w vg.Length
	for _, r := range l.runs(s, f) {
		w += r.width
	}
	return w
}

// Draw implements text.Handler. Lines are set as far apart as text.Style measures them.
func (l *Letters) Draw(c vg.Canvas, s string, sty text.Style, pt vg.Point) {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return
	}
	svg := svgBelow(c)
	c.SetColor(sty.Color)
	if sty.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Rotate(sty.Rotation)
	}
	sin, cos := math.Sincos(sty.Rotation)
	pt.X, pt.Y = pt.Y*vg.Length(sin)+pt.X*vg.Length(cos), pt.Y*vg.Length(cos)-pt.X*vg.Length(sin)

	e := l.Extents(sty.Font)
	lines := l.Lines(s)
	y := pt.Y + sty.Height(s)*(1+vg.Length(sty.YAlign)) - e.Ascent
	for _, line := range lines {
		x := pt.X + vg.Length(sty.XAlign)*l.width(line, sty.Font)
		for _, r := range l.runs(line, sty.Font) {
			text, at := r.text, vg.Point{X: x, Y: y}
			if svg != nil {
				// SVG drops spaces at the ends of a text, so none are drawn there.
				text = strings.TrimLeft(text, " ")
				at.X += r.face.Width(r.text[:len(r.text)-len(text)])
				if text = strings.TrimRight(text, " "); text != "" {
					svg.widths = append(svg.widths, r.face.Width(text))
					text = strings.Trim(r.read, " ")
				}
			}
			if text != "" {
				c.FillString(r.face, at, text)
			}
			x += r.width
		}
		y -= e.Height
	}
}

// axisLetters draws text lower than asked by its descent: plot.Axis asks for it that much too high, to
// make up for what text.Plain does.
type axisLetters struct{ *Letters }

// Draw implements text.Handler.
func (l axisLetters) Draw(c vg.Canvas, s string, sty text.Style, pt vg.Point) {
	d := l.Extents(sty.Font).Descent
	sin, cos := math.Sincos(sty.Rotation)
	l.Letters.Draw(c, s, sty, vg.Point{X: pt.X + d*vg.Length(sin), Y: pt.Y - d*vg.Length(cos)})
}

// A run is a piece of a line in one font and one direction.
type run struct {
	face     font.Face
	text     string // what is drawn, from left to right
	read     string // the same as it is read, with what has no picture of its own
	backward bool
	width    vg.Length
}

// runs splits a line by font. Laying out a figure asks for the same texts again and again.
func (l *Letters) runs(s string, f font.Font) []run {
	key := styled{s, f}
	out, ok := l.cache[key]
	if !ok {
		out = l.split(s, f)
		for i := range out {
			out[i].width = out[i].face.Width(out[i].text)
		}
		l.cache[key] = out
	}
	return out
}

// box stands for a letter that no font has.
const box = "\u25A1"

func (l *Letters) split(s string, f font.Font) []run {
	s = Printable(s)
	own := base.Lookup(f, f.Size)
	if allIn(own.Face, s) && strings.IndexFunc(s, special) < 0 {
		return []run{{face: own, text: s, read: s}}
	}
	var out []run
	for _, part := range directions(glyphs(s)) {
		for i, g := range part.glyphs {
			face, text := l.face(g, own, f, out)
			if part.backward {
				text = mirrored.Replace(text)
			}
			if n := len(out); n == 0 || out[n-1].face != face || out[n-1].backward != part.backward || i == 0 && part.backward {
				out = append(out, run{face: face, backward: part.backward})
			}
			r := &out[len(out)-1]
			r.text += text
			if part.backward {
				r.read = g.String() + r.read
			} else {
				r.read += g.String()
			}
		}
	}
	return out
}

// face returns the font that a glyph is drawn in, and what is drawn of it. Spaces stay with the word
// before.
func (l *Letters) face(g glyph, own font.Face, f font.Font, before []run) (font.Face, string) {
	if name := joiningScript(g.base); name != "" {
		l.joining[name] = true
	}
	face := own
	switch {
	case unseen(g.base):
		if len(before) > 0 {
			face = before[len(before)-1].face
		}
		return face, ""
	case g.base == ' ' && len(before) > 0 && has(before[len(before)-1].face.Face, ' '):
		face = before[len(before)-1].face
	case !has(own.Face, g.base):
		other, ok := l.fonts.with(g.base, f)
		if !ok {
			l.missing[g.base] = true
			return own, box
		}
		face = other
	}
	text := string(g.base)
	for _, m := range g.marks {
		switch {
		case unseen(m):
		case has(face.Face, m):
			text += string(m)
		default: // a mark of another font would stand beside its letter
			l.missing[m] = true
		}
	}
	return face, text
}

// Warnings returns what a reader of the drawing about which it is would miss: letters that no font on
// this machine has, with what to install, and letters that are not joined.
func (l *Letters) Warnings(about string) (out []string) {
	if lost := slices.Sorted(maps.Keys(l.missing)); len(lost) > 0 {
		out = append(out, fmt.Sprintf("%s: no font on this machine has the letters %q, they are drawn as boxes; "+
			"install a font that has them (%s), or name a font file in %s", about, string(lost), remedy(lost), FontVariable))
		out = append(out, badFonts()...)
	}
	if scripts := slices.Sorted(maps.Keys(l.joining)); len(scripts) > 0 {
		out = append(out, fmt.Sprintf("%s: PNG and PDF have letters of %s one by one and not joined; "+
			"in the SVG a browser joins them", about, strings.Join(scripts, ", ")))
	}
	return out
}

// Printable makes any string fit for one line of a drawing and of an XML file: control characters
// become spaces and bytes that are not UTF-8 become U+FFFD. Letters and their accents become one where
// Unicode has one for them: names of files on a Mac come apart, and no font puts Korean together again.
// What only turns the direction of text around is left out, for it would turn what stands beside it,
// too.
func Printable(s string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		switch {
		case r == 0xFFFE || r == 0xFFFF:
			return utf8.RuneError
		case r == 0x200B || r == 0xFEFF || r == 0x00AD: // no width, no glyph
			return -1
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		case unicode.IsControl(r) || r == 0x2028 || r == 0x2029:
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")))
}

func has(f *opentype.Font, r rune) bool {
	var buf sfnt.Buffer
	i, err := f.GlyphIndex(&buf, r)
	return err == nil && i != 0
}

func allIn(f *opentype.Font, s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !has(f, r) }) < 0
}
