package notebook

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"overlap/pkg/chart"
	"overlap/pkg/internal/guard"
	"overlap/pkg/internal/home"
	"overlap/pkg/lab"
	"overlap/pkg/verdict"
)

// Show shows things in their order:
//
//   - a figure of package chart as a picture; it is also saved in figures below [home.Out], for light
//     and for dark pages;
//   - a [lab.Table] as a table;
//   - a [lab.Result] as its table, what it shows at its largest size, and its warnings; warnings also
//     alone, as a list that is not there if empty;
//   - a [verdict.Verdict] as its words, what to try, and the first of its evidence as a table; several
//     of them as one table; the Numbers of one as a table of all its evidence;
//   - an error, last of all, on stderr: the program then ends with status 1 and the cell fails. A nil
//     error is nothing. After a request to stop the program ends as interrupted instead, whatever the
//     error (for a shell that is status 130): that is noted after all the rest, and cells that wait
//     for this one do not run;
//   - a slice of figures, tables, results, verdicts or errors, as each of them;
//   - anything else as text, as [fmt.Print] would.
//
// As an error ends the program, pass what is still worth seeing in the same call. What goroutines show
// at the same time comes one call after the other.
func Show(things ...any) {
	to := out()
	defer guard.Stops(background)()
	showing.Lock()
	defer showing.Unlock()
	exit(show(to, things...))
}

// showing keeps what a call shows together.
var showing sync.Mutex

// Text shows a line of text, formatted as by [fmt.Printf].
func Text(format string, args ...any) { Show(fmt.Sprintf(format, args...)) }

// Must returns the value, or shows the error and ends the program where there is one: what a cell does
// with the result of an earlier one.
func Must[T any](value T, err error) T {
	Show(err)
	return value
}

// Path returns the path of a file of the repository, given as below its root and
// with slashes: "data/published.csv". So a notebook that is copied elsewhere, or
// whose kernel was started there, still finds it. Where the repository is not
// found the program ends, as with [Must].
func Path(name string) string {
	return filepath.Join(Must(home.Root()), filepath.FromSlash(name))
}

// exit ends the program with an error, if there is one.
func exit(err error) {
	if err == nil {
		return
	}
	if err != errStopped {
		fmt.Fprintln(os.Stderr, withStacks(err))
		if !interrupted() {
			os.Exit(1)
		}
	}
	endStopped()
}

// endStopped ends the program as one that was interrupted.
func endStopped() {
	// By the signal itself, as a program ends that does not catch it: whoever started it then sees what
	// happened.
	markStopped()
	signal.Reset(os.Interrupt)
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(os.Interrupt) == nil {
		time.Sleep(time.Second)
	}
	os.Exit(130)
}

// errStopped is what [show] returns where nothing failed, but the program was asked to stop.
var errStopped = errors.New("notebook: stopped on request")

// show shows all it can, and returns what went wrong or was an error.
func show(to output, things ...any) error {
	how := saved
	if _, ok := to.(terminal); ok {
		how = named
	}
	things = spread(things)
	failures, stopped := sortErrors(errors.Join(showAll(to, how, things)...))
	if stopped || len(failures) > 0 && interrupted() {
		stopped = true
		failures = append(failures, to.show(noteBlock(stopNote(things))))
	}
	if err := errors.Join(failures...); err != nil || !stopped {
		return err
	}
	return errStopped
}

// showAll shows what can be shown, and returns the errors among things and those of showing them.
func showAll(to output, how manner, things []any) (errs []error) {
	for _, thing := range things {
		if err, ok := thing.(error); ok {
			errs = append(errs, err)
			continue
		}
		blocks, err := blocksOf(thing, how)
		if _, ok := thing.(figure); ok && err != nil && interrupted() {
			// A run that was stopped can have too little for a figure.
			blocks, err = append(blocks, textBlock(err.Error())), nil
		}
		errs = append(errs, err)
		for _, b := range blocks {
			errs = append(errs, to.show(b))
		}
	}
	return errs
}

// stopNote says that the program was asked to stop, and where a run is shown how to go on with it.
func stopNote(things []any) string {
	const note = "Stopped on request. What is shown is what was measured until then."
	for _, thing := range things {
		run := false
		switch t := thing.(type) {
		case *lab.Result, lab.Result:
			run = true
		case *chart.Figure:
			run = t.Source() != ""
		}
		if run {
			return note + " To go on from there, run it again with lab.Resume() beside notebook.Progress()."
		}
	}
	return note
}

// spread returns the things that are there, and instead of a slice of what is shown in a way of its
// own its elements.
func spread(things []any) (all []any) {
	for _, thing := range things {
		v := reflect.ValueOf(thing)
		if isNil(v) {
			continue
		}
		if v.Kind() == reflect.Slice && !hasOwnWay(thing) {
			elements := []any{reflect.Zero(v.Type().Elem()).Interface()} // what they are, where there are none
			for i := range v.Len() {
				elements = append(elements, v.Index(i).Interface())
			}
			if slices.ContainsFunc(elements, hasOwnWay) {
				all = append(all, spread(elements[1:])...)
				continue
			}
		}
		all = append(all, thing)
	}
	return all
}

// hasOwnWay reports whether a thing is shown otherwise than as fmt prints it.
func hasOwnWay(thing any) bool {
	switch thing.(type) {
	case error, figure, lab.Table, *lab.Table, lab.Result, *lab.Result,
		verdict.Verdict, *verdict.Verdict, []verdict.Verdict:
		return true
	}
	return false
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan, reflect.Map, reflect.Slice:
		return v.IsNil()
	}
	return false
}

// sortErrors takes joined errors apart and finds whether a request to stop is among them, which is no
// failure.
func sortErrors(err error) (failures []error, stopped bool) {
	for _, err := range joinedErrors(err) {
		if interrupted() && errors.Is(err, context.Canceled) {
			stopped = true
		} else if err != nil {
			failures = append(failures, err)
		}
	}
	return failures, stopped
}

// A figure is what package chart makes.
type figure interface {
	PNG() (data []byte, widthCSS, heightCSS int, err error)
	Alt() string
	Slug() string
	Save(dir string) (paths []string, err error)
}

// A manner is how things are shown.
type manner int

const (
	saved   manner = iota // figures are saved
	named                 // they are, and their files named: on a terminal there is nothing else
	unsaved               // they are not
)

// blocksOf returns how a thing is shown. Blocks are also there with an error, where there is something
// to see all the same.
func blocksOf(thing any, how manner) ([]block, error) {
	switch t := thing.(type) {
	case figure:
		return figureBlocks(t, how)
	case lab.Table:
		if how != named { // a terminal, or the file that it leads to, can take all
			t = boundedTable(t)
		}
		return []block{tableBlock(t)}, nil
	case *lab.Table:
		return blocksOf(*t, how)
	case *lab.Result:
		return []block{resultBlock(t)}, nil
	case lab.Result:
		return []block{resultBlock(&t)}, nil
	case []lab.Warning:
		if len(t) > 0 {
			return []block{block{}.warnings(t)}, nil
		}
	case verdict.Verdict:
		return verdictBlocks(t), nil
	case *verdict.Verdict:
		return verdictBlocks(*t), nil
	case []verdict.Verdict:
		if len(t) > 0 {
			return []block{verdictsBlock(t)}, nil
		}
	case []verdict.Number:
		if len(t) > 0 {
			return []block{tableBlock(numbersTable(t))}, nil
		}
	default:
		return []block{textBlock(fmt.Sprint(thing))}, nil
	}
	return nil, nil
}

func textBlock(s string) block { return block{text: s} }

// noteBlock is text of the lab's own: in the letters of a page, not of a program.
func noteBlock(s string) block { return block{text: s, html: html.EscapeString(s)} }

// figureBlocks saves a figure and returns its picture, and a block for what its reader would miss.
func figureBlocks(f figure, how manner) (blocks []block, err error) {
	png, width, height, err := f.PNG()
	if err != nil {
		return nil, err
	}
	b := block{png: png, width: width, height: height, text: f.Alt(), figure: f.Slug()}
	if c, ok := f.(*chart.Figure); ok {
		b.result = c.Source()
	}
	if how != unsaved {
		var paths []string
		paths, err = saveFigure(f)
		if how == named && len(paths) > 0 {
			for i, path := range paths {
				paths[i] = nearer(path)
			}
			b.text += "\nSaved as " + strings.Join(paths, ", ")
		}
	}
	blocks = []block{b}
	if c, ok := f.(*chart.Figure); ok {
		for _, warning := range c.Warnings() {
			blocks = append(blocks, textBlock(warning))
		}
	}
	return blocks, err
}

// saveFigure saves a figure below [home.Out], for light and for dark pages, if it comes in a theme for
// them, and returns the files of the light one.
func saveFigure(f figure) (paths []string, err error) {
	dir, err := home.Out()
	if err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, "figures")
	// Dark beside light: each is most of what a shown figure costs.
	dark := make(chan error, 1)
	go func() {
		var err error
		if c, ok := f.(*chart.Figure); ok {
			_, err = c.In(chart.Dark, chart.Page).Save(dir)
		}
		dark <- err
	}()
	paths, err = f.Save(dir)
	return paths, errors.Join(err, <-dark)
}

// nearer returns a path as seen from the working directory, where it lies below that or below the
// repository.
func nearer(path string) string {
	wd, wdErr := os.Getwd()
	near, err := filepath.Rel(wd, path)
	root, rootErr := home.Root()
	below := rootErr == nil && strings.HasPrefix(path, root+string(filepath.Separator))
	if wdErr != nil || err != nil || !below && !filepath.IsLocal(near) {
		return path
	}
	return near
}
