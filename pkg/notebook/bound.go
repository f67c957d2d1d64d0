package notebook

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync"

	"overlap/pkg/internal/sieve"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// How much a cell shows at most, beside the text: as much of that as is printed.
const (
	mostOutputs = 500             // that are more than text: pictures and tables
	mostShown   = 32 << 20        // bytes of them
	mostOfOne   = sieve.MostBytes // bytes of text, and of HTML, of one of them
	mostRows    = 1000            // of a table
)

// A bounded output passes on what a reader can use, and once that there is more. What it shows again
// in the place of something is no more than before.
type bounded struct {
	to       output
	printed  func()    // waits for what was printed before, nil where that is not needed
	overflow io.Writer // takes the text of what is not shown, nil for nobody

	mu      sync.Mutex
	lines   int  // of text shown
	bytes   int  // of text shown
	outputs int  // other than text shown
	shown   int  // bytes of those
	told    bool // that there is more
}

func (o *bounded) show(b block) error {
	b = b.bounded()
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case b.id != "":
		return o.to.show(b)
	case b.html != "" || b.png != nil:
		size := len(b.text) + len(b.html) + len(b.png)
		if o.outputs >= mostOutputs || o.shown+size > mostShown {
			return o.leave(b.text)
		}
		o.outputs++
		o.shown += size
		return o.pass(b)
	}
	whole := strings.TrimSuffix(b.text, "\n") + "\n"
	fit, lines, bytes := sieve.Fit(whole, sieve.MostLines-o.lines, sieve.MostBytes-o.bytes)
	o.lines, o.bytes = sieve.MostLines-lines, sieve.MostBytes-bytes
	if fit == len(whole) {
		return o.pass(b)
	}
	o.lines, o.bytes = sieve.MostLines, sieve.MostBytes // what comes after it would not be in its place
	if fit > 0 {
		head := firstLines(whole, fit)
		if err := o.pass(textBlock(head)); err != nil {
			return err
		}
		whole = strings.TrimPrefix(whole[len(head):], "\n")
	}
	return o.leave(whole)
}

// pass shows a block, after what was printed before it.
func (o *bounded) pass(b block) error {
	if o.printed != nil {
		o.printed()
	}
	return o.to.show(b)
}

// leave does not show a text, but says once that there is more than is shown.
func (o *bounded) leave(left string) error {
	if o.overflow != nil {
		_, _ = io.WriteString(o.overflow, strings.TrimRight(left, "\n")+"\n") // there only is no end to show without it
	}
	if o.told {
		return nil
	}
	o.told = true
	return o.pass(noteBlock(fmt.Sprintf("There is more than a cell shows (%s lines of text, %d tables and figures). "+
		"The last lines follow when it has ended; write more to a file.", text.Count(sieve.MostLines), mostOutputs)))
}

// firstLines returns the lines within the first bytes of a text: the last whole only, unless it is
// the first.
func firstLines(text string, fit int) string {
	if end := strings.LastIndexByte(text[:fit], '\n'); end >= 0 {
		return text[:end]
	}
	return text[:fit]
}

// bounded returns the block with no more text and HTML than one output may have. HTML that is too
// much gives way to the text: half of a table is none.
func (b block) bounded() block {
	if (b.html != "" || b.png != nil || b.id != "") && len(b.text) > mostOfOne {
		fit, _, _ := sieve.Fit(b.text, math.MaxInt, mostOfOne)
		head := firstLines(b.text, fit)
		b.text = fmt.Sprintf("%s\n… and %s more bytes", head, text.Count(len(b.text)-len(head)))
		b.html = ""
	}
	if len(b.html) > mostOfOne {
		b.html = ""
	}
	return b
}

// boundedTable returns the first rows of a table, with a note of how many more there are.
func boundedTable(t lab.Table) lab.Table {
	if more := len(t.Rows) - mostRows; more > 0 {
		t.Rows = t.Rows[:mostRows]
		t.Notes = append([]string{fmt.Sprintf("… and %s more rows.", text.Count(more))}, t.Notes...)
	}
	return t
}
