package crawl

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"time"
)

const (
	// childVariable holds the parent's process id in the environment of a
	// site's process.
	childVariable = "OVERLAP_SITE_OF"
	greeting      = "overlap-site "
)

// A package's init runs before main and before the variables of package main,
// which in a notebook's cell can be whole experiments.
func init() {
	if parent, ok := os.LookupEnv(childVariable); ok {
		os.Exit(serveAsChild(parent, os.Stdin, os.Stdout, os.Stderr))
	}
}

// serveAsChild is what a process started by [Start] does: it reads a site from
// standard input, serves it, says where on standard output, and ends when
// standard input does or after [MaxLife]. It returns the exit status.
func serveAsChild(parent string, in io.Reader, out, complain io.Writer) int {
	// Never wait for input in a program that somebody started with this in its
	// environment by mistake.
	if parent != strconv.Itoa(os.Getppid()) {
		fmt.Fprintf(complain, "crawl: %s=%s is set, which is for a site's own process and its parent only; unset it\n", childVariable, parent)
		return 2
	}
	// An interrupt at a terminal reaches all processes of a group. The parent
	// decides what it means: it may still want to finish a page.
	signal.Ignore(os.Interrupt)
	end := time.NewTimer(MaxLife)
	defer end.Stop()

	input := bufio.NewReader(in)
	spec, err := input.ReadBytes('\n')
	if err != nil {
		return 0 // the parent has ended
	}
	var site Site
	if err := json.Unmarshal(spec, &site); err != nil {
		fmt.Fprintf(complain, "read the site: %v\n", err)
		return 1
	}
	server, err := Serve(context.Background(), site)
	if err != nil {
		fmt.Fprintln(complain, err)
		return 1
	}
	defer server.Close()
	fmt.Fprintf(out, "%s%s\n", greeting, server.URL())

	gone := make(chan struct{})
	go func() {
		io.Copy(io.Discard, input)
		close(gone)
	}()
	select {
	case <-gone:
	case <-end.C:
	case <-server.served:
		fmt.Fprintln(complain, server.failed)
		return 1
	}
	return 0
}
