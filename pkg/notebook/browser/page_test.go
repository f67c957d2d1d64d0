//go:build browser

package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

func TestMain(m *testing.M) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, 8*time.Minute)
	all = ctx
	code := m.Run()
	cancel()
	stop()
	os.Exit(code)
}

// A page is a notebook that is open in a browser.
type page struct {
	t    *testing.T
	ctx  context.Context
	name string
}

// browserPath finds Chromium, or skips the test.
func browserPath(t *testing.T) string {
	t.Helper()
	if p := os.Getenv("OVERLAP_BROWSER"); p != "" {
		return p
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	t.Skip("there is no Chromium here; scripts/test --browser says how to get it")
	return ""
}

// newTab starts a browser of its own for the test. It ends with it.
func newTab(t *testing.T) context.Context {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browserPath(t)), chromedp.UserDataDir(t.TempDir()),
		chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.WindowSize(1200, 1500))
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox) // Chromium's sandbox is not for root
	}
	ctx, cancel := chromedp.NewExecAllocator(all, opts...)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	return ctx
}

// open opens a notebook of the server, and waits for its kernel.
func open(t *testing.T, s server, name string) *page {
	t.Helper()
	p := &page{t: t, ctx: newTab(t), name: name}
	p.do(chromedp.Navigate(s.url + "notebooks/" + name + "?token=" + token))
	p.wait("the kernel", connected)
	return p
}

// connected says that a page can run cells.
const connected = `window.Jupyter && Jupyter.notebook && Jupyter.notebook.kernel && Jupyter.notebook.kernel.is_connected() && Jupyter.notebook._fully_loaded`

func (p *page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.picture("failed")
		p.t.Fatal(err)
	}
}

// eval returns what an expression is in the page.
func eval[T any](p *page, format string, args ...any) (value T) {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](fmt.Sprintf(format, args...)))
	if err != nil {
		p.picture("failed")
		p.t.Fatal(err)
	}
	return value
}

// script runs statements in the page.
func (p *page) script(format string, args ...any) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(format, args...)))
}

// patience is how long anything may take: enough for the slowest of machines
// to build a cell.
const patience = 90 * time.Second

// wait waits until an expression is true in the page.
func (p *page) wait(what, expression string) {
	p.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if eval[bool](p, "!!(%s)", expression) {
			return
		}
		if time.Now().After(end) {
			p.picture("failed")
			p.t.Fatalf("waited in vain for %s; the page shows:\n%s", what, eval[string](p, `document.getElementById("notebook-container").innerText`))
		}
	}
}

// start begins to run cells.
func (p *page) start(cells ...int) {
	p.t.Helper()
	list, _ := json.Marshal(cells)
	p.script("Jupyter.notebook.execute_cells(%s)", list)
}

// run runs a cell to its end.
func (p *page) run(cell int) {
	p.t.Helper()
	p.start(cell)
	p.ended(cell)
}

// ended waits until a cell is no longer running or waiting for it, and all its
// outputs are there: the page calls a cell ended by the kernel's reply, which
// goes another way than outputs and can be there first. Its entry of the request
// says when either is done.
func (p *page) ended(cell int) {
	p.t.Helper()
	p.wait(fmt.Sprintf("the end of cell %d", cell), hasEnded(cell))
}

// endsWithin waits for the end of a cell, and reports whether it came in time.
func (p *page) endsWithin(cell int, limit time.Duration) bool {
	p.t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if eval[bool](p, "!!(%s)", hasEnded(cell)) {
			return true
		}
	}
	return false
}

func hasEnded(cell int) string {
	return fmt.Sprintf(`(c => {
		const asked = Jupyter.notebook.kernel._msg_callbacks[c.last_msg_id];
		return !c.element[0].classList.contains("running") && (!asked || asked.shell_done && asked.iopub_done);
	})(Jupyter.notebook.get_cell(%d))`, cell)
}

// text is what the outputs of a cell say on the page.
func (p *page) text(cell int) string {
	p.t.Helper()
	return eval[string](p, `Jupyter.notebook.get_cell(%d).element[0].querySelector(".output_wrapper").innerText`, cell)
}

// says waits until the outputs of a cell hold a text.
func (p *page) says(cell int, text string) {
	p.t.Helper()
	quoted, _ := json.Marshal(text)
	p.wait(text, fmt.Sprintf(`Jupyter.notebook.get_cell(%d).element[0].querySelector(".output_wrapper").innerText.includes(%s)`, cell, quoted))
}

// interrupt chooses Kernel > Interrupt in the page's menu.
func (p *page) interrupt() {
	p.t.Helper()
	p.script(`document.querySelector("#int_kernel a, #int_kernel").click()`)
}

// save saves the notebook as the page does and returns its cells.
func (p *page) save(s server) (text string, cells []cell) {
	p.t.Helper()
	p.script(`window.savedNow = false; Jupyter.notebook.save_notebook().then(() => { window.savedNow = true })`)
	p.wait("the notebook to be saved", "window.savedNow")
	data, err := os.ReadFile(filepath.Join(s.notebooks, p.name))
	if err != nil {
		p.t.Fatal(err)
	}
	var nb struct{ Cells []cell }
	if err := json.Unmarshal(data, &nb); err != nil {
		p.t.Fatal(err)
	}
	return string(data), nb.Cells
}

// A cell is one of a saved notebook.
type cell struct {
	Outputs []struct {
		Type     string `json:"output_type"`
		Name     string
		Text     lines
		Data     map[string]lines
		Metadata map[string]any
	}
}

// lines is a text that a notebook keeps as one or as a list of lines.
type lines string

func (l *lines) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*l = lines(one)
		return nil
	}
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*l = lines(strings.Join(list, ""))
	return nil
}

// picture leaves a picture of the page in the folder OVERLAP_SCREENSHOTS, if
// that is set: to look at.
func (p *page) picture(name string) {
	dir := os.Getenv("OVERLAP_SCREENSHOTS")
	if dir == "" {
		return
	}
	data, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Logf("no picture: %v", err)
		return
	}
	file := filepath.Join(dir, strings.ReplaceAll(p.t.Name(), "/", "-")+"-"+name+".png")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		p.t.Log(err)
	}
}
