package main

import (
	"fmt"
	"hash/crc32"
	"path/filepath"

	"overlap/pkg/chart"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// ofResultFile returns the post about one result: every figure that it allows.
func ofResultFile(path string) (post, error) {
	r, err := lab.LoadFile(path)
	if err != nil {
		return post{}, err
	}
	p := post{
		name:  r.Base(),
		from:  path,
		title: text.Markdown(r.Name),
		again: []string{"scripts/lab export " + filepath.Base(path)},
		about: []string{measuredOn(r)},
	}
	for _, f := range figuresOf(r) {
		if f.Err() == nil { // a result need not have what every figure shows
			p.parts = append(p.parts, part{heading: text.Markdown(f.Title()), figure: drawn(f)})
		}
	}
	p.parts = append(p.parts, part{heading: "All figures", words: r.Table().Markdown()})
	p.note(r, false)
	return p, p.add(r)
}

// figuresOf returns the figures of a result, those that cannot be drawn too.
func figuresOf(r *lab.Result) []*chart.Figure {
	if len(r.Sizes) == 0 {
		return nil
	}
	last := r.Sizes[len(r.Sizes)-1]
	var out []*chart.Figure
	if len(r.Sizes) > 1 {
		out = append(out, chart.Times(r))
	}
	out = append(out, chart.Trials(r.Only(last)), chart.Speedup(r), chart.InFlight(r, last))
	for _, v := range r.Variants {
		out = append(out, chart.Lanes(r, v, last))
	}
	return out
}

// comparison returns the post about two results of one experiment.
func comparison(made, a, b string) (post, error) {
	ra, err := load(made, a)
	if err != nil {
		return post{}, err
	}
	rb, err := load(made, b)
	if err != nil {
		return post{}, err
	}
	x, err := lab.CompareAcross(ra, rb, "", "")
	if err != nil {
		return post{}, err
	}
	f := chart.Across(x)
	if err := f.Err(); err != nil {
		return post{}, err
	}
	p := post{
		title: text.Markdown(f.Title()),
		said:  x.Table().String(),
		parts: []part{{figure: drawn(f)}, {words: x.Table().Markdown()}},
	}
	for _, w := range x.Warnings {
		p.notes = append(p.notes, w.String())
	}
	if err := p.add(ra); err != nil {
		return post{}, err
	}
	n := len(p.data)
	if err := p.add(rb); err != nil {
		return post{}, err
	}
	// Comparisons of other runs of the experiment have folders of their own.
	id := crc32.NewIEEE()
	for _, d := range p.data {
		id.Write(d.data) // never an error
	}
	p.name = fmt.Sprintf("%s-%08x", f.Slug(), id.Sum32())
	// Two runs of one experiment have files of one name.
	for i, d := range p.data {
		side := "a-"
		if i >= n {
			side = "b-"
		}
		p.data[i].name = side + d.name
	}
	p.again = []string{
		"# in the folder of this page",
		fmt.Sprintf("PATH/TO/overlap/scripts/lab compare a-%s.json b-%s.json", ra.Base(), rb.Base()),
	}
	return p, nil
}
