package verdict

import (
	"fmt"
	"strings"

	"overlap/pkg/internal/text"
)

// Called names what was judged, with its size where it has one; "" for a watched
// function without a name.
func (v Verdict) Called() string {
	if v.Subject != "" && v.Size > 0 {
		return v.Subject + ", size " + text.Count(v.Size)
	}
	return v.Subject
}

// Judged is the verdict in a few words: its kind, and what makes it so.
func (v Verdict) Judged() string {
	if v.By == "" {
		return string(v.Kind)
	}
	return string(v.Kind) + " (" + v.By + ")"
}

// String returns the verdict as a few lines for a terminal: what it is and by
// what, the text, what to try, and the notes.
func (v Verdict) String() string {
	var b strings.Builder
	if v.Subject != "" {
		fmt.Fprintf(&b, "%s: ", v.Subject)
	}
	fmt.Fprintf(&b, "%s\n  %s\n  Try: %s\n", v.Judged(), v.Text, v.Try)
	for _, n := range v.Notes {
		fmt.Fprintf(&b, "  Note: %s\n", n)
	}
	return b.String()
}
