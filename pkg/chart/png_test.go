package chart

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// ink returns what part of a white picture is not white.
func ink(m image.Image) image.Rectangle {
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
		for _, size := range []vg.Length{smallSize, textSize, titleSize} {
			for _, angle := range []float64{0, math.Pi / 2} {
				face := base.Lookup(light.kit().text.Font, size)
				drawn := func(text string, from vg.Length) image.Rectangle {
					c := vgimg.NewWith(vgimg.UseWH(300, 300), vgimg.UseDPI(dpi))
					c.Translate(vg.Point{X: 20, Y: 20})
					c.Rotate(angle)
					kerned{c}.FillString(face, vg.Point{X: from}, text)
					return ink(c.Image())
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

// borderIsBackground reports dots at the edge of a figure's PNG that have
// another colour than its background.
func borderIsBackground(t *testing.T, f *Figure) {
	t.Helper()
	m, _, err := f.rasterize()
	if err != nil {
		t.Fatal(err)
	}
	size := m.Bounds().Size()
	if size.X%2 != 0 || size.Y%2 != 0 {
		t.Errorf("%v dots are not whole CSS pixels", size)
	}
	for y := range size.Y {
		for x := range size.X {
			if x > 0 && x < size.X-1 && y > 0 && y < size.Y-1 {
				continue
			}
			if got := color.NRGBAModel.Convert(m.At(x, y)); got != f.theme.background {
				t.Fatalf("dot %d,%d of %v is %v, want %v", x, y, size, got, f.theme.background)
			}
		}
	}
}

// No white shows at the edges of a dark figure, of whatever kind and size.
func TestPNGBackgroundReachesTheEdges(t *testing.T) {
	figures := all(manyLike(3, 20))
	for name, f := range verdictFigures() {
		figures[name] = f
	}
	figures["slide"], figures["card"] = figures["Times"].In(Dark, Slide), figures["Times"].In(Dark, Card)
	for name, f := range figures {
		t.Run(name, func(t *testing.T) {
			if f.theme.background != dark.background {
				f = f.In(Dark, Page)
			}
			borderIsBackground(t, f)
		})
	}
	for i := range 24 { // sizes between any two CSS pixels, and whole ones
		width, height := 300+vg.Length(i)/8, 388.8+vg.Length(i)/7
		t.Run(fmt.Sprintf("%.3f by %.3f points", width, height), func(t *testing.T) {
			f := newFigure("Times", "edges")
			guarded(f, func() {
				f.width, f.height = width, height
				f.body = func(draw.Canvas, *kit) {}
			})
			if f.width < width || f.height < height || f.width > width+0.75 || f.height > height+0.75 {
				t.Errorf("%v by %v points", f.width, f.height)
			}
			borderIsBackground(t, f.In(Dark, Page))
		})
	}
}
