package proc

import (
	"fmt"
	"os"
	"time"
)

// MaxLife is how long a process lives at most. After that it ends by itself,
// whatever its parent does.
const MaxLife = 10 * time.Minute

// A Kind is a kind of server.
type Kind struct {
	Package  string // prefix of errors, such as "crawl"
	What     string // what is served, in words: "site"
	Variable string // of the environment; holds the parent's process id in the server's process

	// Serve serves what spec says, a line of JSON without its end, in this
	// process.
	Serve func(spec []byte) (Server, error)
}

// A Server is what serves.
type Server interface {
	URL() string           // where, in one line
	Done() <-chan struct{} // closed when it serves no more
	Close() error          // ends it; why it had failed, if it had
}

// Take serves and exits where this process was started by [Kind.Start] of the
// same kind, and else does nothing. It is for a package's init, which runs before
// main and before the variables of package main, which in a notebook's cell can
// be whole experiments.
func (k Kind) Take() {
	if parent, ok := os.LookupEnv(k.Variable); ok {
		os.Exit(k.serve(parent, os.Stdin, os.Stdout, os.Stderr))
	}
}

// greeting is what comes before the address on standard output.
func (k Kind) greeting() string { return fmt.Sprintf("overlap-%s ", k.What) }

func (k Kind) failed(err error) error {
	return fmt.Errorf("%s: start the %s: %w", k.Package, k.What, err)
}
