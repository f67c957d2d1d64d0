package ink

import (
	"image/color"
	"math"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Theme is everything about the look that does not depend on the data.
type Theme struct {
	Background color.NRGBA
	Ink        color.NRGBA // titles, tick labels
	Muted      color.NRGBA // captions, axis labels, reference lines
	Grid       color.NRGBA
	Series     []color.NRGBA  // by the number of a [Look]
	Activities [6]color.NRGBA // by place in chart's list of them
}

// Light is the theme for paper and white pages. The series colours are those
// of Okabe and Ito, "Color Universal Design" (2008), in an order of our own,
// without the yellow, which cannot be seen on white. Those of activities, which
// no marker and no dash helps to tell apart, are the same or nearly so, but
// also differ in print without colours.
var Light = Theme{
	Background: color.NRGBA{255, 255, 255, 255},
	Ink:        color.NRGBA{0x22, 0x22, 0x22, 255},
	Muted:      color.NRGBA{0x5f, 0x5f, 0x5f, 255},
	Grid:       color.NRGBA{0xe4, 0xe4, 0xe4, 255},
	Series: []color.NRGBA{
		{0x33, 0x33, 0x33, 255}, // black, softened
		{0x00, 0x72, 0xb2, 255}, // blue
		{0x00, 0x9e, 0x73, 255}, // bluish green
		{0xe6, 0x9f, 0x00, 255}, // orange
		{0xd5, 0x5e, 0x00, 255}, // vermilion
		{0xcc, 0x79, 0xa7, 255}, // reddish purple
		{0x56, 0xb4, 0xe9, 255}, // sky blue
	},
	Activities: [...]color.NRGBA{
		{0x00, 0x72, 0xb2, 255}, // blue
		{0x89, 0xcb, 0xf0, 255}, // sky blue, lighter
		{0xd5, 0x5e, 0x00, 255}, // vermilion
		{0xe6, 0x9f, 0x00, 255}, // orange
		{0x33, 0x33, 0x33, 255}, // black, softened
		{0xd9, 0xd9, 0xd9, 255}, // pale: whoever starts work and waits for it does this
	},
}

// Dark is the theme for dark pages: the same hues, lighter.
var Dark = Theme{
	Background: color.NRGBA{0x17, 0x1a, 0x1f, 255},
	Ink:        color.NRGBA{0xec, 0xee, 0xf0, 255},
	Muted:      color.NRGBA{0xa4, 0xaa, 0xb2, 255},
	Grid:       color.NRGBA{0x33, 0x38, 0x40, 255},
	Series: []color.NRGBA{
		{0xd8, 0xdb, 0xdf, 255}, // for black
		{0x3d, 0x96, 0xdd, 255}, // blue
		{0x1a, 0xae, 0x84, 255}, // bluish green
		{0xf0, 0xb0, 0x35, 255}, // orange
		{0xf0, 0x73, 0x2a, 255}, // vermilion
		{0xd4, 0x84, 0xb2, 255}, // reddish purple
		{0x8f, 0xd0, 0xf7, 255}, // sky blue
	},
	Activities: [...]color.NRGBA{
		{0x3d, 0x96, 0xdd, 255},
		{0x98, 0xd6, 0xfa, 255},
		{0xc4, 0x54, 0x0a, 255},
		{0xe2, 0x9e, 0x1e, 255},
		{0xf2, 0xf3, 0xf6, 255},
		{0x41, 0x45, 0x4b, 255},
	},
}

// Sizes of text, and widths of lines, in points.
const (
	titleSize = vg.Length(13)
	TextSize  = vg.Length(10)
	SmallSize = vg.Length(9)
	lineWidth = vg.Length(1.6)
	Hairline  = vg.Length(0.6)
)

// A Kit is a theme made ready to draw with: its text styles share one
// handler, which notes letters that no font has.
type Kit struct {
	Theme
	Letters *Letters
	Title   draw.TextStyle
	Text    draw.TextStyle
	Small   draw.TextStyle // for captions and axis labels
	Tick    draw.TextStyle
}

// Kit returns a kit of the theme, for one drawing.
func (t Theme) Kit() *Kit {
	l := NewLetters()
	style := func(size vg.Length, weight stdfont.Weight, c color.Color) draw.TextStyle {
		return draw.TextStyle{
			Color:   c,
			Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size},
			XAlign:  text.XLeft,
			YAlign:  text.YTop,
			Handler: l,
		}
	}
	return &Kit{
		Theme:   t,
		Letters: l,
		Title:   style(titleSize, stdfont.WeightBold, t.Ink),
		Text:    style(TextSize, stdfont.WeightNormal, t.Ink),
		Small:   style(SmallSize, stdfont.WeightNormal, t.Muted),
		Tick:    style(SmallSize, stdfont.WeightNormal, t.Ink),
	}
}

// Plot returns an empty plot in the theme's look. Its Y axis has no line: the
// grid carries it.
func (k *Kit) Plot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.TextHandler = k.Letters
	p.Title.TextStyle = k.Title
	p.Legend.TextStyle = k.Text
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.LineStyle = draw.LineStyle{Color: k.Muted, Width: Hairline}
		a.Tick.LineStyle = draw.LineStyle{Color: k.Muted, Width: Hairline}
		a.Tick.Length = 3
		l := k.Tick
		l.Handler = axisLetters{k.Letters}
		l.XAlign, l.YAlign = a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Tick.Label = l
		s := k.Small
		s.Handler = axisLetters{k.Letters}
		s.XAlign, s.YAlign = a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign
		s.Rotation = a.Label.TextStyle.Rotation
		a.Label.TextStyle = s
		a.Label.Padding = 3
	}
	p.Y.LineStyle.Width = 0
	p.Y.Tick.LineStyle.Width = 0
	p.Y.Tick.Length = 0
	p.Y.Padding = 4
	return p
}

// Fade mixes c into the background: 1 is c, 0 the background. The result is
// opaque, so that overlapping shapes do not add up to something darker.
func (t Theme) Fade(c color.NRGBA, share float64) color.NRGBA {
	return mix(t.Background, c, share)
}

// readable is the least contrast of text with its background (WCAG 2.2, level AA).
const readable = 4.5

// ForText returns c, taken towards the ink as far as text needs it to be
// readable on the background.
func (t Theme) ForText(c color.NRGBA) color.NRGBA {
	for share := 0.0; share < 1; share += 0.05 {
		if m := mix(c, t.Ink, share); contrast(m, t.Background) >= readable {
			return m
		}
	}
	return t.Ink
}

// mix returns the colour at the given share of the way from a to b.
func mix(a, b color.NRGBA, share float64) color.NRGBA {
	f := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + (float64(y)-float64(x))*share)) }
	return color.NRGBA{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B), 255}
}

// contrast returns the contrast ratio of two colours as WCAG 2.2 defines it,
// from 1 to 21.
func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance is WCAG's relative luminance.
func luminance(c color.NRGBA) float64 {
	f := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*f(c.R) + 0.7152*f(c.G) + 0.0722*f(c.B)
}
