package notebook

import (
	"os"
	"path/filepath"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// GoNB runs the cells that wait for one also after that one failed or was interrupted, where other
// kernels drop them. So a program that was asked to stop leaves a mark in the kernel's folder, and one
// that GoNB takes up at once after it was waiting, and does not run.

// queueMark is the name of the mark.
const queueMark = "overlap-stopped"

// atOnce is how long GoNB may take to write down the code of a cell that it takes up. Somebody who
// reads what the interrupted cell says needs longer to start the next one.
const atOnce = time.Second

// markStopped leaves the mark.
func markStopped() {
	if dir := kernelDir(); dir != "" {
		// Without it what waits is run, which is what happens in other cells.
		_ = os.WriteFile(filepath.Join(dir, queueMark), nil, 0o600)
	}
}

// wasQueued reports whether the program is a cell that waited for one that was stopped. The code of a
// cell is written after the mark, if there is one.
func wasQueued(dir string) bool {
	mark, err := os.Stat(filepath.Join(dir, queueMark))
	if err != nil {
		return false
	}
	code, err := os.Stat(filepath.Join(dir, "main.go"))
	if err != nil {
		return false
	}
	after := code.ModTime().Sub(mark.ModTime())
	return after >= 0 && after < atOnce
}

// kernelDir is the folder in which GoNB builds the cells, "" where there is nobody who could have
// stopped one.
func kernelDir() string {
	if !gonbui.IsNotebook || os.Getenv(headlessVariable) != "" {
		return ""
	}
	return os.Getenv(protocol.GONB_TMP_DIR_ENV)
}

// endIfQueued ends the program if it waited for a cell that was stopped.
func endIfQueued() {
	if dir := kernelDir(); dir != "" && wasQueued(dir) {
		_ = cell{}.show(noteBlock("Not run: it waited for a cell that was stopped."))
		exit(errStopped)
	}
}
