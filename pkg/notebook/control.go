package notebook

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// A Control lets the reader of a notebook choose a value: see [Live].
type Control struct {
	kind     controlKind
	name     string
	min, max int      // of a slider
	start    int      // a slider's value, the index of an option, or no presses
	options  []string // of a select
}

type controlKind int

const (
	slider controlKind = iota
	choice
	button
)

// Slider chooses a whole number from min to max, start at first.
func Slider(name string, min, max, start int) Control {
	return Control{kind: slider, name: name, min: min, max: max, start: start}
}

// Select chooses one of the options, the first one at first.
func Select(name string, options ...string) Control {
	return Control{kind: choice, name: name, options: options, max: len(options) - 1}
}

// Button draws once more each time that it is pressed. Its value is the number of presses.
func Button(name string) Control { return Control{kind: button, name: name, max: 1 << 30} }

// text is a value as the reader sees it.
func (c Control) text(v int) string {
	if c.kind == choice {
		return c.options[v]
	}
	return strconv.Itoa(v)
}

// checkControls returns what is wrong with the arguments of [Live].
func checkControls(controls []Control) error {
	seen := map[string]bool{}
	for _, c := range controls {
		switch {
		case c.name == "":
			return errors.New("notebook: a control has no name; give it one")
		case seen[c.name]:
			return fmt.Errorf("notebook: two controls have the name %q; give each its own", c.name)
		case c.kind == choice && len(c.options) == 0:
			return fmt.Errorf("notebook: the select %q has no options; give it some", c.name)
		case c.start < c.min || c.start > c.max:
			return fmt.Errorf("notebook: the slider %q begins at %d, which is not from %d to %d", c.name, c.start, c.min, c.max)
		}
		seen[c.name] = true
	}
	return nil
}

// Values are the positions of the controls of [Live].
type Values struct {
	controls []Control
	at       []int
	wrong    *error // what was first asked for and cannot be answered
}

// startValues returns where the controls begin.
func startValues(controls []Control) Values {
	v := Values{controls: controls, wrong: new(error)}
	for _, c := range controls {
		v.at = append(v.at, c.start)
	}
	return v
}

// moved returns the values at another position. What no control can have is taken for the nearest
// that it can; what is missing stays.
func (v Values) moved(at []int) Values {
	v.at = slices.Clone(v.at)
	for i, c := range v.controls[:min(len(at), len(v.at))] {
		v.at[i] = max(c.min, min(at[i], c.max))
	}
	return v
}

func (v Values) equal(other Values) bool { return slices.Equal(v.at, other.at) }

// find returns the control of a name and where it is, a zero one where there is none.
func (v Values) find(name string) (c Control, at int) {
	var names []string
	for i, c := range v.controls {
		if c.name == name {
			return c, v.at[i]
		}
		names = append(names, strconv.Quote(c.name))
	}
	v.fault("no control has the name %q; these are there: %s", name, strings.Join(names, ", "))
	return Control{}, 0
}

// fault notes an error, if it is the first.
func (v Values) fault(format string, args ...any) {
	if v.wrong != nil && *v.wrong == nil {
		*v.wrong = fmt.Errorf("notebook: "+format, args...)
	}
}

// Int returns the number a slider is at, the number that the option of a select is written as, or how
// often a button was pressed. A name that no control has, or an option that is no number, gives 0, and
// [Live] ends with an error that says so.
func (v Values) Int(name string) int {
	c, at := v.find(name)
	if c.kind != choice {
		return at
	}
	n, err := strconv.Atoi(c.options[at])
	if err != nil {
		v.fault("%q at %q is not a whole number; use Text", name, c.options[at])
	}
	return n
}

// Text returns the option that a select is at, or the number of another control. A name that no
// control has gives "", and [Live] ends with an error.
func (v Values) Text(name string) string {
	c, at := v.find(name)
	if c.name == "" {
		return ""
	}
	return c.text(at)
}

// String returns the positions of all controls but buttons, as in "workers 4, scheduler pool".
func (v Values) String() string {
	var parts []string
	for i, c := range v.controls {
		if c.kind != button {
			parts = append(parts, c.name+" "+c.text(v.at[i]))
		}
	}
	return strings.Join(parts, ", ")
}

// line is what a reader sees where there are no controls.
func (v Values) line() string {
	if s := v.String(); s != "" {
		return "Set to " + s + "."
	}
	return "Drawn once."
}

//go:embed live.js
var liveJS string

// script returns what connects the page, and the controls where they are there.
func (l *live) script() string {
	address, _ := json.Marshal(l.id) // safe inside a script, too
	kernel, _ := json.Marshal(os.Getenv(protocol.GONB_JUPYTER_KERNEL_ID_ENV))
	return fmt.Sprintf("<script>(%s)(%s, %s)</script>", strings.TrimSpace(liveJS), address, kernel)
}

// opening returns what stands where the controls will.
func (l *live) opening() string { return html.EscapeString(l.values.line()) + l.script() }

// controls returns the controls, which send where they are to the address l.id.
func (l *live) controls() string {
	var b strings.Builder
	part := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	// Jupyter's own shortcuts are for keys that are not meant for a control.
	part(`<div id="%s" role="group" aria-label="Controls" data-lm-suppress-shortcuts="true" `+
		`style="display: flex; flex-wrap: wrap; align-items: center; gap: 0.5em 1.5em; padding: 0.4em 0">`, l.id)
	const field = `<span style="display: inline-flex; align-items: center; gap: 0.5em">`
	for i, c := range l.values.controls {
		id, name := fmt.Sprintf("%s-%d", l.id, i), html.EscapeString(c.name)
		if c.kind != button {
			part(`%s<label for="%s" style="margin: 0; font-weight: normal">%s</label>`, field, id, name)
		}
		switch c.kind {
		case slider:
			part(`<input type="range" id="%s" data-control min="%d" max="%d" step="1" value="%d" style="width: 12em">`,
				id, c.min, c.max, c.start)
			part(`<output for="%s" style="min-width: %dch; padding: 0; text-align: right; font-variant-numeric: tabular-nums">`+
				`%d</output></span>`, id, max(len(fmt.Sprint(c.min)), len(fmt.Sprint(c.max))), c.start)
		case choice:
			part(`<select id="%s" data-control>`, id)
			for j, option := range c.options {
				part(`<option value="%d">%s</option>`, j, html.EscapeString(option))
			}
			part(`</select></span>`)
		case button:
			part(`<button type="button" id="%s" data-control value="%d">%s</button>`, id, c.start, name)
		}
	}
	part(`<button type="button" data-done title="Ends this cell; the figure stays">Done</button>`)
	return b.String() + `<span role="status"></span></div>` + l.script()
}
