package lab_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"overlap/pkg/lab"
)

func TestEachRefuses(t *testing.T) {
	nothing := func(context.Context, int) error { return nil }
	for _, c := range []struct {
		w    lab.Workload
		size int
		want string
	}{
		{lab.Each("x", nothing), -1, "lab: x: -1 tasks: their number must be 0 or more"},
		{lab.Each("x", nothing), math.MaxInt, "tasks: more than 10000000 are too many for the memory"},
		{lab.Each("x", nil), 1, "lab: Each: the function is nil"},
	} {
		if _, _, err := c.w.Tasks(c.size); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("size %d: %v, want %s", c.size, err, c.want)
		}
	}
}
