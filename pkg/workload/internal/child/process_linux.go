package child

import "syscall"

// executable names this program's file. A notebook's kernel may have replaced
// it on disk by now; the link still leads to what runs.
func executable() (string, error) { return "/proc/self/exe", nil }

// endWithParent has the kernel kill the child when the parent is gone, also
// where the child hangs and does not see its standard input end.
func endWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
