package chart

import (
	"image/color"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A theme is everything about the look that does not depend on the data.
type theme struct {
	background color.NRGBA
	ink        color.NRGBA // titles, tick labels
	muted      color.NRGBA // captions, axis labels, reference lines
	grid       color.NRGBA
	series     []color.NRGBA // by colour number: see looks
	activities [len(activities)]color.NRGBA
	textShade  float64 // least contrast of coloured text with the background
}

// light is the theme for paper and white pages. The series colours are those
// of Okabe and Ito, "Color Universal Design" (2008), in an order of our own,
// without the yellow, which cannot be seen on white. Those of activities, which
// no marker and no dash helps to tell apart, are the same or nearly so, but
// also differ in print without colours.
var light = theme{
	background: color.NRGBA{255, 255, 255, 255},
	ink:        color.NRGBA{0x22, 0x22, 0x22, 255},
	muted:      color.NRGBA{0x5f, 0x5f, 0x5f, 255},
	grid:       color.NRGBA{0xe4, 0xe4, 0xe4, 255},
	series: []color.NRGBA{
		{0x33, 0x33, 0x33, 255}, // black, softened
		{0x00, 0x72, 0xb2, 255}, // blue
		{0x00, 0x9e, 0x73, 255}, // bluish green
		{0xe6, 0x9f, 0x00, 255}, // orange
		{0xd5, 0x5e, 0x00, 255}, // vermilion
		{0xcc, 0x79, 0xa7, 255}, // reddish purple
		{0x56, 0xb4, 0xe9, 255}, // sky blue
	},
	activities: [...]color.NRGBA{
		onCPU:     {0x00, 0x72, 0xb2, 255}, // blue
		outside:   {0x89, 0xcb, 0xf0, 255}, // sky blue, lighter
		eachOther: {0xd5, 0x5e, 0x00, 255}, // vermilion
		aTurn:     {0xe6, 0x9f, 0x00, 255}, // orange
		allOther:  {0x33, 0x33, 0x33, 255}, // black, softened
		toEnd:     {0xd9, 0xd9, 0xd9, 255}, // pale: whoever starts work and waits for it does this
	},
	textShade: 4.5,
}

// dark is the theme for dark pages: the same hues, lighter.
var dark = theme{
	background: color.NRGBA{0x17, 0x1a, 0x1f, 255},
	ink:        color.NRGBA{0xec, 0xee, 0xf0, 255},
	muted:      color.NRGBA{0xa4, 0xaa, 0xb2, 255},
	grid:       color.NRGBA{0x33, 0x38, 0x40, 255},
	series: []color.NRGBA{
		{0xd8, 0xdb, 0xdf, 255}, // for black
		{0x3d, 0x96, 0xdd, 255}, // blue
		{0x1a, 0xae, 0x84, 255}, // bluish green
		{0xf0, 0xb0, 0x35, 255}, // orange
		{0xf0, 0x73, 0x2a, 255}, // vermilion
		{0xd4, 0x84, 0xb2, 255}, // reddish purple
		{0x8f, 0xd0, 0xf7, 255}, // sky blue
	},
	activities: [...]color.NRGBA{
		onCPU:     {0x3d, 0x96, 0xdd, 255},
		outside:   {0x98, 0xd6, 0xfa, 255},
		eachOther: {0xc4, 0x54, 0x0a, 255},
		aTurn:     {0xe2, 0x9e, 0x1e, 255},
		allOther:  {0xf2, 0xf3, 0xf6, 255},
		toEnd:     {0x41, 0x45, 0x4b, 255},
	},
	textShade: 4.5,
}

// Sizes of figures: one for a page's column, one for its whole width. Text is never smaller than 9 points in them.
const (
	normalWidth  = 7.0 * vg.Inch
	normalHeight = 4.2 * vg.Inch
	flatHeight   = 2.9 * vg.Inch // for two or three rows
	wideWidth    = 9.0 * vg.Inch
	wideHeight   = 5.4 * vg.Inch

	margin    = vg.Length(10)
	titleSize = vg.Length(13)
	textSize  = vg.Length(10)
	smallSize = vg.Length(9)
	lineWidth = vg.Length(1.6)
	hairline  = vg.Length(0.6)
)

// A kit is a theme made ready to draw with: its text styles share one
// handler, which notes letters that no font has.
type kit struct {
	theme
	letters *letters
	title   draw.TextStyle
	text    draw.TextStyle
	small   draw.TextStyle // for captions and axis labels
	tick    draw.TextStyle
}

func (t theme) kit() *kit {
	l := newLetters()
	style := func(size vg.Length, weight stdfont.Weight, c color.Color) draw.TextStyle {
		return draw.TextStyle{
			Color:   c,
			Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size},
			XAlign:  text.XLeft,
			YAlign:  text.YTop,
			Handler: l,
		}
	}
	return &kit{
		theme:   t,
		letters: l,
		title:   style(titleSize, stdfont.WeightBold, t.ink),
		text:    style(textSize, stdfont.WeightNormal, t.ink),
		small:   style(smallSize, stdfont.WeightNormal, t.muted),
		tick:    style(smallSize, stdfont.WeightNormal, t.ink),
	}
}

// plot returns an empty plot in the theme's look. Its Y axis has no line: the
// grid carries it.
func (k *kit) plot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.TextHandler = k.letters
	p.Title.TextStyle = k.title
	p.Legend.TextStyle = k.text
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.LineStyle = draw.LineStyle{Color: k.muted, Width: hairline}
		a.Tick.LineStyle = draw.LineStyle{Color: k.muted, Width: hairline}
		a.Tick.Length = 3
		l := k.tick
		l.Handler = axisLetters{k.letters}
		l.XAlign, l.YAlign = a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Tick.Label = l
		s := k.small
		s.Handler = axisLetters{k.letters}
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

// fade mixes c into the background: 1 is c, 0 the background. The result is
// opaque, so that overlapping shapes do not add up to something darker.
func (t theme) fade(c color.NRGBA, share float64) color.NRGBA {
	return mix(t.background, c, share)
}

// forText returns c, taken towards the ink as far as text needs it to be
// readable on the background.
func (t theme) forText(c color.NRGBA) color.NRGBA {
	for share := 0.0; share < 1; share += 0.05 {
		if m := mix(c, t.ink, share); contrast(m, t.background) >= t.textShade {
			return m
		}
	}
	return t.ink
}
