package notebook

import (
	"fmt"
	"html"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"overlap/pkg/internal/text"
	"overlap/pkg/lab"
)

// Progress returns the option that shows how far a run is: in a notebook as a bar that at the end
// becomes one line, in a terminal as a line on stderr that is rewritten, in a log as a line now and
// then. It is rewritten only between trials, and once during the warm-up where that takes long, so
// that it costs no trial that counts time.
func Progress() lab.Option {
	l := current.Load()
	switch {
	case l != nil:
		return lab.Observe(l.observer())
	case gonbui.IsNotebook:
		return lab.Observe(newBar(out(), gonbui.UniqueId(), true).observe)
	case isTerminal(os.Stderr):
		return lab.Observe(newLine(os.Stderr, time.Second/5, true).observe)
	}
	return lab.Observe(newLine(os.Stderr, 10*time.Second, false).observe)
}

// silentFor is how long a run must last before progress is worth a look.
const silentFor = time.Second

// A teller tells how far a run is, now and then. In the first trials, of the warm-up, it does so once
// while one runs, where that takes long: without it nothing is heard until the first is over. The
// others are measured.
type teller struct {
	tell  func(lab.Progress)
	every time.Duration

	mu       sync.Mutex // over all that tells, as a timer does it, too
	timer    *time.Timer
	at       lab.Progress
	measured bool          // the warm-up is over
	last     time.Duration // into the run, when it was told
}

func (t *teller) observe(p lab.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at, t.measured = p, t.measured || p.Finished || p.Round > 0
	switch {
	case t.measured && t.timer != nil:
		t.timer.Stop()
	case !t.measured && t.timer == nil:
		t.timer = time.AfterFunc(max(silentFor, t.every), func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			if !t.measured {
				t.tell(t.at)
			}
		})
	}
	if p.Finished || p.Elapsed >= silentFor && p.Elapsed-t.last >= t.every {
		t.last = p.Elapsed
		t.tell(p)
	}
}

// newBar returns what tells progress in a cell, in one place, with what is measured so far where there
// is room for it.
func newBar(to output, id string, room bool) *teller {
	return &teller{every: time.Second / 5, tell: func(p lab.Progress) {
		shown := block{id: id, text: status(p)}
		if !p.Finished {
			if m := medians(p); m != "" && room {
				shown.text += "\nSo far: " + m
			}
			shown.html = fmt.Sprintf(`<progress max="%d" value="%d"></progress> `, max(p.Total, 1), p.Done)
		}
		shown.html += strings.ReplaceAll(html.EscapeString(shown.text), "\n", "<br>")
		// A lost update is told by what is shown next: Show reports a broken connection, and a
		// measurement need not stop for it.
		_ = to.show(shown)
	}}
}

// newLine returns what tells progress on a terminal, where its line is rewritten, or in a log.
func newLine(w io.Writer, every time.Duration, rewrite bool) *teller {
	return &teller{every: every, tell: func(p lab.Progress) {
		text := status(p)
		if rewrite {
			// A line that wraps could not be rewritten.
			if r := []rune(text); len(r) > 79 && !p.Finished {
				text = string(r[:78]) + "…"
			}
			text = "\r\x1b[K" + text
		}
		if !rewrite || p.Finished {
			text += "\n"
		}
		_, _ = io.WriteString(w, text)
	}}
}

// status says what runs now and what is left, or in the end what was done.
func status(p lab.Progress) string {
	done := fmt.Sprintf("%d of %d trials", p.Done, p.Total)
	if p.Finished {
		if p.Done >= p.Total {
			done = fmt.Sprintf("%d trials", p.Done)
		}
		if p.Result != nil && p.Result.Name != "" {
			done = p.Result.Name + ": " + done
		}
		return fmt.Sprintf("%s in %s.", done, roughly(p.Elapsed))
	}
	said := done + ", warm-up"
	switch {
	case p.Round > p.Repeats:
		said = done + ", traced runs"
	case p.Round > 0:
		said = fmt.Sprintf("%s, round %d of %d", done, p.Round, p.Repeats)
	}
	if p.Variant != "" {
		said += ": " + p.Variant
		if p.Result != nil {
			said += ", " + text.Counted(p.Size, p.Result.Unit)
		}
	}
	if p.Left > 0 {
		said += fmt.Sprintf("; about %s left", roughly(p.Left))
	}
	return said
}

// medians returns what is measured so far at the size that runs.
func medians(p lab.Progress) string {
	if p.Result == nil {
		return ""
	}
	var parts []string
	for _, v := range p.Result.Variants {
		if t := p.Result.Time(v, p.Size); t.N > 0 {
			parts = append(parts, v+" "+text.Duration(t.Median))
		}
	}
	return strings.Join(parts, ", ")
}

// roughly returns a duration as exactly as somebody who waits wants it.
func roughly(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// isTerminal reports whether somebody sees what is written to f at once.
func isTerminal(f *os.File) bool {
	is, err := f.Stat()
	if err != nil || is.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // a character device too
	return err != nil || !os.SameFile(is, null)
}
