package probe

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"overlap/pkg/internal/procfs"
)

func describe(m *Machine) {
	m.Logical = online()
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if model := cpuModel(string(text)); model != "" {
			m.CPU = model
		}
	}
	m.Memory, _ = procfs.Bytes("/proc/meminfo", "MemTotal")
	if text, err := os.ReadFile("/etc/os-release"); err == nil {
		if name, _ := procfs.Value(string(text), "PRETTY_NAME", "="); name != "" {
			m.OS = name
		}
	}
	var uts unix.Utsname
	if unix.Uname(&uts) == nil {
		m.Kernel = unix.ByteSliceToString(uts.Sysname[:]) + " " + unix.ByteSliceToString(uts.Release[:])
	}
}

// cpuModel finds the processor's name in /proc/cpuinfo: x86 has "model name",
// some ARM and RISC-V kernels "Model" or "uarch".
func cpuModel(cpuinfo string) string {
	for _, key := range []string{"model name", "Model", "uarch"} {
		if name, _ := procfs.Value(cpuinfo, key, ":"); name != "" {
			return name
		}
	}
	return ""
}

// online returns how many CPUs the machine has, whatever part of them the
// process may use; runtime.NumCPU counts the scheduling mask at start-up.
func online() int {
	text, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err == nil {
		if n := countRanges(strings.TrimSpace(string(text))); n > 0 {
			return n
		}
	}
	return runtime.NumCPU()
}

// countRanges counts the numbers in a kernel list such as "0-3,8,10-11", 0 for
// one that is not of that form.
func countRanges(list string) int {
	n := 0
	for r := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(r, "-")
		if !isRange {
			to = from
		}
		lo, err1 := strconv.Atoi(from)
		hi, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || hi < lo {
			return 0
		}
		n += hi - lo + 1
	}
	return n
}
