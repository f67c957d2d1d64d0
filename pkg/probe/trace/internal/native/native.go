//go:build cgo

// Package native calls C code that computes or waits, to test what a trace
// says of it.
package native

/*
#include <time.h>
#include <unistd.h>

// compute uses a CPU until the thread has used it for so many microseconds.
static void compute(long us) {
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	long long end = t.tv_sec * 1000000000LL + t.tv_nsec + us * 1000LL;
	do {
		for (volatile int i = 0; i < 1000; i++) {}
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000000000LL + t.tv_nsec < end);
}

static void wait_us(long us) { usleep(us); }
*/
import "C"

import "time"

// Available reports whether there is C code.
const Available = true

// Compute uses so much CPU time in C.
func Compute(d time.Duration) { C.compute(C.long(d.Microseconds())) }

// Wait sleeps in C for less than a second.
func Wait(d time.Duration) { C.wait_us(C.long(d.Microseconds())) }
