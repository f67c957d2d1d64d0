package notebook

import (
	"html"
	"slices"
	"strings"

	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// tableBlock returns a table as plain HTML: no script, and no style that a
// reader of a notebook from elsewhere would have to trust.
func tableBlock(t lab.Table) block {
	return block{text: t.String(), html: tableHTML(t), md: t.Markdown()}
}

func tableHTML(t lab.Table) string {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("<p><strong>" + html.EscapeString(t.Title) + "</strong></p>\n")
	}
	numeric := make([]bool, len(t.Head)) // asked once, as it takes a look at every row
	for i := range numeric {
		numeric[i] = t.Numeric(i)
	}
	row := func(tag string, cells []string) {
		b.WriteString("<tr>")
		for i, cell := range cells {
			// Notebooks set all cells to the right by themselves, so both sides are said.
			align := ` style="text-align: left"`
			if i < len(numeric) && numeric[i] {
				align = ` style="text-align: right"`
				if tag == "td" { // a figure and its unit stay on one line
					cell = strings.ReplaceAll(cell, " ", "\u00a0")
				}
			}
			b.WriteString("<" + tag + align + ">" + html.EscapeString(cell) + "</" + tag + ">")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("<table>\n<thead>\n")
	row("th", t.Head)
	b.WriteString("</thead>\n<tbody>\n")
	for _, r := range t.Rows {
		row("td", r)
	}
	b.WriteString("</tbody>\n</table>\n")
	for _, note := range t.Notes {
		b.WriteString("<p>" + html.EscapeString(note) + "</p>\n")
	}
	return b.String()
}

// resultBlocks returns a result's table, then in sentences what it shows at
// its largest size, and its warnings.
func resultBlocks(r *lab.Result) []block {
	t := r.Table()
	if len(t.Rows) == 0 {
		t = lab.Table{Title: r.Name, Notes: []string{"Nothing was measured."}}
	}
	b := tableBlock(t)
	b.result = r.Files()
	if len(t.Rows) == 0 {
		b.html = ""
	}
	if len(r.Sizes) > 0 && len(t.Rows) > 0 {
		var shown []string
		size := slices.Max(r.Sizes)
		for _, v := range r.Variants {
			if v != r.Baseline && r.Time(v, size).N > 0 {
				shown = append(shown, r.Compare(v, size).String())
			}
		}
		b = b.list("", shown)
	}
	return []block{warningBlock(b, r.Warnings())}
}

// warningBlock returns the block with warnings below.
func warningBlock(b block, warnings []lab.Warning) block {
	var items []string
	for _, w := range warnings {
		items = append(items, w.String())
	}
	return b.list("To keep in mind", items)
}

// list returns the block with a list below, where the list is not empty.
func (b block) list(title string, items []string) block {
	if len(items) == 0 {
		return b
	}
	if b.html == "" && b.text != "" {
		b.html = "<pre>" + html.EscapeString(b.text) + "</pre>\n"
	}
	var md strings.Builder
	if title != "" {
		b.text += title + ":\n"
		b.html += "<p>" + html.EscapeString(title) + ":</p>\n"
		md.WriteString(text.Markdown(title) + ":\n\n")
	}
	b.html += "<ul>\n"
	for _, item := range items {
		b.text += "- " + item + "\n"
		b.html += "<li>" + html.EscapeString(item) + "</li>\n"
		md.WriteString("- " + text.Markdown(item) + "\n")
	}
	b.html += "</ul>\n"
	return b.paragraph(md.String())
}

// paragraph returns the block with a paragraph more of its Markdown, which ends
// with the end of a line.
func (b block) paragraph(md string) block {
	if b.md != "" && md != "" {
		b.md += "\n"
	}
	b.md += md
	return b
}
