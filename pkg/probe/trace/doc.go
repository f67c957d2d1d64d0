// Package trace takes an execution trace of a piece of work and reads it: what its
// goroutines did, how many did so at each moment, and where in the source they
// waited.
//
// [Start] begins a trace, [Tracer.Root] runs the work, and [Tracer.Stop] reads what
// was seen into a [Trace]. To follow an event through the reader: read.go goes
// through the events (golang.org/x/exp/trace), goroutine.go keeps what each goroutine
// is doing, state.go names that a [State], place.go finds the line of the source, and
// bins.go, tasks.go and finish.go add up. thread.go sets the threads' clocks (sampler.go)
// beside the trace, which tells what C code and system calls used of the CPUs.
package trace
