package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
)

// File returns the page as a file, or the first thing drawn that a PDF cannot have. The title is there
// for programs that show it. For those that read it out the whole page is one figure, in English, and
// alt is what stands for it. The same page gives the same bytes: there is no date in them.
func (c *Canvas) File(title, alt string) ([]byte, error) {
	if c.err != nil {
		return nil, c.err
	}
	var p file
	p.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n") // bytes that no text has, for programs that transfer files

	page, root, figure := p.reserve(), p.reserve(), p.reserve()
	box := fmt.Sprintf("[0 0 %s %s]", p.number(c.width.Points(), 3), p.number(c.height.Points(), 3))
	content := p.stream("", fmt.Appendf(nil, "/Figure << /MCID 0 >> BDC\n%sEMC\n", c.content.Bytes()))
	var resources strings.Builder
	resources.WriteString("<< /Font <<")
	for i, f := range c.fonts {
		fmt.Fprintf(&resources, " /F%d %s", i+1, f.add(&p))
	}
	resources.WriteString(" >> /ExtGState <<")
	for alpha, used := range c.alphas {
		if used {
			v := p.number(float64(alpha)/255, 4)
			fmt.Fprintf(&resources, " /A%d << /ca %s /CA %s >>", alpha, v, v)
		}
	}
	resources.WriteString(" >> /XObject <<")
	for i, m := range c.images {
		fmt.Fprintf(&resources, " /I%d %s", i+1, m.add(&p))
	}
	resources.WriteString(" >> >>")

	pages := p.add("<< /Type /Pages /Kids [%s] /Count 1 >>", page)
	p.put(page, "<< /Type /Page /Parent %s /MediaBox %s /Contents %s /Resources %s "+
		"/Group << /S /Transparency /CS /DeviceRGB >> /StructParents 0 /Tabs /S >>",
		pages, box, content, resources.String())
	p.put(root, "<< /Type /StructTreeRoot /K %s /ParentTree << /Nums [0 [%s]] >> /ParentTreeNextKey 1 >>", figure, figure)
	p.put(figure, "<< /Type /StructElem /S /Figure /P %s /Pg %s /K 0 /Alt %s "+
		"/A << /O /Layout /Placement /Block /BBox %s >> >>",
		root, page, literal(alt), box)
	catalog := p.add("<< /Type /Catalog /Pages %s /Lang (en) /MarkInfo << /Marked true >> "+
		"/StructTreeRoot %s /ViewerPreferences << /DisplayDocTitle true >> >>", pages, root)
	info := p.add("<< /Title %s /Subject %s >>", literal(title), literal(alt))
	p.end(catalog, info)
	if p.err != nil {
		return nil, p.err
	}
	return p.Bytes(), nil
}

// A file is a PDF being written.
type file struct {
	bytes.Buffer
	faults
	offsets []int // where each object begins
}

// faults keeps the first error, so that drawing, whose methods return none, can go on to its end.
type faults struct{ err error }

func (f *faults) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf("pdf: "+format, args...)
	}
}

// number returns a number with at most so many decimals. PDF has no exponents, and no way to say that a
// number is infinite or none.
func (f *faults) number(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		f.fail("%v is no number to draw at", v)
		return "0"
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// A ref is the number of an object.
type ref int

// String returns how other objects name it.
func (r ref) String() string { return strconv.Itoa(int(r)) + " 0 R" }

// reserve returns the number of an object that is put later.
func (p *file) reserve() ref {
	p.offsets = append(p.offsets, 0)
	return ref(len(p.offsets))
}

func (p *file) put(r ref, format string, args ...any) {
	p.offsets[r-1] = p.Len()
	fmt.Fprintf(p, "%d 0 obj\n", int(r))
	fmt.Fprintf(p, format, args...)
	p.WriteString("\nendobj\n")
}

func (p *file) add(format string, args ...any) ref {
	r := p.reserve()
	p.put(r, format, args...)
	return r
}

// stream adds data, compressed, with what else is to be in its dictionary.
func (p *file) stream(entries string, data []byte) ref {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	// Writing to a buffer cannot fail.
	_, _ = z.Write(data)
	_ = z.Close()
	return p.add("<< /Filter /FlateDecode /Length %d%s >>\nstream\n%s\nendstream", b.Len(), entries, b.Bytes())
}

// end writes the table of objects.
func (p *file) end(catalog, info ref) {
	start := p.Len()
	fmt.Fprintf(p, "xref\n0 %d\n0000000000 65535 f \n", len(p.offsets)+1)
	for _, at := range p.offsets {
		fmt.Fprintf(p, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(p, "trailer\n<< /Size %d /Root %s /Info %s >>\nstartxref\n%d\n%%%%EOF\n",
		len(p.offsets)+1, catalog, info, start)
}

// literal returns a text as PDF writes it outside of pages.
func literal(s string) string {
	ascii := func(r rune) bool { return ' ' <= r && r <= '~' }
	if strings.IndexFunc(s, func(r rune) bool { return !ascii(r) }) < 0 {
		return "(" + strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s) + ")"
	}
	return "<FEFF" + utf16Hex(s) + ">"
}

// utf16Hex returns a text in UTF-16 as PDF's hexadecimal strings have it.
func utf16Hex(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04X", u)
	}
	return b.String()
}
