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

var commands = map[string]func(l *lab, args []string) error{
	"open":      func(l *lab, _ []string) error { return l.open() },
	"setup":     func(l *lab, _ []string) error { return l.setup(false) },
	"check":     func(l *lab, _ []string) error { return l.checkSetup() },
	"run":       (*lab).runNotebooks,
	"latency":   (*lab).latency,
	"data":      (*lab).data,
	"export":    handingOver("./pkg/cmd/overlap-export"),
	"compare":   handingOver("./pkg/cmd/overlap-export", "--compare"),
	"site":      handingOver("./pkg/cmd/overlap-site"),
	"verdicts":  handingOver("./pkg/verdict/corpus/overlap-verdicts"),
	"peers":     (*lab).peers,
	"strangers": (*lab).strangers,
	"kotlin":    func(l *lab, _ []string) error { return l.kotlin() },
	"test":      (*lab).test,
}

// wrong says what is wrong with a command line, "" for nothing.
func wrong(name string, args []string) string {
	words := strings.Join(args, " ")
	switch name {
	case "open", "setup", "check":
		if len(args) > 0 {
			return fmt.Sprintf("%s takes no arguments, not %q", name, words)
		}
	case "run":
		if len(args) > 1 && slices.Contains(args[1:], "--update") {
			return "--update goes before the names"
		}
		if strings.HasPrefix(words, "-") && args[0] != "--update" {
			return "run does not know " + args[0]
		}
	case "data":
		if len(args) > 0 && words != "--full" {
			return fmt.Sprintf("data takes only --full, not %q", words)
		}
	case "export":
		if len(args) == 0 {
			return "export needs the name of a notebook or of a result"
		}
	case "compare":
		if len(args) != 2 {
			return "compare needs two results: JSON files, or names of stored ones"
		}
	default:
		if commands[name] == nil {
			return fmt.Sprintf("there is no command %q", name)
		}
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
	if wrong := wrong(name, args); wrong != "" {
		fmt.Fprintf(log, "lab: %s\n%s", wrong, usage)
		return 2
	}
	l, err := newLab(out, log)
	if err == nil {
		err = commands[name](l, args)
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
