// Command overlap is what scripts/lab, scripts/test and their neighbours start: it sets up all that
// a notebook needs, runs, checks and opens notebooks, and tests the repository.
//
//	scripts/lab help               tells of open, setup, check, run, export, compare, latency and data
//	scripts/lab site|verdicts …    serves the lab's web site; runs the corpus of package verdict
//	scripts/test, peers, kotlin, strangers    have scripts of their own
//
// It needs nothing but Go's standard library, neither modules nor a C compiler, because it has to
// say what is missing, and bring it. So what needs modules or GDAL is no part of it: it builds
// overlap-export, overlap-data, overlap-peers, overlap-site and overlap-verdicts when they are
// wanted, and what Jupyter must be asked is asked by the Python in scripts/lib.
//
// A new command gets a row in commands; a new step of the set-up a method of lab in a file of its
// own, called in setup and checkSetup; a new check of the repository a row in test.go.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"overlap/pkg/internal/sieve"
)

//go:embed usage.txt
var usage string

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// A command of the lab, and what is wrong with its arguments, "" for nothing.
type command struct {
	run   func(l *lab, args []string) error
	wrong func(args []string) string
}

var commands = map[string]command{
	"open":    {func(l *lab, _ []string) error { return l.open() }, none("open")},
	"setup":   {func(l *lab, _ []string) error { return l.setup(false) }, none("setup")},
	"check":   {func(l *lab, _ []string) error { return l.checkSetup() }, none("check")},
	"run":     {(*lab).runNotebooks, wrongRun},
	"latency": {(*lab).latency, nil},
	"data":    {(*lab).data, wrongData},
	"export":  {func(l *lab, args []string) error { return l.handOver("./pkg/cmd/overlap-export", args) }, wrongExport},
	"compare": {func(l *lab, args []string) error {
		return l.handOver("./pkg/cmd/overlap-export", append([]string{"--compare"}, args...))
	}, wrongCompare},
	"peers":     {(*lab).peers, nil},
	"site":      {func(l *lab, args []string) error { return l.handOver("./pkg/cmd/overlap-site", args) }, nil},
	"verdicts":  {func(l *lab, args []string) error { return l.handOver("./pkg/verdict/corpus/overlap-verdicts", args) }, nil},
	"kotlin":    {func(l *lab, _ []string) error { return l.kotlin() }, nil},
	"strangers": {(*lab).strangers, nil},
	"test":      {(*lab).test, nil},
}

func none(name string) func([]string) string {
	return func(args []string) string {
		if len(args) == 0 {
			return ""
		}
		return fmt.Sprintf("%s takes no arguments, not %q", name, strings.Join(args, " "))
	}
}

func wrongRun(args []string) string {
	if len(args) > 1 && slices.Contains(args[1:], "--update") {
		return "--update goes before the names"
	}
	if len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "--update" {
		return "run does not know " + args[0]
	}
	return ""
}

func wrongData(args []string) string {
	if words := strings.Join(args, " "); len(args) > 0 && words != "--full" {
		return fmt.Sprintf("data takes only --full, not %q", words)
	}
	return ""
}

func wrongExport(args []string) string {
	if len(args) == 0 {
		return "export needs the name of a notebook or of a result"
	}
	return ""
}

func wrongCompare(args []string) string {
	if len(args) != 2 {
		return "compare needs two results: JSON files, or names of stored ones"
	}
	return ""
}

func run(args []string, out, log io.Writer) int {
	name := "open"
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	switch name {
	case "starts": // asked by scripts/lib/start.sh
		return 0
	case sieve.Argument: // started by the cells of a notebook
		return sieve.Main()
	case "help", "-h", "--help":
		fmt.Fprint(out, usage)
		return 0
	}
	c, ok := commands[name]
	wrong := ""
	if !ok {
		wrong = fmt.Sprintf("there is no command %q", name)
	} else if c.wrong != nil {
		wrong = c.wrong(args)
	}
	if wrong != "" {
		fmt.Fprintf(log, "lab: %s\n%s", wrong, usage)
		return 2
	}
	l, err := newLab(out, log)
	if err == nil {
		err = c.run(l, args)
	}
	return status(err, log)
}

// status tells an error, and returns what the command ends with.
func status(err error, log io.Writer) int {
	var end exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &end):
		return int(end)
	}
	fmt.Fprintln(log, err)
	return 1
}
