package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// rows is a chart with a row for each variant: its name on the left, its
// values along the X axis, its figure on the right.
type rows struct {
	x      scale
	xLabel string
	xUnit  float64
	refs   []reference
	rows   []row
	from   float64 // where a stem to each row's value begins, NaN for no stems
}

type row struct {
	name   string
	look   look
	plain  bool // in the ink's colour, hollow: not measured here
	value  string
	est    estimate // mid is NaN for none
	dots   []float64
	hollow []float64 // warm-up
	space  bool      // begins a group: some room above

	expected []float64 // from and to, drawn as a band behind the row; nil for none
}

const rowHeight = vg.Length(15)

func (r *rows) draw(c draw.Canvas, k *kit) {
	p, axis := k.along(&c, r.x, r.xLabel, r.xUnit)

	name := k.text
	name.XAlign, name.YAlign = draw.XRight, draw.YCenter
	value := k.text
	value.XAlign, value.YAlign = draw.XRight, draw.YCenter

	const gap = 9
	room := c.Max.X - c.Min.X
	height := (c.Max.Y - c.Min.Y - 30) / vg.Length(max(1, len(r.rows)))
	most := max(1, min(3, int(height/leading(name))))
	names := make([][]string, len(r.rows))
	var left, right vg.Length
	for i, w := range r.rows {
		names[i] = wrapName(name, w.name, room*0.36, most)
		left = max(left, widest(name, names[i]))
		right = max(right, value.Width(w.value))
	}
	area := draw.Crop(c, left+gap, 0, 0, 0)
	if right > 0 {
		area.Max.X -= right + gap
	}
	if len(r.refs) > 0 {
		area.Max.Y -= r.refNames(c, area, p, k, false)
	}
	p.Add(plotFunc(func(c draw.Canvas, p *plot.Plot) {
		grid(c, p, k, true, false)
		axis(c)
		x, _ := p.Transforms(&c)
		for _, ref := range r.refs {
			c.StrokeLine2(ref.style(k), x(ref.value), c.Min.Y, x(ref.value), c.Max.Y)
		}
		if len(r.refs) > 0 {
			r.refNames(c, c, p, k, true)
		}
		centres, h := r.places(c.Min.Y, c.Max.Y)
		for i, w := range r.rows {
			r.row(c, k, w, x, centres[i], h)
			sty := name
			sty.Color = r.textColor(k, w)
			top := centres[i] + vg.Length(len(names[i])-1)*leading(name)/2
			for _, line := range names[i] {
				c.FillText(sty, vg.Point{X: c.Min.X - gap, Y: top}, line)
				top -= leading(name)
			}
			sty = value
			sty.Color = r.textColor(k, w)
			c.FillText(sty, vg.Point{X: c.Max.X + gap + right, Y: centres[i]}, w.value)
		}
	}))
	p.Draw(area)
}

func (r *rows) textColor(k *kit, w row) color.NRGBA {
	if w.plain {
		return k.muted
	}
	return k.forText(k.color(w.look))
}

// places returns the rows' centres from the top down, and a row's height.
func (r *rows) places(lo, hi vg.Length) ([]vg.Length, vg.Length) {
	const group = 0.6 // of a row
	units := vg.Length(len(r.rows))
	for i, w := range r.rows {
		if w.space && i > 0 {
			units += group
		}
	}
	h := (hi - lo) / max(units, 1)
	// A few rows stay together, in the middle.
	if most := vg.Length(52); h > most {
		hi -= (h - most) * units / 2
		h = most
	}
	out := make([]vg.Length, len(r.rows))
	at := hi
	for i, w := range r.rows {
		if w.space && i > 0 {
			at -= group * h
		}
		out[i] = at - h/2
		at -= h
	}
	return out, h
}

// refNames writes the references' names above the data, moved apart, and
// returns the height that they take.
func (r *rows) refNames(c, area draw.Canvas, p *plot.Plot, k *kit, ink bool) vg.Length {
	h := leading(k.small) + 3
	if !ink {
		return h
	}
	sty := k.small
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YBottom
	x, _ := p.Transforms(&area)
	want := make([]vg.Length, len(r.refs))
	size := make([]vg.Length, len(r.refs))
	for i, ref := range r.refs {
		want[i], size[i] = x(ref.value), sty.Width(ref.label)+8
	}
	for i, at := range spread(want, size, area.Min.X-30, area.Max.X+30) {
		c.FillText(sty, vg.Point{X: at, Y: area.Max.Y + 3}, r.refs[i].label)
	}
	return h
}

func (r *rows) row(c draw.Canvas, k *kit, w row, x func(float64) vg.Length, y, h vg.Length) {
	ink := k.color(w.look)
	if w.plain {
		ink = k.muted
	}
	if len(w.expected) == 2 {
		lo, hi := x(max(w.expected[0], r.x.min)), x(min(w.expected[1], r.x.max))
		if mid := (lo + hi) / 2; hi-lo < 4 { // a range too narrow to be seen
			lo, hi = mid-2, mid+2
		}
		half := min(h*0.36, 13)
		c.FillPolygon(k.fade(k.muted, 0.28), []vg.Point{{X: lo, Y: y - half}, {X: hi, Y: y - half}, {X: hi, Y: y + half}, {X: lo, Y: y + half}})
	}
	if r.x.has(w.est.mid) && finite(r.from) && len(w.expected) == 0 {
		c.StrokeLine2(draw.LineStyle{Color: k.fade(ink, 0.45), Width: 2}, x(r.from), y, x(w.est.mid), y)
	}
	dots := len(w.dots)+len(w.hollow) > 0
	if finite(w.est.lo) && finite(w.est.hi) {
		lo, hi := c.Min.X, x(min(w.est.hi, r.x.max))
		if r.x.has(w.est.lo) {
			lo = x(max(w.est.lo, r.x.min))
		}
		if dots {
			// A band behind the dots.
			half := min(h*0.42, 16)
			c.FillPolygon(k.fade(ink, 0.22), []vg.Point{{X: lo, Y: y - half}, {X: hi, Y: y - half}, {X: hi, Y: y + half}, {X: lo, Y: y + half}})
		} else {
			sty := draw.LineStyle{Color: ink, Width: 1.3}
			const cap = 6 // sticks out behind the marker
			c.StrokeLine2(sty, lo, y, hi, y)
			c.StrokeLine2(sty, lo, y-cap, lo, y+cap)
			c.StrokeLine2(sty, hi, y-cap, hi, y+cap)
		}
	}
	if dots {
		if r.x.has(w.est.mid) {
			half := min(h*0.42, 16)
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: 2}, x(w.est.mid), y-half, x(w.est.mid), y+half)
		}
		r.swarm(c, k, w, x, y, h)
		return
	}
	if !r.x.has(w.est.mid) {
		return
	}
	at := vg.Point{X: x(w.est.mid), Y: y}
	if w.plain {
		k.hollow(c, at, circle, 3.6, ink)
	} else {
		c.SetColor(ink)
		c.Fill(w.look.marker.path(at, 4))
	}
}

// swarm draws the dots of a row, those that would cover one another above and
// below each other.
func (r *rows) swarm(c draw.Canvas, k *kit, w row, x func(float64) vg.Length, y, h vg.Length) {
	const radius = 2.1
	type dot struct {
		x      vg.Length
		hollow bool
	}
	var dots []dot
	for _, v := range w.dots {
		if r.x.has(v) {
			dots = append(dots, dot{x(v), false})
		}
	}
	for _, v := range w.hollow {
		if r.x.has(v) {
			dots = append(dots, dot{x(v), true})
		}
	}
	slices.SortStableFunc(dots, func(a, b dot) int { return int(math.Copysign(1, float64(a.x-b.x))) })
	xs := make([]vg.Length, len(dots))
	for i, d := range dots {
		xs[i] = d.x
	}
	offsets := beeswarm(xs, 2*radius+0.6, max(0, min(h*0.42, 16)-radius))
	fill := k.color(w.look)
	for i, d := range dots {
		at := vg.Point{X: d.x, Y: y + offsets[i]}
		if d.hollow {
			k.hollow(c, at, circle, radius, fill)
			continue
		}
		k.point(c, at, circle, radius, fill)
	}
}

// beeswarm returns how far to move each of the ascending places sideways so
// that dots of the given width do not overlap, as little as that takes and at
// most by limit. Where more meet than fit, they overlap.
func beeswarm(xs []vg.Length, width, limit vg.Length) []vg.Length {
	out := make([]vg.Length, len(xs))
	for i, x := range xs {
		free := func(o vg.Length) bool {
			for j := i - 1; j >= 0 && x-xs[j] < width; j-- {
				dx, dy := x-xs[j], o-out[j]
				if dx*dx+dy*dy < width*width*0.999 {
					return false
				}
			}
			return true
		}
		step := width / 4
		for n := 0; ; n++ {
			o := vg.Length((n+1)/2) * step
			if n%2 == 0 {
				o = -o
			}
			if o > limit || o < -limit {
				// Full: share what there is.
				if limit > 0 {
					o = vg.Length(math.Mod(float64(i)*0.618, 1)*2-1) * limit
				} else {
					o = 0
				}
				out[i] = o
				break
			}
			if free(o) {
				out[i] = o
				break
			}
		}
	}
	return out
}
