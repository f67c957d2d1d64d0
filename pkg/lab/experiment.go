package lab

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"overlap/pkg/internal/home"
	"overlap/pkg/sched"
)

// An Experiment is a comparison to be measured. There must be at least one variant, one size and
// one repeat; the other fields have defaults.
//
// Where the environment sets OVERLAP_QUICK, as tests of the notebooks do, at most two rounds are
// measured and sizes above 100 are divided by 20, but not below 100. That shows that everything
// runs, and nothing about speed.
type Experiment struct {
	Name string // what is compared, as charts and files show it

	// The variants are the Workload under each of the Schedulers, and then Variants, which can bring a
	// workload of their own. All must give the same answer.
	Workload   Workload
	Schedulers []sched.Scheduler
	Variants   []Variant

	Sizes    []int  // how much work; the workload's unit says what is counted
	Repeats  int    // measured rounds: at least MinRepeats for intervals, 10 where time allows
	Baseline string // the variant that ratios are against; the first if empty
	Seed     uint64 // of the order within rounds; chosen anew if 0

	// Versions names libraries whose version matters: "GDAL": "3.6.2".
	Versions map[string]string

	// Dir is where Run keeps the result and Load finds it; results in [home.Out] if empty.
	Dir string
}

// plan is an experiment with its defaults filled in, found to be sound.
type plan struct {
	Experiment
	variants []Variant
	baseline int
	seeded   bool    // the seed was given, not chosen
	blank    *Result // nothing measured yet
}

// plan checks the experiment before anything runs. Its error lists all that is wrong.
func (e Experiment) plan() (p *plan, err error) {
	// Schedulers and workloads can be anybody's, and a nil pointer in an interface is not nil.
	defer func() {
		if v := recover(); v != nil {
			p, err = nil, fmt.Errorf("lab: experiment %q cannot run: "+
				"a scheduler or workload panicked when asked for its name or parameters: %v", e.Name, v)
		}
	}()
	p = &plan{Experiment: e, seeded: e.Seed != 0}
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	p.addVariants(bad)
	p.checkNames(bad)
	if len(e.Sizes) == 0 {
		bad("there are no sizes; give Sizes at least one, such as 1000")
	}
	for i, n := range e.Sizes {
		if n <= 0 {
			bad("size %d: a size must be at least 1", n)
		} else if slices.Contains(e.Sizes[:i], n) {
			bad("size %d is there twice", n)
		}
	}
	if e.Repeats < 1 {
		bad("%d repeats: set Repeats to at least 1, to %d for intervals; 10 is usual", e.Repeats, MinRepeats)
	}
	if home.Quick() {
		p.quicken()
	}
	if e.Baseline != "" {
		p.baseline = slices.Index(p.names(), e.Baseline)
		if p.baseline < 0 {
			bad("the baseline %q is none of the variants", e.Baseline)
		}
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("lab: experiment %q cannot run: %w", e.Name, errors.Join(errs...))
	}
	p.Baseline = p.variants[p.baseline].Name
	if p.Seed == 0 {
		p.Seed = rand.Uint64N(1<<53) + 1 // 53 bits survive every JSON reader
	}
	p.blank = p.newResult() // last: it records what was filled in
	return p, nil
}

// addVariants makes the variants of the schedulers and of Variants.
func (p *plan) addVariants(bad func(format string, args ...any)) {
	for i, s := range p.Schedulers {
		if s == nil {
			bad("scheduler %d of %d is nil; leave it out or give one, such as sched.Goroutines()", i+1, len(p.Schedulers))
			continue
		}
		p.variants = append(p.variants, Variant{Name: s.Name(), Workload: p.Workload, Scheduler: s})
	}
	for i, v := range p.Variants {
		if v.Scheduler == nil {
			bad("variant %d (%q) has no scheduler", i, v.Name)
			continue
		}
		if v.Workload == nil {
			v.Workload = p.Workload
		}
		if v.Name == "" {
			v.Name = v.Scheduler.Name()
		}
		p.variants = append(p.variants, v)
	}
	if len(p.Schedulers)+len(p.Variants) == 0 {
		bad("there are no schedulers; give Schedulers or Variants at least one, such as sched.Sequential()")
	}
}

// checkNames tells the names that would be ambiguous, and variants without work.
func (p *plan) checkNames(bad func(format string, args ...any)) {
	if !oneLine(p.Name) {
		bad("the experiment's name %q is not one line of UTF-8 text", p.Name)
	}
	for i, v := range p.variants {
		if v.Name == "" {
			bad("a variant has no name and its scheduler neither")
		}
		if !oneLine(v.Name) {
			bad("the name %q is not one line of UTF-8 text; give the variant another in Variants", v.Name)
		}
		if slices.Contains(p.names()[:i], v.Name) {
			bad("two variants are called %q; give one another name in Variants", v.Name)
		}
		if v.Workload == nil {
			bad("variant %q has no workload; set the experiment's Workload or the variant's", v.Name)
		}
	}
}

// oneLine reports whether a name can stand in tables, captions and files as it is.
func oneLine(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, func(c rune) bool {
		return unicode.IsControl(c) || c == '\u2028' || c == '\u2029'
	})
}

// quicken makes the experiment short enough to test that a notebook runs.
func (p *plan) quicken() {
	p.Repeats = min(p.Repeats, 2)
	var sizes []int
	for _, n := range p.Sizes {
		if n > 100 {
			n = max(100, n/20)
		}
		if !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
	}
	p.Sizes = sizes
}

// names returns the variants' names in order.
func (p *plan) names() []string {
	names := make([]string, len(p.variants))
	for i, v := range p.variants {
		names[i] = v.Name
	}
	return names
}
