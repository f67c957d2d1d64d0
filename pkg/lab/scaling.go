package lab

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overlap/pkg/internal/text"
	"overlap/pkg/sched"
)

// A Fit is Gunther's Universal Scalability Law fitted to throughputs at several widths: with n at
// work the throughput is
//
//	X(n) = Lambda n / (1 + Sigma (n-1) + Kappa n (n-1))
//
// (N. J. Gunther, Guerrilla Capacity Planning, 2007, chapter 4).
type Fit struct {
	Lambda float64 // throughput of one, per second
	Sigma  float64 // contention: the share of the work that only one at a time can do
	Kappa  float64 // coherency: what each pays to keep in step with each other one
	Error  float64 // root mean square of the relative differences from the fit

	widest float64 // that it was fitted to, 0 where that is not known
}

// What a fit needs. In trials with 3 % noise, widths of 1 to 4 gave a negative coefficient in two
// of three fits; 1, 2, 4, 8, 16 found a Sigma of .05 within .022 to .078.
const (
	minWidths = 5
	// kneeEfficiency is the throughput against n times that of one at which a curve has left its
	// straight beginning. At n = 1/Sigma, where the line of the beginning meets the level that
	// contention allows, it is about a half.
	kneeEfficiency = 0.5
	// worstFit is the Error above which the throughputs follow another law. In trials with 3 % noise
	// it was never above 5 %.
	worstFit = 0.1
	// limitedByCPUs is the share of the usable CPUs from which on they are what more workers than CPUs
	// wait for.
	limitedByCPUs = 0.85
)

// A NoFitError is the error of [Result.Scaling] where the points do not bear a fit.
type NoFitError struct{ Why string }

func (e *NoFitError) Error() string { return "lab: no fit of the Universal Scalability Law: " + e.Why }

func noFit(format string, args ...any) (Fit, error) {
	return Fit{}, &NoFitError{fmt.Sprintf(format, args...)}
}

// fitUSL fits the Universal Scalability Law to throughputs, in items a second, measured at widths:
// how many were at work. It minimises relative differences, with no coefficient below 0.
func fitUSL(widths, throughputs []float64) (Fit, error) {
	if len(widths) != len(throughputs) {
		return noFit("%d widths and %d throughputs", len(widths), len(throughputs))
	}
	for i, n := range widths {
		if !text.Finite(n) || n < 1 || !text.Finite(throughputs[i]) || throughputs[i] <= 0 {
			return noFit("width %v has a throughput of %v; widths must be 1 or more and throughputs above 0", n, throughputs[i])
		}
	}
	sorted := slices.Clone(widths)
	slices.Sort(sorted)
	if n := len(slices.Compact(sorted)); n < minWidths {
		return noFit("%d different widths; it takes at least %d, such as 1, 2, 4, 8 and 16", n, minWidths)
	}
	least, most := floats.MinIdx(widths), floats.MaxIdx(widths)
	efficiency := throughputs[most] / throughputs[least] * widths[least] / widths[most]
	if efficiency > kneeEfficiency {
		return noFit("at a width of %g it still does %.0f %% of %g times as much; widths that go well past the bend are "+
			"needed",
			widths[most], 100*efficiency, widths[most]/widths[least])
	}
	f, ok := leastSquares(widths, throughputs)
	if !ok {
		return noFit("the throughputs follow no such curve")
	}
	if f.Error > worstFit {
		return noFit("the throughputs follow no such curve: they are %.0f %% from the nearest", 100*f.Error)
	}
	f.widest = widths[most]
	return f, nil
}

// leastSquares fits n/X(n) = a + b (n-1) + c n (n-1), which is linear, with no coefficient below 0.
// With three of them the constrained optimum is the best of the unconstrained ones of their subsets
// that has none below 0.
func leastSquares(widths, throughputs []float64) (best Fit, found bool) {
	rows := len(widths)
	terms := []func(n float64) float64{
		func(float64) float64 { return 1 },
		func(n float64) float64 { return n - 1 },
		func(n float64) float64 { return n * (n - 1) },
	}
	var least float64
	for _, subset := range [][]int{{0}, {0, 1}, {0, 2}, {0, 1, 2}} {
		left, right := mat.NewDense(rows, len(subset), nil), mat.NewVecDense(rows, nil)
		for i, n := range widths {
			for j, term := range subset {
				left.Set(i, j, terms[term](n)/(n/throughputs[i])) // of the whole: differences are relative
			}
			right.SetVec(i, 1)
		}
		var x, difference mat.VecDense
		if err := x.SolveVec(left, right); err != nil || mat.Min(&x) < 0 || x.AtVec(0) <= 0 {
			continue
		}
		difference.MulVec(left, &x)
		difference.SubVec(&difference, right)
		if sum := mat.Dot(&difference, &difference); !found || sum < least {
			var coefficients [3]float64
			for j, term := range subset {
				coefficients[term] = x.AtVec(j) / x.AtVec(0)
			}
			best = Fit{Lambda: 1 / x.AtVec(0), Sigma: coefficients[1], Kappa: coefficients[2],
				Error: math.Sqrt(sum / float64(rows))}
			least, found = sum, true
		}
	}
	return best, found && text.Finite(best.Lambda) && text.Finite(best.Sigma) && text.Finite(best.Kappa)
}

// Throughput returns what the fit expects with n at work.
func (f Fit) Throughput(n float64) float64 {
	return f.Lambda * n / (1 + f.Sigma*(n-1) + f.Kappa*n*(n-1))
}

// Peak returns the width of the greatest throughput, sqrt((1 - Sigma) / Kappa), and false where
// there is none: with a Kappa of 0 it grows for ever.
func (f Fit) Peak() (n float64, ok bool) {
	if f.Kappa <= 0 {
		return 0, false
	}
	return math.Max(1, math.Sqrt(math.Max(0, 1-f.Sigma)/f.Kappa)), true
}

// String returns what the fit says in a sentence. Of a peak it speaks only where that is within the
// widths that were measured.
func (f Fit) String() string {
	s := fmt.Sprintf("contention %.3g, coherency %.2g (Universal Scalability Law, within %.1f %%)",
		f.Sigma, f.Kappa, 100*f.Error)
	if n, ok := f.Peak(); ok {
		if f.widest > 0 && n > f.widest {
			return s
		}
		return fmt.Sprintf("%s: most throughput at a width of about %.0f", s, n)
	}
	if f.Sigma > 0 {
		return fmt.Sprintf("%s: at most %.3g times the throughput of one", s, 1/f.Sigma)
	}
	return s
}

// A Pool is a variant of a result that runs on a pool, at one size.
type Pool struct {
	Variant string
	Width   int     // workers
	Time    float64 // median, in seconds
}

// Pools returns the variants that were measured at a size on pools (sched.Pool) and are the same
// work as the first of them, narrowest first, one for each width.
func (r *Result) Pools(size int) []Pool {
	if r == nil {
		return nil
	}
	var pools []Pool
	var work Spec
	for i, variant := range r.Variants[:min(len(r.Variants), len(r.Specs))] {
		spec, time := r.Specs[i], r.Time(variant, size)
		if spec.Facts.Kind != sched.KindPool || spec.Facts.Limit < 1 || time.N == 0 || time.Median <= 0 {
			continue
		}
		if len(pools) == 0 {
			work = spec
		}
		if sameWork(work, spec) {
			pools = append(pools, Pool{Variant: variant, Width: spec.Facts.Limit, Time: time.Median})
		}
	}
	slices.SortStableFunc(pools, func(a, b Pool) int { return a.Width - b.Width })
	return slices.CompactFunc(pools, func(a, b Pool) bool { return a.Width == b.Width })
}

// Scaling fits the Universal Scalability Law to the [Result.Pools] of a result. Its Sigma and Kappa
// mean contention and coherency only where width is what bounds the work.
//
// The error is a [*NoFitError] and says why: fewer than 5 different widths; throughput that still
// grows nearly as fast as the width; points that are more than 10 % from any such curve; or more
// workers than CPUs that used at least 85 % of them, which the law would take for contention.
func (r *Result) Scaling(size int) (Fit, error) {
	if r == nil {
		return Fit{}, errors.New("lab: scaling: there is no result")
	}
	var widths, throughputs []float64
	for _, p := range r.Pools(size) {
		use := r.Estimate(p.Variant, size, func(t Trial) float64 { return t.Utilisation() }).Median
		if cpus := r.Machine.Usable.Count; cpus > 0 && float64(p.Width) > cpus && use >= limitedByCPUs {
			return noFit("%d workers used %.0f %% of %.4g CPUs; beyond that width the CPUs are the limit, not contention",
				p.Width, 100*use, cpus)
		}
		widths = append(widths, float64(p.Width))
		throughputs = append(throughputs, float64(size)/p.Time)
	}
	return fitUSL(widths, throughputs)
}
