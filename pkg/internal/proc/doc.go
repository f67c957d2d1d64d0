// Package proc runs what must not share a process with what is measured, or may crash: servers, and
// mistakes.
//
// The process is one of the lab's own commands, built from the sources as they are now: half a second
// where nothing has changed. [Command] builds one, [Kind.Start] has overlap-site serve. What is served
// is told as a line of JSON on standard input; the first line on standard output is the address; and
// the process ends with its standard input.
package proc
