package text

import "strings"

// marks are the letters that mean something inside a line of Markdown, and those of HTML, which
// Markdown lets through. A blank line would end the paragraph, and in a table a line its row.
var marks = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "\r\n", " ", "\n", " ", "\r", " ",
)

// Markdown returns s as a line of Markdown (CommonMark, and the tables of GitHub) that reads as s:
// nothing in it marks up.
func Markdown(s string) string {
	out := marks.Replace(strings.TrimSpace(s))
	if out == "" {
		return ""
	}
	// At the beginning of a line also these: headings, quotes, lists.
	if strings.ContainsRune("#+-=", rune(out[0])) {
		return `\` + out
	}
	rest := strings.TrimLeft(out, "0123456789")
	if len(rest) < len(out) && (strings.HasPrefix(rest+" ", ". ") || strings.HasPrefix(rest+" ", ") ")) {
		return out[:len(out)-len(rest)] + `\` + rest
	}
	return out
}

// Markdown returns the table as one of GitHub's Markdown, with figures set to the right, its title
// in bold above and its notes below, each a paragraph.
func (t Table) Markdown() string {
	var parts []string
	if t.Title != "" {
		parts = append(parts, "**"+Markdown(t.Title)+"**\n")
	}
	if len(t.Head) > 0 {
		var b strings.Builder
		row := func(cells []string) {
			for _, c := range cells {
				b.WriteString("| " + Markdown(c) + " ")
			}
			b.WriteString("|\n")
		}
		row(t.Head)
		for i := range t.Head {
			if t.Numeric(i) {
				b.WriteString("| ---: ")
			} else {
				b.WriteString("| --- ")
			}
		}
		b.WriteString("|\n")
		for _, r := range t.Rows {
			row(r)
		}
		parts = append(parts, b.String())
	}
	for _, n := range t.Notes {
		parts = append(parts, Markdown(n)+"\n")
	}
	return strings.Join(parts, "\n")
}
