package pdf

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"

	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// A Canvas draws a page of a PDF, whose space is that of vg: points, from the lower left corner. It is
// made by [New] and not to be used from several goroutines at once. Its methods never panic: what a PDF
// cannot have, such as a place that is no number, becomes the error of [Canvas.File].
type Canvas struct {
	faults
	width, height vg.Length
	content       bytes.Buffer
	lines         []vg.Length // line widths: what Pop goes back to, then the present one
	fonts         []*embedded
	byFace        map[*opentype.Font]*embedded
	alphas        [256]bool // that colours have
	images        []picture
	buf           sfnt.Buffer
}

var _ vg.CanvasSizer = (*Canvas)(nil)

// New returns an empty page of a size in points.
func New(width, height vg.Length) *Canvas {
	c := &Canvas{width: width, height: height, lines: make([]vg.Length, 1), byFace: map[*opentype.Font]*embedded{}}
	c.op("j", 1) // round joins, as the PNG has them
	vg.Initialize(c)
	return c
}

// op writes an operator after its operands.
func (c *Canvas) op(operator string, operands ...float64) {
	c.exactly(3, operator, operands...)
}

func (c *Canvas) exactly(decimals int, operator string, operands ...float64) {
	for _, v := range operands {
		c.content.WriteString(c.number(v, decimals))
		c.content.WriteByte(' ')
	}
	c.content.WriteString(operator)
	c.content.WriteByte('\n')
}

// Size implements vg.CanvasSizer.
func (c *Canvas) Size() (w, h vg.Length) { return c.width, c.height }

// SetLineWidth implements vg.Canvas.
func (c *Canvas) SetLineWidth(w vg.Length) {
	c.lines[len(c.lines)-1] = w
	if w > 0 {
		c.op("w", w.Points())
	}
}

// SetLineDash implements vg.Canvas.
func (c *Canvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	c.content.WriteByte('[')
	for _, d := range pattern {
		c.content.WriteString(c.number(d.Points(), 3))
		c.content.WriteByte(' ')
	}
	c.content.WriteString("] ")
	c.op("d", offset.Points())
}

// SetColor implements vg.Canvas.
func (c *Canvas) SetColor(clr color.Color) {
	if clr == nil {
		clr = color.Black
	}
	n := color.NRGBAModel.Convert(clr).(color.NRGBA)
	r, g, b := float64(n.R)/255, float64(n.G)/255, float64(n.B)/255
	c.op("rg", r, g, b)
	c.op("RG", r, g, b)
	c.setAlpha(n.A)
}

func (c *Canvas) setAlpha(a uint8) {
	c.alphas[a] = true
	fmt.Fprintf(&c.content, "/A%d gs\n", a)
}

// Rotate implements vg.Canvas.
func (c *Canvas) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	c.exactly(6, "cm", cos, sin, -sin, cos, 0, 0)
}

// Translate implements vg.Canvas.
func (c *Canvas) Translate(p vg.Point) {
	c.op("cm", 1, 0, 0, 1, p.X.Points(), p.Y.Points())
}

// Scale implements vg.Canvas.
func (c *Canvas) Scale(x, y float64) { c.exactly(6, "cm", x, 0, 0, y, 0, 0) }

// Push implements vg.Canvas.
func (c *Canvas) Push() {
	c.lines = append(c.lines, c.lines[len(c.lines)-1])
	c.op("q")
}

// Pop implements vg.Canvas.
func (c *Canvas) Pop() {
	if len(c.lines) == 1 {
		c.fail("Pop without a Push before it")
		return
	}
	c.lines = c.lines[:len(c.lines)-1]
	c.op("Q")
}

// Stroke implements vg.Canvas.
func (c *Canvas) Stroke(p vg.Path) {
	if c.lines[len(c.lines)-1] > 0 {
		c.path(p, "S")
	}
}

// Fill implements vg.Canvas.
func (c *Canvas) Fill(p vg.Path) { c.path(p, "f") }

// path writes a path and what to do with it.
func (c *Canvas) path(p vg.Path, paint string) {
	if len(p) == 0 {
		return
	}
	var at, start vg.Point
	open := false
	to := func(operator string, points ...vg.Point) {
		if operator != "m" && !open { // PDF needs a point to go on from
			c.op("m", points[0].X.Points(), points[0].Y.Points())
			start, open = points[0], true
		}
		operands := make([]float64, 0, 6)
		for _, q := range points {
			operands = append(operands, q.X.Points(), q.Y.Points())
		}
		c.op(operator, operands...)
		at = points[len(points)-1]
		if operator == "m" {
			start, open = at, true
		}
	}
	for _, comp := range p {
		switch comp.Type {
		case vg.MoveComp:
			to("m", comp.Pos)
		case vg.LineComp:
			to("l", comp.Pos)
		case vg.ArcComp:
			onCircle := func(angle float64) vg.Point {
				sin, cos := math.Sincos(angle)
				return vg.Point{X: comp.Pos.X + comp.Radius*vg.Length(cos), Y: comp.Pos.Y + comp.Radius*vg.Length(sin)}
			}
			to("l", onCircle(comp.Start))
			const most = 1000 * 2 * math.Pi // so that mistakes end
			if !(math.Abs(comp.Angle) <= most) {
				c.fail("an arc cannot turn by %v radians", comp.Angle)
				continue
			}
			// A cubic curve follows an eighth of a turn to some millionths of the radius, a quarter to 0.0003 of
			// it.
			n := math.Ceil(math.Abs(comp.Angle) / (math.Pi / 4))
			step := comp.Angle / n
			handle := comp.Radius * vg.Length(4./3*math.Tan(step/4))
			for i := range int(n) {
				from, end := comp.Start+float64(i)*step, comp.Start+float64(i+1)*step
				sin0, cos0 := math.Sincos(from)
				sin1, cos1 := math.Sincos(end)
				last := onCircle(end)
				to("c", vg.Point{X: at.X - handle*vg.Length(sin0), Y: at.Y + handle*vg.Length(cos0)},
					vg.Point{X: last.X + handle*vg.Length(sin1), Y: last.Y - handle*vg.Length(cos1)}, last)
			}
		case vg.CurveComp:
			switch len(comp.Control) {
			case 1:
				first, second := cubic(at, comp.Control[0], comp.Pos)
				to("c", first, second, comp.Pos)
			case 2:
				to("c", comp.Control[0], comp.Control[1], comp.Pos)
			default:
				c.fail("a curve has one control point or two, not %d", len(comp.Control))
			}
		case vg.CloseComp:
			c.op("h")
			at = start
		default:
			c.fail("a path cannot have a part of type %d", comp.Type)
		}
	}
	c.op(paint)
}

// cubic returns the control points of the cubic curve that is the same as the quadratic one from p to r
// by q.
func cubic(p, q, r vg.Point) (first, second vg.Point) {
	toQ := func(end vg.Point) vg.Point { return vg.Point{X: end.X + (q.X-end.X)*2/3, Y: end.Y + (q.Y-end.Y)*2/3} }
	return toQ(p), toQ(r)
}

// FillString implements vg.Canvas. What the font cannot give is left out, as in gonum's own canvases.
func (c *Canvas) FillString(f font.Face, at vg.Point, s string) {
	if f.Font.Size == 0 {
		return
	}
	if f.Face == nil || f.Face.UnitsPerEm() <= 0 {
		c.fail("the text %q has no font that can be used", s)
		return
	}
	var (
		p    *embedded
		text bytes.Buffer
		prev sfnt.GlyphIndex
	)
	for _, r := range s {
		g, err := f.Face.GlyphIndex(&c.buf, r)
		if err != nil {
			continue
		}
		if p == nil {
			p = c.font(f)
		} else if kern, err := f.Face.Kern(&c.buf, prev, g, p.ppem, 0); err == nil && kern != 0 {
			fmt.Fprintf(&text, "> %s <", c.number(-p.perMille(kern), 2))
		}
		code := p.code(&c.buf, r, g)
		if code > math.MaxUint16 {
			c.fail("%s has more than %d letters on one page", f.Name(), math.MaxUint16)
			return
		}
		fmt.Fprintf(&text, "%04X", code)
		prev = g
	}
	if p == nil {
		return
	}
	fmt.Fprintf(&c.content, "BT /F%d ", p.number)
	c.op("Tf", f.Font.Size.Points())
	c.op("Td", at.X.Points(), at.Y.Points())
	fmt.Fprintf(&c.content, "[<%s>] TJ ET\n", text.Bytes())
}

// font returns the part of a font that the page needs so far.
func (c *Canvas) font(f font.Face) *embedded {
	p, ok := c.byFace[f.Face]
	if !ok {
		p = newFont(&c.buf, f, len(c.fonts)+1)
		c.fonts, c.byFace[f.Face] = append(c.fonts, p), p
	}
	return p
}

// A picture is a picture on the page.
type picture struct {
	width, height int
	colours       []byte // red, green, blue
	alphas        []byte
}

// DrawImage implements vg.Canvas.
func (c *Canvas) DrawImage(rect vg.Rectangle, img image.Image) {
	if img == nil || img.Bounds().Empty() {
		c.fail("a picture without dots")
		return
	}
	b := img.Bounds()
	m := picture{width: b.Dx(), height: b.Dy()}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			n := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			m.colours, m.alphas = append(m.colours, n.R, n.G, n.B), append(m.alphas, n.A)
		}
	}
	c.images = append(c.images, m)
	c.Push()
	c.setAlpha(255) // the picture has its own
	size := rect.Size()
	c.op("cm", size.X.Points(), 0, 0, size.Y.Points(), rect.Min.X.Points(), rect.Min.Y.Points())
	c.op(fmt.Sprintf("/I%d Do", len(c.images)))
	c.Pop()
}

// add puts the picture in a file.
func (m picture) add(p *file) ref {
	entries := func(space string) string {
		return fmt.Sprintf(" /Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 /ColorSpace /%s",
			m.width, m.height, space)
	}
	mask := p.stream(entries("DeviceGray"), m.alphas)
	return p.stream(entries("DeviceRGB")+" /SMask "+mask.String(), m.colours)
}
