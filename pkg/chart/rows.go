package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
)

// rows is a chart with a row for each variant: its name on the left, its values along the X axis, its
// figure on the right.
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
	look   ink.Look
	plain  bool // in the ink's colour, hollow: not measured here
	value  string
	est    estimate // mid is NaN for none
	dots   []float64
	hollow []float64 // warm-up
	space  bool      // begins a group: some room above

	expected []float64 // from and to, drawn as a band behind the row; nil for none
}

// nothing is the estimate of what was not measured.
var nothing = estimate{mid: math.NaN(), lo: math.NaN(), hi: math.NaN()}

const rowHeight = vg.Length(15)

func (r *rows) draw(c draw.Canvas, k *ink.Kit) {
	name := k.Text
	name.XAlign, name.YAlign = draw.XRight, draw.YCenter
	value := name

	const gap = 9
	height := (c.Max.Y - c.Min.Y - labelRoom(k) - 30) / vg.Length(max(1, len(r.rows)))
	most := max(1, min(3, int(height/ink.Leading(name))))
	full := make([]string, len(r.rows))
	for i, w := range r.rows {
		full[i] = w.name
	}
	names := ink.WrapNames(name, full, (c.Max.X-c.Min.X)*0.36, most)
	var left, right, top vg.Length
	for i, w := range r.rows {
		left = max(left, ink.Widest(name, names[i]))
		right = max(right, value.Width(w.value)+gap)
	}
	if len(r.refs) > 0 {
		top = ink.Leading(k.Small) + 3
	}
	page := c
	room := [3]vg.Length{left + gap, right, top}
	overAxis(c, k, r.x, r.xLabel, r.xUnit, room, func(c draw.Canvas, x func(float64) vg.Length) {
		for _, ref := range r.refs {
			c.StrokeLine2(ref.style(k), x(ref.value), c.Min.Y, x(ref.value), c.Max.Y)
		}
		r.refNames(c, k, x, page.Min.X, page.Max.X)
		centres, h := r.places(c.Min.Y, c.Max.Y)
		for i, w := range r.rows {
			r.row(c, k, w, x, centres[i], h)
			name.Color, value.Color = r.textColor(k, w), r.textColor(k, w)
			column(c, c.Min.X-gap, centres[i], linesOf(name, names[i]))
			c.FillText(value, vg.Point{X: c.Max.X + right, Y: centres[i]}, w.value)
		}
	})
}

func (r *rows) textColor(k *ink.Kit, w row) color.NRGBA {
	if w.plain {
		return k.Muted
	}
	return k.ForText(k.Color(w.look))
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

// refNames writes the references' names above the data, moved apart, between two places.
func (r *rows) refNames(c draw.Canvas, k *ink.Kit, x func(float64) vg.Length, lo, hi vg.Length) {
	if len(r.refs) == 0 {
		return
	}
	sty := k.Small
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YBottom
	const gap = 8
	want := make([]vg.Length, len(r.refs))
	size := make([]vg.Length, len(r.refs))
	names := make([]string, len(r.refs))
	share := (hi - lo) / vg.Length(len(r.refs))
	room := hi - lo // for names that are longer than their share
	long := 0
	for i, ref := range r.refs {
		want[i], names[i], size[i] = x(ref.value), ref.label, sty.Width(ref.label)+gap
		if size[i] > share {
			long++
		} else {
			room -= size[i]
		}
	}
	var all vg.Length
	for i := range names {
		if size[i] > share {
			names[i] = ink.OneLine(sty, names[i], room/vg.Length(long)-gap)
			size[i] = sty.Width(names[i]) + gap
		}
		all += size[i]
	}
	if left, right := max(lo, c.Min.X-30), min(hi, c.Max.X+30); all <= right-left { // near the data, if that is enough
		lo, hi = left, right
	}
	for i, at := range spread(want, size, lo, hi) {
		c.FillText(sty, vg.Point{X: at, Y: c.Max.Y + 3}, names[i])
	}
}

func (r *rows) row(c draw.Canvas, k *ink.Kit, w row, x func(float64) vg.Length, y, h vg.Length) {
	shade := k.Color(w.look)
	if w.plain {
		shade = k.Muted
	}
	if len(w.expected) == 2 {
		lo, hi := x(max(w.expected[0], r.x.min)), x(min(w.expected[1], r.x.max))
		if mid := (lo + hi) / 2; hi-lo < 4 { // a range too narrow to be seen
			lo, hi = mid-2, mid+2
		}
		half := min(h*0.36, 13)
		fillBox(c, k.Fade(k.Muted, 0.28), lo, y-half, hi, y+half)
	}
	if r.x.has(w.est.mid) && text.Finite(r.from) && len(w.expected) == 0 {
		c.StrokeLine2(draw.LineStyle{Color: k.Fade(shade, 0.45), Width: 2}, x(r.from), y, x(w.est.mid), y)
	}
	dots := len(w.dots)+len(w.hollow) > 0
	if text.Finite(w.est.lo) && text.Finite(w.est.hi) {
		lo, hi := c.Min.X, x(min(w.est.hi, r.x.max))
		if r.x.has(w.est.lo) {
			lo = x(max(w.est.lo, r.x.min))
		}
		if dots {
			// A band behind the dots.
			half := min(h*0.42, 16)
			fillBox(c, k.Fade(shade, 0.22), lo, y-half, hi, y+half)
		} else {
			sty := draw.LineStyle{Color: shade, Width: 1.3}
			cap := min(6, h*0.4) // sticks out behind the marker, not into the next row
			c.StrokeLine2(sty, lo, y, hi, y)
			c.StrokeLine2(sty, lo, y-cap, lo, y+cap)
			c.StrokeLine2(sty, hi, y-cap, hi, y+cap)
		}
	}
	if dots {
		if w.crowded() {
			var xs []vg.Length
			for _, v := range w.dots {
				if r.x.has(v) {
					xs = append(xs, x(v))
				}
			}
			slices.Sort(xs)
			c.FillPolygon(k.Fade(shade, 0.6), silhouette(xs, y, min(h*0.42, 16)))
		}
		if r.x.has(w.est.mid) {
			half := min(h*0.42, 16)
			c.StrokeLine2(draw.LineStyle{Color: shade, Width: 2}, x(w.est.mid), y-half, x(w.est.mid), y+half)
		}
		r.swarm(c, k, w, x, y, h)
		return
	}
	if !r.x.has(w.est.mid) {
		return
	}
	at := vg.Point{X: x(w.est.mid), Y: y}
	if w.plain {
		k.Hollow(c, at, ink.Circle, 3.6, shade)
	} else {
		c.SetColor(shade)
		c.Fill(w.look.Marker.Path(at, 4))
	}
}

// crowded reports whether a row has more dots than can be drawn.
func (w row) crowded() bool { return len(w.dots) > mostDots }

// swarm draws the dots of a row, those that would cover one another above and below each other.
func (r *rows) swarm(c draw.Canvas, k *ink.Kit, w row, x func(float64) vg.Length, y, h vg.Length) {
	const radius = 2.1
	type dot struct {
		x      vg.Length
		hollow bool
	}
	var dots []dot
	for _, v := range w.dots {
		if r.x.has(v) && !w.crowded() {
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
	fill := k.Color(w.look)
	for i, d := range dots {
		at := vg.Point{X: d.x, Y: y + offsets[i]}
		if d.hollow {
			k.Hollow(c, at, ink.Circle, radius, fill)
			continue
		}
		k.Point(c, at, ink.Circle, radius, fill)
	}
}

// mostDots is how many dots a row has at most. Where more would lie, there is hardly one that others do
// not cover.
const mostDots = 400

// silhouette returns a shape along a height that at each place is as wide as many of the ascending
// places are near, and never so narrow that a single one is lost.
func silhouette(xs []vg.Length, y, half vg.Length) []vg.Point {
	const width, least = vg.Length(2), vg.Length(0.6)
	if len(xs) == 0 {
		return nil
	}
	var counts []int
	most := 0
	for _, x := range xs {
		i := int((x - xs[0]) / width)
		for len(counts) <= i {
			counts = append(counts, 0)
		}
		counts[i]++
		most = max(most, counts[i])
	}
	var above, below []vg.Point
	for i, n := range counts {
		from := xs[0] + vg.Length(i)*width
		h := vg.Length(0)
		if n > 0 {
			h = max(least, half*vg.Length(n)/vg.Length(most))
		}
		above = append(above, vg.Point{X: from, Y: y + h}, vg.Point{X: from + width, Y: y + h})
		below = append(below, vg.Point{X: from, Y: y - h}, vg.Point{X: from + width, Y: y - h})
	}
	slices.Reverse(below)
	return append(above, below...)
}

// beeswarm returns how far to move each of the ascending places sideways so that dots of the given
// width do not overlap, as little as that takes and at most by limit. Where more meet than fit, they
// overlap.
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
