// Package pdftest reads the pages that package pdf writes, for tests.
package pdftest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// A File is a PDF, in which one finds the way as a program that shows it does:
// from the end to the table of objects, and from there by reference.
type File struct {
	Trailer string // the dictionary at the end

	t       *testing.T
	objects map[string]string
}

// Read reads a file, and fails the test if its parts are not where they are said
// to be.
func Read(t *testing.T, data []byte) *File {
	t.Helper()
	if !bytes.HasPrefix(data, []byte("%PDF-1.7\n")) {
		t.Fatal("not a PDF")
	}
	m := regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`).FindSubmatch(data)
	if m == nil {
		t.Fatal("the file does not end with the place of its table")
	}
	r := &File{t: t, objects: map[string]string{}}
	start, _ := strconv.Atoi(string(m[1]))
	table, trailer, _ := strings.Cut(string(data[start:]), "trailer\n")
	r.Trailer = trailer
	lines := strings.SplitAfter(table, "\n")
	if lines[0] != "xref\n" {
		t.Fatalf("no table at %d", start)
	}
	for i, line := range lines[3 : len(lines)-1] {
		if len(line) != 20 {
			t.Fatalf("a line of %d bytes in the table", len(line))
		}
		at, _ := strconv.Atoi(line[:10])
		body, ok := strings.CutPrefix(string(data[at:start]), fmt.Sprintf("%d 0 obj\n", i+1))
		if !ok {
			t.Fatalf("object %d is not at %d", i+1, at)
		}
		if head, stream, ok := strings.Cut(body, "stream\n"); ok && !strings.Contains(head, "endobj") {
			length, _ := strconv.Atoi(r.Value(head, "Length"))
			if !strings.HasPrefix(stream[length:], "\nendstream\nendobj\n") {
				t.Fatalf("object %d does not end after %d bytes", i+1, length)
			}
			body = head + "stream\n" + stream[:length]
		} else {
			body, _, _ = strings.Cut(body, "\nendobj\n")
		}
		r.objects[strconv.Itoa(i+1)] = body
	}
	return r
}

// Value returns what stands behind a name: a reference's object, or the text up
// to the next name.
func (r *File) Value(dict, name string) string {
	r.t.Helper()
	m := regexp.MustCompile(`/` + name + `\b\s*(?:\[?(\d+) 0 R|(\((?:\\.|[^\\)])*\)|<[0-9A-F]+>|\[[^\]]*\]|/[^\s/>]+|[^/>]+))`).FindStringSubmatch(dict)
	if m == nil {
		r.t.Fatalf("no %s in %.300q", name, dict)
	}
	if m[1] != "" {
		return r.objects[m[1]]
	}
	return strings.TrimSpace(m[2])
}

// Stream returns the data of an object.
func (r *File) Stream(object string) string {
	r.t.Helper()
	_, data, ok := strings.Cut(object, "stream\n")
	if !ok {
		r.t.Fatalf("no stream in %.300q", object)
	}
	z, err := zlib.NewReader(strings.NewReader(data))
	if err != nil {
		r.t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(out)
}

// Literal returns what a text outside of the page says.
func (r *File) Literal(s string) string {
	r.t.Helper()
	if in, ok := strings.CutPrefix(s, "<FEFF"); ok {
		return fromUTF16(r.t, strings.TrimSuffix(in, ">"))
	}
	return strings.NewReplacer(`\\`, `\`, `\(`, "(", `\)`, ")").Replace(s[1 : len(s)-1])
}

func fromUTF16(t *testing.T, s string) string {
	t.Helper()
	data, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	var units []uint16
	for ; len(data) > 0; data = data[2:] {
		units = append(units, binary.BigEndian.Uint16(data))
	}
	return string(utf16.Decode(units))
}

// Catalog returns the dictionary that all else is found from.
func (r *File) Catalog() string { return r.Value(r.Trailer, "Root") }

// Page returns the dictionary of the page.
func (r *File) Page() string { return r.Value(r.Value(r.Catalog(), "Pages"), "Kids") }

// A Font is a font of a page.
type Font struct {
	Base    string            // its name
	Program string            // in the Compact Font Format
	Letters map[string]string // by code, in hexadecimal
	Widths  []float64         // by code, in thousandths of the em
}

// Fonts returns the page's fonts by what its content calls them.
func (r *File) Fonts() map[string]Font {
	out := map[string]Font{}
	page := r.Page()
	all := page[strings.Index(page, "/Font <<"):strings.Index(page, "/ExtGState")]
	for _, m := range regexp.MustCompile(`/(F\d+) `).FindAllStringSubmatch(all, -1) {
		f := r.Value(all, m[1])
		descendant := r.Value(f, "DescendantFonts")
		descriptor := r.Value(descendant, "FontDescriptor")
		file := r.Value(descriptor, "FontFile3")
		if !strings.Contains(file, "/Subtype /CIDFontType0C") || r.Value(f, "Encoding") != "/Identity-H" {
			r.t.Errorf("font %s: %.100q", m[1], file)
		}
		in := Font{Base: r.Value(f, "BaseFont"), Program: r.Stream(file), Letters: map[string]string{}}
		for _, pair := range regexp.MustCompile(`(?m)^<(\w{4})> <(\w+)>$`).FindAllStringSubmatch(r.Stream(r.Value(f, "ToUnicode")), -1) {
			if pair[1] != "0000" {
				in.Letters[pair[1]] = fromUTF16(r.t, pair[2])
			}
		}
		for _, w := range strings.Fields(strings.Trim(r.Value(descendant, "W"), "[]")[len("0 ["):]) {
			v, _ := strconv.ParseFloat(w, 64)
			in.Widths = append(in.Widths, v)
		}
		out[m[1]] = in
	}
	return out
}

// A Text is a text on a page, from where it begins to where it ends.
type Text struct {
	Text           string
	X0, Y0, X1, Y1 float64 // in points, from the lower left corner
}

var token = regexp.MustCompile(`\[[^\]]*\]|<<[^>]*>>|/?[^\s\[<]+`)

// Texts runs the page's content and returns its texts and the colours, red,
// green, blue and alpha, of what is filled.
func (r *File) Texts() (texts []Text, fills [][4]float64) {
	r.t.Helper()
	type state struct {
		at     [6]float64
		colour [4]float64
	}
	var (
		s        = state{at: [6]float64{1, 0, 0, 1, 0, 0}}
		stack    []state
		operands []string
		f        Font
		size     float64
		x, y     float64
		fonts    = r.Fonts()
		page     = r.Page()
	)
	number := func(i int) float64 {
		v, err := strconv.ParseFloat(operands[i], 64)
		if err != nil {
			r.t.Fatal(err)
		}
		return v
	}
	for _, word := range token.FindAllString(r.Stream(r.Value(page, "Contents")), -1) {
		switch word {
		case "q":
			stack = append(stack, s)
		case "Q":
			s, stack = stack[len(stack)-1], stack[:len(stack)-1]
		case "cm":
			m := s.at
			for i := range 3 {
				a, b := number(2*i), number(2*i+1)
				s.at[2*i], s.at[2*i+1] = a*m[0]+b*m[2], a*m[1]+b*m[3]
			}
			s.at[4], s.at[5] = s.at[4]+m[4], s.at[5]+m[5]
		case "rg":
			s.colour[0], s.colour[1], s.colour[2] = number(0), number(1), number(2)
		case "gs":
			in := page[strings.Index(page, operands[0]+" <<"):]
			v, _ := strconv.ParseFloat(r.Value(in[:strings.Index(in, ">>")], "ca"), 64)
			s.colour[3] = v
		case "f":
			fills = append(fills, s.colour)
		case "Tf":
			f, size = fonts[operands[0][1:]], number(1)
		case "Td":
			x, y = number(0), number(1)
		case "TJ":
			out := Text{}
			length := 0.
			for _, part := range regexp.MustCompile(`<\w*>|[-\d.]+`).FindAllString(operands[0], -1) {
				if v, err := strconv.ParseFloat(part, 64); err == nil {
					length -= v
					continue
				}
				for codes := strings.Trim(part, "<>"); codes != ""; codes = codes[4:] {
					letter, ok := f.Letters[codes[:4]]
					if !ok {
						r.t.Fatalf("nothing says which letter %s is", codes[:4])
					}
					out.Text += letter
					code, _ := strconv.ParseInt(codes[:4], 16, 32)
					length += f.Widths[code]
				}
			}
			length *= size / 1000
			out.X0, out.Y0 = s.at[0]*x+s.at[2]*y+s.at[4], s.at[1]*x+s.at[3]*y+s.at[5]
			out.X1, out.Y1 = out.X0+s.at[0]*length, out.Y0+s.at[1]*length
			texts = append(texts, out)
			fills = append(fills, s.colour)
		default:
			if strings.ContainsAny(word[:1], "/[<-.0123456789") {
				operands = append(operands, word)
				continue
			}
		}
		operands = nil
	}
	return texts, fills
}

// SameTexts reports texts of a page that are not what was laid out, or not
// where.
func SameTexts(t *testing.T, got, want []Text) {
	t.Helper()
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("%d texts, want %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		off := max(math.Abs(g.X0-w.X0), math.Abs(g.Y0-w.Y0), math.Abs(g.X1-w.X1), math.Abs(g.Y1-w.Y1))
		if g.Text != w.Text || off > 0.02 {
			t.Errorf("%q from %.2f,%.2f to %.2f,%.2f; want %q from %.2f,%.2f to %.2f,%.2f", g.Text, g.X0, g.Y0, g.X1, g.Y1, w.Text, w.X0, w.Y0, w.X1, w.Y1)
		}
	}
}
