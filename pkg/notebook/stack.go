package notebook

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"overlap/pkg/lab"
	"overlap/pkg/probe/trace"
	"overlap/pkg/sched"
)

// How much of stacks a cell shows: the first panic is mostly the cause of the
// others, and the cause of it near the top.
const (
	mostStacks = 3
	mostFrames = 8
)

// withStacks returns an error's text with a line for every function that a panic
// in it came through, from where it panicked to where the scheduler called the
// task. Errors that were joined have each its own lines.
func withStacks(err error) string {
	var shown []string
	var words func(err error) string
	words = func(err error) string {
		if reflect.TypeOf(err) == joined {
			var lines []string
			for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
				lines = append(lines, words(err))
			}
			return strings.Join(lines, "\n")
		}
		text := fmt.Sprint(err) // survives a method of it that panics
		for _, stack := range stacksOf(err, text) {
			frames := "\n\t" + strings.Join(framesOf(stack), "\n\t")
			if len(shown) == mostStacks || len(frames) < 3 || slices.Contains(shown, frames) {
				continue
			}
			shown = append(shown, frames)
			text += frames
		}
		return text
	}
	return words(err)
}

// stacksOf returns the stacks of the panics in an error whose text does not hold
// them.
func stacksOf(err error, text string) (stacks []string) {
	var walk func(err error)
	walk = func(err error) {
		switch e := err.(type) {
		case nil:
			return
		case *sched.PanicError:
			if !strings.Contains(text, string(e.Stack)) {
				stacks = append(stacks, string(e.Stack))
			}
		case lab.Failure:
			stacks = append(stacks, e.Stack)
		}
		if many, ok := err.(interface{ Unwrap() []error }); ok {
			for _, err := range many.Unwrap() {
				walk(err)
			}
			return
		}
		walk(errors.Unwrap(err))
	}
	walk(err)
	return stacks
}

// framesOf returns the functions of a stack between the panic and the scheduler,
// the innermost first, each with its place in the notebook or in a file.
func framesOf(stack string) (frames []string) {
	lines := strings.Split(stack, "\n")
	// The last in the stack is the first that happened: the others came while it
	// unwound.
	for i, line := range lines {
		if strings.HasPrefix(line, "panic(") {
			frames = frames[:0]
			lines := lines[min(i+2, len(lines)):]
			for len(lines) > 1 && len(frames) < mostFrames {
				function := lines[0]
				if strings.HasPrefix(function, "created by ") || strings.HasPrefix(function, "overlap/pkg/sched.") || strings.HasPrefix(function, "overlap/pkg/lab.") {
					break
				}
				if !strings.HasPrefix(function, "runtime.") {
					frames = append(frames, frame(function, lines[1]))
				}
				lines = lines[2:]
			}
		}
	}
	return frames
}

// frame words a function and the line below it in a stack:
// "main.work(0x1, {0x2, 0x3})" and "	/tmp/x/main.go:12 +0x45".
func frame(function, place string) string {
	if i := strings.LastIndexByte(function, '('); i > 0 {
		function = function[:i]
	}
	// The path itself can hold spaces and colons.
	place = strings.TrimSpace(place)
	if i := strings.LastIndex(place, " +0x"); i > 0 {
		place = place[:i]
	}
	file, number := place, ""
	if i := strings.LastIndexByte(place, ':'); i > 0 {
		file, number = place[:i], place[i+1:]
	}
	line, err := strconv.Atoi(number)
	if cell, ok := trace.CellOf(file, line); ok && err == nil {
		return fmt.Sprintf("in %s (%s)", cell, function)
	}
	return fmt.Sprintf("in %s:%s (%s)", filepath.Base(file), number, function)
}
