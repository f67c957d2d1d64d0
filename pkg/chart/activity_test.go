package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"

	"overlap/pkg/chart/internal/ink"
	"overlap/pkg/internal/text"
	"overlap/pkg/probe/trace"
	"overlap/pkg/verdict"
)

// filled is a canvas that keeps the colours of what is filled, and which of them
// a swatch of the key has.
type filled struct {
	*texts
	now    color.Color
	tones  map[color.Color]bool
	swatch map[color.Color]bool
}

func newFilled(f *Figure) *filled {
	return &filled{texts: newTexts(f.width, f.height), tones: map[color.Color]bool{}, swatch: map[color.Color]bool{}}
}

func (c *filled) SetColor(tone color.Color) { c.now = tone }

func (c *filled) Fill(p vg.Path) {
	if len(p) == 5 {
		if w, h := p[1].Pos.X-p[0].Pos.X, p[2].Pos.Y-p[1].Pos.Y; abs(w-swatch) < 1e-6 && abs(h-swatch) < 1e-6 {
			c.swatch[c.now] = true
			return
		}
	}
	c.tones[c.now] = true
}

func abs(v vg.Length) vg.Length { return vg.Length(math.Abs(float64(v))) }

// seldom is goroutines that wait for a lock, of which one waits for the network
// for a moment: too short to count, long enough to be seen.
func seldom() verdict.Verdict {
	lives := []trace.Life{then("main.main", 0, trace.Running, 1, trace.Join, 999)}
	for i := range 30 {
		lives = append(lives, then("main.work", 1, trace.Lock, 990, trace.Running, 9))
		if i == 7 {
			lives[i+1] = then("main.work", 1, trace.Lock, 600, trace.Network, 8, trace.Lock, 382, trace.Running, 9)
		}
	}
	return watchedWork("seldom", verdict.OneAtATime, "a lock", lives...)
}

// burst is goroutines that wait for a moment for a channel, and then very few for
// the network, for long.
func burst() verdict.Verdict {
	v := honest(4)
	t := v.Evidence.Trace
	for i := range t.Steps {
		t.Steps[i].Mean = map[trace.State]float64{trace.Running: 1, trace.Network: 3}
		if i == 100 {
			t.Steps[i].Mean[trace.Channel] = 1
		}
	}
	return v
}

// Every colour that can be seen in a figure is in its key, however little of it
// there is.
func TestKeysNameEveryColour(t *testing.T) {
	figures := verdictFigures()
	figures["running/seldom"], figures["lives/seldom"] = RunningOver(seldom()), Lives(seldom())
	figures["running/burst"] = RunningOver(burst())
	figures["running/burst and others"] = RunningOver(burst(), honest(20))
	for name, f := range figures {
		for _, theme := range []Theme{Light, Dark} {
			t.Run(name+"/"+string(theme), func(t *testing.T) {
				f := f.In(theme, Page)
				c := newFilled(f)
				if _, err := f.draw(c); err != nil {
					t.Fatal(err)
				}
				for place, tone := range f.theme.Activities {
					if c.tones[tone] != c.swatch[tone] {
						t.Errorf("%s: drawn %v, in the key %v", activities[place].name, c.tones[tone], c.swatch[tone])
					}
				}
				if len(c.swatch) == 0 {
					t.Error("no key")
				}
			})
		}
	}
	for name, f := range map[string]*Figure{"lives": figures["lives/seldom"], "running": figures["running/burst"]} {
		c := newFilled(f)
		if _, err := f.draw(c); err != nil {
			t.Fatal(err)
		}
		if !c.swatch[ink.Light.Activities[outside]] {
			t.Errorf("%s: what is seldom is not in the key", name)
		}
	}
}

// A few more goroutines than the usual most are all drawn; of many the first
// are.
func TestLivesDrawsAllOrTheFirst(t *testing.T) {
	for n, want := range map[int]int{1: 1, 40: 40, 41: 41, 48: 48, 49: 40, 60: 40, 200: 40} {
		f := Lives(honest(n))
		if f.Err() != nil {
			t.Fatal(f.Err())
		}
		if got := fmt.Sprintf("Lane chart of %s, the root with them,", text.Counted(want+1, "goroutines")); !strings.HasPrefix(f.Alt(), got) {
			t.Errorf("%d goroutines: %s; want %s", n, f.Alt(), got)
		}
		if told := strings.Contains(f.Caption(), "he first 40 goroutines of"); told != (want < n) {
			t.Errorf("%d goroutines, %d drawn: caption %q", n, want, f.Caption())
		}
	}
}

// Where threads waited themselves, nothing is said to have been on a CPU.
func TestThreadsThatWaitAreNotOnACPU(t *testing.T) {
	faults := crowdedOut()
	faults.Evidence.Usage.RunDelay = 0
	for name, tc := range map[string]struct {
		v    verdict.Verdict
		on   string
		says string
	}{
		"had the CPUs":     {honest(20), "on a CPU", ""},
		"crowded out":      {crowdedOut(), "on a thread", "was its own wait for a CPU"},
		"in page faults":   {faults, "on a thread", "most likely for memory or a disk"},
		"quota, no delays": {throttled(), "on a thread", "was its own wait for a CPU"},
	} {
		for kind, f := range map[string]*Figure{"running": RunningOver(tc.v), "several": RunningOver(honest(4), tc.v), "lives": Lives(tc.v)} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				if f.Err() != nil {
					t.Fatal(f.Err())
				}
				drawn := drawnTexts(t, f)
				if !slices.Contains(drawn, tc.on) {
					t.Errorf("the key does not say %q: %q", tc.on, drawn)
				}
				all := strings.Join(drawn, "\n") + f.Alt() + f.Title() + f.Caption()
				other := "waiting for a turn on a CPU"
				if strings.Contains(strings.ReplaceAll(strings.ReplaceAll(all, other, ""), "honest: on average 1.90 on a CPU", ""), "on a CPU") != (tc.on == "on a CPU" || kind == "several") {
					t.Errorf("says %q", all)
				}
				if !strings.Contains(f.Caption(), tc.says) {
					t.Errorf("no %q in %q", tc.says, f.Caption())
				}
			})
		}
	}
}

// throttled is work that a quota stopped.
func throttled() verdict.Verdict {
	v := crowdedOut()
	v.Evidence.Usage.Throttled, v.Evidence.Usage.RunDelay = v.Evidence.Usage.RunDelay, 0
	return v
}

// Strips that stand beside each other are single runs, and the caption says how
// far they can be compared.
func TestStripsSayWhatTheirLengthsAreWorth(t *testing.T) {
	for name, tc := range map[string]struct {
		f    *Figure
		want string
	}{
		"quiet": {RunningOver(honest(20), locked(12)), "how long it took says little"},
		"load":  {RunningOver(honest(20), crowdedOut()), "not all had the CPUs to themselves: how long they took cannot be compared"},
		"tasks": {InFlight(withSpans(rastersLike(6)), 5), "How long one trial took says little"},
	} {
		if tc.f.Err() != nil || !strings.Contains(tc.f.Caption(), tc.want) {
			t.Errorf("%s: %v, no %q in %q", name, tc.f.Err(), tc.want, tc.f.Caption())
		}
	}
	if c := RunningOver(honest(20)).Caption(); strings.Contains(c, "strip is") {
		t.Errorf("one alone: %q", c)
	}
}

// However fast goroutines change what they do, the picture stays small enough
// for a page.
func TestLivesStaySmall(t *testing.T) {
	lives := []trace.Life{then("main.main", 0, trace.Running, 1, trace.Join, 999)}
	for i := range 40 {
		l := trace.Life{Func: "main.work"}
		for j := range 1000 {
			state := []trace.State{trace.Running, trace.Channel, trace.Queued}[(i+j)%3]
			l.Spans = append(l.Spans, trace.StateSpan{State: state, Start: time.Duration(j) * time.Millisecond, End: time.Duration(j+1) * time.Millisecond})
		}
		lives = append(lives, l)
	}
	f := Lives(watchedWork("restless", verdict.AllCPUs, "", lives...))
	staySmall(t, f)
}
