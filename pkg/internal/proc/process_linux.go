package proc

import "syscall"

// EndWithParent has the kernel kill a child when the thread that started it is gone, also where the
// child hangs and does not see its standard input end.
func EndWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// inOwnGroup keeps a terminal's or a kernel's interrupt from a child: it is for the parent to handle.
func inOwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
