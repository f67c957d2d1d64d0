package chart

import (
	"bytes"
	"fmt"
	"image/color"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// PDF returns the figure as a PDF of one page. Its letters are shapes: they
// look the same everywhere, and cannot be selected.
func (f *Figure) PDF() ([]byte, error) { return f.pdf.bytes(f.renderPDF) }

func (f *Figure) renderPDF() ([]byte, error) {
	if err := f.Err(); err != nil {
		return nil, err
	}
	c := vgpdf.New(f.width, f.height)
	if _, err := f.draw(outlines{c}); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("chart: figure %q: encoding as PDF: %w", f.slug, err)
	}
	return b.Bytes(), nil
}

// outlines is a PDF canvas that draws letters as their outlines and passes
// colours on with straight alpha. vgpdf itself writes text in code page 1252,
// which has no Korean and garbles × and μ, and darkens translucent colours.
type outlines struct{ vg.CanvasSizer }

// SetColor implements vg.Canvas.
func (o outlines) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	o.CanvasSizer.SetColor(straight{color.NRGBAModel.Convert(c).(color.NRGBA)})
}

// straight is a colour whose channels are not multiplied by its alpha.
type straight struct{ c color.NRGBA }

// RGBA implements color.Color.
func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.c.R) * 0x101, uint32(s.c.G) * 0x101, uint32(s.c.B) * 0x101, uint32(s.c.A) * 0x101
}

// FillString implements vg.Canvas.
func (o outlines) FillString(f font.Face, at vg.Point, s string) {
	var (
		buf  sfnt.Buffer
		ppem = fixed.Int26_6(f.Face.UnitsPerEm()) // as many units as the font has
		unit = f.Font.Size / vg.Length(ppem)
		path vg.Path
		prev sfnt.GlyphIndex
	)
	for i, r := range s {
		// What the font cannot give is left out, as in gonum's own canvases.
		g, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		if i > 0 {
			if kern, err := f.Face.Kern(&buf, prev, g, ppem, 0); err == nil {
				at.X += vg.Length(kern) * unit
			}
		}
		prev = g
		segments, err := f.Face.LoadGlyph(&buf, g, ppem, nil)
		if err == nil {
			path = appendGlyph(path, segments, at, unit)
		}
		if adv, err := f.Face.GlyphAdvance(&buf, g, ppem, 0); err == nil {
			at.X += vg.Length(adv) * unit
		}
	}
	if len(path) > 0 {
		o.Fill(path)
	}
}

// appendGlyph adds a glyph's outline, whose Y axis points down, to a path.
func appendGlyph(p vg.Path, segments sfnt.Segments, at vg.Point, unit vg.Length) vg.Path {
	point := func(q fixed.Point26_6) vg.Point {
		return vg.Point{X: at.X + vg.Length(q.X)*unit, Y: at.Y - vg.Length(q.Y)*unit}
	}
	open := false
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if open {
				p.Close()
			}
			open = true
			p.Move(point(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			p.Line(point(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			p.QuadTo(point(s.Args[0]), point(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			p.CubeTo(point(s.Args[0]), point(s.Args[1]), point(s.Args[2]))
		}
	}
	if open {
		p.Close()
	}
	return p
}
