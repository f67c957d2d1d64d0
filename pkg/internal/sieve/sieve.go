package sieve

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"overlap/pkg/internal/text"
)

// How much of the lines that do not pass is remembered: the last of them, and these bytes of each.
const (
	lastLines  = 50
	mostOfLine = 1000
)

// A sieve passes on the beginning of what is written to it and, when it ends, the last lines. What is
// between them is counted.
type sieve struct {
	to    io.Writer
	lines int    // that may still pass
	bytes int    // likewise
	what  string // lines these are, as in "on stdout"

	passed bool     // something, since somebody set it to false
	open   bool     // what passed last is a line without its end
	left   int      // bytes that did not pass; after the first of them nothing does
	more   int      // lines of them that have ended
	last   []string // the last of those
	line   []byte   // the one that has not ended yet
}

func (s *sieve) Write(p []byte) (int, error) {
	size := len(p)
	if s.left == 0 {
		var pass int
		pass, s.lines, s.bytes = Fit(p, s.lines, s.bytes)
		if pass > 0 {
			s.passed, s.open = true, p[pass-1] != '\n'
			if _, err := s.to.Write(p[:pass]); err != nil {
				return 0, err
			}
		}
		p = p[pass:]
	}
	s.left += len(p)
	for len(p) > 0 {
		part, rest, ended := bytes.Cut(p, []byte("\n"))
		s.line = append(s.line, part[:min(len(part), mostOfLine-len(s.line))]...)
		if ended {
			s.endLine()
		}
		p = rest
	}
	return size, nil
}

// endLine remembers a line that did not pass.
func (s *sieve) endLine() {
	line := string(s.line)
	if len(line) == mostOfLine {
		line = strings.ToValidUTF8(line, "") // without the half of a letter at its end
	}
	s.more++
	s.last = append(s.last, line)
	s.last = s.last[max(0, len(s.last)-lastLines):]
	s.line = s.line[:0]
}

// end passes on the last lines, after one that says how much is missing before them.
func (s *sieve) end() error {
	if len(s.line) > 0 {
		s.endLine()
	}
	if s.more == 0 {
		return nil
	}
	last := strings.Join(s.last, "\n") + "\n"
	if s.left > len(last) {
		last = fmt.Sprintf("… %s %s (%s). A cell shows the beginning and the end; write more to a file.\n%s",
			text.Counted(s.more, "more lines"), s.what, text.Counted(s.left, "bytes"), last)
	}
	if s.open {
		last = "\n" + last
	}
	_, err := io.WriteString(s.to, last)
	return err
}

// Fit returns how many bytes of a text are within so many lines and bytes, and what is left of that
// measure. All of a letter fits of which some does, as that may have come before.
func Fit[T string | []byte](p T, lines, size int) (fit, linesLeft, bytesLeft int) {
	for ; fit < len(p) && lines > 0; fit++ {
		if size <= 0 && (utf8.RuneStart(p[fit]) || size == 1-utf8.UTFMax) {
			break
		}
		size--
		if p[fit] == '\n' {
			lines--
		}
	}
	return fit, lines, max(size, 0)
}
