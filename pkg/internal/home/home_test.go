package home_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"overlap/pkg/internal/home"
)

func TestRoot(t *testing.T) {
	t.Setenv("OVERLAP_ROOT", "")
	root, err := home.Root()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "pkg", "internal", "home")); err != nil {
		t.Errorf("%q is not the repository: %v", root, err)
	}
	t.Setenv("OVERLAP_ROOT", t.TempDir())
	if _, err := home.Root(); err == nil || !strings.Contains(err.Error(), "OVERLAP_ROOT") {
		t.Errorf("a folder that is not the repository: %v", err)
	}
	t.Setenv("OVERLAP_ROOT", "")
	t.Chdir(t.TempDir())
	if _, err := home.Root(); err == nil {
		t.Error("found a root outside the repository")
	}
}

func TestNearestGoModOfTheModule(t *testing.T) {
	root := filepath.Join(t.TempDir(), "저장소 root")
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(root, "go.mod"):      "// a comment\nmodule overlap // the lab\n\ngo 1.26\n",
		filepath.Join(root, "a", "go.mod"): "module overlap/other\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(deep)
	t.Setenv("OVERLAP_ROOT", "")
	if got, err := home.Root(); got != root || err != nil {
		t.Errorf("%q, %v, want %q", got, err, root)
	}
	t.Chdir(t.TempDir())
	t.Setenv("OVERLAP_ROOT", root)
	if got, err := home.Data(); got != filepath.Join(root, "data") || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	t.Setenv("OVERLAP_DATA", deep)
	if got, err := home.Data(); got != deep || err != nil {
		t.Errorf("%q, %v, want %q", got, err, deep)
	}
}

func TestOut(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("OVERLAP_OUT", dir)
	if out, err := home.Out(); out != dir || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	t.Setenv("OVERLAP_OUT", "")
	if out, err := home.Out(); !strings.HasSuffix(out, filepath.Join("data", "out")) || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "새 폴더", "a b.txt")
	for _, text := range []string{"one", "two"} { // the second replaces the first
		if err := home.WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
	if err := home.WriteFile(filepath.Join(path, "below a file"), nil); err == nil || !strings.Contains(err.Error(), "OVERLAP_OUT") {
		t.Errorf("below a file: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "taken"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := home.WriteFile(filepath.Join(dir, "taken"), nil); err == nil {
		t.Error("a folder was overwritten")
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWriteFileByMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shared.txt")
	texts := []string{strings.Repeat("a", 1<<16), strings.Repeat("b", 1<<16)}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 25 {
				if err := home.WriteFile(path, []byte(texts[i%2])); err != nil {
					t.Error(err)
				}
				if got, err := os.ReadFile(path); err != nil || !slices.Contains(texts, string(got)) {
					t.Errorf("read %d bytes of a half-written file, %v", len(got), err)
				}
			}
		})
	}
	wg.Wait()
}

func TestQuick(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "1": true} {
		t.Setenv("OVERLAP_QUICK", value)
		if home.Quick() != want {
			t.Errorf("OVERLAP_QUICK=%q: %v", value, home.Quick())
		}
	}
}
