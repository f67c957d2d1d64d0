package chart

import (
	"fmt"
	"path/filepath"

	"overlap/pkg/internal/home"
)

// Save writes the figure to dir as <name>.png, .svg and .pdf, and its title,
// text alternative and caption as .txt. It makes the folder, and puts whole
// files in place of older ones or none. The paths are of what it wrote, also
// with an error. The name is the slug, and for another theme or size than the
// usual that too: "<slug>-dark", "<slug>-slide-dark".
func (f *Figure) Save(dir string) (paths []string, err error) {
	if f.err != nil {
		return nil, f.err
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
		path := filepath.Join(dir, f.base()+file.ext)
		if err := home.WriteFile(path, file.data); err != nil {
			return paths, fmt.Errorf("chart: saving figure %q: %w", f.slug, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
