package ink

import (
	"bytes"
	"encoding/binary"
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

// Raster returns as a picture, of so many dots to the inch, what paint draws on a canvas of a size.
func Raster(width, height vg.Length, dpi int, paint func(vg.CanvasSizer) error) (image.Image, error) {
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))
	err := paint(kerned{c})
	return c.Image(), err
}

// PNG returns a picture as a file that says how many dots to the inch it has.
func PNG(picture image.Image, dpi int) ([]byte, error) {
	if full, ok := picture.(*image.RGBA); ok {
		picture = indexed(full)
	}
	var b bytes.Buffer
	// The best compression takes ten times as long for six per cent less.
	if err := png.Encode(&b, picture); err != nil {
		return nil, err
	}
	return withDensity(b.Bytes(), dpi), nil
}

// kerned is a raster canvas with the kerning that texts are measured with. The canvas below kerns as at
// 32 dots to the em whatever the size, so it gets what stands between two kerned letters piece by
// piece.
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

// withDensity adds a pHYs chunk, by which programs other than browsers know the size to show a PNG at.
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
