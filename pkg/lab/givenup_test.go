package lab

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A run that was given up removes what it stored meanwhile, and nothing that an earlier one stored.
func TestForget(t *testing.T) {
	for name, test := range map[string]struct {
		stored, resumed bool
		stays           bool
	}{
		"stored by this run":   {true, false, false},
		"by an earlier one":    {false, false, true},
		"goes on from another": {true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r := timed("CPU", map[string][]float64{"a": {1}})
			r.Interrupted = true
			if test.resumed {
				r.Resumed = []time.Time{time.Now()}
			}
			if _, err := r.Save(dir); err != nil {
				t.Fatal(err)
			}
			x := &execution{plan: &plan{Experiment: Experiment{Dir: dir}}, result: r, stored: test.stored}
			x.forget()
			if _, err := os.Stat(filepath.Join(dir, r.Base()+".json")); (err == nil) != test.stays {
				t.Errorf("%v", err)
			}
		})
	}
}
