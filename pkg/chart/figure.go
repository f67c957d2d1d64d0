package chart

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"overlap/pkg/chart/internal/ink"
)

// Sizes of figures: one for a page's column, one for its whole width.
const (
	normalWidth  = 7.0 * vg.Inch
	normalHeight = 4.2 * vg.Inch
	flatHeight   = 2.9 * vg.Inch // for two or three rows
	wideWidth    = 9.0 * vg.Inch
	wideHeight   = 5.4 * vg.Inch
	margin       = vg.Length(10)
)

// A Figure is a drawing with its title, caption and text alternative. It is made by this package's
// constructors and does not change; it may be used from several goroutines.
type Figure struct {
	drawing
	made          *Figure // what this is a variant of
	png, svg, pdf rendering
}

// A drawing is all of a figure but its renderings.
type drawing struct {
	name     string // of the constructor, for errors
	slug     string
	title    string
	subtitle string // what the marks mean, below the title
	caption  string // conditions, below the drawing; lines
	alt      string
	source   string // of the result that is drawn
	err      error
	warnings []string

	theme         ink.Theme
	variant       string // what its files have in their names beside the slug
	width, height vg.Length
	need          vg.Length // least height that what stands beside the data needs; 0 for the usual
	dots          float64   // across the PNG, 0 for twice the usual density
	body          func(draw.Canvas, *ink.Kit)
}

// Title returns the figure's title.
func (f *Figure) Title() string { return f.title }

// Caption returns what is written above and below the drawing: what its marks mean, and the conditions
// of the measurement.
func (f *Figure) Caption() string {
	return strings.TrimSpace(f.subtitle + "\n" + f.caption)
}

// Alt returns a text that can stand for the figure where it is not seen.
func (f *Figure) Alt() string { return f.alt }

// Slug returns the base of the names of the files that [Figure.Save] writes.
func (f *Figure) Slug() string { return f.slug }

// Source returns the base name of the files of the result that the figure was drawn from: see
// [lab.Result.Files]. It is empty for other figures.
func (f *Figure) Source() string { return f.source }

// Err returns why the figure cannot be drawn, nil if it can.
func (f *Figure) Err() error {
	if f == nil || f.err == nil && f.body == nil {
		return errors.New("chart: an empty Figure; make one with Times, Speedup or another constructor")
	}
	return f.err
}

// Warnings returns what a reader of the figure would miss: letters that no font on this machine has,
// with what to install.
func (f *Figure) Warnings() []string { return f.warnings }

// newFigure starts a figure of what experiment calls itself.
func newFigure(constructor, experiment string) *Figure {
	f := &Figure{drawing: drawing{name: constructor, theme: ink.Light, width: normalWidth, height: normalHeight}}
	f.title = strings.TrimSpace(ink.Printable(experiment))
	f.slug = slug(experiment, strings.ToLower(constructor), "")
	return f
}

// fail keeps an error that says which figure it is about.
func (f *Figure) fail(format string, args ...any) *Figure {
	about := f.name
	if f.title != "" {
		about += fmt.Sprintf(" of %q", f.title)
	}
	if f.err == nil {
		f.err = fmt.Errorf("chart: %s: %w", about, fmt.Errorf(format, args...))
	}
	if f.alt == "" {
		f.alt = "No figure: " + f.err.Error()
	}
	return f
}

// highest is how high a figure can be: its PNG then takes some 80 MB of memory.
const highest = 60 * vg.Inch

// guarded runs a constructor's work so that a panic becomes the figure's error, and tries the drawing
// once, so that errors and warnings are there from the start.
func guarded(f *Figure, build func()) *Figure {
	func() {
		defer func() {
			if r := recover(); r != nil {
				f.fail("%v; %s", r, mistake)
			}
		}()
		build()
		if f.err == nil {
			f.grow()
			f.width, f.height = whole(f.width), whole(f.height)
		}
		if f.height > highest {
			f.fail("it would be %.0f inches high, and a picture of more than %.0f can hardly be opened; show fewer at once",
				f.height.Points()/vg.Inch.Points(), highest.Points()/vg.Inch.Points())
		}
	}()
	if f.err != nil {
		return f
	}
	about := fmt.Sprintf("chart: figure %q", f.slug)
	met, err := f.draw(new(recorder.Canvas))
	if err != nil {
		f.err = fmt.Errorf("%s: %w", about, err)
		f.alt = "No figure: " + f.err.Error()
		return f
	}
	f.warnings = append(f.warnings, met.Warnings(about)...)
	return f
}

// draw draws the figure and returns what it met in its texts.
func (f *Figure) draw(on vg.Canvas) (met *ink.Letters, err error) {
	if err := f.Err(); err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("drawing failed: %v; %s", r, mistake)
		}
	}()
	k := f.theme.Kit()
	f.page(draw.NewCanvas(on, f.width, f.height), k)
	return k.Letters, nil
}

// paint is draw for a canvas of the figure's size.
func (f *Figure) paint(on vg.CanvasSizer) error {
	_, err := f.draw(on)
	return err
}

const mistake = "this is a mistake in package chart, please report it with the result's JSON file"

// A block is some lines of text in one style.
type block struct {
	style draw.TextStyle
	lines []string
}

func (b block) height() vg.Length { return vg.Length(len(b.lines)) * ink.Leading(b.style) }

func (b block) draw(c draw.Canvas, top vg.Length) {
	for _, line := range b.lines {
		c.FillText(b.style, vg.Point{X: c.Min.X, Y: top}, line)
		top -= ink.Leading(b.style)
	}
}

// blocks breaks the texts around the drawing into lines.
func (f *Figure) blocks(k *ink.Kit) (title, subtitle, caption block) {
	width := f.width - 2*margin
	set := func(sty draw.TextStyle, s string, most int) block {
		b := block{style: sty}
		if s != "" {
			for line := range strings.SplitSeq(s, "\n") {
				b.lines = append(b.lines, ink.Wrap(sty, line, width, most)...)
			}
		}
		return b
	}
	return set(k.Title, f.title, 3), set(k.Small, f.subtitle, 3), set(k.Small, f.caption, 5)
}

// grow makes the figure higher where its texts take more than the usual room, so that the drawing does
// not suffer.
func (f *Figure) grow() {
	title, subtitle, caption := f.blocks(f.theme.Kit())
	const usual = 80
	f.height += max(0, title.height()+subtitle.height()+caption.height()-usual)
}

// whole rounds a length up to whole CSS pixels, and so to whole dots: of a dot that the background
// fills in part, the rest is white, and a browser blurs a picture that it shows at another size than
// its own.
func whole(l vg.Length) vg.Length {
	const pixel = vg.Inch / 96
	return vg.Length(math.Ceil(float64(l/pixel)-1e-6)) * pixel
}

// page draws the background, the heading, the caption and, in what room they leave, the body.
func (f *Figure) page(c draw.Canvas, k *ink.Kit) {
	c.SetColor(k.Background)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin-2, -margin+2)

	title, subtitle, caption := f.blocks(k)
	title.draw(c, c.Max.Y)
	c.Max.Y -= title.height() + 1
	subtitle.draw(c, c.Max.Y)
	c.Max.Y -= subtitle.height() + 6
	c.Min.Y += caption.height()
	caption.draw(c, c.Min.Y)
	c.Min.Y += 7
	f.body(c, k)
}
