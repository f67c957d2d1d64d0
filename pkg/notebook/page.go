package notebook

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// A place is where what the program shows is looked at.
type place int

const (
	nowhere     place = iota // a terminal, a log, or a notebook that is run headless
	unknownPage              // a notebook, but not in a page of a Jupyter server
	jupyterPage              // a page of the Jupyter server that started the kernel
)

// headlessVariable is set by what runs a notebook with nobody in front of it.
const headlessVariable = "OVERLAP_HEADLESS"

// front finds out where the program is looked at. It asks no page: what a page would be asked with
// stays in the notebook where there is none.
func front() place {
	if !gonbui.IsNotebook || os.Getenv(headlessVariable) != "" {
		return nowhere
	}
	// jupyter_client names the process that started the kernel; a server leaves a file of its own for
	// it, nbconvert and the like do not.
	parent := os.Getenv("JPY_PARENT_PID")
	if parent == "" || os.Getenv(protocol.GONB_JUPYTER_KERNEL_ID_ENV) == "" {
		return unknownPage
	}
	for _, dir := range runtimeDirs() {
		for _, server := range []string{"nbserver", "jpserver"} {
			if _, err := os.Stat(filepath.Join(dir, server+"-"+parent+".json")); err == nil {
				return jupyterPage
			}
		}
	}
	return nowhere
}

// runtimeDirs returns the folders in which Jupyter servers may leave their files.
func runtimeDirs() (dirs []string) {
	if d := os.Getenv("JUPYTER_RUNTIME_DIR"); d != "" {
		return []string{d}
	}
	if d := os.Getenv("JUPYTER_DATA_DIR"); d != "" {
		return []string{filepath.Join(d, "runtime")}
	}
	if d := os.Getenv("XDG_DATA_HOME"); d != "" {
		dirs = append(dirs, filepath.Join(d, "jupyter", "runtime"))
	}
	if home, err := os.UserHomeDir(); err == nil && runtime.GOOS == "darwin" {
		dirs = append(dirs, filepath.Join(home, "Library", "Jupyter", "runtime"))
	} else if err == nil {
		dirs = append(dirs, filepath.Join(home, ".local", "share", "jupyter", "runtime"))
	}
	return dirs
}

// listen begins to take what a page sends to an address. It is never ended: the program is, soon after;
// and gonbui deadlocks where something still comes for an address that nobody listens to any more.
func listen(address string, events *events) {
	comms.Subscribe(address, func(_ string, message string) { events.deliver(message) })
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
