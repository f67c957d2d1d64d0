//go:build !unix

package probe

func (c *counters) readProcess() { c.missing = append(c.missing, CPUTime) }
