//go:build !linux

package child

import (
	"os"
	"syscall"
)

func executable() (string, error) { return os.Executable() }

// endWithParent has no counterpart here: the child sees its standard input end.
func endWithParent() *syscall.SysProcAttr { return nil }
