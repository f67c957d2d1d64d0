package notebook

import (
	"fmt"
	"strings"
	"sync"

	"overlap/pkg/lab"
)

// How much a cell shows at most: a notebook with more is slow to open and of no
// use to read. Figures are bounded by their size.
const (
	mostLines = 1000    // of text by itself, all in all
	mostBytes = 1 << 19 // of the text or the HTML of one output
)

// A bounded output passes on what a reader can use, and says how much more
// there was.
type bounded struct {
	to output
	id string // of the line that says how much more there was

	mu    sync.Mutex
	lines int // shown
	more  int // not shown
	told  int // of more
}

func (o *bounded) show(b block) error {
	b = b.bounded()
	if b.html != "" || b.png != nil || b.id != "" {
		return o.to.show(b)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	head, more := firstLines(b.text, mostLines-o.lines)
	o.more += more
	o.lines += strings.Count(b.text, "\n") + 1 - more
	if head != "" || more == 0 {
		b.text = head
		if err := o.to.show(b); err != nil {
			return err
		}
	}
	// Each such line is a message to the page, so not for every one more.
	if o.more == 0 || o.more < o.told+max(o.told/10, 1) {
		return nil
	}
	o.told = o.more
	return o.to.show(block{id: o.id, text: moreLines(o.more)})
}

// moreLines says how much was not shown. More may have come after it was said.
func moreLines(n int) string {
	return fmt.Sprintf("… and at least %s more lines. A cell shows %s; write more to a file.", lab.Count(n), lab.Count(mostLines))
}

// firstLines returns the first n lines of a text, and how many more it has.
func firstLines(text string, n int) (head string, more int) {
	if n <= 0 {
		return "", strings.Count(text, "\n") + 1
	}
	at := 0
	for range n {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return text, 0
		}
		at += i + 1
	}
	return text[:at-1], strings.Count(text[at:], "\n") + 1
}

// bounded returns the block with no more text and HTML than one output may
// have. HTML that is too much gives way to the text: half of a table is none.
func (b block) bounded() block {
	if len(b.text) > mostBytes {
		cut := strings.LastIndexByte(b.text[:mostBytes], '\n')
		if cut < 0 {
			cut = len(strings.ToValidUTF8(b.text[:mostBytes], ""))
		}
		left := len(b.text) - cut
		b.text = fmt.Sprintf("%s\n… and %s more bytes", b.text[:cut], lab.Count(left))
		b.html = ""
	}
	if len(b.html) > mostBytes {
		b.html = ""
	}
	return b
}
