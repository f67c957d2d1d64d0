// Package proc runs servers of the lab in processes of their own, so that
// serving does not use the CPU time that is measured.
//
// The process runs this program's own file again; a notebook's cell, a test and
// a command can all do so, without a compiler. A [Kind] says what it serves. Its
// package calls [Kind.Take] from init: in the process that [Kind.Start] started,
// that serves and never returns.
package proc
