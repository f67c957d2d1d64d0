package notebook

import (
	"io"
	"os"
	"sync"

	"github.com/janpfeifer/gonb/gonbui"
)

// What a cell prints by itself, or C code in it, goes straight to the kernel, as
// much as it is: a task that prints a line, run a million times, makes a notebook
// that no browser opens. And it arrives before or after what Show shows, as it
// happens. So in a cell a process of its own stands between: it passes on what a
// reader can use, and says when all is through. A goroutine could not, since what
// a program prints right before it ends, or crashes, must not be lost.
//
// The process runs this program's own file again, and ends when nobody can print
// any more.

// printedVariable is set for that process to printedSieve, and for the program
// itself, and what it starts, to anything else.
const printedVariable, printedSieve = "OVERLAP_PRINTED", "sieve"

// printed is the process, nil where there is none.
var printed *printing

// A printing is what a program has of the process.
type printing struct {
	mu     sync.Mutex
	beyond io.Writer // takes lines of text of which only the last are shown
	ask    *os.File
	answer *os.File
}

// Before main, and before the variables of package main.
func init() {
	switch os.Getenv(printedVariable) {
	case printedSieve:
		sift()
		os.Exit(0)
	case "":
		if gonbui.IsNotebook {
			// Without it all is printed as it comes.
			printed = startSieve()
			_ = os.Setenv(printedVariable, "started")
		}
	}
}

// settle waits until what was printed before is on its way to the page.
func (p *printing) settle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ask == nil || p.exchange() == nil {
		return
	}
	p.ask = nil // it does not answer, and what it answers late is for an earlier question
}
