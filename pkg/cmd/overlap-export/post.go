package main

import (
	"bytes"
	"fmt"
	"html"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overlap/pkg/chart"
	"overlap/pkg/internal/home"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// A post is what goes into one folder.
type post struct {
	name  string   // of the folder
	from  string   // the file that it is about
	title string   // Markdown
	said  string   // for the terminal
	about []string // the conditions, each a sentence
	parts []part
	notes []string
	data  []file
	again []string // commands that make it again
}

// A part is what stands below the one before: any of these.
type part struct {
	heading string // Markdown, as words
	figure  *picture
	words   string
}

type file struct {
	name string
	data []byte
}

// A picture is a figure with its files.
type picture struct {
	slug, title, alt, caption string
	warnings                  []string // what a reader of it would miss
	files                     func() ([]file, error)
	drawn                     *chart.Figure // nil of one that showing it left as files
}

// themes are those that each figure comes in.
var themes = []chart.Theme{chart.Light, chart.Dark}

// drawn returns a figure that is to be rendered.
func drawn(f *chart.Figure) *picture {
	return &picture{f.Slug(), f.Title(), f.Alt(), f.Caption(), f.Warnings(), func() ([]file, error) {
		dir, err := os.MkdirTemp("", "overlap-export-")
		if err != nil {
			return nil, fmt.Errorf("export: %w", err)
		}
		defer os.RemoveAll(dir) // a temporary folder that stays harms nothing
		for _, t := range themes {
			if _, err := f.In(t, chart.Page).Save(dir); err != nil {
				return nil, err
			}
		}
		return filesOf(dir, f.Slug())
	}, f}
}

// saved returns a figure from the files that showing it left.
func saved(dir, slug string) (*picture, error) {
	about, err := os.ReadFile(filepath.Join(dir, slug+".txt"))
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	// As chart.Figure.Save writes it: title, text alternative and caption.
	parts := strings.SplitN(string(about), "\n\n", 3)
	for len(parts) < 3 {
		parts = append(parts, "")
	}
	p := &picture{slug: slug, title: parts[0], alt: parts[1], caption: strings.TrimSpace(parts[2])}
	p.files = func() ([]file, error) { return filesOf(dir, slug) }
	return p, nil
}

// filesOf reads a figure's files in both themes.
func filesOf(dir, slug string) ([]file, error) {
	var out []file
	for _, suffix := range []string{"", "-dark"} {
		for _, ext := range []string{".png", ".svg", ".pdf"} {
			name := slug + suffix + ext
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return nil, fmt.Errorf("export: figure %s: %w", slug, err)
			}
			out = append(out, file{name, data})
		}
	}
	return out, nil
}

// add adds a result's data.
func (p *post) add(r *lab.Result) error {
	csv, err := r.CSV()
	if err != nil {
		return err
	}
	js, err := r.JSON()
	if err != nil {
		return err
	}
	p.data = append(p.data, file{r.Base() + ".csv", csv}, file{r.Base() + ".json", js})
	if trace, err := chart.ChromeTrace(r); err == nil { // a result need not have spans
		p.data = append(p.data, file{r.Base() + ".trace.json", trace})
	}
	return nil
}

// measuredOn says where and when a result was measured.
func measuredOn(r *lab.Result) string {
	return "measured on " + r.Machine.String() + ", " + r.Started.Format("2 January 2006")
}

// note adds what makes a result to be trusted less; named where there are
// several.
func (p *post) note(r *lab.Result, named bool) {
	for _, w := range r.Warnings() {
		text := w.String()
		if named {
			text = r.Name + ": " + text
		}
		if !slices.Contains(p.notes, text) {
			p.notes = append(p.notes, text)
		}
	}
}

func (p post) counted() string {
	figures := 0
	for _, part := range p.parts {
		if part.figure != nil {
			figures++
		}
	}
	return fmt.Sprintf("%s, %s", text.Counted(figures, "figures"), text.Counted(len(p.data), "data files"))
}

// write makes the folder: the figures, the data and index.md.
func (p post) write(dir string) error {
	var md bytes.Buffer
	fmt.Fprintf(&md, "# %s\n", p.title)
	for _, about := range p.about {
		fmt.Fprintf(&md, "\n%s.\n", text.Markdown(text.Capital(about)))
	}
	for _, part := range p.parts {
		if part.heading != "" {
			fmt.Fprintf(&md, "\n## %s\n", part.heading)
		}
		if part.figure != nil {
			if err := part.figure.write(dir, &md); err != nil {
				return err
			}
		}
		if part.words != "" {
			md.WriteString("\n" + strings.TrimSpace(part.words) + "\n")
		}
	}
	if len(p.notes) > 0 {
		md.WriteString("\n## To bear in mind\n\n")
		for _, n := range p.notes {
			fmt.Fprintf(&md, "- %s\n", text.Markdown(n))
		}
	}
	if len(p.data) > 0 {
		md.WriteString("\n## The data\n\n")
		for _, d := range p.data {
			if err := home.WriteFile(filepath.Join(dir, d.name), d.data); err != nil {
				return fmt.Errorf("export: %w", err)
			}
			fmt.Fprintf(&md, "- [%s](%[1]s)%s\n", d.name, what(d.name))
		}
	}
	md.WriteString("\n## Made with overlap, and how to make it again\n\n```sh\n" + strings.Join(p.again, "\n") + "\n```\n")
	if err := home.WriteFile(filepath.Join(dir, "index.md"), md.Bytes()); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// write writes the figure's files and the lines that place it.
func (f *picture) write(dir string, md *bytes.Buffer) error {
	files, err := f.files()
	if err != nil {
		return err
	}
	width := 0
	for _, file := range files {
		if err := home.WriteFile(filepath.Join(dir, file.name), file.data); err != nil {
			return fmt.Errorf("export: %w", err)
		}
		if file.name == f.slug+".png" {
			if c, err := png.DecodeConfig(bytes.NewReader(file.data)); err == nil {
				width = c.Width / 2 // figures have twice the dots
			}
		}
	}
	fmt.Fprintf(md, "\n<picture>\n"+
		"  <source media=\"(prefers-color-scheme: dark)\" srcset=\"%[1]s-dark.png\">\n"+
		"  <img src=\"%[1]s.png\" width=\"%[2]d\" alt=\"%[3]s\">\n</picture>\n\n",
		f.slug, width, html.EscapeString(f.alt))
	for line := range strings.SplitSeq(f.caption, "\n") {
		if line = text.Markdown(line); line != "" {
			fmt.Fprintf(md, "*%s*  \n", line)
		}
	}
	fmt.Fprintf(md, "\nThis figure as [SVG](%[1]s.svg) and [PDF](%[1]s.pdf), "+
		"for dark pages as [SVG](%[1]s-dark.svg) and [PDF](%[1]s-dark.pdf).\n", f.slug)
	return nil
}

func what(name string) string {
	switch {
	case strings.HasSuffix(name, ".trace.json"):
		return ": when each task ran, for ui.perfetto.dev"
	case strings.HasSuffix(name, ".csv"):
		return ": one row a trial"
	}
	return ": everything, to load again"
}
