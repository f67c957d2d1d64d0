package chart

import (
	"fmt"

	"overlap/pkg/chart/internal/ink/pdf"
)

// PDF returns the figure as a PDF of one page. Its text is text, to be
// selected, searched and copied, and each letter stands where it was measured
// to stand. Of every font the file holds what the figure needs, whatever kind
// of font file that comes from, so that the page looks the same everywhere;
// only letters that a font has as pictures and not as outlines are left out,
// as they are in the PNG. The title is there for programs that show it, and
// the text alternative for those that read it out. The same figure gives the
// same bytes: there is no date in them.
func (f *Figure) PDF() ([]byte, error) { return f.pdf.bytes(f.renderPDF) }

func (f *Figure) renderPDF() ([]byte, error) {
	if err := f.Err(); err != nil {
		return nil, err
	}
	c := pdf.New(f.width, f.height)
	if _, err := f.draw(c); err != nil {
		return nil, err
	}
	data, err := c.File(printable(f.title), printable(f.alt))
	if err != nil {
		return nil, fmt.Errorf("chart: figure %q: encoding as PDF: %w; this is a mistake in package chart, please report it with the result's JSON file", f.slug, err)
	}
	return data, nil
}
