package chart

import (
	"fmt"
	"strings"
	"testing"

	"overlap/pkg/lab"
)

// pools returns a result of one work on pools of the widths, with throughputs
// by the Universal Scalability Law.
func pools(widths []int, sigma, kappa float64) *lab.Result {
	var names []string
	for _, n := range widths {
		names = append(names, fmt.Sprintf("pool(%d)", n))
	}
	r := synthetic("Crawl", "pages", []int{100}, 10, names, func(v, _ int) float64 {
		n := float64(widths[v])
		return 10 * (1 + sigma*(n-1) + kappa*n*(n-1)) / n
	})
	r.Specs = nil
	for _, name := range names {
		r.Specs = append(r.Specs, lab.Spec{Kind: "crawl", Scheduler: name, Facts: called(name)})
	}
	return r
}

func TestScaling(t *testing.T) {
	for _, c := range []struct {
		name   string
		widths []int
		want   []string // in the text alternative
	}{
		{"past the bend", []int{1, 2, 4, 8, 16, 32, 64}, []string{"with 64 workers", "Contention 0.0", "most throughput at a width of about"}},
		{"too few widths", []int{1, 2, 4}, []string{"No law is fitted: 3 different widths"}},
		{"wider baseline", []int{2, 4, 8, 16, 64}, []string{"1.00× with 2 workers"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := pools(c.widths, 0.05, 0.001)
			for _, size := range []Size{Page, Slide, Card} {
				f := Scaling(r, 100).In(Light, size)
				if err := f.Err(); err != nil {
					t.Fatal(err)
				}
				keepsApart(t, f)
				for _, want := range c.want {
					if !strings.Contains(f.Alt(), want) {
						t.Errorf("the text alternative lacks %q: %s", want, f.Alt())
					}
				}
			}
		})
	}
	for name, r := range map[string]*lab.Result{"none": nil, "no pools": primesLike(6), "one pool": pools([]int{4}, 0, 0)} {
		if err := Scaling(r, 100).Err(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A pool of another work is no point of the curve, whichever comes first.
func TestScalingIsOfOneWork(t *testing.T) {
	r := pools([]int{1, 2, 4, 8, 16, 32, 64}, 0.05, 0.001)
	for i := range r.Variants {
		if n := r.Variants[i]; n == "pool(4)" || n == "pool(64)" {
			r.Specs[i].Params = map[string]string{"depth": "9"}
		}
	}
	f := Scaling(r, 100)
	if err := f.Err(); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"with 4 workers", "with 64 workers"} {
		if strings.Contains(f.Alt(), other) {
			t.Errorf("a point %s: %s", other, f.Alt())
		}
	}
	if !strings.Contains(f.Alt(), "with 32 workers") {
		t.Errorf("the work's own points are not there: %s", f.Alt())
	}
}

// Where workers compute and the CPUs are used up, nothing is blamed on
// contention.
func TestScalingBlamesTheCPUs(t *testing.T) {
	widths := []int{1, 2, 4, 8, 16}
	r := pools(widths, 0.3, 0)
	for i := range r.Trials {
		t := &r.Trials[i]
		n, _ := strings.CutPrefix(t.Variant, "pool(")
		t.User = t.Wall * 19 / 10
		if n == "1)" {
			t.User = t.Wall
		}
	}
	f := Scaling(r, 100)
	if err := f.Err(); err != nil {
		t.Fatal(err)
	}
	if c := f.Caption(); !strings.Contains(c, "the CPUs are the limit, not contention") || strings.Contains(c, "Universal Scalability Law") {
		t.Errorf("the caption: %s", c)
	}
	// The same times without the CPUs used up are the law's.
	if c := Scaling(pools(widths, 0.3, 0), 100).Caption(); !strings.Contains(c, "Contention 0.") {
		t.Errorf("the caption of waiting work: %s", c)
	}
}
