package pdf

import (
	"encoding/binary"
	"image"
	"math"
	"slices"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/vg"
)

// This file writes fonts in the Compact Font Format: Adobe Technical Notes 5176 for the file and 5177
// for the outlines. Its cubic curves can be any of TrueType's quadratic ones, so that it holds the
// letters of all fonts.

// A cffGlyph is an outline in thousandths of the em.
type cffGlyph struct {
	code []byte          // a Type 2 charstring
	box  image.Rectangle // that holds it, empty for none
}

// newCFFGlyph makes a glyph of an outline whose Y axis points down.
func newCFFGlyph(outline sfnt.Segments, width int, perMille func(fixed.Int26_6) float64) cffGlyph {
	c := charstring{code: appendCharstringInt(nil, width)}
	point := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: vg.Length(perMille(p.X)), Y: vg.Length(-perMille(p.Y))}
	}
	var at vg.Point
	for _, s := range outline {
		p, q, r := point(s.Args[0]), point(s.Args[1]), point(s.Args[2])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			c.to(rmoveto, p)
			at = p
		case sfnt.SegmentOpLineTo:
			c.to(rlineto, p)
			at = p
		case sfnt.SegmentOpQuadTo:
			first, second := cubic(at, p, q)
			c.to(rrcurveto, first, second, q)
			at = q
		case sfnt.SegmentOpCubeTo:
			c.to(rrcurveto, p, q, r)
			at = r
		}
	}
	c.flush()
	return cffGlyph{code: append(c.code, endchar), box: c.box}
}

// The operators of Type 2 charstrings that we need.
const (
	rlineto   = 5
	rrcurveto = 8
	endchar   = 14
	rmoveto   = 21
)

// A charstring is an outline being written. Segments of one kind share an operator, which stands behind
// their operands.
type charstring struct {
	code     []byte
	box      image.Rectangle
	at       image.Point
	operator byte
	pending  []byte // operands without their operator
	operands int
}

// to adds a segment.
func (c *charstring) to(operator byte, points ...vg.Point) {
	const most = 48 // operands of one operator
	if operator != c.operator || operator == rmoveto || c.operands+2*len(points) > most {
		c.flush()
	}
	c.operator = operator
	for _, p := range points {
		// Differences, twice these at most, must fit in 16 bits.
		round := func(v vg.Length) int { return int(math.Round(max(-16000, min(16000, float64(v))))) }
		q := image.Pt(round(p.X), round(p.Y))
		c.pending = appendCharstringInt(appendCharstringInt(c.pending, q.X-c.at.X), q.Y-c.at.Y)
		c.operands += 2
		c.at = q
		c.box = c.box.Union(image.Rectangle{Min: q, Max: q.Add(image.Pt(1, 1))})
	}
}

func (c *charstring) flush() {
	if c.operands > 0 {
		c.code = append(append(c.code, c.pending...), c.operator)
	}
	c.pending, c.operands = nil, 0
}

// appendCharstringInt appends an operand of at most 16 bits.
func appendCharstringInt(b []byte, v int) []byte {
	switch {
	case -107 <= v && v <= 107:
		return append(b, byte(v+139))
	case 108 <= v && v <= 1131:
		v -= 108
		return append(b, byte(v>>8+247), byte(v))
	case -1131 <= v && v <= -108:
		v = -v - 108
		return append(b, byte(v>>8+251), byte(v))
	}
	return binary.BigEndian.AppendUint16(append(b, 28), uint16(v))
}

// cff returns a font whose glyphs are found by their place in the slice, the first of which is the one
// for missing letters; there must be another.
func cff(name string, box image.Rectangle, glyphs []cffGlyph) []byte {
	const (
		registry = 391 // the first string that is not a standard one
		ordering = 392
	)
	var charstrings [][]byte
	for _, g := range glyphs {
		charstrings = append(charstrings, g.code)
	}
	last := len(glyphs) - 1

	// All but the dictionary at the top has a length that is known.
	head := append([]byte{1, 0, 4, 4}, cffIndex([]byte(name))...)
	texts := append(cffIndex([]byte("Adobe"), []byte("Identity")), cffIndex()...)
	charset := []byte{2, 0, 1, byte((last - 1) >> 8), byte(last - 1)}              // glyphs from 1 are characters from 1
	selects := []byte{3, 0, 1, 0, 0, 0, byte(len(glyphs) >> 8), byte(len(glyphs))} // all belong to one part
	outlines := cffIndex(charstrings...)
	private := cffDict(cffEntry{[]int{0}, []byte{20}}, cffEntry{[]int{0}, []byte{21}}) // widths are whole

	build := func(top []byte) []byte { return append(append(head[:len(head):len(head)], cffIndex(top)...), texts...) }
	dict := func(start int) []byte {
		atSelects := start + len(charset)
		atOutlines := atSelects + len(selects)
		atPrivate := atOutlines + len(outlines)
		return cffDict(
			cffEntry{[]int{registry, ordering, 0}, []byte{12, 30}},
			cffEntry{[]int{box.Min.X, box.Min.Y, box.Max.X, box.Max.Y}, []byte{5}},
			cffEntry{[]int{len(glyphs)}, []byte{12, 34}},
			cffEntry{[]int{start}, []byte{15}},
			cffEntry{[]int{atSelects}, []byte{12, 37}},
			cffEntry{[]int{atOutlines}, []byte{17}},
			cffEntry{[]int{atPrivate + len(private)}, []byte{12, 36}},
		)
	}
	start := len(build(dict(0)))
	out := build(dict(start))
	atPrivate := start + len(charset) + len(selects) + len(outlines)
	fontDict := cffIndex(cffDict(cffEntry{[]int{len(private), atPrivate}, []byte{18}}))
	return slices.Concat(out, charset, selects, outlines, private, fontDict)
}

// A cffEntry is an operator of a dictionary with its operands.
type cffEntry struct {
	operands []int
	operator []byte
}

// cffDict returns a dictionary. Every number takes five bytes, so that its length does not depend on
// them.
func cffDict(entries ...cffEntry) []byte {
	var b []byte
	for _, e := range entries {
		for _, v := range e.operands {
			b = binary.BigEndian.AppendUint32(append(b, 29), uint32(int32(v)))
		}
		b = append(b, e.operator...)
	}
	return b
}

// cffIndex returns a list of pieces of data.
func cffIndex(items ...[]byte) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(len(items)))
	if len(items) == 0 {
		return b
	}
	b = append(b, 4) // bytes to an offset
	offset := 1
	b = binary.BigEndian.AppendUint32(b, uint32(offset))
	for _, item := range items {
		offset += len(item)
		b = binary.BigEndian.AppendUint32(b, uint32(offset))
	}
	for _, item := range items {
		b = append(b, item...)
	}
	return b
}
