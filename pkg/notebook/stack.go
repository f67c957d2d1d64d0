package notebook

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"overlap/pkg/internal/guard"
	"overlap/pkg/lab"
	"overlap/pkg/probe/trace"
	"overlap/pkg/sched"
)

// How much of stacks a cell shows: the first panic is mostly the cause of the others, and the cause
// of it near the top.
const (
	mostStacks = 3
	mostFrames = 8
)

// withStacks returns an error's text with a line for every function that a panic in it came
// through, from where it panicked to where the scheduler called the task. Errors that were joined
// have each its own lines.
func withStacks(err error) string {
	var shown, lines []string
	for _, err := range joinedErrors(err) {
		text := fmt.Sprint(err) // survives a method of it that panics
		for _, p := range panicsIn(err) {
			if len(p.Stack) > 0 && strings.Contains(text, string(p.Stack)) {
				continue
			}
			frames := ""
			for _, f := range taskFrames(p.Frames()) {
				frames += "\n\tin " + frameName(f)
			}
			if len(shown) < mostStacks && frames != "" && !slices.Contains(shown, frames) {
				shown = append(shown, frames)
				text += frames
			}
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

// joinedErrors takes apart what errors.Join made, and nothing else: others have words of their own.
func joinedErrors(err error) (all []error) {
	if reflect.TypeOf(err) != joinedType {
		return []error{err}
	}
	for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
		all = append(all, joinedErrors(err)...)
	}
	return all
}

var joinedType = reflect.TypeOf(errors.Join(errors.New("")))

// panicsIn returns the panics that an error is or wraps.
func panicsIn(err error) (all []*guard.PanicError) {
	if p, ok := err.(*guard.PanicError); ok {
		all = append(all, p)
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return append(all, panicsIn(e.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			all = append(all, panicsIn(err)...)
		}
	}
	return all
}

// taskFrames returns the innermost of a panic's functions, up to the one that called the task.
func taskFrames(frames []runtime.Frame) []runtime.Frame {
	for i, f := range frames[:min(len(frames), mostFrames)] {
		for _, folder := range callers {
			if rest, ok := strings.CutPrefix(f.Function, folder); ok && strings.IndexAny(rest, "./") == 0 {
				return frames[:i]
			}
		}
	}
	return frames[:min(len(frames), mostFrames)]
}

// callers are the packages whose functions call tasks, and those below them.
var callers = []string{
	reflect.TypeFor[sched.Facts]().PkgPath(),
	reflect.TypeFor[lab.Result]().PkgPath(),
	reflect.TypeFor[guard.PanicError]().PkgPath(),
}

// frameName names a function and its place, in the notebook or in a file.
func frameName(f runtime.Frame) string {
	if cell, ok := trace.CellOf(f.File, f.Line); ok {
		return fmt.Sprintf("%s (%s)", cell, f.Function)
	}
	return fmt.Sprintf("%s:%d (%s)", filepath.Base(f.File), f.Line, f.Function)
}
