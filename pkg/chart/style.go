package chart

import (
	"cmp"
	"hash/fnv"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/lab"
)

// A look is how one variant is drawn. Colour, marker and dash each tell variants
// apart, as far as there are enough of them; variants on the same kind of
// scheduler share the colour, in two shades.
type look struct {
	color  int // index into theme.series
	shaded bool
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
// colour wherever it appears. Of several that differ in a number, such as
// pool(1) and pool(2), the greatest has the look of one alone, and the others
// have the colour in another shade, with another marker and dash. Any other
// name prefers a colour that follows from the name alone and gives way where
// that is taken. The same names in the same order always get the same looks.
func looks(variants []string, scheduler func(variant string) string) map[string]look {
	n := len(light.series)
	out := make(map[string]look, len(variants))
	used := make([]int, n) // how many variants have the colour
	set := func(name string, c int) {
		out[name] = look{color: c, marker: marker((c + used[c]) % int(markers)), dash: (dashOf[c] + 2*used[c]) % len(dashes)}
		used[c]++
	}
	groups, rest := siblingsOf(variants, scheduler)
	for _, g := range groups {
		if used[g.color] > 0 { // another kind's
			rest = append(rest, g.members...)
			continue
		}
		for i, name := range g.members {
			if i == mostShades {
				rest = append(rest, g.members[i:]...)
				break
			}
			set(name, g.color)
			l := out[name]
			l.shaded = i%2 == 1
			out[name] = l
		}
	}
	for _, v := range rest {
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

// mostShades is how many variants share a colour for their scheduler's sake:
// more could hardly be told apart.
const mostShades = 4

// siblings are the variants on one kind of well-known scheduler.
type siblings struct {
	kind, color int
	members     []string
}

// siblingsOf finds such groups among variants, each in the order in which
// looks are given, and what belongs to none.
func siblingsOf(variants []string, scheduler func(variant string) string) (groups []siblings, rest []string) {
	seen := map[string]bool{}
	numbers := map[string]int{}
	for _, v := range variants {
		if seen[v] {
			continue
		}
		seen[v] = true
		kind, number := kindOf(v), numberIn(v)
		if scheduler != nil {
			if kind < 0 {
				kind = kindOf(scheduler(v))
			}
			number = max(number, numberIn(scheduler(v)))
		}
		if kind < 0 {
			rest = append(rest, v)
			continue
		}
		numbers[v] = number
		i := slices.IndexFunc(groups, func(g siblings) bool { return g.kind == kind })
		if i < 0 {
			i = len(groups)
			groups = append(groups, siblings{kind: kind, color: known[kind].color})
		}
		groups[i].members = append(groups[i].members, v)
	}
	for _, g := range groups {
		slices.SortStableFunc(g.members, func(a, b string) int { return cmp.Compare(numbers[b], numbers[a]) })
	}
	return groups, rest
}

// kindOf returns the place in known of the scheduler that a name begins with,
// -1 if it is none of them.
func kindOf(name string) int {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if unicode.IsLetter(r) {
			b.WriteRune(r)
		}
	}
	s := b.String()
	for i, k := range known {
		if s == k.prefix || len(k.prefix) > 3 && strings.HasPrefix(s, k.prefix) {
			return i
		}
	}
	return -1
}

// numberIn returns the number in parentheses in a scheduler's name, -1 for
// none: 2 for "pool(2)".
func numberIn(name string) int {
	_, after, _ := strings.Cut(name, "(")
	inside, _, ok := strings.Cut(after, ")")
	if n, err := strconv.Atoi(inside); ok && err == nil {
		return n
	}
	return -1
}

// color returns the look's colour. The shade of one is darker; of one that is
// dark already it is lighter.
func (k *kit) color(l look) color.NRGBA {
	c := k.series[l.color%len(k.series)]
	if !l.shaded {
		return c
	}
	if contrast(c, k.background) > 9 {
		return mix(c, k.background, 0.35)
	}
	return mix(c, k.ink, 0.5)
}

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

// path returns the marker around a point. Shapes have about the area of a
// circle of the radius.
func (m marker) path(at vg.Point, r vg.Length) vg.Path {
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
		return closed(at, [][2]vg.Length{{a, a}, {a, b}, {-a, b}, {-a, a}, {-b, a}, {-b, -a}, {-a, -a}, {-a, -b}, {a, -b}, {a, -a}, {b, -a}, {b, a}})
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
