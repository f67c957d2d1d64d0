package notebook

import (
	"html"
	"slices"
	"strings"

	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// add returns the block with a part below, in all its forms. Parts in Markdown are paragraphs, which
// end with the end of a line.
func (b block) add(text, html, md string) block {
	b.text += text
	b.html += html
	if b.md != "" && md != "" {
		b.md += "\n"
	}
	b.md += md
	return b
}

// tableBlock returns a table as plain HTML: no script, and no style that a reader of a notebook from
// elsewhere would have to trust.
func tableBlock(t lab.Table) block { return block{}.add(t.String(), tableHTML(t), t.Markdown()) }

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
			side := "left"
			if i < len(numeric) && numeric[i] {
				side = "right"
				if tag == "td" { // a figure and its unit stay on one line
					cell = strings.ReplaceAll(cell, " ", "\u00a0")
				}
			}
			b.WriteString("<" + tag + ` style="text-align: ` + side + `">` + html.EscapeString(cell) + "</" + tag + ">")
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

// resultBlock returns a result's table, then in sentences what it shows at its largest size, and its
// warnings.
func resultBlock(r *lab.Result) block {
	t := r.Table()
	b := tableBlock(t)
	if len(t.Rows) > 0 {
		var shown []string
		size := slices.Max(r.Sizes)
		for _, v := range r.Variants {
			if v != r.Baseline && r.Time(v, size).N > 0 {
				shown = append(shown, r.Compare(v, size).String())
			}
		}
		b = b.list("", shown)
	} else {
		t = lab.Table{Title: r.Name, Notes: []string{"Nothing was measured."}}
		b = block{text: t.String(), md: t.Markdown()}
	}
	b.result = r.Files()
	return b.warnings(r.Warnings())
}

// toKeepInMind is what stands above warnings and notes.
const toKeepInMind = "To keep in mind"

// warnings returns the block with warnings below.
func (b block) warnings(warnings []lab.Warning) block {
	var items []string
	for _, w := range warnings {
		items = append(items, w.String())
	}
	return b.list(toKeepInMind, items)
}

// list returns the block with a list below, where the list is not empty.
func (b block) list(title string, items []string) block {
	if len(items) == 0 {
		return b
	}
	if b.html == "" && b.text != "" {
		b.html = "<pre>" + html.EscapeString(b.text) + "</pre>\n"
	}
	var lines, page, md string
	if title != "" {
		lines, page, md = title+":\n", "<p>"+html.EscapeString(title)+":</p>\n", text.Markdown(title)+":\n\n"
	}
	page += "<ul>\n"
	for _, item := range items {
		lines += "- " + item + "\n"
		page += "<li>" + html.EscapeString(item) + "</li>\n"
		md += "- " + text.Markdown(item) + "\n"
	}
	return b.add(lines, page+"</ul>\n", md)
}

// sentence returns the block with a paragraph below, where it says something, after a word that stands
// out.
func (b block) sentence(word, s string) block {
	if s = strings.TrimSpace(s); s == "" {
		return b
	}
	if word == "" {
		return b.add(s+"\n", "<p>"+html.EscapeString(s)+"</p>\n", text.Markdown(s)+"\n")
	}
	return b.add(word+" "+s+"\n", "<p><em>"+html.EscapeString(word)+"</em> "+html.EscapeString(s)+"</p>\n",
		"*"+text.Markdown(word)+"* "+text.Markdown(s)+"\n")
}
