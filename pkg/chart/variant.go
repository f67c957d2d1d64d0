package chart

import (
	"cmp"

	"gonum.org/v1/plot/vg"

	"overlap/pkg/chart/internal/ink"
)

// A Theme is what a figure is to stand on.
type Theme string

// The themes.
const (
	Light Theme = "light" // paper and white pages; what constructors make
	Dark  Theme = "dark"  // dark pages
)

var themes = map[Theme]ink.Theme{Light: ink.Light, Dark: ink.Dark}

// A Size is what a figure is for.
type Size string

// The sizes. Text takes about the same share of a page's column, of a slide and of a card, so that it
// can be read in each.
const (
	Page  Size = "page"  // a page's column: as large as the content needs; what constructors make
	Slide Size = "slide" // 16:9, 1920 x 1080 dots as PNG
	Card  Size = "card"  // a social card, 1200 x 630 dots as PNG
)

// formats are the sizes that do not depend on the content, and how many dots their PNGs are wide.
var formats = map[Size]struct {
	width, height vg.Length
	dots          float64
}{
	Slide: {8 * vg.Inch, 4.5 * vg.Inch, 1920},
	Card:  {7.5 * vg.Inch, 7.5 * 630. / 1200 * vg.Inch, 1200},
}

// In returns the figure in a theme and a size. Where what it shows does not fit on a slide or a card,
// the figure that it returns has an error that says so.
func (f *Figure) In(t Theme, s Size) *Figure {
	if f == nil {
		return nil
	}
	// Of the figure as it was made: a variant has lost its size.
	made := cmp.Or(f.made, f)
	g := &Figure{drawing: made.drawing, made: made}
	theme, ok := themes[t]
	if !ok {
		return g.fail("there is no theme %q; there are %q and %q", t, Light, Dark)
	}
	g.theme = theme
	if s != Page {
		size, ok := formats[s]
		if !ok {
			return g.fail("there is no size %q; there are %q, %q and %q", s, Page, Slide, Card)
		}
		g.width, g.height, g.dots = size.width, size.height, size.dots
		g.variant += "-" + string(s)
		if g.err == nil {
			title, subtitle, caption := g.blocks(g.theme.Kit())
			const (
				usual = 80   // what need has counted for them
				tight = 0.78 // of the room between rows, which is enough to read them
			)
			if need := g.need*tight + max(0, title.height()+subtitle.height()+caption.height()-usual); need > g.height {
				return g.fail("it needs %.1f inches of height and a %s has %.1f; show fewer variants, or use the size %q",
					need.Points()/vg.Inch.Points(), s, g.height.Points()/vg.Inch.Points(), Page)
			}
		}
	}
	if t != Light {
		g.variant += "-" + string(t)
	}
	return g
}
