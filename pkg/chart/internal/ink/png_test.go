package ink

import (
	"image"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// marked returns what part of a white picture is not white.
func marked(m image.Image) image.Rectangle {
	var out image.Rectangle
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if color.GrayModel.Convert(m.At(x, y)).(color.Gray).Y < 250 {
				out = out.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return out
}

// The last letter of a text that is kerned stands where it was measured to
// stand, at every size and density that figures have.
func TestPNGTextsAreAsWideAsTheyWereMeasured(t *testing.T) {
	const s, last = "AVATAR To. AVATAR To. Yes, Type We, LTLT To", "o"
	for _, dpi := range []int{160, 192, 240} { // cards, pages, slides
		for _, size := range []vg.Length{SmallSize, TextSize, titleSize} {
			for _, angle := range []float64{0, math.Pi / 2} {
				face := base.Lookup(Light.Kit().Text.Font, size)
				drawn := func(text string, from vg.Length) image.Rectangle {
					c := vgimg.NewWith(vgimg.UseWH(300, 300), vgimg.UseDPI(dpi))
					c.Translate(vg.Point{X: 20, Y: 20})
					c.Rotate(angle)
					kerned{c}.FillString(face, vg.Point{X: from}, text)
					return marked(c.Image())
				}
				all, one := drawn(s, 0), drawn(last, face.Width(s)-face.Width(last))
				off := max(all.Max.X-one.Max.X, one.Max.X-all.Max.X)
				if angle != 0 {
					off = max(all.Min.Y-one.Min.Y, one.Min.Y-all.Min.Y)
				}
				if one.Empty() || all.Dx()+all.Dy() < 300 || off > 1 {
					t.Errorf("%v points at %d dots an inch, turned by %.2f: the last letter is off by %d dots (%v and %v)", size, dpi, angle, off, all, one)
				}
			}
		}
	}
}
