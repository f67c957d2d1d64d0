package lab

import (
	"testing"
	"time"
)

// What is left is neither what an earlier part measured nor what failed.
func TestLeft(t *testing.T) {
	short, long, failed := step{size: 1}, step{size: 2}, step{size: 3}
	all := []step{short, long, failed}
	x := &execution{
		plan:     &plan{Experiment: Experiment{Repeats: 4}},
		lastTime: map[step]time.Duration{short: time.Second, long: time.Minute, failed: time.Hour},
		failed:   map[step]bool{failed: true},
		have:     map[measured]bool{{long, 2}: true, {long, 3}: true, {short, 1}: true},
	}
	for _, test := range []struct {
		round int
		rest  []step
		want  time.Duration
	}{
		{0, all, 0}, // there is nothing to guess from
		{1, all, 2*time.Minute + 3*time.Second},
		{2, all, time.Minute + 3*time.Second},
		{2, all[1:], time.Minute + 2*time.Second},
		{4, all[1:], time.Minute},
	} {
		if got := x.left(test.round, test.rest, all); got != test.want {
			t.Errorf("round %d with %d steps to go: %v are left, want %v", test.round, len(test.rest), got, test.want)
		}
	}
}
