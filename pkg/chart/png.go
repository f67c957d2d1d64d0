package chart

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"math"

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
	if _, err := f.draw(c); err != nil {
		return nil, 0, err
	}
	return c.Image(), dpi, nil
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
