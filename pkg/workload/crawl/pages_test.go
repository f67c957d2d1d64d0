package crawl

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"overlap/pkg/sched"

	"pgregory.net/rapid"
)

func runPages(t testing.TB, ctx context.Context, p Pages, size int, s sched.Scheduler) (answer string, run, end error) {
	t.Helper()
	tasks, finish, err := p.Tasks(size)
	if err != nil {
		t.Fatal(err)
	}
	if len(tasks) != size {
		t.Fatalf("%d tasks, want %d", len(tasks), size)
	}
	run = s.Run(ctx, tasks)
	answer, end = finish()
	return answer, run, end
}

func TestPages(t *testing.T) {
	healthy := Site{Pages: 20, PageSize: 2000, Latency: LogNormal(2*time.Millisecond, 1, 10*time.Millisecond), Seed: 1}
	ill := healthy
	ill.Failures = Failures{Pages: map[int]Failure{0: Status500, 3: Disconnect, 4: Silent, 9: Endless, 12: Disconnect}}
	for _, c := range []struct {
		name string
		site Site
		size int
		has  string
	}{
		{"healthy", healthy, 20, "20 pages, "},
		{"some of it", healthy, 7, "7 pages, "},
		{"again from the start", healthy, 45, "45 pages, "},
		{"none", healthy, 0, "0 pages, 0 words, 0 links, 0 bytes, sum 0000000000000000"},
		{"ill", ill, 20, "5 failed (connection 2, status 1, timeout 1, too large 1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Pages{Site: c.site, URL: serve(t, c.site).URL(), limits: limits{timeout: 3 * time.Second, body: 50_000}}
			answers := make([]string, len(schedulers()))
			var group sync.WaitGroup // side by side, as each waits for the silent page
			for i, s := range schedulers() {
				tasks, finish, err := p.Tasks(c.size)
				if err != nil || len(tasks) != c.size {
					t.Fatalf("%d tasks, %v", len(tasks), err)
				}
				group.Go(func() {
					run := s.Run(t.Context(), tasks)
					answer, end := finish()
					if run != nil || end != nil {
						t.Errorf("%s: %v, %v", s.Name(), run, end)
					}
					answers[i] = answer
				})
			}
			group.Wait()
			for i, s := range schedulers() {
				if answers[i] != answers[0] || !strings.Contains(answers[i], c.has) {
					t.Errorf("%s: %q, want %q with %q", s.Name(), answers[i], answers[0], c.has)
				}
			}
		})
	}
}

func TestPagesOfNoSite(t *testing.T) {
	s := Site{Pages: 3}
	for _, c := range []struct {
		name string
		p    Pages
		size int
		want string
	}{
		{"negative size", Pages{Site: s, URL: "http://127.0.0.1:1"}, -1, "-1 pages"},
		{"more pages than memory", Pages{Site: s, URL: "http://127.0.0.1:1"}, 1 << 40, "1099511627776 pages: more than 10000000"},
		{"no address", Pages{Site: s}, 1, "address of the site is missing"},
		{"bad address", Pages{Site: s, URL: "localhost:80"}, 1, "give a URL"},
		{"foreign address", Pages{Site: s, URL: "http://example.org"}, 1, "not on this machine"},
	} {
		if _, _, err := c.p.Tasks(c.size); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A run in which nothing was answered is no measurement.
func TestPagesNobodyAnswers(t *testing.T) {
	s := Site{Pages: 3, Failures: Failures{Pages: map[int]Failure{0: Silent, 1: Silent, 2: Silent}}}
	for _, c := range []struct{ name, url, want string }{
		{"nobody there", "http://" + closedPort(t), "none of 3 requests"},
		{"never answers", serve(t, s).URL(), "not answered within 50ms"},
	} {
		p := Pages{Site: s, URL: c.url, limits: limits{timeout: 50 * time.Millisecond}}
		_, run, end := runPages(t, t.Context(), p, 3, sched.Goroutines())
		if run != nil || end == nil || !strings.Contains(end.Error(), c.want) {
			t.Errorf("%s: %v, %v", c.name, run, end)
		}
	}
}

func TestPagesCancelled(t *testing.T) {
	s := Site{Pages: 50, Latency: Fixed(time.Minute)}
	p := Pages{Site: s, URL: serve(t, s).URL(), limits: limits{timeout: 2 * time.Minute, requests: 10}}
	for _, scheduler := range schedulers() {
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("enough")
		time.AfterFunc(30*time.Millisecond, func() { cancel(why) })
		start := time.Now()
		_, run, end := runPages(t, ctx, p, 50, scheduler)
		if !errors.Is(run, why) || end != nil {
			t.Errorf("%s: %v, %v", scheduler.Name(), run, end)
		}
		// A minute is what it would wait; the bound leaves room for a busy machine.
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s: returned after %v", scheduler.Name(), d)
		}
		cancel(nil)
	}
}

func TestSpec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Pages{
			Site: Site{
				Pages: rapid.IntRange(1, 9).Draw(t, "pages"), Seed: rapid.Uint64().Draw(t, "seed"),
				Failures: Failures{Silent: rapid.SampledFrom([]float64{0, .5}).Draw(t, "silent")},
			},
			URL: rapid.SampledFrom([]string{"", "http://127.0.0.1:1", "http://127.0.0.1:2"}).Draw(t, "url"),
		}
		kind, params := p.Spec()
		q := p
		q.URL = "http://127.0.0.1:3"
		if k, again := q.Spec(); kind != "crawl" || k != kind || !equal(params, again) {
			t.Fatal("the same site at another address has another spec")
		}
		for name, change := range map[string]func(*Pages){
			"pages":    func(p *Pages) { p.Site.Pages++ },
			"size":     func(p *Pages) { p.Site.PageSize++ },
			"links":    func(p *Pages) { p.Site.Links++ },
			"seed":     func(p *Pages) { p.Site.Seed++ },
			"latency":  func(p *Pages) { p.Site.Latency.Median++; p.Site.Latency.Max++ },
			"shape":    func(p *Pages) { p.Site.Latency = LogNormal(0, 1, 0) },
			"failures": func(p *Pages) { p.Site.Failures.Endless = .25 },
		} {
			q := p
			change(&q)
			if _, other := q.Spec(); equal(params, other) {
				t.Fatalf("a change of %s is not in the spec", name)
			}
		}
	})
}

func equal(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}
