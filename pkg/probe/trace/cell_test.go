package trace

import (
	"os"
	"path/filepath"
	"testing"
)

// notebookProgram is laid out as GoNB writes it: declarations of all cells,
// then main of the present one.
const notebookProgram = `package main

import (
	"flag"
	"time"
)

type pool struct{}

func (p *pool) take() {
	time.Sleep(1)
}

func fetch() {

	time.Sleep(2)
}

func main() {
	flag.Parse()
	fetch()
	new(pool).take()
}
`

func TestCellOf(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "main.go")
	if err := os.WriteFile(path, []byte(notebookProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GONB_TMP_DIR", folder)
	tests := []struct {
		name string
		path string
		line int
		want string
	}{
		{"a function", path, 16, "func fetch, line 3"},
		{"a method", path, 11, "func pool.take, line 2"},
		{"the cell's statements", path, 21, "line 1 below %%"},
		{"what GoNB wrote", path, 20, ""},
		{"outside of functions", path, 8, ""},
		{"past the end", path, 99, ""},
		{"another file", filepath.Join(folder, "more", "main.go"), 16, ""},
		{"no file", filepath.Join(folder, "gone.go"), 16, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cell, ok := CellOf(test.path, test.line)
			if ok != (test.want != "") || ok && cell.String() != test.want {
				t.Errorf("%q, %v; want %q", cell, ok, test.want)
			}
		})
	}
	t.Setenv("GONB_TMP_DIR", "")
	if cell, ok := CellOf(path, 16); ok {
		t.Errorf("outside of a notebook: %q", cell)
	}
}

func TestCellWithMainOfItsOwn(t *testing.T) {
	cell, ok := cellIn([]byte("package main\n\nfunc main() {\n\tprintln()\n}\n"), 4)
	if !ok || cell.String() != "func main, line 2" {
		t.Errorf("%q, %v", cell, ok)
	}
}

func FuzzCellIn(f *testing.F) {
	f.Add([]byte(notebookProgram), 16)
	f.Add([]byte("package main\nfunc (p a.b[c]) main() { flag.Parse() }"), 2)
	f.Add([]byte("func"), -1)
	f.Fuzz(func(t *testing.T, text []byte, line int) {
		if cell, ok := cellIn(text, line); ok && (cell.Line < 1 || cell.Line > line) {
			t.Errorf("line %d became %d", line, cell.Line)
		}
	})
}
