package verdict_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"overlap/pkg/probe"
	"overlap/pkg/verdict"
)

// figures is how texts name a quantity that is among the numbers, too.
var figures = []struct {
	text *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`wanted ([0-9.,]+)`), "CPU wanted"},
	{regexp.MustCompile(`([0-9.,]+) of [0-9.]+ CPUs? (?:was|were) used`), "CPU used"},
	{regexp.MustCompile(`It used ([0-9.,]+) of`), "CPU used"},
	{regexp.MustCompile(`([0-9.,]+) goroutines? (?:was|were) active, and`), "active at once"},
	{regexp.MustCompile(`([0-9.,]+) goroutines shared it`), "in flight"},
	{regexp.MustCompile(`of ([0-9.,]+) tasks in flight`), "in flight"},
	{regexp.MustCompile(`([0-9.,]+) goroutines? (?:was|were) ready`), "ready, without a turn"},
	{regexp.MustCompile(`goroutines ([0-9.,]+) waited for a lock`), "waiting for a lock"},
	{regexp.MustCompile(`goroutines ([0-9.,]+) waited for the garbage`), "waiting for the collector"},
}

// agree checks that the text and the number of the same name are one figure,
// and returns how many it compared.
func agree(t interface{ Errorf(string, ...any) }, v verdict.Verdict) (compared int) {
	for _, f := range figures {
		m := f.text.FindStringSubmatch(v.Text)
		i := slices.IndexFunc(v.Numbers, func(n verdict.Number) bool { return n.Name == f.name })
		if m == nil || i < 0 {
			continue
		}
		said := strings.TrimRight(strings.ReplaceAll(m[1], ",", ""), ".")
		value, err := strconv.ParseFloat(said, 64)
		if err != nil || value > 1e6 {
			continue // of evidence that makes no sense
		}
		unit := 1.0 // of the last figure that is said
		if _, after, found := strings.Cut(said, "."); found {
			for range after {
				unit /= 10
			}
		} else if value > 999 {
			unit = value / 100
		}
		compared++
		if got := v.Numbers[i].Value; got < value-unit || got > value+unit {
			t.Errorf("%s is %v, and the text says %s: %s", f.name, got, said, v.Text)
		}
	}
	return compared
}

// TestOneQuantity: what a text calls by the name of a number is that number.
// (All other verdicts of these tests are checked for it, too: see sound.)
func TestOneQuantity(t *testing.T) {
	onQuota := func(quota float64, stopped, used time.Duration) func(e *verdict.Evidence) {
		return func(e *verdict.Evidence) {
			e.CPUs = probe.CPUSet{Count: quota, Bound: "quota", Affinity: 2, Quota: quota}
			e.Usage.User, e.Usage.Throttled = used, stopped
		}
	}
	tests := []struct {
		name   string
		scene  scene
		change func(e *verdict.Evidence)
		want   verdict.Kind
		text   string
	}{
		{"a quota, more ready", joined(times(6, repeat(10, run(5*ms), ready(10*ms))...)...), onQuota(2, 30*ms, 300*ms), verdict.Quota, "ready and had no turn"},
		{"a quota used up in bursts", joined(times(2, repeat(10, run(7*ms), sleep(3*ms))...)...), onQuota(2, 20*ms, 120*ms), verdict.Quota, "for each period"},
		{"many share the CPUs, some wait", joined(append(slices.Clone(timeSliced()[1:]), times(5, receive(100*ms))...)...), func(*verdict.Evidence) {}, verdict.Oversubscribed, "shared it"},
		{"a few ready while others use the CPUs", joined(times(2, repeat(20, run(6*ms), ready(3*ms), sleep(ms/10))...)...), func(e *verdict.Evidence) { beside(e, 0.9) }, verdict.AllCPUs, "ready and had no turn"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := test.scene.evidence()
			test.change(&e)
			v := verdict.Judge(e)
			if v.Kind != test.want || !strings.Contains(v.Text, test.text) {
				t.Errorf("got %s\n%s\nwant %q, and %q", v, evidence(v), test.want, test.text)
			}
			if agree(t, v) == 0 {
				t.Errorf("no figure was compared: %s", v.Text)
			}
			sound(t, v)
		})
	}
}
