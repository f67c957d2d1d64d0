package notebook_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"overlap/pkg/chart"
	"overlap/pkg/lab"
	"overlap/pkg/notebook"
	"overlap/pkg/verdict"
	"overlap/pkg/workload/crawl"
)

// What the notebooks show as text is pinned here, on stored results and evidence:
// each test does with them what the cells of its notebook do and compares all texts,
// byte for byte, with testdata/pinned. After a change that is wanted:
//
//	go test ./pkg/notebook -run Pinned -update
//
// The results in testdata/stored were measured by the cells' own experiments with
// OVERLAP_QUICK=1, and those called six-rounds without it, for the sentences that
// need intervals; the evidence is of the programs that the verdict notebook watches.
// Left out is what depends on the machine of the reader: pictures, where figures are
// saved, and what needs GDAL.

func TestPinnedPrimes(t *testing.T) {
	p := newPinned(t, "primes")
	first, whole, growing, live := p.result("first-look"), p.result("whole"), p.result("growing"), p.result("live")
	rounds := p.result("first-look-six-rounds")

	p.shown(whole, "variant", "time", "in flight", "CPU used", "OS switches a task")
	n := whole.Sizes[0]
	p.show("sentences", fmt.Sprintf("%v.", whole.Against("event loop").Compare("goroutines", n)),
		fmt.Sprintf("%v.", whole.Compare("await each goroutines", n)))
	p.published(whole.Against("event loop"), "primes-10000x10000", map[string]string{
		"coroutines in one scope":               "event loop",
		"virtual threads awaited by coroutines": "await each goroutines",
		"platform threads":                      "threads",
		"virtual threads":                       "goroutines",
	})
	for _, r := range []*lab.Result{first, growing, live, rounds} {
		p.shown(r, "variant", "time", "no such column")
	}
	p.same()
}

func TestPinnedDispatchers(t *testing.T) {
	p := newPinned(t, "dispatchers")
	naps, crawled, counting := p.result("naps"), p.result("crawl"), p.result("counting")

	for _, r := range []*lab.Result{naps, p.result("naps-six-rounds"), p.result("two-hundred-naps")} {
		p.shown(r, "variant", "time", "in flight")
	}
	p.shown(crawled)
	match := map[string]string{"Default dispatcher": "default", "IO dispatcher": "io"}
	p.published(crawled.Against("default"), "dispatchers-crawl", match)
	p.show("sentences", fmt.Sprintf("%v.", crawled.Against("default").Compare("io", 30)),
		fmt.Sprintf("%v.", crawled.Against("pool(8)").Compare("io", 30)))
	web := crawl.Site{Pages: 30, Latency: crawl.LogNormal(60*time.Millisecond, 0.5, 300*time.Millisecond), Seed: 1}
	latencies := web.Latencies(30)
	perPage := crawl.PerPage(time.Duration(crawled.Time("sequential", 30).Median*1e9), latencies)
	expected := map[string]chart.Range{}
	for name, atOnce := range map[string]int{"sequential": 1, "default": 2, "pool(8)": 8, "io": 64, "goroutines": 0} {
		lo, hi := crawl.ExpectedOf(latencies, atOnce, perPage, 2) // CPUs: as where it was measured
		expected[name] = chart.Range{Lo: lo, Hi: hi}
	}
	p.figure(chart.Expected(crawled, 30, expected, "the latencies and the CPU time of a page"))
	p.shown(counting, "variant", "time", "in flight", "CPU used", "CPU wanted", "OS switches a task")
	p.show("which of the three", lab.Which(naps, crawled, counting), lab.Which(naps, crawled, counting).Markdown())
	p.shown(p.result("live"))
	p.shown(p.result("nothing"))
	p.same()
}

func TestPinnedRasters(t *testing.T) {
	p := newPinned(t, "rasters")
	reads, memory, ways, remote := p.result("reads"), p.result("memory"), p.result("ways"), p.result("remote")

	p.shown(reads)
	most := slices.Max(reads.Sizes)
	only := reads.Only(most)
	p.shown(only, "variant", "time", "speed against one after another", "shows", "in flight",
		"CPU used", "CPU wanted", "peak memory")
	p.published(only, "rasters-1-5", map[string]string{"event loop and pool of threads": "all at once, executor"})
	p.shown(memory, "variant", "time", "speed against whole", "shows", "page faults", "peak memory")
	p.shown(ways, "variant", "time", "in flight", "CPU used", "page faults", "peak memory")
	p.shown(remote, "variant", "time", "speed against 1 worker", "in flight", "CPU used")
	p.figure(chart.InFlight(remote, 48, "1 worker", "8 workers", "32 workers"))
	p.shown(p.result("live"))
	p.shown(p.result("live-six-rounds"))
	p.same()
}

func TestPinnedVerdict(t *testing.T) {
	p := newPinned(t, "verdict")
	judged := func(subject string) verdict.Verdict {
		v := verdict.Judge(p.evidence(subject))
		v.Subject = subject
		return v
	}
	watched := func(subjects ...string) (vs []verdict.Verdict) {
		for _, subject := range subjects {
			v := judged(subject)
			vs = append(vs, v)
			p.judged(v)
			p.figure(chart.RunningOver(v))
			p.figure(chart.Lives(v))
		}
		return vs
	}
	several := func(vs []verdict.Verdict) {
		p.show("several", vs)
		p.figure(chart.RunningOver(vs...))
	}
	several(watched("honest", "awaited one by one", "a global lock", "a pool of one",
		"one consumer", "one giant among many", "too many at once", "tiny tasks"))
	several(watched("a blocking call on an event loop", "the same with Await"))
	several(watched("two at once on the network", "all at once"))
	several(watched("one handle behind a mutex", "a handle for each worker"))
	watched("GOMAXPROCS=1", "over at once", "")
	p.same()
}

// shown pins all that is to be read of a result, with a table of some columns.
func (p *pinned) shown(r *lab.Result, columns ...string) {
	name := fmt.Sprintf("%s, sizes %d", r.Name, r.Sizes)
	size := slices.Max(r.Sizes)
	p.show(name, r)
	p.show(name+": answer", fmt.Sprintf("%d trials: %s", len(r.Trials), r.Trials[0].Answer), r.Base(), r.Files())
	if len(columns) > 0 {
		p.show(name+": columns", r.Table().Select(columns...))
	}
	p.show(name+": Markdown", r.Table().Markdown())
	p.show(name+": warnings", r.Warnings())
	for _, n := range r.Sizes {
		p.show(fmt.Sprintf("%s: workers at %d", name, n), r.Workers(n))
	}
	p.show(name+": which", lab.Which(r))
	p.show(name+": compared", compared(r)...)
	against := r.Against(r.Variants[len(r.Variants)-1])
	p.show(name+": against the last", append(compared(against), against.Table())...)

	vs := r.Verdicts()
	p.show(name+": verdicts", vs)
	for _, v := range vs {
		p.judged(v)
	}

	for _, f := range []*chart.Figure{chart.Times(r), chart.Speedup(r), chart.Trials(r), chart.InFlight(r, size)} {
		p.figure(f)
	}
	for _, variant := range r.Variants {
		p.figure(chart.Lanes(r, variant, size))
	}
	p.export(name+": CSV", r.CSV)
	p.export(name+": benchmark format", r.Benchmark)
}

// compared returns all comparisons of a result in words.
func compared(r *lab.Result) (all []any) {
	for _, n := range r.Sizes {
		for _, variant := range r.Variants {
			all = append(all, fmt.Sprintf("%v.", r.Compare(variant, n)))
		}
	}
	return all
}

// judged pins a verdict and all of its evidence.
func (p *pinned) judged(v verdict.Verdict) {
	p.show(strings.TrimSpace(v.Experiment+" "+v.Subject)+": verdict", v, "", v.Numbers)
}

// published pins a comparison with published runs.
func (p *pinned) published(r *lab.Result, experiment string, match map[string]string) {
	rows := notebook.Must(lab.ReadPublished(notebook.Path("data/published.csv"), experiment))
	p.show(r.Name+": published", lab.PublishedTable(r, r.Sizes[0], rows, match))
	p.figure(chart.Published(r, r.Sizes[0], rows, match))
}

// figure pins what is to be read of a figure where it is not seen.
func (p *pinned) figure(f *chart.Figure) {
	text := []any{f.Title(), f.Caption(), "", f.Alt()}
	if f.Err() != nil { // as text: an error would end the program
		text = append(text, f.Err().Error())
	}
	for _, w := range f.Warnings() {
		text = append(text, w)
	}
	if source := f.Source(); source != "" {
		text = append(text, "", "of "+source)
	}
	p.show("figure "+f.Slug(), text...)
}
