package ink

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Look is how one variant is drawn. Colour, marker and dash each tell variants apart, as far as there
// are enough of them; variants on the same kind of scheduler share the colour, in two shades.
type Look struct {
	Color  int // index into Theme.Series
	Shaded bool
	Marker Marker
	Dash   int // up to [Dashes]
}

var dashes = [...][]vg.Length{
	nil,
	{6, 2.5},
	{2, 2},
	{8, 2.5, 2, 2.5},
	{12, 3},
}

// Dashes is how many patterns of dashes there are.
const Dashes = len(dashes)

// Color returns the look's colour. The shade of one is darker; of one that is dark already it is
// lighter.
func (k *Kit) Color(l Look) color.NRGBA {
	c := k.Series[l.Color%len(k.Series)]
	if !l.Shaded {
		return c
	}
	if contrast(c, k.Background) > 9 {
		return mix(c, k.Background, 0.35)
	}
	return mix(c, k.Ink, 0.5)
}

// Line returns the look's line style.
func (k *Kit) Line(l Look) draw.LineStyle {
	return draw.LineStyle{Color: k.Color(l), Width: lineWidth, Dashes: dashes[l.Dash%len(dashes)]}
}

// A Marker is the shape of a data point.
type Marker int

const (
	Circle Marker = iota
	square
	triangle
	diamond
	nabla
	cross
	pentagon
	Markers // how many there are
)

// closed returns the outline through corners, which are seen from at.
func closed(at vg.Point, corners [][2]vg.Length) vg.Path {
	var p vg.Path
	for i, c := range corners {
		q := vg.Point{X: at.X + c[0], Y: at.Y + c[1]}
		if i == 0 {
			p.Move(q)
		} else {
			p.Line(q)
		}
	}
	p.Close()
	return p
}

// Path returns the marker around a point. Shapes have about the area of a circle of the radius.
func (m Marker) Path(at vg.Point, r vg.Length) vg.Path {
	polygon := func(scale vg.Length, degrees ...float64) vg.Path {
		var corners [][2]vg.Length
		for _, d := range degrees {
			sin, cos := math.Sincos(d * math.Pi / 180)
			corners = append(corners, [2]vg.Length{r * scale * vg.Length(cos), r * scale * vg.Length(sin)})
		}
		return closed(at, corners)
	}
	switch m {
	case square:
		return polygon(1.25, 45, 135, 225, 315)
	case triangle:
		return polygon(1.4, 90, 210, 330)
	case diamond:
		return polygon(1.35, 0, 90, 180, 270)
	case nabla:
		return polygon(1.4, 270, 30, 150)
	case pentagon:
		return polygon(1.2, 90, 162, 234, 306, 18)
	case cross:
		a := r * 0.42
		b := r * 1.15
		return closed(at, [][2]vg.Length{{a, a}, {a, b}, {-a, b}, {-a, a}, {-b, a}, {-b, -a}, {-a, -a}, {-a, -b}, {a, -b},
			{a, -a}, {b, -a}, {b, a}})
	default:
		var p vg.Path
		p.Move(vg.Point{X: at.X + r, Y: at.Y})
		p.Arc(at, r, 0, 2*math.Pi)
		p.Close()
		return p
	}
}

// Point draws a filled marker with a rim in the background's colour, which keeps overlapping points
// apart.
func (k *Kit) Point(c draw.Canvas, at vg.Point, m Marker, r vg.Length, fill color.Color) {
	c.SetColor(k.Background)
	c.Fill(m.Path(at, r+0.8))
	c.SetColor(fill)
	c.Fill(m.Path(at, r))
}

// Hollow draws a marker's outline.
func (k *Kit) Hollow(c draw.Canvas, at vg.Point, m Marker, r vg.Length, line color.Color) {
	p := m.Path(at, r)
	c.SetColor(k.Background)
	c.Fill(p)
	c.SetLineStyle(draw.LineStyle{Color: line, Width: 1})
	c.Stroke(p)
}
