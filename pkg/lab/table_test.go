package lab

import (
	"strings"
	"testing"
)

func TestUnitIsSingularForOne(t *testing.T) {
	r := timed("CPU", map[string][]float64{"a": {1, 1.1, 1.2, 1.1, 1, 1.1}, "b": {1, 1, 1, 1, 1, 1}})
	r.Unit, r.Sizes, r.Specs = "rasters", []int{1}, nil
	for i := range r.Trials {
		r.Trials[i].Size = 1
	}
	r.Trials = append(r.Trials, Trial{Variant: "a", Size: 1, Round: 1, Control: true, Usage: r.Trials[0].Usage})
	x, err := CompareAcross(r, r, "A", "B")
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{r.Table().String(), r.Workers(1).String(), Which(r).String(), x.Table().String()}
	for _, w := range r.Warnings() {
		texts = append(texts, w.Text)
	}
	for _, text := range texts {
		if strings.Contains(text, "1 rasters") {
			t.Errorf("%q", text)
		}
	}
	for _, text := range texts[:4] {
		if !strings.Contains(text, "1 raster") {
			t.Errorf("nothing says how many: %q", text)
		}
	}
}
