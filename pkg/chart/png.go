package chart

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// density is the PNG's dots per inch: two to a CSS pixel, of which an inch
// has 96.
const density = 192

// PNG returns the figure as a PNG at twice the density of an ordinary screen,
// and the size in CSS pixels at which to show it. A slide or card has the dots
// that [Size] says.
func (f *Figure) PNG() (data []byte, widthCSS, heightCSS int, err error) {
	data, size, err := f.png.get(f.renderPNG)
	return data, size.X / 2, size.Y / 2, err
}

// renderPNG returns the PNG and its size in dots.
func (f *Figure) renderPNG() ([]byte, image.Point, error) {
	picture, dpi, err := f.rasterize()
	if err != nil {
		return nil, image.Point{}, err
	}
	if full, ok := picture.(*image.RGBA); ok {
		picture = indexed(full)
	}
	var b bytes.Buffer
	// The best compression takes ten times as long for six per cent less.
	if err := png.Encode(&b, picture); err != nil {
		return nil, image.Point{}, fmt.Errorf("chart: figure %q: encoding as PNG: %w", f.slug, err)
	}
	return withDensity(b.Bytes(), dpi), picture.Bounds().Size(), nil
}

// rasterize returns the figure as a picture, and its dots per inch.
func (f *Figure) rasterize() (image.Image, int, error) {
	if err := f.Err(); err != nil {
		return nil, 0, err
	}
	dpi := density
	if f.dots > 0 {
		dpi = int(math.Round(f.dots / (f.width.Points() / vg.Inch.Points())))
	}
	c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))
	if _, err := f.draw(kerned{c}); err != nil {
		return nil, 0, err
	}
	return c.Image(), dpi, nil
}

// kerned is a raster canvas with the kerning that texts are measured with. The
// canvas below kerns as at 32 dots to the em whatever the size, so it gets what
// stands between two kerned letters piece by piece.
type kerned struct{ *vgimg.Canvas }

// FillString implements vg.Canvas.
func (c kerned) FillString(f font.Face, at vg.Point, s string) {
	var (
		buf  sfnt.Buffer
		ppem = fixed.Int26_6(f.Face.UnitsPerEm()) // as many as the font has units
		prev sfnt.GlyphIndex
		from int // where the piece begins
	)
	for i, r := range s {
		g, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		if i > 0 {
			if kern, err := f.Face.Kern(&buf, prev, g, ppem, 0); err == nil && kern != 0 {
				c.Canvas.FillString(f, at, s[from:i])
				at.X += f.Width(s[from:i]) + f.Font.Size*vg.Length(kern)/vg.Length(ppem)
				from = i
			}
		}
		prev = g
	}
	c.Canvas.FillString(f, at, s[from:])
}

// withDensity adds a pHYs chunk, by which programs other than browsers know
// the size to show a PNG at.
func withDensity(data []byte, dpi int) []byte {
	const end = 8 + 4 + 4 + 13 + 4 // the signature and IHDR, which is always first
	if len(data) < end {
		return data
	}
	chunk := make([]byte, 0, 21)
	chunk = binary.BigEndian.AppendUint32(chunk, 9)
	chunk = append(chunk, "pHYs"...)
	perMetre := uint32(math.Round(float64(dpi) / 0.0254))
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(chunk, 1)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	out := make([]byte, 0, len(data)+len(chunk))
	out = append(out, data[:end]...)
	out = append(out, chunk...)
	return append(out, data[end:]...)
}
