package chart

import (
	"fmt"
	"os"
	"path/filepath"
)

// Save writes the figure to dir as <slug>.png, .svg and .pdf, and its title,
// text alternative and caption as .txt. It makes the folder, and puts whole
// files in place of older ones or none. The paths are of what it wrote, also
// with an error.
func (f *Figure) Save(dir string) (paths []string, err error) {
	if f.err != nil {
		return nil, f.err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("chart: saving figure %q: making the folder %q: %w; give a folder that you may write to", f.slug, dir, err)
	}
	png, _, _, err := f.PNG()
	if err != nil {
		return nil, err
	}
	svg, err := f.SVG()
	if err != nil {
		return nil, err
	}
	pdf, err := f.PDF()
	if err != nil {
		return nil, err
	}
	txt := []byte(f.title + "\n\n" + f.alt + "\n\n" + f.Caption() + "\n")
	for _, file := range []struct {
		ext  string
		data []byte
	}{{".png", png}, {".svg", svg}, {".pdf", pdf}, {".txt", txt}} {
		path := filepath.Join(dir, f.slug+file.ext)
		if err := replace(path, file.data); err != nil {
			return paths, fmt.Errorf("chart: saving figure %q: %w; free some space or give a folder that you may write to", f.slug, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// replace writes a file beside its place and moves it there when it is whole.
func replace(path string, data []byte) (err error) {
	t, err := os.CreateTemp(filepath.Dir(path), ".figure-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			t.Close() // closed already, or of no use any more
			os.Remove(t.Name())
		}
	}()
	if _, err = t.Write(data); err != nil {
		return err
	}
	if err = t.Chmod(0o644); err != nil {
		return err
	}
	if err = t.Close(); err != nil {
		return err
	}
	return os.Rename(t.Name(), path)
}
