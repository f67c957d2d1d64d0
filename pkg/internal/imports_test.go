// Package internal_test checks what holds for all packages of the module.
package internal_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overlap/pkg/internal/home"
)

// An import does nothing by itself: no program must find that a package of ours has served, forked,
// printed or ended in its place.
func TestNoInit(t *testing.T) {
	for path, file := range sources(t, parser.SkipObjectResolution) {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has a func init; let the call that needs it do it", path)
			}
		}
	}
}

// A program that imports all packages prints and ends as it would without them, also where variables
// are set that once had packages take it over.
func TestImportsAreSilent(t *testing.T) {
	root, err := home.Root()
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("go", "list", "-f", `{{if ne .Name "main"}}{{if .GoFiles}}{{.ImportPath}}{{end}}{{end}}`, "./pkg/...")
	list.Dir = root
	packages, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	var source bytes.Buffer
	source.WriteString("package main\n\nimport (\n\t\"os\"\n")
	for name := range strings.FieldsSeq(string(packages)) {
		// What is internal to a package is imported by it.
		if !strings.Contains(strings.TrimPrefix(name, "overlap/pkg/internal/"), "/internal/") {
			source.WriteString("\t_ \"" + name + "\"\n")
		}
	}
	source.WriteString(")\n\nfunc main() {\n\tos.Stdout.WriteString(\"out\")\n\tos.Stderr.WriteString(\"err\")\n\tos.Exit(3)\n}\n")
	dir := t.TempDir()
	file, overlay, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "program")
	if err := os.WriteFile(file, source.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	// For go it stands below pkg, and may import what is internal there.
	inside := filepath.Join(root, "pkg", "_imports", "main.go")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{inside: file}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, replace, 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", overlay, "-o", program, inside)
	build.Dir = root
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, said, &source)
	}
	for _, setting := range []string{"", "OVERLAP_SITE_OF=1", "OVERLAP_FILESERVER_OF=1", "OVERLAP_RASTER_UNLOCKED={}",
		"OVERLAP_PRINTED=sieve", "OVERLAP_SIEVE=/dev/null/no"} {
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), setting)
		var out, complaint bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &complaint
		cmd.Run() // its status is looked at
		if status := cmd.ProcessState.ExitCode(); status != 3 || out.String() != "out" || complaint.String() != "err" {
			t.Errorf("with %q: status %d, %q and %q", setting, status, &out, &complaint)
		}
	}
}
