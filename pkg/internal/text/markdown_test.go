package text

import "testing"

func TestMarkdownReadsAsItIs(t *testing.T) {
	for in, want := range map[string]string{
		"plain words, 1.5 s × 2":        "plain words, 1.5 s × 2",
		"jobs <- i":                     "jobs &lt;- i",
		"a_b*c[d](e)|`f`":               "a\\_b\\*c\\[d\\](e)\\|\\`f\\`",
		"# no heading":                  `\# no heading`,
		"- no list":                     `\- no list`,
		"12. no list either":            `12\. no list either`,
		"12 tasks":                      "12 tasks",
		"7":                             "7",
		"two\nlines":                    "two lines",
		"<script>alert(1)</script> & c": "&lt;script&gt;alert(1)&lt;/script&gt; &amp; c",
		`C:\dir`:                        `C:\\dir`,
		"":                              "",
	} {
		if got := Markdown(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestTableInMarkdown(t *testing.T) {
	table := Table{
		Title: "A *title*",
		Head:  []string{"variant", "time"},
		Rows:  [][]string{{"a|b", "1.0 s"}, {"c\nd", "12 s"}},
		Notes: []string{"One.", "Two."},
	}
	const want = "**A \\*title\\***\n\n| variant | time |\n| --- | ---: |\n| a\\|b | 1.0 s |\n| c d | 12 s " +
		"|\n\nOne.\n\nTwo.\n"
	if got := table.Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := (Table{Notes: []string{"There is no result."}}).Markdown(); got != "There is no result.\n" {
		t.Errorf("without columns: %q", got)
	}
}
