package notebook

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

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
