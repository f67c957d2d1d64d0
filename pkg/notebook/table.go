package notebook

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"overlap/pkg/probe/trace"
	"overlap/pkg/verdict"

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

// mostNumbers is how many rows the evidence of a verdict has. What decided comes first; all of it can
// be shown by itself.
const mostNumbers = 8

// verdictBlocks returns a verdict's words, the first of the evidence for it as a table, and where its
// goroutines waited. Of a verdict that says nothing, which comes with an error, there is nothing to
// show.
func verdictBlocks(v verdict.Verdict) []block {
	if v.Kind == "" && v.Text == "" {
		return nil
	}
	headline := slices.DeleteFunc([]string{v.Called(), v.Judged()}, func(s string) bool { return s == "" })
	head := text.Capital(strings.Join(headline, ": "))
	b := block{}.add(head+"\n", "<p><strong>"+html.EscapeString(head)+"</strong></p>\n", "**"+text.Markdown(head)+"**\n")
	b = b.sentence("", v.Text).sentence("Try:", v.Try)
	numbers := numbersTable(v.Numbers)
	if more := len(numbers.Rows) - mostNumbers; more > 1 {
		numbers.Rows = numbers.Rows[:mostNumbers]
		numbers.Notes = []string{fmt.Sprintf("%d more are in the verdict's Numbers, which can be shown too.", more)}
	}
	for _, t := range []lab.Table{numbers, waitsTable(v.Evidence.Trace)} {
		if len(t.Rows) > 0 {
			b = b.add("\n"+t.String(), tableHTML(t), t.Markdown())
		}
	}
	if len(v.Notes) > 0 {
		b.text += "\n"
	}
	return []block{b.list(toKeepInMind, v.Notes)}
}

// numbersTable returns the evidence, and what of it decided.
func numbersTable(numbers []verdict.Number) lab.Table {
	t := lab.Table{Head: []string{"evidence", "value", "decided", "source"}}
	for _, n := range numbers {
		decided := ""
		if n.Decided {
			decided = "yes"
		}
		t.Rows = append(t.Rows, []string{n.Name, value(n), decided, n.Source})
	}
	return t
}

// value is a number as people read it.
func value(n verdict.Number) string {
	switch {
	case n.Text != "":
		return n.Text
	case n.Unit == "s":
		return text.Duration(n.Value)
	}
	return strings.TrimSpace(fmt.Sprintf("%.4g %s", n.Value, n.Unit))
}

// mostWaits is how many places a table of waits has, and leastWait the share of all waiting that one
// must have to be among them.
const (
	mostWaits = 4
	leastWait = 0.05
)

// waitsTable returns where goroutines waited longest. That the root waits for all others to end is as
// it should be and not in it.
func waitsTable(seen *trace.Trace) lab.Table {
	t := lab.Table{Head: []string{"waited for", "where", "code", "time, all goroutines", "times"}}
	if seen == nil {
		return t
	}
	waits := slices.DeleteFunc(slices.Clone(seen.Waits), func(w trace.Wait) bool {
		return w.Root && w.State == trace.Join || w.Time <= 0
	})
	var sum time.Duration
	for _, w := range waits {
		sum += w.Time
	}
	slices.SortStableFunc(waits, func(a, b trace.Wait) int { return cmp.Compare(b.Time, a.Time) })
	code := false // whether any line's text is known
	for _, w := range waits[:min(len(waits), mostWaits)] {
		if float64(w.Time) < leastWait*float64(max(sum, seen.Covered)) {
			break
		}
		what := string(w.State)
		if w.Root {
			what += ", the root"
		}
		code = code || w.Place.Code != ""
		t.Rows = append(t.Rows, []string{
			what, where(w.Place), shortened(w.Place.Code), text.Duration(w.Time.Seconds()), text.Count(int(w.N)),
		})
	}
	if !code {
		return t.Select("waited for", "where", t.Head[3], t.Head[4])
	}
	return t
}

// shortened returns a line of code, cut where it is too long for a column.
func shortened(code string) string {
	const most = 60
	if letters := []rune(code); len(letters) > most {
		return strings.TrimSpace(string(letters[:most-1])) + "…"
	}
	return code
}

// where names a line as the reader finds it: in a notebook by its cell.
func where(p trace.Place) string {
	place := p.Cell
	if place == "" && p.File != "" {
		place = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	if place == "" {
		place = p.Func
	}
	if p.What != "" && p.Code == "" {
		place = strings.TrimSpace(place + " " + p.What)
	}
	return place
}

// verdictsBlock returns several verdicts as a table, and what qualifies them: what is the same for
// several, once. On a terminal what to try is a list below: whole sentences make no columns.
func verdictsBlock(vs []verdict.Verdict) block {
	table := lab.Table{Head: []string{"subject", "verdict", "by", "what decided", "try"}}
	var try, notes []string
	of := map[string][]string{} // whose notes they are
	for i, v := range vs {
		name := cmp.Or(v.Called(), fmt.Sprintf("no. %d", i+1))
		var decided []string
		for _, n := range v.Numbers {
			if n.Decided {
				decided = append(decided, n.Name+" "+value(n))
			}
		}
		table.Rows = append(table.Rows, []string{name, string(v.Kind), v.By, strings.Join(decided, "; "), v.Try})
		if v.Try != "" {
			try = append(try, name+": "+v.Try)
		}
		for _, n := range v.Notes {
			if of[n] == nil {
				notes = append(notes, n)
			}
			if !slices.Contains(of[n], name) {
				of[n] = append(of[n], name)
			}
		}
	}
	for i, n := range notes {
		notes[i] = strings.Join(of[n], ", ") + ": " + n
	}
	b := block{html: tableHTML(table), md: table.Markdown()}
	b.text = block{text: table.Select(table.Head[:4]...).String()}.list("Try", try).text
	return b.list(toKeepInMind, notes)
}
