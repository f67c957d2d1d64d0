package notebook

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overlap/pkg/internal/home"
)

// A savedCell is a cell of a notebook of the repository.
type savedCell struct {
	Kind    string   `json:"cell_type"`
	Source  []string `json:"source"`
	Outputs []struct {
		Data map[string]json.RawMessage
	}
}

func notebooks(t *testing.T) map[string][]savedCell {
	t.Helper()
	root, err := home.Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no notebooks, %v", err)
	}
	all := map[string][]savedCell{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var nb struct{ Cells []savedCell }
		if err := json.Unmarshal(text, &nb); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[filepath.Base(file)] = nb.Cells
	}
	return all
}

// names returns what a cell declares for those below, and what it uses that may
// be of others.
func (c savedCell) names(t *testing.T) (declared []string, used map[string]bool) {
	t.Helper()
	text := "package main\n"
	for _, line := range c.lines() {
		switch {
		case line == "%%":
			text += "func main() {\n"
		case !strings.HasPrefix(line, "%"):
			text += line + "\n"
		}
	}
	if slices.Contains(c.lines(), "%%") {
		text += "}\n"
	}
	file, err := parser.ParseFile(token.NewFileSet(), "cell.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name != "main" {
				declared = append(declared, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					declared = append(declared, s.Name.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						declared = append(declared, name.Name)
					}
				}
			}
		}
	}
	used = map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr: // functions are what cells share
			if id, ok := n.Fun.(*ast.Ident); ok {
				used[id.Name] = true
			}
			for _, arg := range n.Args {
				if id, ok := arg.(*ast.Ident); ok {
					used[id.Name] = true
				}
			}
		}
		return true
	})
	return declared, used
}

func (c savedCell) lines() []string { return strings.Split(strings.Join(c.Source, ""), "\n") }

// Cells are run from the top, so what a cell needs of others stands above it; and
// what a reader sees where it was not run is explained.
func TestNotebooksRunFromTheTop(t *testing.T) {
	for name, cells := range notebooks(t) {
		t.Run(name, func(t *testing.T) {
			at := map[string]int{} // the cell that declares a name
			for i, c := range cells {
				if c.Kind != "code" {
					continue
				}
				declared, _ := c.names(t)
				for _, name := range declared {
					if first, ok := at[name]; ok {
						t.Errorf("cells %d and %d both declare %s: which one is known hangs on which was run last", first, i, name)
					}
					at[name] = i
				}
			}
			shared := 0
			for i, c := range cells {
				if c.Kind != "code" {
					continue
				}
				_, used := c.names(t)
				for name := range used {
					if of, ok := at[name]; ok && of != i {
						shared++
						if of > i {
							t.Errorf("cell %d needs %s of cell %d", i, name, of)
						}
					}
				}
			}
			if shared == 0 {
				return
			}
			told := regexp.MustCompile("A cell is a program of its own\\..* run the notebook from the top.* `undefined: (\\w+)` says that the cell with `func (\\w+)`").
				FindStringSubmatch(strings.Join(cells[0].Source, ""))
			if told == nil {
				t.Fatalf("cells need what others declare (%d times), and the first one does not tell the rule", shared)
			}
			if i, ok := at[told[1]]; !ok || told[1] != told[2] || !strings.Contains(strings.Join(cells[i].Source, ""), "func "+told[1]+"(") {
				t.Errorf("the rule is told with %q, which no cell declares", told[1:])
			}
		})
	}
}

// A cell that took more than half a minute says beforehand that it takes long.
func TestLongCellsSayHowLongTheyTake(t *testing.T) {
	took := regexp.MustCompile(`trials in (?:(\d+) min )?(\d+)(?:\.\d+)? s\.`)
	says := regexp.MustCompile(`\b\d+ s\b|\bminutes?\b`)
	for name, cells := range notebooks(t) {
		for i, c := range cells {
			for _, o := range c.Outputs {
				m := took.FindSubmatch(o.Data["text/plain"])
				if m == nil {
					continue
				}
				minutes, _ := strconv.Atoi(string(m[1]))
				seconds, _ := strconv.Atoi(string(m[2]))
				if 60*minutes+seconds > 30 && (i == 0 || !says.MatchString(strings.Join(cells[i-1].Source, ""))) {
					t.Errorf("%s: cell %d took %d min %d s, and the text before it says nothing of it", name, i, minutes, seconds)
				}
			}
		}
	}
}

// A notebook may be copied to any folder: its cells name no file as seen from
// their own.
func TestNotebooksRunAnywhere(t *testing.T) {
	relative := regexp.MustCompile("[\"`]\\.\\.?/")
	for name, cells := range notebooks(t) {
		for i, c := range cells {
			if found := relative.FindString(strings.Join(c.Source, "")); c.Kind == "code" && found != "" {
				t.Errorf("%s: cell %d has a path that begins with %s; notebook.Path finds it from anywhere", name, i, found[1:])
			}
		}
	}
	root, err := home.Root()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("OVERLAP_ROOT", root) // as a kernel has it
	t.Chdir(t.TempDir())
	if _, err := os.Stat(Path("data/published.csv")); err != nil {
		t.Error(err)
	}
}
