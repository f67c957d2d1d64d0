// Command overlap-export makes folders that are ready for a blog post: the
// figures of a notebook or of a stored result as PNG, SVG and PDF, light and
// dark, the data as CSV and JSON, and a Markdown file that places them.
//
//	go run ./pkg/cmd/overlap-export [--to D] [--slides] NOTEBOOK|RESULT…
//	go run ./pkg/cmd/overlap-export [--to D] --compare A B
//
// A notebook is named as in notebooks/ and must have been run, a result by its
// JSON file or by the name of one in results. With --compare, two results of
// one experiment, of two machines or versions, are set side by side. With
// --slides, the figures of a result come as slides and as social cards, too.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"overlap/pkg/chart"
	"overlap/pkg/internal/home"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, out, log io.Writer) int {
	flags := flag.NewFlagSet("overlap-export", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.Usage = func() {
		fmt.Fprintln(log, "usage: overlap-export [--to FOLDER] [--slides] NOTEBOOK|RESULT…\n"+
			"       overlap-export [--to FOLDER] --compare RESULT RESULT")
		flags.PrintDefaults()
	}
	to := flags.String("to", "", "the `folder` that each export gets a folder in (default export in the output folder)")
	compare := flags.Bool("compare", false, "set two results of one experiment side by side")
	slides := flags.Bool("slides", false, "save the figures of a result as slides (16:9) and social cards, too")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if n := flags.NArg(); n == 0 || *compare && n != 2 {
		flags.Usage()
		return 2
	}
	if err := export(flags.Args(), *to, *compare, *slides, out); err != nil {
		fmt.Fprintln(log, err)
		return 1
	}
	return 0
}

func export(names []string, to string, compare, slides bool, out io.Writer) error {
	made, err := home.Out()
	if err != nil {
		return err
	}
	if to == "" {
		to = filepath.Join(made, "export")
	}
	var posts []post
	if compare {
		p, err := comparison(made, names[0], names[1])
		if err != nil {
			return fmt.Errorf("compare: %w", err)
		}
		fmt.Fprintln(out, p.said)
		for _, n := range p.notes {
			fmt.Fprintln(out, "- "+n)
		}
		posts = append(posts, p)
	} else {
		for _, name := range names {
			p, err := find(made, name)
			if err != nil {
				return err
			}
			posts = append(posts, p)
		}
	}
	for _, p := range posts {
		dir := filepath.Join(to, p.name)
		if err := p.write(dir); err != nil {
			return err
		}
		from := ""
		if p.from != "" {
			from = " of " + p.from
		}
		fmt.Fprintf(out, "%s: %s%s in %s\n", p.name, p.counted(), from, dir)
		for _, part := range p.parts {
			if part.figure != nil {
				for _, w := range part.figure.warnings {
					fmt.Fprintln(out, "- "+w)
				}
				if f := part.figure.drawn; slides && f != nil {
					saveSlides(f, dir, out)
				}
			}
		}
	}
	return nil
}

// saveSlides writes a figure as slides and cards, and says of those that cannot be why.
func saveSlides(f *chart.Figure, dir string, out io.Writer) {
	for _, size := range []chart.Size{chart.Slide, chart.Card} {
		for _, theme := range themes {
			if _, err := f.In(theme, size).Save(dir); err != nil {
				fmt.Fprintln(out, "-", err)
			}
		}
	}
}
