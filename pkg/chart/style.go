package chart

import (
	"hash/fnv"
	"image/color"
	"math"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/lab"
)

// A look is how one variant is drawn: three signs that each suffice alone.
type look struct {
	color  int // index into theme.series
	marker marker
	dash   int // index into dashes
}

var dashes = [][]vg.Length{
	nil,
	{6, 2.5},
	{2, 2},
	{8, 2.5, 2, 2.5},
	{12, 3},
}

// known are the schedulers that have a colour of their own in every figure:
// the beginning of the name in lower-case letters only, and the colour.
var known = []struct {
	prefix string
	color  int
}{
	{"sequential", 0},
	{"goroutines", 1},
	{"pool", 2},
	{"threads", 3},
	{"eventloop", 4},
	{"awaiteach", 5},
	{"executor", 6},
	{"dispatchersdefault", 3},
	{"dispatchersio", 6},
	{"default", 3},
	{"io", 6},
}

// looksOf returns the look of each variant of a result. A variant whose name
// is not a scheduler's looks as the scheduler that it runs on.
func looksOf(r *lab.Result, variants []string) map[string]look {
	return looks(variants, func(variant string) string {
		if i := slices.Index(r.Variants, variant); i >= 0 && i < len(r.Specs) {
			return r.Specs[i].Scheduler
		}
		return ""
	})
}

// looks returns the look of each variant. A well-known scheduler has its own
// colour wherever it appears. Any other name prefers a colour that follows
// from the name alone and gives way where that is taken. The same names in
// the same order always get the same looks.
func looks(variants []string, scheduler func(variant string) string) map[string]look {
	n := len(light.series)
	out := make(map[string]look, len(variants))
	used := make([]int, n) // how many variants have the colour
	set := func(name string, c int) {
		out[name] = look{color: c, marker: marker((c + used[c]) % int(markers)), dash: (dashOf[c] + used[c]) % len(dashes)}
		used[c]++
	}
	var rest []string
	for _, v := range variants {
		if _, ok := out[v]; ok {
			continue
		}
		c, ok := knownColor(v)
		if !ok && scheduler != nil {
			c, ok = knownColor(scheduler(v))
		}
		if ok && used[c] == 0 {
			set(v, c)
		} else {
			rest = append(rest, v)
		}
	}
	for _, v := range rest {
		if _, ok := out[v]; ok {
			continue
		}
		least := math.MaxInt
		for _, u := range used {
			least = min(least, u)
		}
		h := fnv.New32a()
		h.Write([]byte(v))
		c := int(h.Sum32() % uint32(n))
		for used[c] > least {
			c = (c + 1) % n
		}
		set(v, c)
	}
	return out
}

// dashOf is the dash pattern that goes with each colour, so that lines differ
// in print as well.
var dashOf = []int{0, 0, 1, 2, 3, 4, 1}

func knownColor(name string) (int, bool) {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if unicode.IsLetter(r) {
			b.WriteRune(r)
		}
	}
	s := b.String()
	for _, k := range known {
		if s == k.prefix || len(k.prefix) > 3 && strings.HasPrefix(s, k.prefix) {
			return k.color, true
		}
	}
	return 0, false
}

// color returns the look's colour.
func (k *kit) color(l look) color.NRGBA { return k.series[l.color%len(k.series)] }

// line returns the look's line style.
func (k *kit) line(l look) draw.LineStyle {
	return draw.LineStyle{Color: k.color(l), Width: lineWidth, Dashes: dashes[l.dash%len(dashes)]}
}

// A marker is the shape of a data point.
type marker int

const (
	circle marker = iota
	square
	triangle
	diamond
	nabla
	cross
	pentagon
	markers // how many there are
)

// path returns the marker around a point. Shapes have about the area of a
// circle of the radius.
func (m marker) path(at vg.Point, r vg.Length) vg.Path {
	polygon := func(scale vg.Length, degrees ...float64) vg.Path {
		var p vg.Path
		for i, d := range degrees {
			sin, cos := math.Sincos(d * math.Pi / 180)
			q := vg.Point{X: at.X + r*scale*vg.Length(cos), Y: at.Y + r*scale*vg.Length(sin)}
			if i == 0 {
				p.Move(q)
			} else {
				p.Line(q)
			}
		}
		p.Close()
		return p
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
		var p vg.Path
		for i, d := range [][2]vg.Length{{a, a}, {a, b}, {-a, b}, {-a, a}, {-b, a}, {-b, -a}, {-a, -a}, {-a, -b}, {a, -b}, {a, -a}, {b, -a}, {b, a}} {
			q := vg.Point{X: at.X + d[0], Y: at.Y + d[1]}
			if i == 0 {
				p.Move(q)
			} else {
				p.Line(q)
			}
		}
		p.Close()
		return p
	default:
		var p vg.Path
		p.Move(vg.Point{X: at.X + r, Y: at.Y})
		p.Arc(at, r, 0, 2*math.Pi)
		p.Close()
		return p
	}
}

// point draws a filled marker with a rim in the background's colour, which
// keeps overlapping points apart.
func (k *kit) point(c draw.Canvas, at vg.Point, m marker, r vg.Length, fill color.Color) {
	c.SetColor(k.background)
	c.Fill(m.path(at, r+0.8))
	c.SetColor(fill)
	c.Fill(m.path(at, r))
}

// hollow draws a marker's outline.
func (k *kit) hollow(c draw.Canvas, at vg.Point, m marker, r vg.Length, line color.Color) {
	p := m.path(at, r)
	c.SetColor(k.background)
	c.Fill(p)
	c.SetLineStyle(draw.LineStyle{Color: line, Width: 1})
	c.Stroke(p)
}
