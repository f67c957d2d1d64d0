package trace

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/exp/trace"
)

// standard are the first elements of the standard library's package paths. A
// function's file would not tell with -trimpath, and a path without a dot in
// its first element can also be a module's of somebody's own.
var standard = func() map[string]bool {
	names := strings.Fields(`archive bufio bytes cmp compress container context crypto database debug embed
		encoding errors expvar flag fmt go hash html image index internal io iter log maps math mime net os path
		plugin reflect regexp runtime simd slices sort strconv strings structs sync syscall testing text time
		unicode unique unsafe vendor weak`)
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}()

// packageOf returns the package path in a function's name, such as
// "net/http.(*Client).Do" or "main.main.func1".
func packageOf(function string) string {
	base, _, _ := strings.Cut(function, "[") // a type parameter's may have slashes
	slash := strings.LastIndexByte(base, '/') + 1
	if dot := strings.IndexByte(base[slash:], '.'); dot >= 0 {
		return base[:slash+dot]
	}
	return base
}

func isStandard(function string) bool {
	first, _, _ := strings.Cut(packageOf(function), "/")
	return standard[first]
}

// A rank says how well a frame serves as the place of a wait.
type rank int

const (
	rankRuntime rank = iota // the runtime, or made by cgo
	rankStandard
	rankLibrary // other people's modules, and packages of this one that call the work
	rankUser
)

// callers are packages of this module that call other people's functions: a
// line of theirs is no news.
var callers = map[string]bool{
	"overlap/pkg/internal/guard":           true,
	"overlap/pkg/lab":                      true,
	"overlap/pkg/probe/trace":              true,
	"overlap/pkg/verdict":                  true,
	"overlap/pkg/sched":                    true,
	"overlap/pkg/sched/kotlin":             true,
	"overlap/pkg/sched/internal/engine":    true,
	"overlap/pkg/sched/internal/osthreads": true,
}

func rankOf(f trace.StackFrame) rank {
	path := packageOf(f.Func)
	switch {
	case path == "runtime", strings.HasPrefix(path, "runtime/internal/"), path == "internal/runtime/syscall",
		strings.Contains(f.Func, "._Cfunc_"),
		strings.HasSuffix(f.File, "_cgo_gotypes.go"):
		return rankRuntime
	case isStandard(f.Func):
		return rankStandard
	case strings.HasSuffix(f.File, "_test.go"):
		return rankUser
	case callers[path], strings.Contains(f.File, "@v"): // the module cache's folders bear versions
		return rankLibrary
	}
	return rankUser
}

// place finds the line of a wait: the innermost of the user's own, else of a
// library's, else of the standard library's.
func place(reason string, frames []trace.StackFrame) (p Place, path string) {
	best, at := rankRuntime, -1
	for i, f := range frames {
		if r := rankOf(f); r > best {
			best, at = r, i
		}
	}
	p.What = what(reason, frames)
	if at < 0 {
		if len(frames) == 0 {
			return p, ""
		}
		at = 0
	}
	f := frames[at]
	p.Func, p.File, p.Line = f.Func, filepath.Base(f.File), int(f.Line)
	if at > 0 && frames[at-1].Func != p.What && rankOf(frames[at-1]) > rankRuntime {
		p.Via = frames[at-1].Func
	}
	return p, f.File
}

// awaits reports whether a wait at the channel there can be for a result:
// not one to hand something over, or for a semaphore's turn.
func (p Place) awaits() bool {
	return !strings.Contains(p.What, "send") && !strings.Contains(p.Func, "/semaphore.") &&
		!strings.Contains(p.Via, "/semaphore.")
}

// getConn is where a client of net/http waits for a connection, free or new,
// before it can ask anything: that says more of a wait than what the user
// called, in which the answer is waited for, too.
const getConn = "net/http.(*Transport).getConn"

// what is the standard library's function in which a goroutine waits, as the
// code outside of it called it, getConn, a function in C, or the reason
// that the runtime gives.
func what(reason string, frames []trace.StackFrame) string {
	name := reason
	for _, f := range frames {
		if _, c, isC := strings.Cut(f.Func, "._Cfunc_"); isC {
			return "C." + c
		}
		switch rankOf(f) {
		case rankRuntime:
		case rankStandard:
			if name != getConn {
				name = f.Func
			}
		default:
			return name
		}
	}
	return name
}

// sources reads lines of source files.
type sources map[string][]string

// maxSource is the size of a file that is read for its lines.
const maxSource = 4 << 20

// maxCode is how many letters of a line are kept.
const maxCode = 120

func (s sources) line(path string, line int) string {
	lines, known := s[path]
	if !known {
		lines = readLines(path)
		s[path] = lines
	}
	if line < 1 || line > len(lines) {
		return ""
	}
	text := []rune(strings.TrimSpace(lines[line-1]))
	if len(text) > maxCode {
		text = append(text[:maxCode-1], '…')
	}
	return string(text)
}

func readLines(path string) (lines []string) {
	if !filepath.IsAbs(path) { // -trimpath
		return nil
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, maxSource)
	for scan.Scan() {
		lines = append(lines, scan.Text())
	}
	return lines
}
