package sched_test

import (
	"math"
	"testing"

	"overlap/pkg/sched"
)

func TestCheckCount(t *testing.T) {
	for n, want := range map[int]string{
		0: "", 1: "", sched.MostTasks: "",
		-1:                  "-1 pages: their number must be 0 or more",
		math.MinInt:         "-9223372036854775808 pages: their number must be 0 or more",
		sched.MostTasks + 1: "10000001 pages: more than 10000000 are too many for the memory; give fewer, with more to do in each",
		math.MaxInt:         "9223372036854775807 pages: more than 10000000 are too many for the memory; give fewer, with more to do in each",
	} {
		switch err := sched.CheckCount(n, "pages"); {
		case want == "" && err != nil, want != "" && (err == nil || err.Error() != want):
			t.Errorf("%d: %v, want %q", n, err, want)
		}
	}
}
