package notebook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// A place is where what the program shows is looked at.
type place int

const (
	nowhere     place = iota // a terminal, a log, or a notebook that is run headless
	unknownPage              // a notebook, but not in a page of a Jupyter server
	jupyterPage              // a page of the Jupyter server that started the kernel
)

// headlessVariable is set by what runs a notebook with nobody in front of it.
const headlessVariable = "OVERLAP_HEADLESS"

// front finds out where the program is looked at. It asks no page: what a page would be asked with
// stays in the notebook where there is none.
func front() place {
	if !gonbui.IsNotebook || os.Getenv(headlessVariable) != "" {
		return nowhere
	}
	// jupyter_client names the process that started the kernel; a server leaves a file of its own for
	// it, nbconvert and the like do not.
	parent := os.Getenv("JPY_PARENT_PID")
	if parent == "" || os.Getenv(protocol.GONB_JUPYTER_KERNEL_ID_ENV) == "" {
		return unknownPage
	}
	for _, dir := range runtimeDirs() {
		for _, server := range []string{"nbserver", "jpserver"} {
			if _, err := os.Stat(filepath.Join(dir, server+"-"+parent+".json")); err == nil {
				return jupyterPage
			}
		}
	}
	return nowhere
}

// runtimeDirs returns the folders in which Jupyter servers may leave their files.
func runtimeDirs() (dirs []string) {
	if d := os.Getenv("JUPYTER_RUNTIME_DIR"); d != "" {
		return []string{d}
	}
	if d := os.Getenv("JUPYTER_DATA_DIR"); d != "" {
		return []string{filepath.Join(d, "runtime")}
	}
	if d := os.Getenv("XDG_DATA_HOME"); d != "" {
		dirs = append(dirs, filepath.Join(d, "jupyter", "runtime"))
	}
	if home, err := os.UserHomeDir(); err == nil && runtime.GOOS == "darwin" {
		dirs = append(dirs, filepath.Join(home, "Library", "Jupyter", "runtime"))
	} else if err == nil {
		dirs = append(dirs, filepath.Join(home, ".local", "share", "jupyter", "runtime"))
	}
	return dirs
}

// listen begins to take what a page sends to an address. It is never ended: the program is, soon after;
// and gonbui deadlocks where something still comes for an address that nobody listens to any more.
func listen(address string, events *events) {
	comms.Subscribe(address, func(_ string, message string) { events.deliver(message) })
}

// An event says where all controls are. Seq grows with each of them, also from one loading of a page
// to the next.
type event struct {
	Seq  int64 `json:"seq"`
	At   []int `json:"at"`
	Done bool  `json:"done"`
}

// Events are what a page has sent, as far as it matters: the newest. They can come late and in any
// order; one that is older than one that was there is dropped.
type events struct {
	newest chan event // holds one that nobody has seen yet

	mu   sync.Mutex
	last int64 // its Seq
}

func (s *events) put(e event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Seq <= s.last {
		return
	}
	s.last = e.Seq
	select {
	case <-s.newest:
	default:
	}
	s.newest <- e
}

// deliver puts what a page sent, if it is an event.
func (s *events) deliver(message string) {
	var e event
	if json.Unmarshal([]byte(message), &e) == nil {
		s.put(e)
	}
}
