package chart

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// base holds the fonts that come with gonum/plot.
var base = font.NewCache(liberation.Collection())

// letters is a text handler for one drawing, not to be shared. It draws each run of letters in the first font
// that has them: the text's own, then those found on the system.
type letters struct {
	fonts   *systemFonts
	missing map[rune]bool // letters that no font has
	cache   map[styled][]run
}

// styled is a text in a font.
type styled struct {
	text string
	font font.Font
}

var _ text.Handler = (*letters)(nil)

func newLetters() *letters {
	return &letters{fonts: &system, missing: map[rune]bool{}, cache: map[styled][]run{}}
}

// Cache implements text.Handler.
func (l *letters) Cache() *font.Cache { return base }

// Extents implements text.Handler.
func (l *letters) Extents(f font.Font) font.Extents {
	face := base.Lookup(f, f.Size)
	return face.Extents()
}

// Lines implements text.Handler.
func (l *letters) Lines(s string) []string {
	return strings.Split(strings.TrimRight(s, "\n"), "\n")
}

// Box implements text.Handler.
func (l *letters) Box(s string, f font.Font) (width, height, depth vg.Length) {
	e := l.Extents(f)
	return l.width(s, f), e.Ascent, e.Descent
}

func (l *letters) width(s string, f font.Font) vg.Length {
	var w vg.Length
	for _, r := range l.runs(s, f) {
		w += r.width
	}
	return w
}

// Draw implements text.Handler. Lines are set as far apart as text.Style
// measures them.
func (l *letters) Draw(c vg.Canvas, s string, sty text.Style, pt vg.Point) {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return
	}
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
			// SVG drops a space at the end of a text, so none is drawn there.
			if t := strings.TrimRight(r.text, " "); t != "" {
				c.FillString(r.face, vg.Point{X: x, Y: y}, t)
			}
			x += r.width
		}
		y -= e.Height
	}
}

// axisLetters draws text lower than asked by its descent: plot.Axis asks for
// it that much too high, to make up for what text.Plain does.
type axisLetters struct{ *letters }

// Draw implements text.Handler.
func (l axisLetters) Draw(c vg.Canvas, s string, sty text.Style, pt vg.Point) {
	d := l.Extents(sty.Font).Descent
	sin, cos := math.Sincos(sty.Rotation)
	l.letters.Draw(c, s, sty, vg.Point{X: pt.X + d*vg.Length(sin), Y: pt.Y - d*vg.Length(cos)})
}

// A run is a piece of a line in one font.
type run struct {
	face  font.Face
	text  string
	width vg.Length
}

// runs splits a line by font. Laying out a figure asks for the same texts
// again and again.
func (l *letters) runs(s string, f font.Font) []run {
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

func (l *letters) split(s string, f font.Font) []run {
	s = printable(s)
	own := base.Lookup(f, f.Size)
	if allIn(own.Face, s) {
		return []run{{face: own, text: s}}
	}
	var out []run
	for _, r := range s {
		face := own
		switch {
		case len(out) > 0 && (r == ' ' || unicode.Is(unicode.Mn, r)):
			// Spaces and accents stay with the word.
			face = out[len(out)-1].face
		case !has(own.Face, r):
			other, ok := l.fonts.with(r, f)
			if ok {
				face = other
			} else {
				l.missing[r] = true
			}
		}
		if n := len(out); n > 0 && out[n-1].face == face {
			out[n-1].text += string(r)
		} else {
			out = append(out, run{face: face, text: string(r)})
		}
	}
	return out
}

// lost returns the letters that no font had, in order.
func (l *letters) lost() []rune {
	var out []rune
	for r := range l.missing {
		out = append(out, r)
	}
	slices.Sort(out)
	return out
}

// printable makes any string fit for one line of a drawing and of an XML
// file: control characters become spaces and bytes that are not UTF-8 become
// U+FFFD.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 0xFFFE || r == 0xFFFF:
			return utf8.RuneError
		case r == 0x200B || r == 0xFEFF: // no width, no glyph
			return -1
		case unicode.IsControl(r) || r == 0x2028 || r == 0x2029:
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func has(f *opentype.Font, r rune) bool {
	var buf sfnt.Buffer
	i, err := f.GlyphIndex(&buf, r)
	return err == nil && i != 0
}

func allIn(f *opentype.Font, s string) bool {
	var buf sfnt.Buffer
	for _, r := range s {
		if i, err := f.GlyphIndex(&buf, r); err != nil || i == 0 {
			return false
		}
	}
	return true
}
