package chart

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/chart/internal/ink"
)

// borderIsBackground reports dots at the edge of a figure's PNG that have
// another colour than its background.
func borderIsBackground(t *testing.T, f *Figure) {
	t.Helper()
	m, _, err := f.raster()
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
			if got := color.NRGBAModel.Convert(m.At(x, y)); got != f.theme.Background {
				t.Fatalf("dot %d,%d of %v is %v, want %v", x, y, size, got, f.theme.Background)
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
			if f.theme.Background != ink.Dark.Background {
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
				f.body = func(draw.Canvas, *ink.Kit) {}
			})
			if f.width < width || f.height < height || f.width > width+0.75 || f.height > height+0.75 {
				t.Errorf("%v by %v points", f.width, f.height)
			}
			borderIsBackground(t, f.In(Dark, Page))
		})
	}
}

func apart(a, b color.Color) int {
	ar, ag, ab, aa := a.RGBA()
	br, bg, bb, ba := b.RGBA()
	most := 0
	for _, d := range []int{int(ar) - int(br), int(ag) - int(bg), int(ab) - int(bb), int(aa) - int(ba)} {
		most = max(most, max(d, -d)>>8)
	}
	return most
}

// The figures themselves look the same in the colours that are left.
func TestFiguresKeepTheirColors(t *testing.T) {
	all := every(rastersLike(6))
	all["many"] = Times(manyLike(12, 20))
	all["dark"] = Times(rastersLike(6)).In(Dark, Slide)
	for name, f := range all {
		t.Run(name, func(t *testing.T) {
			raster, _, err := f.raster()
			if err != nil {
				t.Fatal(err)
			}
			full := raster.(*image.RGBA)
			data, _, _, err := f.PNG()
			if err != nil {
				t.Fatal(err)
			}
			got, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if _, few := got.(*image.Paletted); !few {
				t.Fatalf("the PNG is a %T", got)
			}
			for y := range full.Rect.Dy() {
				for x := range full.Rect.Dx() {
					if d := apart(got.At(x, y), full.At(x, y)); d > 16 {
						t.Fatalf("the dot at %d, %d is %v, was %v", x, y, got.At(x, y), full.At(x, y))
					}
				}
			}
		})
	}
}
