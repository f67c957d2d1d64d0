package lab

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/sched"
	"overlap/pkg/workload/primes"
)

var record = flag.Bool("record", false, "measure the times in testdata/aa.csv anew")

const (
	aaExperiments = 40
	aaRepeats     = 10
)

var aaFile = filepath.Join("testdata", "aa.csv")

// loop is a plain sequential scheduler under any name.
type loop string

func (l loop) Name() string { return string(l) }

func (loop) Run(ctx context.Context, tasks []sched.Task) error {
	for _, task := range tasks {
		if err := task(ctx); err != nil {
			return err
		}
	}
	return nil
}

// TestRecordAA measures identical code under two names, 40 experiments of 10 rounds, and stores the
// times in the order in which they were taken. It runs only on demand.
func TestRecordAA(t *testing.T) {
	if !*record {
		t.Skip("times are recorded; -record measures them anew")
	}
	f, err := os.Create(aaFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprintln(f, "experiment,variant,control,round,order,wall_ns")
	for i := range aaExperiments {
		r, err := Experiment{
			Name: "A/A", Workload: primes.Repeats{Limit: 10_000}, Schedulers: []sched.Scheduler{loop("A"), loop("B")},
			Sizes: []int{20}, Repeats: aaRepeats, Dir: t.TempDir(),
		}.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, trial := range r.Trials {
			if trial.Round > 0 {
				fmt.Fprintf(f, "%d,%s,%v,%d,%d,%d\n", i, trial.Variant, trial.Control, trial.Round, trial.Order, trial.Wall)
			}
		}
	}
}

// TestIdenticalCodeIsNotCalledDifferent adds a drift to recorded times of identical code and counts
// how often Compare claims a difference: at most 5 % of the time.
func TestIdenticalCodeIsNotCalledDifferent(t *testing.T) {
	results := loadAA(t)
	if len(results) != aaExperiments {
		t.Fatalf("%d recorded experiments, want %d", len(results), aaExperiments)
	}
	for _, drift := range []struct {
		name   string
		factor func(order int) float64
	}{
		{"none", func(int) float64 { return 1 }},
		{"slower by 1 % a trial", func(order int) float64 { return 1 + 0.01*float64(order) }},
		{"faster by 1 % a trial", func(order int) float64 { return 1 - 0.01*float64(order) }},
		{"a jump of 50 % in the middle", func(order int) float64 { return 1 + 0.5*float64(order/18%2) }},
	} {
		t.Run(drift.name, func(t *testing.T) {
			called := 0
			for _, r := range results {
				drifted := *r
				drifted.Trials = nil
				for _, trial := range r.Trials {
					trial.Wall = time.Duration(float64(trial.Wall) * drift.factor(trial.Order))
					drifted.Trials = append(drifted.Trials, trial)
				}
				c := drifted.Compare("B", 20)
				if c.Speedup.N != aaRepeats {
					t.Fatalf("%d ratios, want %d", c.Speedup.N, aaRepeats)
				}
				if c.Difference != NoneShown {
					called++
					t.Log(c)
				}
			}
			if most := aaExperiments / 20; called > most {
				t.Errorf("identical code was called different %d times in %d, at most %d are allowed", called, aaExperiments, most)
			}
		})
	}
}

// TestDifferentCodeIsCalledDifferent is the other side: the same times with B made slower by 20 %
// are told apart nearly always.
func TestDifferentCodeIsCalledDifferent(t *testing.T) {
	called := 0
	results := loadAA(t)
	for _, r := range results {
		slower := *r
		slower.Trials = nil
		for _, trial := range r.Trials {
			if trial.Variant == "B" {
				trial.Wall = trial.Wall * 12 / 10
			}
			slower.Trials = append(slower.Trials, trial)
		}
		switch slower.Compare("B", 20).Difference {
		case Slower:
			called++
		case Faster:
			t.Error("slower code was called faster")
		}
	}
	if called < len(results)*8/10 {
		t.Errorf("a difference of 20 %% was seen %d times in %d", called, len(results))
	}
}

func loadAA(t *testing.T) []*Result {
	t.Helper()
	f, err := os.Open(aaFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var results []*Result
	for _, row := range rows[1:] {
		number := func(i int) int {
			n, err := strconv.Atoi(row[i])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if i := number(0); i == len(results) {
			results = append(
				results,
				&Result{Name: "A/A", Variants: []string{"A", "B"}, Baseline: "A", Sizes: []int{20}, Repeats: aaRepeats},
			)
		}
		r := results[number(0)]
		r.Trials = append(r.Trials, Trial{
			Variant: row[1], Control: row[2] == "true", Size: 20, Round: number(3), Order: number(4),
			Usage: probe.Usage{Wall: time.Duration(number(5))},
		})
	}
	return results
}
