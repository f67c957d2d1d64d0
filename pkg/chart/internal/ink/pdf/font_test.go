package pdf

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"overlap/pkg/chart/internal/ink/pdf/pdftest"
)

// embeddedAs returns a font with the program that a PDF has of it, so that
// another reader than the one it was written with can read it.
func embeddedAs(t *testing.T, program string, glyphs int) *opentype.Font {
	t.Helper()
	be := binary.BigEndian
	head := make([]byte, 54)
	be.PutUint32(head[12:], 0x5F0F3CF5)
	be.PutUint16(head[18:], 1000)
	hhea := make([]byte, 36)
	be.PutUint32(hhea, 0x00010000)
	be.PutUint16(hhea[34:], 1)
	hmtx := make([]byte, 4+2*(glyphs-1))
	be.PutUint16(hmtx, 500)
	maxp := be.AppendUint16([]byte{0, 0, 0x50, 0}, uint16(glyphs))
	// One segment that has no letter: format 4.
	cmap := []byte{0, 0, 0, 1, 0, 3, 0, 1, 0, 0, 0, 12, 0, 4, 0, 24, 0, 0, 0, 2, 0, 2, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0, 1, 0, 0}
	post := make([]byte, 32)
	be.PutUint32(post, 0x00030000)
	tables := []struct {
		tag  string
		data []byte
	}{{"CFF ", []byte(program)}, {"cmap", cmap}, {"head", head}, {"hhea", hhea}, {"hmtx", hmtx}, {"maxp", maxp}, {"post", post}}
	file := be.AppendUint16([]byte("OTTO"), uint16(len(tables)))
	file = append(file, make([]byte, 6)...)
	var data []byte
	for _, table := range tables {
		file = append(file, table.tag...)
		file = be.AppendUint32(file, 0)
		file = be.AppendUint32(file, uint32(12+16*len(tables)+len(data)))
		file = be.AppendUint32(file, uint32(len(table.data)))
		data = append(data, table.data...)
		data = append(data, make([]byte, -len(data)&3)...)
	}
	f, err := opentype.Parse(append(file, data...))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// pointsOf returns points along a glyph, in thousandths of the em.
func pointsOf(t *testing.T, f *opentype.Font, g sfnt.GlyphIndex) (out [][2]float64) {
	t.Helper()
	var buf sfnt.Buffer
	ppem := fixed.Int26_6(f.UnitsPerEm())
	segments, err := f.LoadGlyph(&buf, g, ppem, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := [2]float64{}
	for _, s := range segments {
		var p [3][2]float64
		for i, a := range s.Args {
			p[i] = [2]float64{float64(a.X) * 1000 / float64(ppem), float64(a.Y) * 1000 / float64(ppem)}
		}
		for _, u := range []float64{0.25, 0.5, 0.75, 1} {
			v := 1 - u
			var q [2]float64
			for k := range q {
				switch s.Op {
				case sfnt.SegmentOpMoveTo:
					q[k] = p[0][k]
				case sfnt.SegmentOpLineTo:
					q[k] = v*at[k] + u*p[0][k]
				case sfnt.SegmentOpQuadTo:
					q[k] = v*v*at[k] + 2*u*v*p[0][k] + u*u*p[1][k]
				case sfnt.SegmentOpCubeTo:
					q[k] = v*v*v*at[k] + 3*u*v*v*p[0][k] + 3*u*u*v*p[1][k] + u*u*u*p[2][k]
				}
			}
			out = append(out, q)
		}
		at = out[len(out)-1]
	}
	return out
}

// upTo returns all letters before one.
func upTo(end rune) string {
	var out []rune
	for r := ' '; r < end; r++ {
		out = append(out, r)
	}
	return string(out)
}

// fontKinds are faces of each kind of font file that this machine has.
func fontKinds(t *testing.T) map[string]font.Face {
	t.Helper()
	builtIn := sans(10)
	out := map[string]font.Face{"built in": builtIn, "collection": inCollection(t, builtIn)}
	for _, dir := range []string{"/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", `C:\Windows\Fonts`} {
		// What cannot be read has no fonts for us.
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil
			}
			kind := strings.ToLower(filepath.Ext(path))
			if strings.HasPrefix(e.Name(), "Nanum") {
				kind = "Korean"
			}
			if _, ok := out[kind]; ok || !slices.Contains([]string{"Korean", ".ttf", ".otf"}, kind) {
				return nil
			}
			if f, err := readFont(path); err == nil && has(f, 'g') {
				out[kind] = font.Face{Font: font.Font{Typeface: font.Typeface(e.Name()), Size: 10}, Face: f}
			}
			return nil
		})
	}
	return out
}

// inCollection returns a face read from a collection of this one alone.
func inCollection(t *testing.T, f font.Face) font.Face {
	t.Helper()
	var b bytes.Buffer
	if _, err := f.Face.WriteSourceTo(nil, &b); err != nil {
		t.Fatal(err)
	}
	head := []byte("ttcf\x00\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00\x10")
	data := b.Bytes()
	for i := range int(binary.BigEndian.Uint16(data[4:])) {
		offset := data[12+16*i+8:]
		binary.BigEndian.PutUint32(offset, binary.BigEndian.Uint32(offset)+uint32(len(head)))
	}
	path := filepath.Join(t.TempDir(), "fonts.ttc")
	if err := os.WriteFile(path, append(head, data...), 0o600); err != nil {
		t.Fatal(err)
	}
	face, err := readFont(path)
	if err != nil {
		t.Fatal(err)
	}
	return font.Face{Font: f.Font, Face: face}
}

// The letters in the file are those of the font, whatever kind it is of.
func TestFontsHaveTheOutlinesOfTheirSource(t *testing.T) {
	for kind, face := range fontKinds(t) {
		t.Run(kind, func(t *testing.T) {
			var buf sfnt.Buffer
			s := ""
			for _, r := range "AVATAR To 소수읽기뷁漢字−∞" + upTo(0x180) {
				if has(face.Face, r) {
					s += string(r)
				}
			}
			if len(s) < 200 {
				t.Fatalf("only the letters %q", s)
			}
			c := New(300, 100)
			c.FillString(face, vg.Point{X: 10, Y: 10}, s)
			r := written(t, c)
			got, _ := r.Texts()
			pdftest.SameTexts(t, got, []pdftest.Text{{Text: s, X0: 10, Y0: 10, X1: 10 + float64(face.Width(s)), Y1: 10}})
			in := r.Fonts()["F1"]
			embedded := embeddedAs(t, in.Program, len(in.Widths))
			for code, letter := range in.Letters {
				g, err := face.Face.GlyphIndex(&buf, []rune(letter)[0])
				if err != nil {
					t.Fatal(err)
				}
				at, _ := strconv.ParseInt(code, 16, 32)
				want, got := pointsOf(t, face.Face, g), pointsOf(t, embedded, sfnt.GlyphIndex(at))
				if d := farthest(got, want); d > 1 {
					t.Errorf("%s: the outline of %q is off by %.1f thousandths of the em", face.Font.Typeface, letter, d)
				}
				if len(want) == 0 != (len(got) == 0) {
					t.Errorf("%s: the outline of %q has %d points, want %d", face.Font.Typeface, letter, len(got), len(want))
				}
			}
		})
	}
}

// readFont reads a font file, or the first font of a collection.
func readFont(path string) (*opentype.Font, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, err := opentype.ParseCollection(data)
	if err != nil {
		return nil, err
	}
	return c.Font(0)
}

func has(f *opentype.Font, r rune) bool {
	var buf sfnt.Buffer
	i, err := f.GlyphIndex(&buf, r)
	return err == nil && i != 0
}

// farthest returns how far apart two sets of points are at most.
func farthest(a, b [][2]float64) float64 {
	far := 0.
	for range 2 {
		for _, p := range a {
			near := math.Inf(1)
			for _, q := range b {
				near = min(near, math.Hypot(p[0]-q[0], p[1]-q[1]))
			}
			far = max(far, near)
		}
		a, b = b, a
	}
	return far
}
