package crawl

import (
	"bytes"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestSiteCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		site Site
		want string // part of the error, none if empty
	}{
		{"least", Site{Pages: 1}, ""},
		{"all set", Site{Pages: 9, Latency: Fixed(time.Second), PageSize: 100, Links: 1, Failures: Failures{Status500: .5, Silent: .5, Pages: map[int]Failure{0: Endless, 8: NoFailure}}}, ""},
		{"zero pages", Site{}, "0 pages"},
		{"negative pages", Site{Pages: -3}, "-3 pages"},
		{"too many pages", Site{Pages: 1e6 + 1}, "1000001 pages"},
		{"negative size", Site{Pages: 1, PageSize: -1}, "page size -1"},
		{"huge page", Site{Pages: 1, PageSize: 1 << 30}, "page size 1073741824"},
		{"negative links", Site{Pages: 1, Links: -1}, "-1 links"},
		{"negative latency", Site{Pages: 1, Latency: Fixed(-time.Second)}, "latency -1s"},
		{"long latency", Site{Pages: 1, Latency: Fixed(time.Hour)}, "latency of up to 1h"},
		{"bound below the median", Site{Pages: 1, Latency: LogNormal(time.Second, 1, time.Millisecond)}, "below the median"},
		{"no bound", Site{Pages: 1, Latency: Latency{Median: time.Second}}, "below the median"},
		{"no tail", Site{Pages: 1, Latency: LogNormal(time.Second, 0, 2*time.Second)}, "tail 0"},
		{"not a tail", Site{Pages: 1, Latency: LogNormal(time.Second, math.NaN(), 2*time.Second)}, "tail NaN"},
		{"unknown shape", Site{Pages: 1, Latency: Latency{Shape: "normal"}}, `"normal"`},
		{"share above 1", Site{Pages: 1, Failures: Failures{Silent: 1.5}}, "share 1.5"},
		{"share not a number", Site{Pages: 1, Failures: Failures{Endless: math.NaN()}}, "share NaN"},
		{"shares above 1", Site{Pages: 1, Failures: Failures{Silent: .6, Disconnect: .6}}, "add up"},
		{"page that is not there", Site{Pages: 2, Failures: Failures{Pages: map[int]Failure{2: Silent}}}, "page 2"},
		{"failure that is not there", Site{Pages: 2, Failures: Failures{Pages: map[int]Failure{1: "fire"}}}, `"fire"`},
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
			if _, err := c.site.handler(); err == nil {
				t.Error("a handler of it")
			}
			if _, err := Serve(t.Context(), c.site); err == nil {
				t.Error("a server of it")
			}
			if _, err := Start(t.Context(), c.site); err == nil {
				t.Error("a process of it")
			}
			if _, _, err := (Pages{Site: c.site, URL: "http://127.0.0.1:1"}).Tasks(1); err == nil {
				t.Error("tasks of it")
			}
		})
	}
}

func TestEveryPageCanBeReached(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Site{
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
			links := s.linksOf(page)
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
		s := Site{
			Pages:    rapid.IntRange(1, 50).Draw(t, "pages"),
			PageSize: rapid.IntRange(2000, 20_000).Draw(t, "size"),
			Links:    rapid.IntRange(1, 8).Draw(t, "links"),
			Seed:     rapid.Uint64().Draw(t, "seed"),
		}
		page := rapid.IntRange(0, s.Pages-1).Draw(t, "page")
		var text, again bytes.Buffer
		for _, b := range []*bytes.Buffer{&text, &again} {
			if err := newText(s).write(b, page); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(text.Bytes(), again.Bytes()) {
			t.Fatal("the page is another the second time")
		}
		if n := text.Len(); n < s.PageSize/2 || n > s.PageSize*3/2+1000 {
			t.Fatalf("%d bytes, want about %d", n, s.PageSize)
		}
		content, err := parse(&text, base)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for _, to := range s.linksOf(page) {
			want["http://127.0.0.1:1"+s.path(to)] = true
		}
		for _, link := range content.links {
			if !want[link] {
				t.Fatalf("link %q is not one of %v", link, want)
			}
		}
		if len(content.links) != len(want) {
			t.Fatalf("links %v, want %v", content.links, want)
		}
		if content.words < 60 {
			t.Fatalf("%d words", content.words)
		}
	})
}

func TestLatencies(t *testing.T) {
	for _, c := range []struct {
		name          string
		latency       Latency
		tenth, within time.Duration // nine pages in ten wait no longer than tenth
	}{
		{"fixed", Fixed(100 * time.Millisecond), 100 * time.Millisecond, 0},
		{"log-normal", LogNormal(100*time.Millisecond, 1, time.Second), 360 * time.Millisecond, time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.latency.quantile(.5); (got - 100*time.Millisecond).Abs() > time.Microsecond {
				t.Errorf("median %v", got)
			}
			if got := c.latency.quantile(.9); (got - c.tenth).Abs() > c.within {
				t.Errorf("nine in ten within %v, want %v", got, c.tenth)
			}
			for _, u := range []float64{0, 1, -1, math.NaN()} {
				if got := c.latency.quantile(u); got != 0 {
					t.Errorf("quantile %v is %v", u, got)
				}
			}
			s := Site{Pages: 4000, Latency: c.latency, Seed: 5}
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
	s := Site{Pages: 3, Latency: LogNormal(time.Second, 1, time.Minute), Seed: 1}
	l := s.Latencies(7)
	if len(l) != 7 || l[0] != l[3] || l[0] != l[6] || l[0] == l[1] {
		t.Errorf("latencies %v do not start again after 3 pages", l)
	}
	if s.Latencies(-1) != nil || (Site{}).Latencies(3) != nil {
		t.Error("latencies of nothing")
	}
}

func TestLatencyIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		median := time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "median"))
		longest := median + time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "more"))
		tail := rapid.Float64Range(1e-3, 100).Draw(t, "tail")
		u := rapid.Float64Range(1e-12, 1-1e-12).Draw(t, "u")
		l := LogNormal(median, tail, longest)
		if d := l.quantile(u); d < 0 || d > longest {
			t.Fatalf("%v: quantile %v is %v", l, u, d)
		}
	})
}

func TestFailureShares(t *testing.T) {
	s := Site{Pages: 4000, Seed: 9, Failures: Failures{
		Status500: .1, Disconnect: .2, Silent: .3, Endless: .4,
		Pages: map[int]Failure{17: NoFailure},
	}}
	got := map[Failure]int{}
	for page := range s.Pages {
		got[s.failureOf(page)]++
	}
	if got[NoFailure] != 2 || s.failureOf(0) != NoFailure || s.failureOf(17) != NoFailure {
		t.Errorf("spared %d pages, want 0 and 17", got[NoFailure])
	}
	for kind, want := range map[Failure]int{Status500: 400, Disconnect: 800, Silent: 1200, Endless: 1600} {
		if n := got[kind]; n < want-160 || n > want+160 {
			t.Errorf("%d pages fail by %q, want about %d", n, kind, want)
		}
	}
}
