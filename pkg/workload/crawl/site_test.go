package crawl_test

import (
	"bytes"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"overlap/pkg/workload/crawl"

	"pgregory.net/rapid"
)

func TestSiteCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		site crawl.Site
		want string // part of the error, none if empty
	}{
		{"least", crawl.Site{Pages: 1}, ""},
		{"all set", crawl.Site{Pages: 9, Latency: crawl.Fixed(time.Second), PageSize: 100, Links: 1, Failures: crawl.Failures{Status500: .5, Silent: .5, Pages: map[int]crawl.Failure{0: crawl.Endless, 8: crawl.NoFailure}}}, ""},
		{"zero pages", crawl.Site{}, "0 pages"},
		{"negative pages", crawl.Site{Pages: -3}, "-3 pages"},
		{"too many pages", crawl.Site{Pages: 1e6 + 1}, "1000001 pages"},
		{"negative size", crawl.Site{Pages: 1, PageSize: -1}, "page size -1"},
		{"huge page", crawl.Site{Pages: 1, PageSize: 1 << 30}, "page size 1073741824"},
		{"negative links", crawl.Site{Pages: 1, Links: -1}, "-1 links"},
		{"negative latency", crawl.Site{Pages: 1, Latency: crawl.Fixed(-time.Second)}, "latency -1s"},
		{"long latency", crawl.Site{Pages: 1, Latency: crawl.Fixed(time.Hour)}, "latency of up to 1h"},
		{"bound below the median", crawl.Site{Pages: 1, Latency: crawl.LogNormal(time.Second, 1, time.Millisecond)}, "below the median"},
		{"no bound", crawl.Site{Pages: 1, Latency: crawl.Latency{Median: time.Second}}, "below the median"},
		{"no tail", crawl.Site{Pages: 1, Latency: crawl.Pareto(time.Second, 0, 2*time.Second)}, "tail 0"},
		{"not a tail", crawl.Site{Pages: 1, Latency: crawl.Pareto(time.Second, math.NaN(), 2*time.Second)}, "tail NaN"},
		{"unknown shape", crawl.Site{Pages: 1, Latency: crawl.Latency{Shape: "normal"}}, `"normal"`},
		{"share above 1", crawl.Site{Pages: 1, Failures: crawl.Failures{Silent: 1.5}}, "share 1.5"},
		{"share not a number", crawl.Site{Pages: 1, Failures: crawl.Failures{Endless: math.NaN()}}, "share NaN"},
		{"shares above 1", crawl.Site{Pages: 1, Failures: crawl.Failures{Silent: .6, Disconnect: .6}}, "add up"},
		{"page that is not there", crawl.Site{Pages: 2, Failures: crawl.Failures{Pages: map[int]crawl.Failure{2: crawl.Silent}}}, "page 2"},
		{"failure that is not there", crawl.Site{Pages: 2, Failures: crawl.Failures{Pages: map[int]crawl.Failure{1: "fire"}}}, `"fire"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.site.Check()
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "crawl: site: ") {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if _, err := c.site.Handler(); err == nil {
				t.Error("a handler of it")
			}
			if _, err := crawl.Serve(t.Context(), c.site); err == nil {
				t.Error("a server of it")
			}
			if _, err := crawl.Start(t.Context(), c.site); err == nil {
				t.Error("a process of it")
			}
			if _, _, err := (crawl.Pages{Site: c.site, URL: "http://127.0.0.1:1"}).Tasks(1); err == nil {
				t.Error("tasks of it")
			}
		})
	}
}

func TestEveryPageCanBeReached(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := crawl.Site{
			Pages: rapid.IntRange(1, 500).Draw(t, "pages"),
			Links: rapid.IntRange(1, 20).Draw(t, "links"),
			Seed:  rapid.Uint64().Draw(t, "seed"),
		}
		seen := make([]bool, s.Pages)
		seen[0] = true
		count := 1
		for queue := []int{0}; len(queue) > 0; {
			page := queue[0]
			queue = queue[1:]
			links := s.LinksOf(page)
			if len(links) != s.Links {
				t.Fatalf("page %d has %d links, want %d", page, len(links), s.Links)
			}
			for _, to := range links {
				if to < 0 || to >= s.Pages {
					t.Fatalf("page %d links to %d of %d", page, to, s.Pages)
				}
				if !seen[to] {
					seen[to] = true
					count++
					queue = append(queue, to)
				}
			}
		}
		if count != s.Pages {
			t.Fatalf("%d of %d pages can be reached", count, s.Pages)
		}
	})
}

func TestPagesAreWhatTheSiteSays(t *testing.T) {
	base, _ := url.Parse("http://127.0.0.1:1/")
	rapid.Check(t, func(t *rapid.T) {
		s := crawl.Site{
			Pages:    rapid.IntRange(1, 50).Draw(t, "pages"),
			PageSize: rapid.IntRange(2000, 20_000).Draw(t, "size"),
			Links:    rapid.IntRange(1, 8).Draw(t, "links"),
			Seed:     rapid.Uint64().Draw(t, "seed"),
		}
		page := rapid.IntRange(0, s.Pages-1).Draw(t, "page")
		text, err := s.HTML(page)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := s.HTML(page)
		if !bytes.Equal(text, again) {
			t.Fatal("the page is another the second time")
		}
		if n := len(text); n < s.PageSize/2 || n > s.PageSize*3/2+1000 {
			t.Fatalf("%d bytes, want about %d", n, s.PageSize)
		}
		content, err := crawl.Parse(bytes.NewReader(text), base)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for _, to := range s.LinksOf(page) {
			want["http://127.0.0.1:1"+s.Path(to)] = true
		}
		for _, link := range content.Links {
			if !want[link] {
				t.Fatalf("link %q is not one of %v", link, want)
			}
		}
		if len(content.Links) != len(want) {
			t.Fatalf("links %v, want %v", content.Links, want)
		}
		if content.Words < 60 {
			t.Fatalf("%d words", content.Words)
		}
	})
}

func TestHTMLOfNoPage(t *testing.T) {
	for _, page := range []int{-1, 3} {
		if _, err := (crawl.Site{Pages: 3}).HTML(page); err == nil {
			t.Errorf("page %d of 3", page)
		}
	}
}

func TestLatencies(t *testing.T) {
	for _, c := range []struct {
		name          string
		latency       crawl.Latency
		tenth, within time.Duration // nine pages in ten wait no longer than tenth
	}{
		{"fixed", crawl.Fixed(100 * time.Millisecond), 100 * time.Millisecond, 0},
		{"log-normal", crawl.LogNormal(100*time.Millisecond, 1, time.Second), 360 * time.Millisecond, time.Millisecond},
		{"pareto", crawl.Pareto(100*time.Millisecond, 1, time.Second), 500 * time.Millisecond, time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.latency.Quantile(.5); (got - 100*time.Millisecond).Abs() > time.Microsecond {
				t.Errorf("median %v", got)
			}
			if got := c.latency.Quantile(.9); (got - c.tenth).Abs() > c.within {
				t.Errorf("nine in ten within %v, want %v", got, c.tenth)
			}
			for _, u := range []float64{0, 1, -1, math.NaN()} {
				if got := c.latency.Quantile(u); got != 0 {
					t.Errorf("quantile %v is %v", u, got)
				}
			}
			s := crawl.Site{Pages: 4000, Latency: c.latency, Seed: 5}
			shorter, longest := 0, time.Duration(0)
			for _, l := range s.Latencies(4000) {
				longest = max(longest, l)
				if l <= 100*time.Millisecond {
					shorter++
				}
			}
			if longest > c.latency.Max {
				t.Errorf("a page waits %v, the bound is %v", longest, c.latency.Max)
			}
			// 4000 coins: five standard deviations are 158.
			if c.name != "fixed" && (shorter < 1842 || shorter > 2158) {
				t.Errorf("%d of 4000 pages below the median", shorter)
			}
		})
	}
	s := crawl.Site{Pages: 3, Latency: crawl.Pareto(time.Second, 1, time.Minute), Seed: 1}
	l := s.Latencies(7)
	if len(l) != 7 || l[0] != l[3] || l[0] != l[6] || l[0] == l[1] {
		t.Errorf("latencies %v do not start again after 3 pages", l)
	}
	if s.Latencies(-1) != nil || (crawl.Site{}).Latencies(3) != nil {
		t.Error("latencies of nothing")
	}
}

func TestLatencyIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		median := time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "median"))
		longest := median + time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "more"))
		tail := rapid.Float64Range(1e-3, 100).Draw(t, "tail")
		u := rapid.Float64Range(1e-12, 1-1e-12).Draw(t, "u")
		for _, l := range []crawl.Latency{crawl.LogNormal(median, tail, longest), crawl.Pareto(median, tail, longest)} {
			if d := l.Quantile(u); d < 0 || d > longest {
				t.Fatalf("%v: quantile %v is %v", l, u, d)
			}
		}
	})
}

func TestFailureShares(t *testing.T) {
	s := crawl.Site{Pages: 4000, Seed: 9, Failures: crawl.Failures{
		Status500: .1, Disconnect: .2, Silent: .3, Endless: .4,
		Pages: map[int]crawl.Failure{17: crawl.NoFailure},
	}}
	got := map[crawl.Failure]int{}
	for page := range s.Pages {
		got[s.FailureOf(page)]++
	}
	if got[crawl.NoFailure] != 2 || s.FailureOf(0) != crawl.NoFailure || s.FailureOf(17) != crawl.NoFailure {
		t.Errorf("spared %d pages, want 0 and 17", got[crawl.NoFailure])
	}
	for kind, want := range map[crawl.Failure]int{crawl.Status500: 400, crawl.Disconnect: 800, crawl.Silent: 1200, crawl.Endless: 1600} {
		if n := got[kind]; n < want-160 || n > want+160 {
			t.Errorf("%d pages fail by %q, want about %d", n, kind, want)
		}
	}
}
