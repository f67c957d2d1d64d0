package probe

import (
	"maps"
	"runtime"
)

// Describe returns what this process runs on. versions are libraries whose
// version matters to a measurement; it may be nil.
func Describe(versions map[string]string) Machine {
	m := Machine{
		CPU:        "unknown CPU",
		Logical:    runtime.NumCPU(),
		Usable:     CPUs(),
		GOMAXPROCS: runtime.GOMAXPROCS(0),
		OS:         runtime.GOOS,
		Kernel:     runtime.GOOS,
		Arch:       runtime.GOARCH,
		Go:         runtime.Version(),
		Versions:   maps.Clone(versions),
	}
	describe(&m)
	return m
}
