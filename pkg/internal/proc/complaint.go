package proc

import (
	"strings"
	"sync"
)

// A complaint keeps the start of what a process writes.
type complaint struct {
	mu   sync.Mutex
	kept []byte
}

func (c *complaint) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = append(c.kept, p[:min(len(p), 4096-len(c.kept))]...)
	return len(p), nil
}

// text returns what was written after a colon, or nothing.
func (c *complaint) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := strings.TrimSpace(string(c.kept))
	if text == "" {
		return ""
	}
	return ": " + text
}
