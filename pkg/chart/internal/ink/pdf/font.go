package pdf

import (
	"crypto/sha256"
	"fmt"
	"image"
	"math"
	"strings"

	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
)

// An embedded font is the part of a font that a page needs. Its letters come from the outlines that
// package sfnt reads, whatever the font file's format: TrueType or CFF, alone or in a collection.
type embedded struct {
	number int
	name   string
	face   *opentype.Font
	ppem   fixed.Int26_6 // as many as the font has units, so that lengths are whole

	codes  map[rune]int // one for each letter, so that a glyph that stands for two is copied as what it was
	runes  []rune       // by code; code 0 is the glyph for missing letters
	widths []float64    // in thousandths of the em
	glyphs []cffGlyph
}

func newFont(buf *sfnt.Buffer, f font.Face, number int) *embedded {
	p := &embedded{number: number, name: fontName(buf, f), face: f.Face, ppem: fixed.Int26_6(f.Face.UnitsPerEm()),
		codes: map[rune]int{}}
	p.append(buf, 0, 0)
	return p
}

// fontName returns the font's name for a PDF, which allows few characters.
func fontName(buf *sfnt.Buffer, f font.Face) string {
	name, err := f.Face.Name(buf, sfnt.NameIDPostScript)
	if err != nil {
		name = f.Name()
	}
	name = strings.Map(func(r rune) rune {
		if r == '-' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return -1
	}, name)
	if name == "" {
		return "Font"
	}
	return name[:min(len(name), 100)]
}

// perMille returns a length in thousandths of the em.
func (p *embedded) perMille(v fixed.Int26_6) float64 { return float64(v) * 1000 / float64(p.ppem) }

// code returns the code of a letter, which is drawn by glyph g.
func (p *embedded) code(buf *sfnt.Buffer, r rune, g sfnt.GlyphIndex) int {
	code, ok := p.codes[r]
	if !ok {
		code = len(p.runes)
		p.codes[r] = code
		p.append(buf, r, g)
	}
	return code
}

func (p *embedded) append(buf *sfnt.Buffer, r rune, g sfnt.GlyphIndex) {
	advance, err := p.face.GlyphAdvance(buf, g, p.ppem, 0)
	if err != nil {
		advance = 0
	}
	width := p.perMille(advance)
	segments, err := p.face.LoadGlyph(buf, g, p.ppem, nil)
	if err != nil {
		segments = nil // a picture, not an outline
	}
	p.runes = append(p.runes, r)
	p.widths = append(p.widths, width)
	p.glyphs = append(p.glyphs, newCFFGlyph(segments, int(math.Round(width)), p.perMille))
}

// add puts the font in a file: as a font of two bytes a letter, the way PDF has for letters of all
// scripts.
func (p *embedded) add(file *file) ref {
	name := p.tag() + "+" + p.name
	var box image.Rectangle
	for _, g := range p.glyphs {
		box = box.Union(g.box)
	}
	program := file.stream(" /Subtype /CIDFontType0C", cff(name, box, p.glyphs))
	unicodes := file.stream("", []byte(p.toUnicode()))

	var buf sfnt.Buffer
	metrics, err := p.face.Metrics(&buf, p.ppem, 0)
	if err != nil {
		metrics.Ascent, metrics.Descent, metrics.CapHeight = p.ppem*8/10, p.ppem*2/10, p.ppem*7/10
	}
	italic := 0.
	if post := p.face.PostTable(); post != nil {
		italic = post.ItalicAngle
	}
	// 4: a set of letters of its own. The thickness of stems, which a program needs only to choose another
	// font, is one that most fonts have.
	descriptor := file.add("<< /Type /FontDescriptor /FontName /%s /Flags 4 /FontBBox [%d %d %d %d] "+
		"/ItalicAngle %s /Ascent %s /Descent %s /CapHeight %s /StemV 80 /FontFile3 %s >>",
		name, box.Min.X, box.Min.Y, box.Max.X, box.Max.Y, file.number(italic, 2),
		file.number(p.perMille(metrics.Ascent), 0), file.number(-p.perMille(metrics.Descent), 0),
		file.number(p.perMille(metrics.CapHeight), 0), program)

	var widths strings.Builder
	for _, w := range p.widths {
		widths.WriteString(file.number(w, 2) + " ")
	}
	descendant := file.add("<< /Type /Font /Subtype /CIDFontType0 /BaseFont /%s "+
		"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor %s /W [0 [%s]] >>",
		name, descriptor, widths.String())
	return file.add("<< /Type /Font /Subtype /Type0 /BaseFont /%s-Identity-H "+
		"/Encoding /Identity-H /DescendantFonts [%s] /ToUnicode %s >>", name, descendant, unicodes)
}

// tag returns six letters that say that this is a part of a font, and differ between parts.
func (p *embedded) tag() string {
	sum := sha256.Sum256([]byte(p.name + string(p.runes)))
	tag := make([]byte, 6)
	for i := range tag {
		tag[i] = 'A' + sum[i]%26
	}
	return string(tag)
}

// toUnicode says which letter each code is.
func (p *embedded) toUnicode() string {
	var b strings.Builder
	b.WriteString(`/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <FFFF>
endcodespacerange
`)
	const most = 100 // in one section
	for from := 1; from < len(p.runes); from += most {
		part := p.runes[from:min(from+most, len(p.runes))]
		fmt.Fprintf(&b, "%d beginbfchar\n", len(part))
		for i, r := range part {
			fmt.Fprintf(&b, "<%04X> <%s>\n", from+i, utf16Hex(string(r)))
		}
		b.WriteString("endbfchar\n")
	}
	b.WriteString("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n")
	return b.String()
}
