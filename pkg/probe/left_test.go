package probe_test

import (
	"sync/atomic"
	"testing"

	"overlap/pkg/probe"
)

func TestLeft(t *testing.T) {
	if n := probe.Left(); n != 0 {
		t.Fatalf("%d tasks at the beginning", n)
	}
	var first, second atomic.Int64
	first.Store(2)
	second.Store(1)
	asked := 0
	probe.Leave(func() int { asked++; return int(first.Load()) })
	probe.Leave(func() int { return int(second.Load()) })
	if n := probe.Left(); n != 3 {
		t.Errorf("%d tasks run, want 3", n)
	}
	first.Store(0)
	if n := probe.Left(); n != 1 {
		t.Errorf("%d tasks run, want 1", n)
	}
	before := asked
	second.Store(0)
	if n := probe.Left(); n != 0 || asked != before {
		t.Errorf("%d tasks run, want 0; what had ended was asked %d times more", n, asked-before)
	}
}
