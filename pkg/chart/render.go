package chart

import (
	"fmt"
	"image"
	"math"
	"path/filepath"
	"slices"
	"sync"

	"gonum.org/v1/plot/vg"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/chart/internal/ink/pdf"
	"overlap/pkg/internal/home"
)

// A rendering is a figure in one format, made when it is first asked for: showing a figure and saving
// it take the same picture.
type rendering struct {
	once sync.Once
	data []byte
	size image.Point // in dots, of a format that has them
	err  error
}

// get returns a copy of what render made, which the caller may change.
func (r *rendering) get(f *Figure, format string, render func() error) ([]byte, error) {
	r.once.Do(func() {
		if r.err = f.Err(); r.err != nil {
			return
		}
		if err := render(); err != nil {
			r.err = fmt.Errorf("chart: figure %q: encoding as %s: %w", f.slug, format, err)
		}
	})
	return slices.Clone(r.data), r.err
}

// density is the PNG's dots per inch: two to a CSS pixel, of which an inch has 96.
const density = 192

// PNG returns the figure as a PNG at twice the density of an ordinary screen, and the size in CSS
// pixels at which to show it. A slide or card has the dots that [Size] says.
func (f *Figure) PNG() (data []byte, widthCSS, heightCSS int, err error) {
	data, err = f.png.get(f, "PNG", func() error {
		picture, dpi, err := f.raster()
		if err != nil {
			return err
		}
		f.png.size = picture.Bounds().Size()
		f.png.data, err = ink.PNG(picture, dpi)
		return err
	})
	return data, f.png.size.X / 2, f.png.size.Y / 2, err
}

// raster returns the figure as a picture, and its dots per inch.
func (f *Figure) raster() (picture image.Image, dpi int, err error) {
	dpi = density
	if f.dots > 0 {
		dpi = int(math.Round(f.dots / (f.width.Points() / vg.Inch.Points())))
	}
	picture, err = ink.Raster(f.width, f.height, dpi, f.paint)
	return picture, dpi, err
}

// SVG returns the figure as an SVG whose text is text, with its title and text alternative for screen
// readers.
func (f *Figure) SVG() ([]byte, error) {
	return f.svg.get(f, "SVG", func() (err error) {
		f.svg.data, err = ink.SVG(f.width, f.height, f.slug, f.title, f.alt, f.paint)
		return err
	})
}

// PDF returns the figure as a PDF of one page. Its text is text, to be selected, searched and copied,
// and each letter stands where it was measured to stand. Of every font the file holds what the figure
// needs, whatever kind of font file that comes from, so that the page looks the same everywhere; only
// letters that a font has as pictures and not as outlines are left out, as they are in the PNG. The
// title is there for programs that show it, and the text alternative for those that read it out. The
// same figure gives the same bytes: there is no date in them.
func (f *Figure) PDF() ([]byte, error) {
	return f.pdf.get(f, "PDF", func() error {
		c := pdf.New(f.width, f.height)
		if err := f.paint(c); err != nil {
			return err
		}
		data, err := c.File(ink.Printable(f.title), ink.Printable(f.alt))
		if err != nil {
			return fmt.Errorf("%w; %s", err, mistake)
		}
		f.pdf.data = data
		return nil
	})
}

// Save writes the figure to dir as <name>.png, .svg and .pdf, and its title, text alternative and
// caption as .txt. It makes the folder, and puts whole files in place of older ones or none. The paths
// are of what it wrote, also with an error. The name is the slug, and for another theme or size than
// the usual that too: "<slug>-dark", "<slug>-slide-dark".
func (f *Figure) Save(dir string) (paths []string, err error) {
	png, _, _, err := f.PNG()
	if err != nil {
		return nil, err
	}
	svg, err := f.SVG()
	if err != nil {
		return nil, err
	}
	pdf, err := f.PDF()
	if err != nil {
		return nil, err
	}
	txt := []byte(f.title + "\n\n" + f.alt + "\n\n" + f.Caption() + "\n")
	for _, file := range []struct {
		ext  string
		data []byte
	}{{".png", png}, {".svg", svg}, {".pdf", pdf}, {".txt", txt}} {
		path := filepath.Join(dir, f.slug+f.variant+file.ext)
		if err := home.WriteFile(path, file.data); err != nil {
			return paths, fmt.Errorf("chart: saving figure %q: %w", f.slug, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
