package raster

import "syscall"

// thisProgram names this program's file. A notebook's kernel may have replaced it on disk by now;
// the link still leads to what runs.
func thisProgram() (string, error) { return "/proc/self/exe", nil }

// endWithParent has the system end a process with the thread that started it.
func endWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
