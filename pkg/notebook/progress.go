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

// Progress returns the option that shows how far a run is: in a notebook as a
// bar that at the end becomes one line, in a terminal as a line on stderr that
// is rewritten, in a log as a line now and then. It is rewritten only between
// trials, and once during the warm-up where that takes long, so that it costs no
// trial that counts time.
func Progress() lab.Option {
	l := current.Load()
	switch {
	case l != nil:
		return lab.Observe(l.observer())
	case gonbui.IsNotebook:
		return lab.Observe(newBar(out(), gonbui.UniqueId()).observe)
	case isTerminal(os.Stderr):
		return lab.Observe((&line{w: os.Stderr, every: time.Second / 5, rewrite: true}).observe)
	default:
		return lab.Observe((&line{w: os.Stderr, every: 10 * time.Second}).observe)
	}
}

// silentFor is how long a run must last before progress is worth a look.
const silentFor = time.Second

// A bar shows progress in a cell, in one place.
type bar struct {
	to   output
	id   string
	line bool // one line only, so that what stands below stays where it is
	now  func() time.Time
	last time.Time
	early
}

func newBar(to output, id string) *bar { return &bar{to: to, id: id, now: time.Now} }

func (b *bar) observe(p lab.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.follow(p, silentFor, func(p lab.Progress) { b.show(p, status(p)) })
	now := b.now()
	if !p.Finished && (p.Elapsed < silentFor || now.Sub(b.last) < time.Second/5) {
		return
	}
	text := summary(p)
	if !p.Finished {
		text = status(p)
		if m := medians(p); m != "" && !b.line {
			text += "\nSo far: " + m
		}
	}
	b.show(p, text)
}

// show shows a text, and while the run is not finished the bar before it.
func (b *bar) show(p lab.Progress, text string) {
	b.last = b.now()
	shown := block{id: b.id, text: text}
	if !p.Finished {
		shown.html = fmt.Sprintf(`<progress max="%d" value="%d"></progress> `, max(p.Total, 1), p.Done)
	}
	shown.html += strings.ReplaceAll(html.EscapeString(shown.text), "\n", "<br>")
	// A lost update is told by what is shown next: Show reports a broken
	// connection, and a measurement need not stop for it.
	_ = b.to.show(shown)
}

// A line shows progress on a terminal or in a log.
type line struct {
	w       io.Writer
	every   time.Duration
	rewrite bool // the line, on a terminal
	last    time.Duration
	early
}

func (l *line) observe(p lab.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.follow(p, max(silentFor, l.every), l.show)
	if !p.Finished && (p.Elapsed < silentFor || p.Elapsed-l.last < l.every) {
		return
	}
	l.last = p.Elapsed
	l.show(p)
}

func (l *line) show(p lab.Progress) {
	text := status(p)
	if p.Finished {
		text = summary(p)
	}
	if l.rewrite {
		// A line that wraps could not be rewritten.
		if r := []rune(text); len(r) > 79 && !p.Finished {
			text = string(r[:78]) + "…"
		}
		text = "\r\x1b[K" + text
	}
	if !l.rewrite || p.Finished {
		text += "\n"
	}
	io.WriteString(l.w, text)
}

// early shows progress in the first trials of a run, where these take long:
// without it nothing is heard until the first is over. They are of the warm-up,
// which is not measured.
type early struct {
	mu    sync.Mutex // over all that shows, as a timer does it, too
	timer *time.Timer
	at    lab.Progress
	over  bool
}

// follow notes where a run is, and has that shown once, after it began so long
// ago, if it still warms up. It is called with mu held, and so is show.
func (e *early) follow(p lab.Progress, after time.Duration, show func(lab.Progress)) {
	e.at, e.over = p, e.over || p.Finished || p.Round > 0
	switch {
	case e.over && e.timer != nil:
		e.timer.Stop()
	case !e.over && e.timer == nil:
		e.timer = time.AfterFunc(after, func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			if !e.over {
				show(e.at)
			}
		})
	}
}

// status says what runs now and what is left.
func status(p lab.Progress) string {
	round := "warm-up"
	switch {
	case p.Round > p.Repeats:
		round = "traced runs"
	case p.Round > 0:
		round = fmt.Sprintf("round %d of %d", p.Round, p.Repeats)
	}
	said := fmt.Sprintf("%d of %d trials, %s", p.Done, p.Total, round)
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

// summary says in one line what was done.
func summary(p lab.Progress) string {
	name := ""
	if p.Result != nil && p.Result.Name != "" {
		name = p.Result.Name + ": "
	}
	if p.Done < p.Total {
		return fmt.Sprintf("%s%d of %d trials in %s.", name, p.Done, p.Total, roughly(p.Elapsed))
	}
	return fmt.Sprintf("%s%d trials in %s.", name, p.Done, roughly(p.Elapsed))
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
