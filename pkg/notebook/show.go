package notebook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"overlap/pkg/home"
	"overlap/pkg/lab"
)

// Show shows things in their order:
//
//   - a figure of package chart as a picture; it is also saved in figures below
//     [home.Out];
//   - a [lab.Table] as a table;
//   - a [lab.Result] as its table, what it shows at its largest size, and its
//     warnings; warnings also alone, as a list that is not there if empty;
//   - an error, last of all, on stderr: the program then ends with status 1 and
//     the cell fails. An interrupt is only noted. A nil error is nothing;
//   - anything else as text, as [fmt.Print] would.
//
// As an error ends the program, pass what is still worth seeing in the same
// call.
func Show(things ...any) {
	if err := show(out(), things...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Must returns the value, or shows the error and ends the program where there
// is one: what a cell does with the result of an earlier one.
func Must[T any](value T, err error) T {
	Show(err)
	return value
}

// Text shows a line of text, formatted as by [fmt.Printf].
func Text(format string, args ...any) { Show(fmt.Sprintf(format, args...)) }

// show shows all it can, and returns what went wrong or was an error.
func show(to output, things ...any) error {
	_, plain := to.(terminal)
	var errs []error
	for _, thing := range things {
		if isNil(thing) {
			continue
		}
		if err, ok := thing.(error); ok {
			errs = append(errs, err)
			continue
		}
		blocks, err := blocksOf(thing, plain)
		if _, ok := thing.(figure); ok && err != nil && interrupted() {
			// A run that was stopped can have too little for a figure.
			blocks, err = append(blocks, textBlock(err.Error())), nil
		}
		errs = append(errs, err)
		for _, b := range blocks {
			errs = append(errs, to.show(b))
		}
	}
	failures, stopped := sortErrors(errors.Join(errs...))
	if stopped {
		failures = append(failures, to.show(textBlock("Stopped on request. What is shown is what was measured until then.")))
	}
	return errors.Join(failures...)
}

func isNil(thing any) bool {
	switch v := reflect.ValueOf(thing); v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan, reflect.Map, reflect.Slice:
		return v.IsNil()
	}
	return false
}

// sortErrors takes joined errors apart and finds whether a request to stop is
// among them, which is no failure.
func sortErrors(err error) (failures []error, stopped bool) {
	if err == nil {
		return nil, false
	}
	// Only what errors.Join made is taken apart: others have words of their own.
	if reflect.TypeOf(err) == joined {
		for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
			f, s := sortErrors(err)
			failures, stopped = append(failures, f...), stopped || s
		}
		return failures, stopped
	}
	if interrupted() && errors.Is(err, context.Canceled) {
		return nil, true
	}
	return []error{err}, false
}

var joined = reflect.TypeOf(errors.Join(errors.New("")))

// A figure is what package chart makes.
type figure interface {
	PNG() (data []byte, widthCSS, heightCSS int, err error)
	Alt() string
	Save(dir string) (paths []string, err error)
}

// blocksOf returns how a thing is shown. Blocks are also there with an error,
// where there is something to see all the same. Only plain text names files.
func blocksOf(thing any, plain bool) ([]block, error) {
	switch t := thing.(type) {
	case figure:
		return figureBlocks(t, plain)
	case lab.Table:
		return []block{tableBlock(t)}, nil
	case *lab.Table:
		return []block{tableBlock(*t)}, nil
	case *lab.Result:
		return resultBlocks(t), nil
	case lab.Result:
		return resultBlocks(&t), nil
	case []lab.Warning:
		if len(t) == 0 {
			return nil, nil
		}
		return []block{warningBlock(block{}, t)}, nil
	case string:
		return []block{textBlock(t)}, nil
	}
	return []block{textBlock(fmt.Sprint(thing))}, nil
}

func textBlock(s string) block { return block{text: s} }

// figureBlocks saves a figure and returns its picture, and a block for what its
// reader would miss.
func figureBlocks(f figure, plain bool) (blocks []block, err error) {
	png, width, height, err := f.PNG()
	if err != nil {
		return nil, err
	}
	b := block{png: png, width: width, height: height, text: f.Alt()}
	dir, err := home.Out()
	if err == nil {
		var paths []string
		paths, err = f.Save(filepath.Join(dir, "figures"))
		if plain && len(paths) > 0 {
			b.text += "\nSaved as " + strings.Join(nearer(paths), ", ")
		}
	}
	blocks = []block{b}
	if w, ok := f.(interface{ Warnings() []string }); ok {
		for _, warning := range w.Warnings() {
			blocks = append(blocks, textBlock(warning))
		}
	}
	return blocks, err
}

// nearer returns paths as seen from the working directory, where they lie
// below it or below the repository.
func nearer(paths []string) []string {
	wd, err := os.Getwd()
	if err != nil {
		return paths
	}
	root, _ := home.Root()
	near := make([]string, len(paths))
	for i, p := range paths {
		near[i] = p
		if rel, err := filepath.Rel(wd, p); err == nil && (filepath.IsLocal(rel) || root != "" && strings.HasPrefix(p, root+string(filepath.Separator))) {
			near[i] = rel
		}
	}
	return near
}
