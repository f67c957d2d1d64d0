package notebook

import "golang.org/x/sys/unix"

// notRead returns how many bytes in a pipe nobody has read yet.
func notRead(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}
