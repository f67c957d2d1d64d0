package verdict

import (
	"fmt"
	"strings"
)

// String returns the verdict as a few lines for a terminal: what it is and by
// what, the text, what to try, and the notes.
func (v Verdict) String() string {
	var b strings.Builder
	if v.Subject != "" {
		fmt.Fprintf(&b, "%s: ", v.Subject)
	}
	b.WriteString(string(v.Kind))
	if v.By != "" {
		fmt.Fprintf(&b, " (%s)", v.By)
	}
	fmt.Fprintf(&b, "\n  %s\n  Try: %s\n", v.Text, v.Try)
	for _, n := range v.Notes {
		fmt.Fprintf(&b, "  Note: %s\n", n)
	}
	return b.String()
}
