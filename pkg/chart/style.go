package chart

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/lab"
)

// known are the schedulers that have a colour of their own in every figure:
// the beginning of the name in lower-case letters only, and the colour.
var known = []struct {
	prefix string
	color  int
}{
	{"sequential", 0},
	{"goroutines", 1},
	{"pool", 2},
	{"threads", 3},
	{"eventloop", 4},
	{"awaiteach", 5},
	{"executor", 6},
	{"dispatchersdefault", 3},
	{"dispatchersio", 6},
	{"default", 3},
	{"io", 6},
}

// looksOf returns the look of each variant of a result. A variant whose name
// is not a scheduler's looks as the scheduler that it runs on.
func looksOf(r *lab.Result, variants []string) map[string]ink.Look {
	return looks(variants, func(variant string) string {
		if i := slices.Index(r.Variants, variant); i >= 0 && i < len(r.Specs) {
			return r.Specs[i].Scheduler
		}
		return ""
	})
}

// looks returns the look of each variant. A well-known scheduler has its own
// colour wherever it appears. Of several that differ in a number, such as
// pool(1) and pool(2), the greatest has the look of one alone, and the others
// have the colour in another shade, with another marker and dash. Any other
// name prefers a colour that follows from the name alone and gives way where
// that is taken. The same names in the same order always get the same looks.
func looks(variants []string, scheduler func(variant string) string) map[string]ink.Look {
	n := len(ink.Light.Series)
	out := make(map[string]ink.Look, len(variants))
	used := make([]int, n) // how many variants have the colour
	set := func(name string, c int) {
		out[name] = ink.Look{Color: c, Marker: ink.Marker((c + used[c]) % int(ink.Markers)), Dash: (dashOf[c] + 2*used[c]) % ink.Dashes}
		used[c]++
	}
	groups, rest := siblingsOf(variants, scheduler)
	for _, g := range groups {
		if used[g.color] > 0 { // another kind's
			rest = append(rest, g.members...)
			continue
		}
		for i, name := range g.members {
			if i == mostShades {
				rest = append(rest, g.members[i:]...)
				break
			}
			set(name, g.color)
			l := out[name]
			l.Shaded = i%2 == 1
			out[name] = l
		}
	}
	for _, v := range rest {
		least := math.MaxInt
		for _, u := range used {
			least = min(least, u)
		}
		h := fnv.New32a()
		h.Write([]byte(v))
		c := int(h.Sum32() % uint32(n))
		for used[c] > least {
			c = (c + 1) % n
		}
		set(v, c)
	}
	return out
}

// dashOf is the dash pattern that goes with each colour, so that lines differ
// in print as well.
var dashOf = []int{0, 0, 1, 2, 3, 4, 1}

// mostShades is how many variants share a colour for their scheduler's sake:
// more could hardly be told apart.
const mostShades = 4

// siblings are the variants on one kind of well-known scheduler.
type siblings struct {
	kind, color int
	members     []string
}

// siblingsOf finds such groups among variants, each in the order in which
// looks are given, and what belongs to none.
func siblingsOf(variants []string, scheduler func(variant string) string) (groups []siblings, rest []string) {
	seen := map[string]bool{}
	numbers := map[string]int{}
	for _, v := range variants {
		if seen[v] {
			continue
		}
		seen[v] = true
		kind, number := kindOf(v), numberIn(v)
		if scheduler != nil {
			if kind < 0 {
				kind = kindOf(scheduler(v))
			}
			number = max(number, numberIn(scheduler(v)))
		}
		if kind < 0 {
			rest = append(rest, v)
			continue
		}
		numbers[v] = number
		i := slices.IndexFunc(groups, func(g siblings) bool { return g.kind == kind })
		if i < 0 {
			i = len(groups)
			groups = append(groups, siblings{kind: kind, color: known[kind].color})
		}
		groups[i].members = append(groups[i].members, v)
	}
	for _, g := range groups {
		slices.SortStableFunc(g.members, func(a, b string) int { return cmp.Compare(numbers[b], numbers[a]) })
	}
	return groups, rest
}

// kindOf returns the place in known of the scheduler that a name begins with,
// -1 if it is none of them.
func kindOf(name string) int {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if unicode.IsLetter(r) {
			b.WriteRune(r)
		}
	}
	s := b.String()
	for i, k := range known {
		if s == k.prefix || len(k.prefix) > 3 && strings.HasPrefix(s, k.prefix) {
			return i
		}
	}
	return -1
}

// numberIn returns the number in parentheses in a scheduler's name, -1 for
// none: 2 for "pool(2)".
func numberIn(name string) int {
	_, after, _ := strings.Cut(name, "(")
	inside, _, ok := strings.Cut(after, ")")
	if n, err := strconv.Atoi(inside); ok && err == nil {
		return n
	}
	return -1
}
