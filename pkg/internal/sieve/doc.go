// Package sieve stands between what a notebook's cell prints and the kernel.
//
// What a cell prints by itself, or C code in it, would go straight to the kernel, as much as it is: a
// task that prints a line, run a million times, makes a notebook that no browser opens. And it would
// arrive before or after what is shown, as it happens. So a process of its own passes on what a reader
// can use, and says when all is through. A goroutine could not, since what a program prints right
// before it ends, or crashes, must not be lost.
//
// The contract: the kernel's specification names in $OVERLAP_SIEVE ([Variable]) a program that calls
// [Main] when its first argument is "sieve" ([Argument]): the lab's command. Package notebook starts it
// at the first call of one of its functions, with the kernel's stdout and stderr and the files from
// [Out] on, and prints to it from then. The program ends when nobody can print any more. Where the
// variable is not set everything is printed as it comes. As it is started by every cell, this package
// imports no more than Go's library.
package sieve

// How much of what a cell prints is passed on at most, of each of its streams: a notebook with more
// is slow to open and of no use to read.
const (
	MostLines = 1000
	MostBytes = 1 << 19
)

// How a cell finds the program, and what makes it a sieve.
const (
	Variable = "OVERLAP_SIEVE"
	Argument = "sieve"
)

// The files of the process beside its stdout and stderr, which are the kernel's: all are pipes.
const (
	Out      = 3 + iota // what is printed on stdout
	Err                 // and on stderr
	Overflow            // lines of text of which only the last are shown
	Ask                 // a byte for each question whether all is through
	Answer              // and for each answer
)
