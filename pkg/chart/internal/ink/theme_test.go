package ink

import (
	"image/color"
	"math"
	"testing"
)

func TestTextCanBeRead(t *testing.T) {
	for theme, th := range map[string]Theme{"light": Light, "dark": Dark} {
		for i, c := range th.Series {
			if got := contrast(th.ForText(c), th.Background); got < 4.5 {
				t.Errorf("%s: text in colour %d has contrast %.2f", theme, i, got)
			}
		}
		for name, got := range map[string]float64{"ink": contrast(th.Ink, th.Background), "muted": contrast(th.Muted, th.Background)} {
			if got < 4.5 {
				t.Errorf("%s: %s has contrast %.2f", theme, name, got)
			}
		}
	}
}

func TestShadesCanBeSeen(t *testing.T) {
	for theme, th := range map[string]Theme{"light": Light, "dark": Dark} {
		k := th.Kit()
		for i := range th.Series {
			plain, shaded := k.Color(Look{Color: i}), k.Color(Look{Color: i, Shaded: true})
			if got := contrast(plain, shaded); got < 1.5 {
				t.Errorf("%s: the shades of colour %d have contrast %.2f", theme, i, got)
			}
			if got := contrast(shaded, th.Background); got < 3 {
				t.Errorf("%s: the shade of colour %d has contrast %.2f with the background", theme, i, got)
			}
		}
	}
}

// Activities have no marker and no dash: their colours alone tell them apart, for
// people who do not see all colours, and in print that has none. Matrices: Machado,
// Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color
// Vision Deficiency" (2009), at full severity; distances: CIE 1976, of which 2.3
// can just be noticed.
func TestActivitiesCanBeToldApart(t *testing.T) {
	sight := map[string][9]float64{
		"all colours":      {1, 0, 0, 0, 1, 0, 0, 0, 1},
		"no red cones":     {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
		"no green cones":   {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
		"no blue cones":    {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
		"no colour at all": {0.2126, 0.7152, 0.0722, 0.2126, 0.7152, 0.0722, 0.2126, 0.7152, 0.0722},
	}
	for theme, th := range map[string]Theme{"light": Light, "dark": Dark} {
		for who, m := range sight {
			least := 15.
			if who == "no colour at all" {
				least = 8
			}
			for i, a := range th.Activities {
				for j, b := range th.Activities[:i] {
					if d := distanceFor(m, a, b); d < least {
						t.Errorf("%s, %s: %d and %d are only %.1f apart", theme, who, i, j, d)
					}
				}
				if got := contrast(a, th.Background); got < 1.4 {
					t.Errorf("%s: %d has contrast %.2f with the background", theme, i, got)
				}
			}
		}
	}
}

// distanceFor returns how far apart two colours are in CIELAB, seen through a
// matrix on linear red, green and blue.
func distanceFor(m [9]float64, a, b color.NRGBA) float64 {
	lab := func(c color.NRGBA) [3]float64 {
		linear := func(v uint8) float64 { return luminance(color.NRGBA{v, v, v, 255}) }
		r, g, b := linear(c.R), linear(c.G), linear(c.B)
		seen := func(i int) float64 { return min(max(m[i]*r+m[i+1]*g+m[i+2]*b, 0), 1) }
		r, g, b = seen(0), seen(3), seen(6)
		f := func(v float64) float64 {
			if v > 0.008856 {
				return math.Cbrt(v)
			}
			return 7.787*v + 16./116
		}
		x, y, z := f((0.4124*r+0.3576*g+0.1805*b)/0.9505), f(0.2126*r+0.7152*g+0.0722*b), f((0.0193*r+0.1192*g+0.9505*b)/1.089)
		return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
	}
	p, q := lab(a), lab(b)
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}
