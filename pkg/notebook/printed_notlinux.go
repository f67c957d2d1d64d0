//go:build unix && !linux

package notebook

import "os"

// thisProgram names this program's file.
func thisProgram() (string, error) { return os.Executable() }

// notRead is not known here.
func notRead(int) int { return 0 }
