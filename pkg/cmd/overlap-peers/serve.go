package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"

	"overlap/pkg/probe"
)

// A reader reads the files in one way.
type reader interface {
	// read reads them. It keeps what the way is to leave behind.
	read(ctx context.Context) error
	// answer says what was read and lets go of it. Where read kept nothing it reads once more, in
	// the same way.
	answer(ctx context.Context) (answer, error)
}

// A message is a line that a process of a way says.
type message struct {
	Ready    bool              `json:"ready,omitempty"`
	Versions map[string]string `json:"versions,omitempty"`
	Missing  string            `json:"missing,omitempty"` // what is not installed here
	Error    string            `json:"error,omitempty"`
	Usage    *probe.Usage      `json:"usage,omitempty"`
	Answer   *answer           `json:"answer,omitempty"`
}

// serve is the process of one way: the lines "read" and "answer" come in, and messages go out.
// scripts/lib/peers.py is the same for Python.
func serve(ctx context.Context, name string, files []string, in io.Reader, out io.Writer) int {
	encoder := json.NewEncoder(out)
	fail := func(err error) int {
		encoder.Encode(message{Error: err.Error()})
		return 1
	}
	r, missing, err := newReader(name, files)
	if err != nil {
		return fail(err)
	}
	if missing != "" {
		encoder.Encode(message{Missing: missing})
		return 0
	}
	encoder.Encode(message{Ready: true})
	for lines := bufio.NewScanner(in); lines.Scan(); {
		switch lines.Text() {
		case "read":
			debug.FreeOSMemory()
			usage, err := measured(ctx, r)
			if err != nil {
				return fail(err)
			}
			encoder.Encode(message{Usage: &usage})
		case "answer":
			a, err := r.answer(ctx)
			if err != nil {
				return fail(err)
			}
			encoder.Encode(message{Answer: &a})
		default:
			return fail(fmt.Errorf("overlap-peers: a way is told to %q", lines.Text()))
		}
	}
	return 0
}

// measured reads once. A reader whose work is in a process of its own says what that took.
func measured(ctx context.Context, r reader) (probe.Usage, error) {
	if t, ok := r.(*translateReader); ok {
		return t.measure(ctx)
	}
	meter := probe.Start()
	err := r.read(ctx)
	return meter.Stop(), err
}

// newReader returns the reader of a name, or what is missing for it.
func newReader(name string, files []string) (r reader, missing string, err error) {
	if name == "translate" {
		return newTranslate(files)
	}
	if r, missing, err = newCeiling(name, files); r != nil || missing != "" || err != nil {
		return r, missing, err
	}
	if r = newOurs(name, files); r == nil {
		r = newGodal(name, files)
	}
	if r == nil {
		err = fmt.Errorf("overlap-peers: there is no way %q", name)
	}
	return r, "", err
}
