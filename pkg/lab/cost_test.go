package lab

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestCostRespectsTheControl has the control use more CPU time than the other run of the same
// variant, by more or by less than the variant that is compared.
func TestCostRespectsTheControl(t *testing.T) {
	same := func(ms float64) []float64 { return slices.Repeat([]float64{ms}, 8) }
	for _, c := range []struct {
		control     float64 // ms, where the baseline takes 10 and the variant 11
		tasks       int     // of the variant, where the baseline has 7
		told        bool
		cost, floor float64
	}{
		{10, 7, true, 1e-3 / 7, 0},
		{10.5, 7, true, 1e-3 / 7, 0.5e-3 / 7},
		{10.5, 1000, true, 1e-6, 0.5e-6},
		{13, 7, false, 1e-3 / 7, 3e-3 / 7},
		{13, 1000, false, 1e-6, 3e-6},
		{7, 7, false, 1e-3 / 7, 3e-3 / 7}, // less than the other run is as far
	} {
		r := made(same(10), same(c.control), same(11))
		for i := range r.Trials {
			if r.Trials[i].Variant == "b" {
				r.Trials[i].Tasks = c.tasks
			}
		}
		got := r.Compare("b", 7)
		if math.Abs(got.Cost.Median-c.cost) > 1e-12 || math.Abs(got.CostFloor-c.floor) > 1e-12 {
			t.Errorf(
				"control of %v ms, %d tasks: cost %v and floor %v, want %v and %v",
				c.control,
				c.tasks,
				got.Cost.Median,
				got.CostFloor,
				c.cost,
				c.floor,
			)
		}
		if told := strings.Contains(got.String(), "more CPU time a task"); told != c.told {
			t.Errorf("control of %v ms, %d tasks: %s", c.control, c.tasks, got)
		}
	}
}
