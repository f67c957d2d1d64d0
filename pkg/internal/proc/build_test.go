package proc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlap/pkg/internal/home"
)

func TestCommand(t *testing.T) {
	for range 2 { // built, and then at hand
		cmd, err := Command(t.Context(), "overlap", "help")
		if err != nil {
			t.Fatal(err)
		}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "usage: scripts/lab") {
			t.Errorf("%v, %s", err, out)
		}
	}
}

func TestCannotBuild(t *testing.T) {
	if _, err := Command(t.Context(), "overlap-none"); err == nil || !strings.Contains(err.Error(), "build overlap-none in ") ||
		!strings.Contains(err.Error(), "pkg/cmd/overlap-none") {
		t.Errorf("a command that there is not: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("no more")
	cancel(why)
	if _, err := Command(ctx, "overlap-none"); !errors.Is(err, why) {
		t.Errorf("with a context that is done: %v", err)
	}
	compiler, err := findGo()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	t.Setenv("GOROOT", filepath.Dir(filepath.Dir(compiler)))
	if _, err := findGo(); err != nil {
		t.Errorf("with GOROOT: %v", err)
	}
	t.Setenv("GOROOT", "")
	if _, err := Command(t.Context(), "overlap-none"); err == nil || !strings.Contains(err.Error(), "install Go") {
		t.Errorf("without Go: %v", err)
	}
	delete(built, "overlap-site")
	if _, err := (Kind{"crawl", "site"}).Start(t.Context(), 1); err == nil ||
		!strings.HasPrefix(err.Error(), "crawl: start the site: build overlap-site: there is no go command") ||
		!strings.HasSuffix(err.Error(), "or serve in this process, with crawl.Serve") {
		t.Errorf("a server without Go: %v", err)
	}
}

// A program outside of the repository finds the sources by its own module.
func TestSourcesFromElsewhere(t *testing.T) {
	root, err := home.Root()
	if err != nil {
		t.Fatal(err)
	}
	compiler, err := findGo()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("OVERLAP_ROOT", dir)
	if _, err := findSources(t.Context(), compiler); err == nil || !strings.Contains(err.Error(), "OVERLAP_ROOT") {
		t.Errorf("a root that is none: %v", err)
	}
	t.Setenv("OVERLAP_ROOT", "")
	if got, err := findSources(t.Context(), compiler); err == nil || !strings.Contains(err.Error(), "home: no go.mod") {
		t.Errorf("no module: %q, %v", got, err)
	}
	mod := "module other\n\ngo 1.26\n\nrequire overlap v0.0.0\n\nreplace overlap => " + root + "\n"
	if err := os.WriteFile("go.mod", []byte(mod), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := findSources(t.Context(), compiler); got != root || err != nil {
		t.Errorf("%q, %v, want %q", got, err, root)
	}
}
