package internal_test

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"overlap/pkg/internal/home"
)

// rooms are the packages and all that they may import of the module, in the order in which they
// stand on each other. A name stands for what is below it, too; the longest that fits counts.
// Everybody may import pkg/internal, whose packages import none but each other.
var rooms = []struct {
	room string
	may  []string
}{
	{"internal", nil},
	{"probe", nil},
	{"probe/trace", []string{"probe"}},
	{"sched", nil},
	{"verdict", []string{"probe"}},
	{"verdict/corpus", []string{"probe", "verdict", "sched"}},
	{"lab", []string{"verdict", "probe", "sched"}},
	{"chart", []string{"lab", "verdict", "probe", "sched"}},
	{"chart/internal", nil},
	{"notebook", []string{"chart", "lab", "verdict", "probe", "sched"}},
	{"raster", nil},
	{"workload/primes", []string{"sched"}},
	{"workload/crawl", []string{"sched"}},
	{"workload/terrain", []string{"raster"}},
	{"workload/reads", []string{"raster", "sched"}},
	{"cmd", []string{"notebook", "chart", "lab", "verdict", "probe", "sched", "raster", "workload"}},
}

// modules are who alone may import a module.
var modules = map[string][]string{
	"github.com/janpfeifer/gonb":   {"notebook"},
	"github.com/airbusgeo/godal":   {"raster", "workload/terrain", "cmd/overlap-peers"},
	"gonum.org/v1":                 {"chart", "lab", "cmd/overlap-peers"},
	"golang.org/x/exp/trace":       {"probe/trace"},
	"github.com/sourcegraph/conc":  {"sched/peers"},
	"github.com/panjf2000/ants/v2": {"sched/peers"},
	"github.com/alitto/pond/v2":    {"sched/peers"},
}

// below reports whether a package is what a name stands for.
func below(pkg, name string) bool { return pkg == name || strings.HasPrefix(pkg, name+"/") }

// TestArrows holds imports to the direction that pkg/README.md shows.
func TestArrows(t *testing.T) {
	for path, file := range sources(t, parser.ImportsOnly) {
		pkg := filepath.ToSlash(filepath.Dir(path))
		var at int
		for i, r := range rooms {
			if below(pkg, r.room) && len(r.room) > len(rooms[at].room) || rooms[at].room == "internal" && below(pkg, r.room) {
				at = i
			}
		}
		if !below(pkg, rooms[at].room) {
			t.Errorf("%s stands in no room; give it one here and in pkg/README.md", pkg)
			continue
		}
		for _, spec := range file.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			if own, ok := strings.CutPrefix(imported, "overlap/pkg/"); ok {
				within := below(own, rooms[at].room) || below(own, "internal")
				if !within && !slices.ContainsFunc(rooms[at].may, func(may string) bool { return below(own, may) }) {
					t.Errorf("%s imports %s, and may import %q", path, own, rooms[at].may)
				}
			}
			for module, only := range modules {
				if below(imported, module) && !slices.ContainsFunc(only, func(name string) bool { return below(pkg, name) }) {
					t.Errorf("%s imports %s, which is for %q only", path, imported, only)
				}
			}
		}
	}
}

// TestWatchLinksLittle: who watches a function links neither the lab nor what draws.
func TestWatchLinksLittle(t *testing.T) {
	root, err := home.Root()
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("go", "list", "-deps", "./pkg/verdict")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		first, _, _ := strings.Cut(path, "/")
		own := below(path, "overlap/pkg/verdict") || below(path, "overlap/pkg/probe") || below(path, "overlap/pkg/internal")
		if strings.Contains(first, ".") && !below(path, "golang.org/x") || first == "overlap" && !own {
			t.Errorf("package verdict links %s", path)
		}
	}
}

// What is longer than it should be, as it was when the rule came. No more are to follow.
var (
	wideFiles = map[string]bool{}
	longFiles = map[string]bool{}
	longFuncs = map[string]bool{}
)

// TestShape holds product code to lines of 120 columns, files of 400 lines and functions of 80, but
// for tables of data.
func TestShape(t *testing.T) {
	root, err := home.Root()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	over := func(listed map[string]bool, name, what string, n, most int) {
		seen[name] = seen[name] || n > most
		if n > most && !listed[name] {
			t.Errorf("%s: %s %d, and %d is the most", name, what, n, most)
		}
	}
	for path, file := range sources(t, parser.SkipObjectResolution) {
		if below(path, "verdict/corpus") || strings.Contains(path, "/pdftest/") { // programs that are judged, and a reader for tests
			continue
		}
		f, err := os.Open(filepath.Join(root, "pkg", path))
		if err != nil {
			t.Fatal(err)
		}
		lines, widest := 0, 0
		for scan := bufio.NewScanner(f); scan.Scan(); lines++ {
			widest = max(widest, utf8.RuneCount(scan.Bytes()))
		}
		f.Close()
		over(wideFiles, path, "columns:", widest, 120)
		over(longFiles, path+" ", "lines:", lines, 400)
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				n := files.Position(d.End()).Line - files.Position(d.Pos()).Line + 1
				over(longFuncs, path+" "+d.Name.Name, "lines:", n, 80)
			}
		}
	}
	for _, listed := range []map[string]bool{wideFiles, longFiles, longFuncs} {
		for name := range listed {
			if !seen[name] {
				t.Errorf("%s is within bounds by now: take it off the list", name)
			}
		}
	}
}

// files are the positions of what sources has parsed.
var files = token.NewFileSet()

// sources parses the module's product code: paths are relative to pkg.
func sources(t *testing.T, mode parser.Mode) map[string]*ast.File {
	t.Helper()
	root, err := home.Root()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*ast.File{}
	dir := filepath.Join(root, "pkg")
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == "testdata":
			return filepath.SkipDir
		case filepath.Ext(path) != ".go", strings.HasSuffix(path, "_test.go"):
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		found[filepath.ToSlash(name)], err = parser.ParseFile(files, path, nil, mode)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
