package fileserver

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// maxLatency is the longest latency: longer is a slip.
const maxLatency = time.Minute

// Files says what is served and how.
type Files struct {
	Dir     string        `json:"dir"`        // the folder; links that lead out of it are not followed
	Latency time.Duration `json:"latency_ns"` // how long each request waits before its answer, at most a minute
	// Whether the paths of trouble are there, see the package's documentation.
	Trouble bool `json:"trouble,omitempty"`
}

// Check returns what is wrong with the fields, or nil.
func (f Files) Check() error {
	if f.Latency < 0 || f.Latency > maxLatency {
		return fmt.Errorf("fileserver: latency %v: it must be 0 to %v", f.Latency, maxLatency)
	}
	info, err := os.Stat(f.Dir)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a folder")
	}
	if err != nil {
		return fmt.Errorf("fileserver: folder %q: %w", f.Dir, err)
	}
	return nil
}
