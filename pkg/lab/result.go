package lab

import (
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"overlap/pkg/internal/home"
	"overlap/pkg/probe"
	"overlap/pkg/sched"
)

// A Result is what an [Experiment] measured: every trial in the order in which it ran, and what is
// needed to run it again.
type Result struct {
	Format   int      `json:"format"` // of the file: see [Load]
	Name     string   `json:"name"`
	Unit     string   `json:"unit"`     // what Sizes count, in the plural, such as "tasks"
	Variants []string `json:"variants"` // in the experiment's order
	Specs    []Spec   `json:"specs"`    // what each of the variants runs
	Baseline string   `json:"baseline"` // the variant that ratios are against
	Sizes    []int    `json:"sizes"`
	Repeats  int      `json:"repeats"` // rounds asked for, the warm-up not counted
	Seed     uint64   `json:"seed"`    // of the order within rounds

	Started     time.Time     `json:"started"`
	Elapsed     time.Duration `json:"elapsed_ns"`
	Resumed     []time.Time   `json:"resumed,omitempty"` // when an interrupted run was taken up again: see [Resume]
	Interrupted bool          `json:"interrupted"`       // the run was stopped before its last round
	Quick       bool          `json:"quick,omitempty"`   // measured with OVERLAP_QUICK set
	Beside      bool          `json:"beside,omitempty"`  // the same program measured another experiment meanwhile
	Machine     probe.Machine `json:"machine"`
	Trials      []Trial       `json:"trials"`
	Failures    []Failure     `json:"failures,omitempty"`
	Traced      []TracedTrial `json:"traced,omitempty"` // where asked for: see [Traced]

	// Rules are how the bounds of variants come about for which nobody gave a number, where a size is
	// larger than the bound: see [sched.Facts].
	Rules map[string]string `json:"rules,omitempty"`

	newer time.Time // when a run began that is newer and incomplete: see Load
	files string    // base name of the files that it is stored in: Only and Against are of the same
}

// A Spec says as data what a variant runs.
type Spec struct {
	Kind      string            `json:"kind"` // the workload's kind, such as "primes"
	Params    map[string]string `json:"params,omitempty"`
	Scheduler string            `json:"scheduler"` // its name
	Facts     sched.Facts       `json:"facts,omitzero"`
}

// A Trial is one run of one variant at one size.
type Trial struct {
	Variant string `json:"variant"`
	Size    int    `json:"size"`
	Round   int    `json:"round"`             // 0 for the warm-up, then from 1
	Order   int    `json:"order"`             // place in the whole run, from 0
	Control bool   `json:"control,omitempty"` // the baseline's second run of its round, the A/A control

	probe.Usage

	Tasks        int     `json:"tasks"`
	InFlightMax  int     `json:"in_flight_max"`  // most tasks running at once
	InFlightMean float64 `json:"in_flight_mean"` // tasks' summed time over the makespan (Little's law)
	Workers      int     `json:"workers"`        // different workers that served, 0 where the scheduler has none
	Left         int     `json:"left,omitempty"` // tasks given up earlier that still ran at its start: see [probe.Left]
	Answer       string  `json:"answer"`

	// Spans are the tasks' times, kept for the first measured round of each variant and size, and at
	// most [MaxSpans] of them.
	Spans []Span `json:"spans,omitempty"`
}

// MaxSpans is how many spans of a trial a result keeps: the first that started.
const MaxSpans = 20_000

// A Span is when and where one task ran.
type Span struct {
	Task   int           `json:"t"`
	Worker int           `json:"w,omitempty"` // counts from 1; 0 where the scheduler has no workers
	Start  time.Duration `json:"s"`           // since the trial's start
	End    time.Duration `json:"e"`
}

// A Failure is a variant that could not be measured at a size. It is run no more at that size; what
// it had measured stays.
type Failure struct {
	Variant string `json:"variant"`
	Size    int    `json:"size"`
	Round   int    `json:"round"`
	Reason  string `json:"reason"`
	Stack   string `json:"stack,omitempty"` // of the goroutine that panicked, if one did

	panicked error // a *guard.PanicError, in this process
}

// Error says which variant failed and why.
func (f Failure) Error() string {
	return fmt.Sprintf("%s at size %d failed in round %d: %s", f.Variant, f.Size, f.Round, f.Reason)
}

// Unwrap returns the panic that the failure was, nil where it was none or was loaded.
func (f Failure) Unwrap() error { return f.panicked }

// newResult returns the result of the plan with nothing measured yet.
func (p *plan) newResult() *Result {
	r := &Result{
		Format:   format,
		Name:     p.Name,
		Unit:     utf8Text(p.variants[0].Workload.Unit()),
		Variants: p.names(),
		Baseline: p.Baseline,
		Sizes:    p.Sizes,
		Repeats:  p.Repeats,
		Seed:     p.Seed,
		Quick:    home.Quick(),
		Started:  time.Now().Truncate(time.Second),
		Machine:  probe.Describe(p.Versions),
	}
	for _, v := range p.variants {
		kind, params := v.Workload.Spec()
		s := Spec{Kind: utf8Text(kind), Scheduler: utf8Text(v.Scheduler.Name()), Facts: sched.FactsOf(v.Scheduler)}
		s.Facts.Kind, s.Facts.Rule = sched.Kind(utf8Text(string(s.Facts.Kind))), utf8Text(s.Facts.Rule)
		if params != nil {
			s.Params = make(map[string]string, len(params))
		}
		for name, value := range params { // names of files can be anything
			s.Params[utf8Text(name)] = utf8Text(value)
		}
		r.Specs = append(r.Specs, s)
		if f := s.Facts; f.Rule != "" && (f.Limit == 0 || f.Limit < slices.Max(p.Sizes)) {
			if r.Rules == nil {
				r.Rules = map[string]string{}
			}
			r.Rules[v.Name] = f.Rule
		}
	}
	return r
}

// utf8Text returns text that is the same after it was stored as JSON. What is no UTF-8 is quoted,
// so that different texts stay different.
func utf8Text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strconv.QuoteToASCII(s)
}
