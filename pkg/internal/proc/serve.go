package proc

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"time"
)

// serve is what a process started by [Kind.Start] does: it reads a line from
// standard input, serves what it says, says where on standard output, and ends
// when standard input does or after [MaxLife]. It returns the exit status.
func (k Kind) serve(parent string, in io.Reader, out, complain io.Writer) int {
	// Never wait for input in a program that somebody started with this in its
	// environment by mistake.
	if parent != strconv.Itoa(os.Getppid()) {
		fmt.Fprintf(complain, "%s: %s=%s is set, which is for a %s's own process and its parent only; unset it\n", k.Package, k.Variable, parent, k.What)
		return 2
	}
	// An interrupt at a terminal reaches all processes of a group. The parent
	// decides what it means: it may still want to finish what it fetches.
	signal.Ignore(os.Interrupt)
	end := time.NewTimer(MaxLife)
	defer end.Stop()

	input := bufio.NewReader(in)
	spec, err := input.ReadBytes('\n')
	if err != nil {
		return 0 // the parent has ended
	}
	server, err := k.Serve(spec[:len(spec)-1])
	if err != nil {
		fmt.Fprintln(complain, err)
		return 1
	}
	fmt.Fprintf(out, "%s%s\n", k.greeting(), server.URL())

	gone := make(chan struct{})
	go func() {
		io.Copy(io.Discard, input)
		close(gone)
	}()
	select {
	case <-gone:
	case <-end.C:
	case <-server.Done():
	}
	if err := server.Close(); err != nil {
		fmt.Fprintln(complain, err)
		return 1
	}
	return 0
}
