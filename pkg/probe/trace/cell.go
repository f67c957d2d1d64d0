package trace

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
)

// A Cell is a line of a notebook's program as somebody who wrote its cells can
// find it. GoNB puts the functions of all cells and the present cell's
// statements into one file, keeps their lines as they are, and leaves no note
// of which cell each came from; so a function's name and the line within it say
// where to look.
type Cell struct {
	Func string // the function that was declared in a cell, empty for the statements under %%
	Line int    // within the function, from 1 where it begins, or below %%
}

// String returns such as "func fetch, line 3" or "line 3 below %%".
func (c Cell) String() string {
	if c.Func == "" {
		return fmt.Sprintf("line %d below %%%%", c.Line)
	}
	return fmt.Sprintf("func %s, line %d", c.Func, c.Line)
}

// File stands for the name of the file that the notebook's user never sees.
func (c Cell) File() string { return "notebook" }

// CellOf returns where a line of a program's source stands in its notebook. It
// reports false for programs that are none of GoNB's, for other files, and for
// lines outside of functions.
func CellOf(path string, line int) (Cell, bool) {
	folder := os.Getenv("GONB_TMP_DIR")
	if folder == "" || filepath.Clean(filepath.Dir(path)) != filepath.Clean(folder) {
		return Cell{}, false
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Cell{}, false
	}
	return cellIn(text, line)
}

func cellIn(text []byte, line int) (Cell, bool) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "main.go", text, parser.SkipObjectResolution)
	if file == nil || err != nil {
		return Cell{}, false
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		first, last := files.Position(f.Pos()).Line, files.Position(f.End()).Line
		if line < first || line > last {
			continue
		}
		if after, ok := flagsParsed(files, f); ok {
			if line <= after {
				return Cell{}, false
			}
			return Cell{Line: line - after}, true
		}
		name := f.Name.Name
		if f.Recv != nil && len(f.Recv.List) == 1 {
			name = receiver(f.Recv.List[0].Type) + "." + name
		}
		return Cell{Func: name, Line: line - first + 1}, true
	}
	return Cell{}, false
}

// flagsParsed returns the line up to which GoNB wrote main itself: it makes
// "func main() {" and "flag.Parse()" of the line %%.
func flagsParsed(files *token.FileSet, f *ast.FuncDecl) (line int, ok bool) {
	if f.Name.Name != "main" || f.Recv != nil || len(f.Body.List) == 0 {
		return 0, false
	}
	statement, ok := f.Body.List[0].(*ast.ExprStmt)
	if !ok {
		return 0, false
	}
	call, ok := statement.X.(*ast.CallExpr)
	if !ok {
		return 0, false
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "Parse" {
		return 0, false
	}
	pkg, ok := selector.X.(*ast.Ident)
	return files.Position(statement.Pos()).Line, ok && pkg.Name == "flag"
}

func receiver(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}
