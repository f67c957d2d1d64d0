package probe

import "testing"

// TestCompany has measurements that follow one another, and some that overlap.
func TestCompany(t *testing.T) {
	var c Company
	check := func(g *Guest, want bool) {
		t.Helper()
		if got := g.Beside(); got != want {
			t.Errorf("it is beside others: %v", got)
		}
	}
	alone := c.Enter()
	check(alone, false)
	alone.Leave()

	first := c.Enter()
	check(first, false)
	second := c.Enter()
	check(first, true)
	check(second, true)
	first.Leave()
	check(second, true) // it was
	third := c.Enter()
	second.Leave()
	check(third, true)
	third.Leave()

	alone = c.Enter()
	check(alone, false)
	alone.Leave()
}
