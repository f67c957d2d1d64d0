package notebook

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
	"overlap/pkg/probe/trace"
	"overlap/pkg/verdict"
)

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
