package probe

import "sync"

// A Company tells those that measure in this process whether they were alone:
// figures are the whole process's. The zero Company is nobody.
type Company struct {
	mu          sync.Mutex
	here, begun int
}

// Enter notes that one more measures, until Leave of what it returns.
func (c *Company) Enter() *Guest {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.here++
	c.begun++
	return &Guest{company: c, order: c.begun, beside: c.here > 1}
}

// A Guest is one that measures in a [Company].
type Guest struct {
	company *Company
	order   int
	beside  bool // others, when it entered
}

// Beside reports whether others measured at any time from Enter until now.
func (g *Guest) Beside() bool {
	g.company.mu.Lock()
	defer g.company.mu.Unlock()
	return g.beside || g.company.begun != g.order
}

// Leave notes that it measures no more. It is called once.
func (g *Guest) Leave() {
	g.company.mu.Lock()
	defer g.company.mu.Unlock()
	g.company.here--
}
