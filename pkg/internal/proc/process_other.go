//go:build !linux

package proc

import "syscall"

// EndWithParent has no counterpart here: the child sees its standard input end.
func EndWithParent() *syscall.SysProcAttr { return nil }

func inOwnGroup() *syscall.SysProcAttr { return nil }
