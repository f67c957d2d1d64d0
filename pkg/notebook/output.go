package notebook

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"overlap/pkg/internal/sieve"
	"overlap/pkg/internal/text"
	"overlap/pkg/lab"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// A block is one thing to show, in the forms that readers can use.
type block struct {
	text string // for a terminal, and for whoever does not see the rest
	html string // for a notebook, "" for the text alone
	md   string // the same as Markdown, for an export; "" where there is nothing of worth in it

	png           []byte // for a notebook
	width, height int    // of the picture, in CSS pixels

	figure, result string // names of what is shown, by which an export finds it

	id string // where set, the block takes the place of an earlier one of this id
}

// An output shows blocks, one below the other.
type output interface {
	show(block) error
}

// terminal writes blocks as lines of text.
type terminal struct{ w io.Writer }

func (t terminal) show(b block) error {
	_, err := io.WriteString(t.w, strings.TrimRight(b.text, "\n")+"\n")
	return err
}

// cell sends blocks to the notebook that runs the program.
type cell struct{}

func (cell) show(b block) error {
	m := b.message()
	// Both would wait for ever where the kernel is gone.
	sent := make(chan struct{})
	go func() {
		gonbui.SendData(m)
		// What is on its way when the program ends would be lost.
		gonbui.Sync()
		close(sent)
	}()
	select {
	case <-sent:
	case <-kernelGone:
		return errors.New("notebook: the kernel has ended, and with it the page for this; what is saved stays")
	case <-time.After(sendTimeout):
		return errors.New("notebook: the kernel did not answer; restart it (Kernel > Restart) and run the cell again")
	}
	if err := gonbui.Error(); err != nil {
		return fmt.Errorf("notebook: send to the kernel: %w; run the cell again", err)
	}
	return nil
}

// sendTimeout is how long the kernel may take for what it is sent.
const sendTimeout = 30 * time.Second

// message returns the block as the kernel takes it.
func (b block) message() *protocol.DisplayData {
	m := &protocol.DisplayData{
		Data:      map[protocol.MIMEType]any{protocol.MIMETextPlain: b.text},
		DisplayID: b.id,
	}
	if b.html != "" {
		m.Data[protocol.MIMETextHTML] = b.html
	}
	if b.md != "" {
		m.Data[protocol.MIMETextMarkdown] = b.md
	}
	notes := map[string]any{}
	if b.figure != "" {
		notes["overlap_figure"] = b.figure
	}
	if b.result != "" {
		notes["overlap_result"] = b.result
	}
	if b.png != nil {
		m.Data[protocol.MIMEImagePNG] = b.png
		// The picture has twice the pixels, for dense screens; this is the size to show it in. The inner
		// map must be of a type that GoNB registers with gob: with a map[string]any the message is lost
		// and the connection closed.
		notes[string(protocol.MIMEImagePNG)] = map[string]int{"width": b.width, "height": b.height}
	}
	if len(notes) > 0 {
		m.Metadata = notes
	}
	return m
}

// out is where the program shows things. In a notebook its first call does what an import must not:
// what the program prints is bounded and in order from then, and a cell that is not to run ends.
var out = sync.OnceValue(func() output {
	if !gonbui.IsNotebook {
		return terminal{stdout{}}
	}
	endIfQueued()
	o := &bounded{to: cell{}}
	if p := startSieve(); p != nil {
		o.printed, o.overflow = p.wait, p.overflow
	}
	return o
})

// stdout is whatever os.Stdout is when something is written.
type stdout struct{}

func (stdout) Write(p []byte) (int, error) { return os.Stdout.Write(p) }

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
	printed  func() bool // waits for what was printed before, nil where that is not needed
	overflow io.Writer   // takes the text of what is not shown, nil for nobody

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
			return o.leaveOut(b.text)
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
	return o.leaveOut(whole)
}

// pass shows a block, after what was printed before it.
func (o *bounded) pass(b block) error {
	if o.printed != nil {
		o.printed()
	}
	return o.to.show(b)
}

// leaveOut does not show a text, but says once that there is more than is shown.
func (o *bounded) leaveOut(left string) error {
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
