package chart_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"overlap/pkg/chart"
)

// The pins are what the package draws of made-up evidence: a hash of every
// figure's SVG in testdata/pins.txt, and its texts in full in
// testdata/pins_texts.txt. A change that is not meant to be seen leaves both as
// they are. One that is meant to: run with -update, read the difference of the
// texts, and look at the figures that differ, which -drawn writes to a folder.
var (
	update = flag.Bool("update", false, "write testdata/pins.txt and pins_texts.txt anew")
	drawn  = flag.String("drawn", "", "a folder to write every pinned figure to, as SVG and PNG")
)

const (
	hashesFile = "testdata/pins.txt"
	textsFile  = "testdata/pins_texts.txt"
)

// A pinned is a figure under a name that begins with its constructor's.
type pinned struct {
	name string
	f    *chart.Figure
}

// variants of a page that every figure is pinned in, and further ones for the
// first figure of each constructor.
var (
	everyVariant = []variant{{chart.Light, chart.Page}, {chart.Dark, chart.Page}}
	firstVariant = []variant{
		{chart.Light, chart.Slide}, {chart.Dark, chart.Slide}, {chart.Light, chart.Card}, {chart.Dark, chart.Card},
	}
)

type variant struct {
	theme chart.Theme
	size  chart.Size
}

func (v variant) String() string {
	if v.size == chart.Page {
		return string(v.theme)
	}
	return string(v.size) + "-" + string(v.theme)
}

func TestPins(t *testing.T) {
	if raced {
		t.Skip("drawing has one goroutine; scripts/test holds it to the pins without the race detector, ten times as fast")
	}
	t.Setenv("OVERLAP_FONT", "")
	chart.OnlyFontsIn(t) // letters that the built-in font lacks are boxes everywhere
	var hashes, texts []string
	seen := map[string]bool{}
	first := map[string]bool{}
	for _, p := range pins(t) {
		if seen[p.name] {
			t.Fatalf("two pins are called %q", p.name)
		}
		seen[p.name] = true
		variants := everyVariant
		if of, _, _ := strings.Cut(p.name, ":"); !first[of] && p.f.Err() == nil {
			first[of] = true
			variants = slices.Concat(everyVariant, firstVariant)
		}
		for _, v := range variants {
			hashes = append(hashes, p.name+"\t"+v.String()+"\t"+hashOf(t, p.name, v, p.f.In(v.theme, v.size)))
		}
		texts = append(texts, textsOf(p.name, p.f)...)
	}
	hashes = append(hashes, files(t)...)
	texts = append(texts, others(t)...)
	compare(t, textsFile, texts)
	if runtime.GOARCH != "amd64" && !*update {
		t.Skip("the last digits of the coordinates are of amd64, where no two operations are made one")
	}
	compare(t, hashesFile, hashes)
}

// hashOf returns the hash of a figure's SVG, or why it cannot be drawn.
func hashOf(t *testing.T, name string, v variant, f *chart.Figure) string {
	t.Helper()
	svg, err := f.SVG()
	if err != nil {
		return "error: " + oneLine(err.Error())
	}
	keep(t, name+" "+v.String(), f, svg)
	return hash(svg)
}

func hash(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// keep writes a figure to the folder that was asked for.
func keep(t *testing.T, name string, f *chart.Figure, svg []byte) {
	t.Helper()
	if *drawn == "" {
		return
	}
	picture, _, _, err := f.PNG()
	base := filepath.Join(*drawn, strings.NewReplacer(": ", "-", ", ", "-", " ", "-", "/", "-").Replace(name))
	err = errors.Join(err, os.MkdirAll(*drawn, 0o755), os.WriteFile(base+".svg", svg, 0o644),
		os.WriteFile(base+".png", picture, 0o644))
	if err != nil {
		t.Error(err)
	}
}

// textsOf returns all that a figure says beside its drawing, and its slug and
// source.
func textsOf(name string, f *chart.Figure) []string {
	out := []string{"=== " + name}
	add := func(what, text string) {
		if text != "" {
			out = append(out, what+": "+strings.ReplaceAll(text, "\n", "\n  "))
		}
	}
	add("title", f.Title())
	add("slug", f.Slug())
	add("source", f.Source())
	add("caption", f.Caption())
	add("alt", f.Alt())
	for _, w := range f.Warnings() {
		add("warning", w)
	}
	if err := f.Err(); err != nil {
		add("error", err.Error())
	}
	return out
}

// compare compares lines with those of a file, or writes it.
func compare(t *testing.T, path string, lines []string) {
	t.Helper()
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	was, is := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	const most = 40
	n, about := 0, ""
	tell := func(sign string, in []string, other map[string]int) {
		for _, line := range in {
			if strings.HasPrefix(line, "=== ") {
				about = " (" + line[4:] + ")"
			}
			if other[line] > 0 {
				other[line]--
				continue
			}
			if n++; n <= most {
				t.Errorf("%s%s %s %s", path, about, sign, line)
			}
		}
	}
	tell("no longer has", was, counted(is))
	tell("now has", is, counted(was))
	t.Errorf("%s: %d lines differ, or their order; where that is meant, run this test with -update and read the difference",
		path, n)
}

func counted(lines []string) map[string]int {
	m := map[string]int{}
	for _, line := range lines {
		m[line]++
	}
	return m
}

// files pins what other formats a figure has: the dots of its PNG, the PDF,
// which has no date, and the names that Save gives.
func files(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, c := range []struct {
		name string
		f    *chart.Figure
	}{
		{"Times: primes", chart.Times(primes(t, 10))},
		{"Speedup: rasters", chart.Speedup(rasters(t, 6)).In(chart.Dark, chart.Slide)},
		{"Lives: fetching", chart.Lives(fetching(t, 20, 2)).In(chart.Dark, chart.Card)},
	} {
		data, width, height, err := c.f.PNG()
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		pdf, err := c.f.PDF()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out,
			fmt.Sprintf("%s\tPNG\t%d x %d dots, shown as %d x %d", c.name, img.Width, img.Height, width, height),
			c.name+"\tPDF\t"+hash(pdf))
		paths, err := c.f.Save(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			out = append(out, c.name+"\tSave\t"+filepath.Base(path))
		}
	}
	return out
}

// Whoever adds a constructor of a figure pins it.
func TestEveryConstructorIsPinned(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	makes, used := map[string]bool{}, map[string]bool{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case path == "pin_figures_test.go":
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					used[s.Sel.Name] = true
				}
				return true
			})
		case !strings.HasSuffix(path, "_test.go"):
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && makesFigure(f) {
					makes[f.Name.Name] = true
				}
			}
		}
	}
	if len(makes) < 11 {
		t.Errorf("only %d constructors of a Figure were found", len(makes))
	}
	for name := range makes {
		if !used[name] && name != "In" { // every figure is pinned in both themes by In
			t.Errorf("%s makes a figure, and pin_figures_test.go pins none that it makes", name)
		}
	}
}

// makesFigure reports whether a function or method is exported and returns
// figures.
func makesFigure(f *ast.FuncDecl) bool {
	if !f.Name.IsExported() || f.Type.Results == nil {
		return false
	}
	return slices.ContainsFunc(f.Type.Results.List, func(r *ast.Field) bool {
		return strings.Contains(types.ExprString(r.Type), "*Figure")
	})
}
