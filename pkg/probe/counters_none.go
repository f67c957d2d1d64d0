//go:build !unix

package probe

func readCounters() counters {
	c := counters{missing: []string{"CPU time"}}
	c.readSystem()
	return c
}
