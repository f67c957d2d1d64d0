//go:build browser

package browser

import (
	"fmt"
	"os"
	"os/user"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// What the cells of the tests use.
const imports = `
import (
	"context"
	"time"

	"overlap/pkg/chart"
	"overlap/pkg/lab"
	"overlap/pkg/notebook"
	"overlap/pkg/sched"
)

func naps(name string, d time.Duration, tasks, repeats int, s ...sched.Scheduler) lab.Experiment {
	return lab.Experiment{
		Name: name, Workload: lab.Each("nap", func(context.Context, int) error { time.Sleep(d); return nil }),
		Schedulers: append([]sched.Scheduler{sched.Sequential()}, s...), Sizes: []int{tasks}, Repeats: repeats,
	}
}

%%
notebook.Text("ready")
`

// The label must arrive as it is, whatever it is made of.
const strange = `<b>how "long" & wide</b> 길이`

var controls = fmt.Sprintf(`
%%%%
notebook.Live(notebook.Context(), func(ctx context.Context, v notebook.Values) []any {
	nap, err := time.ParseDuration(v.Text(%q))
	if err != nil {
		return []any{err}
	}
	result, err := naps("Controls", nap, 8, 2, sched.Pool(v.Int("workers"))).Run(ctx)
	return []any{chart.Speedup(result), "position: " + v.String() + ", pressed " + v.Text("run again"), err}
}, notebook.Slider("workers", 1, 16, 2), notebook.Select(%q, "1ms", "2ms", "3ms"), notebook.Button("run again"))
`, strange, strange)

func TestProgressMovesAndLeavesOneLine(t *testing.T) {
	s := startJupyter(t, "/")
	s.write(t, "progress.ipynb", imports, `
func many() lab.Experiment { return naps("Naps", 20*time.Millisecond, 10, 6, sched.Pool(2), sched.Pool(3)) }

%%
result, err := many().Run(notebook.Context(), notebook.Progress())
notebook.Show(chart.Speedup(result), err)
`, `
%%
result := notebook.Must(many().Load())
notebook.Text("%d rounds began at %d", result.Repeats, result.Started.UnixMilli())
`)
	p := open(t, s, "progress.ipynb")
	p.run(0)
	p.start(1)
	var seen []string
	for running := true; running; running = eval[bool](p, `Jupyter.notebook.get_cell(1).element[0].classList.contains("running")`) {
		at := eval[string](p, `(() => { const bar = document.querySelector(".output_wrapper progress"); return bar ? String(bar.value) : "" })()`)
		if at != "" && !slices.Contains(seen, at) {
			seen = append(seen, at)
			if len(seen) == 2 {
				p.picture("bar")
			}
		}
	}
	if len(seen) < 3 {
		t.Errorf("the bar was seen at %q only", seen)
	}
	text, cells := p.save(s)
	p.picture("done")
	private(t, s, text)
	outputs := cells[1].Outputs
	if len(outputs) != 2 || strings.Contains(text, "progress max") {
		t.Fatalf("%d outputs were saved, want a line and a figure: %+v", len(outputs), outputs)
	}
	if line := outputs[0].Data["text/plain"]; strings.Contains(string(line), "\n") || !strings.HasPrefix(string(line), "Naps: ") {
		t.Errorf("the line is %q", line)
	}
	if o := outputs[1]; o.Data["image/png"] == "" || len(o.Data["text/plain"]) < 20 {
		t.Error("the figure was saved without picture or alternative text")
	}

	// The page is closed while it runs again. The run goes on, and when the
	// notebook is opened again its result can be loaded.
	p.run(2)
	first := p.text(2)
	p.start(1)
	p.wait("the bar", `document.querySelector(".output_wrapper progress")`)
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(s.url+"notebooks/"+p.name+"?token="+token))
	p.wait("the kernel", connected)
	p.run(2) // after what still runs
	p.says(2, "6 rounds began at")
	if again := p.text(2); again == first {
		t.Errorf("the result is still %q", first)
	}
}

func TestControls(t *testing.T) {
	for name, path := range map[string]string{"of the server itself": "/", "below a path": "/user/someone/"} {
		t.Run(name, func(t *testing.T) { testControls(t, startJupyter(t, path)) })
	}
}

func testControls(t *testing.T, s server) {
	s.write(t, "controls.ipynb", imports, controls, "%%\nnotebook.Text(\"the next one\")")
	p := open(t, s, "controls.ipynb")
	p.start(0, 1, 2)
	at := func(workers int, nap string, pressed int) string {
		return fmt.Sprintf("position: workers %d, %s %s, pressed %d", workers, strange, nap, pressed)
	}
	p.says(1, at(2, "1ms", 0))
	p.wait("the controls", `document.querySelector(".output_wrapper input[type=range]")`)
	p.picture("first")
	// The kernel has answered when the first move is followed.
	figure := func() string { return eval[string](p, `document.querySelector(".output_wrapper img").src`) }
	before := figure()

	const slider = `.output_wrapper input[type=range]`
	p.do(chromedp.SendKeys(slider, kb.ArrowRight+kb.ArrowRight))
	p.says(1, at(4, "1ms", 0))
	if shown := eval[string](p, `document.querySelector(".output_wrapper output").textContent`); shown != "4" {
		t.Errorf("beside the slider stands %q", shown)
	}
	if figure() == before {
		t.Error("the figure is the same as before")
	}
	// Many moves at once: the last one wins.
	p.do(chromedp.SendKeys(slider, strings.Repeat(kb.ArrowRight, 9)+strings.Repeat(kb.ArrowLeft, 6)))
	p.says(1, at(7, "1ms", 0))
	p.do(chromedp.SendKeys(`.output_wrapper select`, kb.ArrowDown+kb.ArrowDown))
	p.says(1, at(7, "3ms", 0))
	p.do(chromedp.Click(`.output_wrapper button[data-control]`))
	p.says(1, at(7, "3ms", 1))
	labels := eval[[]string](p, `Array.from(document.querySelectorAll(".output_wrapper [data-control]"), (e) => e.labels.length ? e.labels[0].textContent : e.textContent)`)
	if want := []string{"workers", strange, "run again"}; !slices.Equal(labels, want) {
		t.Errorf("the labels are %q, want %q", labels, want)
	}
	p.picture("moved")
	if p.text(2) != "" {
		t.Error("the next cell ran before this one was done")
	}

	p.do(chromedp.Click(`.output_wrapper button[data-done]`))
	p.ended(1)
	p.says(2, "the next one")
	p.picture("done")
	text, cells := p.save(s)
	private(t, s, text)
	for _, o := range cells[1].Outputs {
		page := string(o.Data["text/html"])
		for _, dead := range []string{"<input", "<select", "<button", "<script"} {
			if strings.Contains(page, dead) {
				t.Errorf("the saved notebook still has %s", dead)
			}
		}
		if o.Data["image/png"] != "" && (len(o.Data["text/plain"]) < 20 || o.Metadata["overlap_figure"] == nil) {
			t.Error("the figure was saved without alternative text or name")
		}
	}
	if first := cells[1].Outputs[0].Data["text/plain"]; string(first) != fmt.Sprintf("Set to workers 7, %s 3ms.", strange) {
		t.Errorf("the first line is %q", first)
	}
	if found, _ := os.ReadDir(s.out + "/figures"); len(found) == 0 {
		t.Error("the last figure was not saved")
	}
}

// The control cell of a notebook of the repository, as it is: with figures that
// take a second or more, and progress.
func TestPrimesControls(t *testing.T) {
	s := startJupyter(t, "/")
	at := s.copy(t, "primes.ipynb")
	p := open(t, s, "primes.ipynb")
	cell := at["cell-workers"]
	if cell == 0 {
		t.Fatal("the notebook has no cell of that name")
	}
	p.run(at["cell-03"])
	p.start(cell)
	inCell := func(selector string) string {
		return fmt.Sprintf(`Jupyter.notebook.get_cell(%d).element[0].querySelector(%q)`, cell, selector)
	}
	alt := func(words string) string { // what is kept with the first figure
		return fmt.Sprintf(`JSON.stringify(Jupyter.notebook.get_cell(%d).output_area.outputs).includes(%q)`, cell, words)
	}
	p.wait("the controls", inCell("input[type=range]"))
	p.script("%s.scrollIntoView()", inCell("input[type=range]"))
	p.picture("first")
	p.do(chromedp.SendKeys(".output_wrapper input[type=range]", kb.ArrowRight+kb.ArrowRight+kb.ArrowRight))
	p.wait("the figures of five workers", alt("pool(5)"))
	p.do(chromedp.SendKeys(".output_wrapper select", kb.ArrowDown))
	p.wait("the figures of 500 tasks", alt("pool(5), 500 tasks"))
	p.script("%s.scrollIntoView()", inCell(".output_wrapper"))
	p.picture("moved")
	p.do(chromedp.Click(".output_wrapper button[data-done]"))
	p.ended(cell)
	p.says(cell, "Set to workers 5, tasks 500.")
	text, _ := p.save(s)
	private(t, s, text)
}

// A page that cannot reach the kernel by itself, as those of other programs
// than Jupyter: the cell says so and ends.
func TestControlsThatCannotConnect(t *testing.T) {
	s := startJupyter(t, "/")
	s.write(t, "closed.ipynb", imports, controls)
	p := open(t, s, "closed.ipynb")
	p.run(0)
	p.script(`{
		const Socket = window.WebSocket;
		window.WebSocket = class extends Socket { constructor(url) { super(url.replace("/channels", "/nowhere")); } };
	}`)
	p.run(1)
	p.says(1, "This page cannot connect its controls")
	p.ended(1)
	p.wait("GoNB's script to be gone", `!JSON.stringify(Jupyter.notebook.get_cell(1).output_area.outputs).includes("<script")`)
	p.picture("said")
	text, cells := p.save(s)
	private(t, s, text)
	for _, o := range cells[1].Outputs {
		if o.Type == "error" {
			t.Error("the cell failed")
		}
	}
}

func TestInterrupt(t *testing.T) {
	s := startJupyter(t, "/")
	s.write(t, "interrupt.ipynb", imports, `
%%
result, err := naps("Long naps", 5*time.Millisecond, 20, 1000, sched.Pool(2)).Run(notebook.Context(), notebook.Progress())
notebook.Show(chart.Speedup(result), err)
`, "%%\nnotebook.Text(\"the next one\")", controls)
	p := open(t, s, "interrupt.ipynb")
	p.run(0)

	// While a cell is built it is stopped, too; but between two commands that the
	// kernel runs for it an interrupt is lost, and it has to come again.
	inBuild := false
	for try := 0; try < 3 && !inBuild; try++ {
		p.start(1)
		time.Sleep(500 * time.Millisecond)
		for p.interrupt(); !p.endsWithin(1, 5*time.Second); p.interrupt() {
		}
		if inBuild = !strings.Contains(p.text(1), "Stopped on request."); !inBuild {
			time.Sleep(2 * time.Second) // nobody starts the next cell sooner
		}
	}
	if !inBuild {
		t.Error("no interrupt stopped the build of a cell")
	}

	p.start(1, 2)
	p.wait("the bar", `document.querySelector(".output_wrapper progress")`)
	p.interrupt()
	p.ended(1)
	p.picture("stopped")
	p.says(1, "Stopped on request.")
	if !eval[bool](p, `!!document.querySelector(".output_wrapper img")`) {
		t.Error("what was measured is not shown")
	}
	p.ended(2)
	p.says(2, "Not run: it waited for a cell that was stopped.")
	time.Sleep(2 * time.Second) // nobody starts the next cell sooner
	p.run(2)
	p.says(2, "the next one")

	// Controls end by it, too, and the cell keeps what they drew.
	p.start(3)
	p.wait("the controls", `document.querySelector(".output_wrapper input[type=range]")`)
	p.interrupt()
	p.ended(3)
	p.says(3, "Stopped on request.")
	p.picture("controls")
	if eval[bool](p, `!!document.querySelector(".output_wrapper input[type=range]")`) {
		t.Error("the controls are still there")
	}
	text, cells := p.save(s)
	private(t, s, text)
	for _, i := range []int{1, 3} {
		outputs := cells[i].Outputs
		if last := outputs[len(outputs)-1]; last.Type != "error" {
			t.Errorf("the last output of cell %d is %s, want the error that stops what waits", i, last.Type)
		}
	}
	time.Sleep(2 * time.Second)
	p.run(2)
	p.says(2, "the next one")
}

// A program that does not hear of the interrupt is ended, and said so; one that
// prints without end leaves a small notebook, in which what it showed stands
// between what it printed.
func TestDeafAndLoudCells(t *testing.T) {
	s := startJupyter(t, "/")
	s.write(t, "loud.ipynb", imports, `
import (
	"fmt"
	"log"
	"os"
)

%%
for i := range 3 {
	fmt.Println("printed", i)
	notebook.Text("shown %d", i)
}
for i := range 100_000 {
	fmt.Println("line", i)
	fmt.Fprintln(os.Stderr, "line", i)
	log.Print("line ", i)
	notebook.Text("line %d", i)
}
fmt.Println("the end")
`, `
%%
notebook.Show(notebook.Context().Err(), "begun")
for {
}
`, "%%\nnotebook.Text(\"the next one\")")
	p := open(t, s, "loud.ipynb")
	p.run(0)
	p.run(1)
	p.says(1, "the end")
	p.picture("loud")
	p.start(2)
	p.says(2, "begun")
	p.interrupt()
	p.ended(2)
	p.says(2, "The program went on, so it was ended")
	p.picture("deaf")
	time.Sleep(2 * time.Second) // nobody starts the next cell sooner
	p.run(3)
	p.says(3, "the next one")
	text, cells := p.save(s)
	private(t, s, text)
	if len(text) > 1<<19 {
		t.Errorf("the notebook has %d bytes", len(text))
	}
	var order []string
	for _, o := range cells[1].Outputs[:6] {
		order = append(order, strings.TrimSpace(string(o.Text)+string(o.Data["text/plain"])))
	}
	if want := []string{"printed 0", "shown 0", "printed 1", "shown 1", "printed 2", "shown 2"}; !slices.Equal(order, want) {
		t.Errorf("the order is %q, want %q", order, want)
	}
}

// Where a task panicked is told by the notebook's own cells: what GoNB makes of them is the kernel's.
func TestPanicSaysItsCell(t *testing.T) {
	s := startJupyter(t, "/")
	s.write(t, "panic.ipynb", imports, `
func divide(n int) int { return 100 / n }

%%
notebook.Show(sched.Pool(2).Run(notebook.Context(), []sched.Task{
	func(context.Context) error {
		divide(0)
		return nil
	},
}))
`)
	p := open(t, s, "panic.ipynb")
	p.run(0)
	p.run(1)
	for _, line := range []string{
		"task 0: panic: runtime error: integer divide by zero",
		"in func divide, line 1 (main.divide)", "in line 3 below %% (main.main.func1)",
	} {
		p.says(1, line)
	}
}

// private checks that a saved notebook does not tell where, or by whom, it was
// run, and does nothing when it is opened.
func private(t *testing.T, s server, text string) {
	t.Helper()
	if strings.Contains(text, "<script") {
		t.Error("the saved notebook holds a script")
	}
	words := []string{token, s.url, s.notebooks, s.out, os.TempDir() + "/"}
	if me, err := user.Current(); err == nil && me.Username != "root" {
		words = append(words, me.Username, me.HomeDir)
	}
	for _, word := range words {
		if strings.Contains(text, word) {
			t.Errorf("the saved notebook holds %q", word)
		}
	}
}
