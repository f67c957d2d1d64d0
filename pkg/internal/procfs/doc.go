// Package procfs reads what Linux tells in files: of processes and the machine in /proc, of control
// groups in /sys/fs/cgroup. It knows their forms only; what the numbers mean is for its callers.
//
// A file that is not there or has another form is none: kernels and containers differ in what they
// show.
package procfs
