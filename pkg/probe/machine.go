package probe

import "math"

// Machine says what a measurement ran on. It holds nothing that names a
// person, a host or a folder.
type Machine struct {
	CPU        string            `json:"cpu"`        // the processor's model, as the system names it
	Logical    int               `json:"logical"`    // CPUs that the system has online
	Usable     CPUSet            `json:"usable"`     // CPUs that this process may use
	GOMAXPROCS int               `json:"gomaxprocs"` // at the time of the measurement
	Memory     int64             `json:"memory_bytes"`
	OS         string            `json:"os"`     // such as "Debian GNU/Linux 12 (bookworm)"
	Kernel     string            `json:"kernel"` // such as "Linux 6.1.0-18-amd64"
	Arch       string            `json:"arch"`
	Go         string            `json:"go"`                 // such as "go1.26.8"
	Versions   map[string]string `json:"versions,omitempty"` // libraries whose version matters, such as "GDAL": "3.6.2"
}

// Workers returns how many workers keep all usable CPUs busy: the count rounded
// up, so 1 for half a CPU.
func (s CPUSet) Workers() int { return max(1, int(math.Ceil(s.Count))) }

// CPUSet is how many CPUs a process may use, and what says so.
type CPUSet struct {
	Count    float64 `json:"count"`    // the least of the bounds below; a quota can be a fraction
	Bound    string  `json:"bound"`    // "online", "affinity" or "quota"
	Affinity int     `json:"affinity"` // CPUs in the scheduling mask
	Quota    float64 `json:"quota"`    // cgroup CPU quota in CPUs, the smallest on the way to the root; 0 for none
}
