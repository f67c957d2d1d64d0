package ink

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// picture returns one of n colours in random places, each at least once.
func picture(n, width, height int, shade func(i int) color.RGBA, seed uint64) *image.RGBA {
	r := rand.New(rand.NewPCG(seed, 1))
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		c := i
		if i >= n {
			c = r.IntN(n)
		}
		m.SetRGBA(i%width, i/width, shade(c))
	}
	return m
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

func TestFewColorsStayAsTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, mostColors).Draw(t, "colours")
		opaque := rapid.Bool().Draw(t, "opaque")
		m := picture(n, 31, 17, func(i int) color.RGBA {
			a := uint8(255)
			if !opaque {
				a = uint8(i)
			}
			return color.RGBA{min(a, uint8(i*7)), min(a, uint8(i*13)), min(a, uint8(i)), a}
		}, rapid.Uint64().Draw(t, "seed"))
		got := indexed(m)
		if len(got.Palette) > mostColors || got.Rect != m.Rect {
			t.Fatalf("%d colours, %v", len(got.Palette), got.Rect)
		}
		for y := range 17 {
			for x := range 31 {
				if got.At(x, y) != m.At(x, y) {
					t.Fatalf("the dot at %d, %d is %v, was %v", x, y, got.At(x, y), m.At(x, y))
				}
			}
		}
	})
}

// More colours than an indexed picture has: each dot keeps a colour that looks
// the same.
func TestManyColorsStayNear(t *testing.T) {
	for _, test := range []struct {
		name  string
		n     int
		most  int // of 255
		shade func(i int) color.RGBA
	}{
		{"shades of grey and blue", 512, 4, func(i int) color.RGBA {
			if i < 256 {
				return color.RGBA{uint8(i), uint8(i), uint8(i), 255}
			}
			return color.RGBA{uint8(i - 256), uint8(i-256)/2 + 100, 255, 255}
		}},
		{"all over", 4096, 51, func(i int) color.RGBA {
			return color.RGBA{uint8(i%16) * 17, uint8(i/16%16) * 17, uint8(i/256) * 17, 255}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := picture(test.n, 100, 80, test.shade, 1)
			got := indexed(m)
			if len(got.Palette) != mostColors {
				t.Errorf("%d colours", len(got.Palette))
			}
			for y := range 80 {
				for x := range 100 {
					if d := apart(got.At(x, y), m.At(x, y)); d > test.most {
						t.Fatalf("the dot at %d, %d is %v, was %v", x, y, got.At(x, y), m.At(x, y))
					}
				}
			}
		})
	}
}

// A part of a picture, whose rows are not all of those in memory.
func TestPartOfAPicture(t *testing.T) {
	m := picture(9, 30, 30, func(i int) color.RGBA { return color.RGBA{uint8(i), 0, 0, 255} }, 1)
	part := m.SubImage(image.Rect(5, 7, 20, 11)).(*image.RGBA)
	got := indexed(part)
	for y := 7; y < 11; y++ {
		for x := 5; x < 20; x++ {
			if got.At(x, y) != m.At(x, y) {
				t.Fatalf("the dot at %d, %d is %v, was %v", x, y, got.At(x, y), m.At(x, y))
			}
		}
	}
}
