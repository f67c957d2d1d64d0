package verdict

import (
	"fmt"
	"math"
	"path"
	"strings"
	"unicode/utf8"

	"overlap/pkg/internal/text"
	"overlap/pkg/probe/trace"
)

// How verdicts word what they say. All figures pass through here, so that none
// is ever "NaN".

func seconds(s float64) string { return text.Duration(sane(s)) }

func count(n int64) string { return text.Count(int(n)) }

// cpus is a number of CPUs as a noun: "1 CPU", "1.5 CPUs".
func cpus(n float64) string {
	text := fmt.Sprintf("%.3g", sane(n))
	if text == "1" {
		return "1 CPU"
	}
	return text + " CPUs"
}

// thereAre is "There is 1 CPU", "There are 0.5 CPUs".
func thereAre(n float64) string {
	if text := cpus(n); text == "1 CPU" {
		return "There is " + text
	}
	return "There are " + cpus(n)
}

// goroutines is a mean number of them: "1.02 goroutines".
func goroutines(n float64) string {
	if text := digits(n); text != "1" {
		return text + " goroutines"
	}
	return "1 goroutine"
}

// isAre is "1.02 goroutines were", "1 goroutine was".
func isAre(n float64) string {
	if text := goroutines(n); text == "1 goroutine" {
		return text + " was"
	}
	return goroutines(n) + " were"
}

// wait is "3.2 waited", of a mean number of goroutines.
func wait(n float64) string { return digits(n) + " on average waited" }

func digits(n float64) string {
	n = sane(n)
	if math.Abs(n) < 0.0005 { // less than any figure here can tell
		return "0"
	}
	if math.Abs(n) >= 99.5 {
		return count(int64(math.Round(math.Min(n, 1e15))))
	}
	return fmt.Sprintf("%.3g", n)
}

func sane(x float64) float64 {
	if !text.Finite(x) {
		return 0
	}
	return x
}

// usedText is "0.98 of 2 CPUs were used".
func (r *reading) usedText() string {
	if !r.measured {
		return "how much CPU was used is not known"
	}
	return fmt.Sprintf("%.2f of %s %s used", r.used, cpus(r.cpus), was(r.cpus))
}

// usesText is "used 1.98 of 2 CPUs".
func (r *reading) usesText() string {
	used := r.used
	if !r.measured {
		used = r.computes
	}
	return fmt.Sprintf("used %.2f of %s", sane(used), cpus(r.cpus))
}

func was(n float64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func (r *reading) boundText() string {
	switch r.bound {
	case "GOMAXPROCS":
		return "GOMAXPROCS"
	case "affinity":
		return "the process is bound to it"
	case "quota":
		return "a quota"
	}
	return "the machine has no more"
}

// at names where a wait is: "crawl.go:31 (sync.(*Mutex).Lock)", or the cell's
// line where it stands in a notebook.
func at(w trace.Wait) string {
	p := w.Place
	where := p.Cell
	if where == "" && p.File != "" {
		where = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	if where == "" {
		where = path.Base(p.Func)
	}
	if where == "" || where == "." {
		where = "a place that is not known"
	}
	what := p.What
	if what == "" {
		what = string(w.State)
	}
	if code := strings.TrimSpace(p.Code); code != "" {
		what = code
		if utf8.RuneCountInString(what) > 60 {
			what = string([]rune(what)[:59]) + "…"
		}
	}
	return fmt.Sprintf("%s (%s)", where, what)
}
