package sieve

import (
	"syscall"
	"unsafe"
)

// unread returns how many bytes in a pipe nobody has read yet.
func unread(fd int) int {
	var n int32
	at := uintptr(unsafe.Pointer(&n))
	if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.TIOCINQ, at); failed != 0 {
		return 0
	}
	return int(n)
}
