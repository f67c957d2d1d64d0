//go:build !linux

package raster

import (
	"os"
	"syscall"
)

func thisProgram() (string, error) { return os.Executable() }

func endWithParent() *syscall.SysProcAttr { return nil }
