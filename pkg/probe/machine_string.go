package probe

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// String returns one line for a caption:
// "AMD EPYC, 2 CPUs, Debian GNU/Linux 12 (bookworm), go1.26.8, GDAL 3.6.2".
// GOMAXPROCS is in it where it is another number than that of the CPUs.
func (m Machine) String() string {
	cpus := m.Usable.describe(m.Logical)
	if m.GOMAXPROCS > 0 && m.GOMAXPROCS != m.Usable.Workers() {
		cpus += fmt.Sprintf(" with GOMAXPROCS %d", m.GOMAXPROCS)
	}
	parts := []string{m.CPU, cpus, m.OS, m.Go}
	for _, library := range slices.Sorted(maps.Keys(m.Versions)) {
		parts = append(parts, library+" "+m.Versions[library])
	}
	return strings.Join(parts, ", ")
}

// String returns "2 CPUs", or "0.5 CPUs (quota)" where something other than
// the machine's size is the bound.
func (s CPUSet) String() string { return s.describe(0) }

func (s CPUSet) describe(online int) string {
	unit := "CPUs"
	if s.Count == 1 {
		unit = "CPU"
	}
	count := strconv.FormatFloat(s.Count, 'g', 3, 64)
	switch {
	case s.Bound == "online":
		return count + " " + unit
	case online > 0:
		return fmt.Sprintf("%s of %d CPUs (%s)", count, online, s.Bound)
	default:
		return fmt.Sprintf("%s %s (%s)", count, unit, s.Bound)
	}
}
