package notebook

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// How much a cell shows at most: a notebook with more is slow to open and of no
// use to read. What is shown as text, what is printed on stdout and what on
// stderr have such a measure each.
const (
	mostLines = 1000    // of text
	mostBytes = 1 << 19 // of text, and of the HTML of one output
	lastLines = 50      // of those beyond, which are shown when the program ends

	mostOutputs = 500      // that are more than text: pictures and tables
	mostShown   = 32 << 20 // bytes of them
	mostRows    = 1000     // of a table
	mostOfLine  = 1000     // bytes of a line beyond
)

// A bounded output passes on what a reader can use, and once that there is more.
// What it shows again in the place of something is no more than before.
type bounded struct {
	to     output
	settle func()    // waits for what was printed before, nil where that is not needed
	beyond io.Writer // takes the text of what is not shown, nil for nobody

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
	if b.id != "" {
		return o.to.show(b)
	}
	if size := len(b.text) + len(b.html) + len(b.png); b.html != "" || b.png != nil {
		if o.outputs < mostOutputs && o.shown+size <= mostShown {
			o.outputs++
			o.shown += size
			return o.pass(b)
		}
		return o.leave(b.text)
	}
	text := strings.TrimSuffix(b.text, "\n")
	lines := strings.Count(text, "\n") + 1
	if o.lines+lines <= mostLines && o.bytes+len(text) <= mostBytes {
		o.lines += lines
		o.bytes += len(text)
		return o.pass(b)
	}
	head, rest := firstLines(text, mostLines-o.lines, mostBytes-o.bytes)
	o.lines, o.bytes = mostLines, mostBytes // what comes after it would not be in its place
	if head != "" {
		if err := o.pass(textBlock(head)); err != nil {
			return err
		}
	}
	return o.leave(rest)
}

// pass shows a block, after what was printed before it.
func (o *bounded) pass(b block) error {
	if o.settle != nil {
		o.settle()
	}
	return o.to.show(b)
}

// leave does not show a text, but says once that there is more than is shown.
func (o *bounded) leave(left string) error {
	if o.beyond != nil {
		_, _ = io.WriteString(o.beyond, strings.TrimRight(left, "\n")+"\n") // there only is no end to show without it
	}
	if o.told {
		return nil
	}
	o.told = true
	return o.pass(noteBlock(fmt.Sprintf("There is more than a cell shows (%s lines of text, %d tables and figures). The last lines follow when it has ended; write more to a file.",
		text.Count(mostLines), mostOutputs)))
}

// firstLines divides a text after at most so many lines and bytes. What is left
// of the last line that does not fit whole goes with the rest, unless it is the
// first.
func firstLines(text string, lines, size int) (head, rest string) {
	at := 0
	for n := 0; n < lines && at < len(text); n++ {
		line := strings.IndexByte(text[at:], '\n') + 1
		if line == 0 {
			line = len(text) - at
		}
		if at+line > size {
			if at == 0 {
				at = runeStart(text, size)
			}
			break
		}
		at += line
	}
	return strings.TrimSuffix(text[:at], "\n"), text[at:]
}

// runeStart returns where the letter begins that has the byte at a place.
func runeStart[T string | []byte](text T, at int) int {
	for back := range min(utf8.UTFMax, at+1) {
		if utf8.RuneStart(text[at-back]) {
			return at - back
		}
	}
	return at // it is no text
}

// bounded returns the block with no more text and HTML than one output may
// have. HTML that is too much gives way to the text: half of a table is none.
func (b block) bounded() block {
	if (b.html != "" || b.png != nil || b.id != "") && len(b.text) > mostBytes {
		cut := strings.LastIndexByte(b.text[:mostBytes], '\n')
		if cut < 0 {
			cut = runeStart(b.text, mostBytes)
		}
		left := len(b.text) - cut
		b.text = fmt.Sprintf("%s\n… and %s more bytes", b.text[:cut], text.Count(left))
		b.html = ""
	}
	if len(b.html) > mostBytes {
		b.html = ""
	}
	return b
}

// boundedTable returns the first rows of a table, with a note of how many more
// there are.
func boundedTable(t lab.Table) lab.Table {
	if more := len(t.Rows) - mostRows; more > 0 {
		t.Rows = t.Rows[:mostRows]
		t.Notes = append([]string{fmt.Sprintf("… and %s more rows.", text.Count(more))}, t.Notes...)
	}
	return t
}

// A sieve passes on the beginning of what is written to it, and when it is
// closed the end. What is between it counts.
type sieve struct {
	to    io.Writer
	lines int // that may still pass
	bytes int // likewise
	what  string

	passed bool     // something, since somebody set it to false
	open   bool     // what passed last is a line without its end
	closed bool     // nothing passes any more
	last   []string // lines that did not pass, as far as they are remembered
	next   int      // the place in last of the next one
	line   []byte   // the one that has not ended yet
	more   int      // lines that did not pass
	left   int      // bytes of them
}

// newSieve returns a sieve. What says what lines they are, as in "on stdout".
func newSieve(to io.Writer, what string, lines, bytes int) *sieve {
	return &sieve{to: to, what: what, lines: lines, bytes: bytes}
}

func (s *sieve) Write(p []byte) (int, error) {
	size := len(p)
	if !s.closed {
		pass := s.passing(p)
		if pass > 0 {
			s.passed, s.open = true, p[pass-1] != '\n'
			if _, err := s.to.Write(p[:pass]); err != nil {
				return 0, err
			}
		}
		p = p[pass:]
		s.closed = len(p) > 0
	}
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		part := p
		if end >= 0 {
			part = p[:end]
		}
		s.line = append(s.line, part[:min(len(part), mostOfLine-len(s.line))]...)
		if end < 0 {
			s.left += len(p)
			break
		}
		s.left += end + 1
		s.endLine()
		p = p[end+1:]
	}
	return size, nil
}

// passing returns how many bytes may pass.
func (s *sieve) passing(p []byte) int {
	n := 0
	for n < len(p) && s.lines > 0 {
		line := bytes.IndexByte(p[n:], '\n') + 1
		whole := line > 0
		if !whole {
			line = len(p) - n
		}
		if line > s.bytes {
			// All of the last letter passes, as some of it may have.
			for n += s.bytes; n < len(p) && !utf8.RuneStart(p[n]); n++ {
			}
			s.bytes = 0
			return n
		}
		n += line
		s.bytes -= line
		if whole {
			s.lines--
		}
	}
	return n
}

func (s *sieve) endLine() {
	s.more++
	line := s.line
	if len(line) == mostOfLine {
		line = line[:runeStart(line, mostOfLine-1)]
	}
	if len(s.last) < lastLines {
		s.last = append(s.last, string(line))
	} else {
		s.last[s.next] = string(line)
		s.next = (s.next + 1) % lastLines
	}
	s.line = s.line[:0]
}

// end passes on the last lines, after one that says how much is missing before
// them.
func (s *sieve) end() error {
	if len(s.line) > 0 {
		s.endLine()
	}
	if s.more == 0 {
		return nil
	}
	var b strings.Builder
	if s.open {
		b.WriteByte('\n')
	}
	last := append(s.last[s.next:], s.last[:s.next]...)
	kept := len(last)
	for _, line := range last {
		kept += len(line)
	}
	if missing := s.left - kept; missing > 0 {
		fmt.Fprintf(&b, "… %s %s (%s). A cell shows the beginning and the end; write more to a file.\n",
			text.Counted(s.more, "more lines"), s.what, text.Counted(s.left, "bytes"))
	}
	for _, line := range last {
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(s.to, b.String())
	return err
}
