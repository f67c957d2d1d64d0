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

// Light is the theme for paper and white pages. The series colours are those of Okabe and Ito, "Color
// Universal Design" (2008), in an order of our own, without the yellow, which cannot be seen on white.
// Those of activities, which no marker and no dash helps to tell apart, are the same or nearly so, but
// also differ in print without colours. In order: black, softened; blue; bluish green; orange;
// vermilion; reddish purple; sky blue. And: blue; sky blue, lighter; vermilion; orange; black; and a
// pale one, for whoever starts work and waits for it.
var Light = Theme{
	Background: rgb(0xffffff),
	Ink:        rgb(0x222222),
	Muted:      rgb(0x5f5f5f),
	Grid:       rgb(0xe4e4e4),
	Series: []color.NRGBA{
		rgb(0x333333), rgb(0x0072b2), rgb(0x009e73), rgb(0xe69f00), rgb(0xd55e00), rgb(0xcc79a7), rgb(0x56b4e9),
	},
	Activities: [...]color.NRGBA{
		rgb(0x0072b2), rgb(0x89cbf0), rgb(0xd55e00), rgb(0xe69f00), rgb(0x333333), rgb(0xd9d9d9),
	},
}

// Dark is the theme for dark pages: the same hues, lighter.
var Dark = Theme{
	Background: rgb(0x171a1f),
	Ink:        rgb(0xeceef0),
	Muted:      rgb(0xa4aab2),
	Grid:       rgb(0x333840),
	Series: []color.NRGBA{
		rgb(0xd8dbdf), rgb(0x3d96dd), rgb(0x1aae84), rgb(0xf0b035), rgb(0xf0732a), rgb(0xd484b2), rgb(0x8fd0f7),
	},
	Activities: [...]color.NRGBA{
		rgb(0x3d96dd), rgb(0x98d6fa), rgb(0xc4540a), rgb(0xe29e1e), rgb(0xf2f3f6), rgb(0x41454b),
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

func rgb(c uint32) color.NRGBA { return color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 255} }

// A Kit is a theme made ready to draw with: its text styles share one handler, which notes letters that
// no font has.
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

// Plot returns an empty plot in the theme's look. Its Y axis has no line: the grid carries it.
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

// Fade mixes c into the background: 1 is c, 0 the background. The result is opaque, so that overlapping
// shapes do not add up to something darker.
func (t Theme) Fade(c color.NRGBA, share float64) color.NRGBA {
	return mix(t.Background, c, share)
}

// readable is the least contrast of text with its background (WCAG 2.2, level AA).
const readable = 4.5

// ForText returns c, taken towards the ink as far as text needs it to be readable on the background.
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

// contrast returns the contrast ratio of two colours as WCAG 2.2 defines it, from 1 to 21.
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
