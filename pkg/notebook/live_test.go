package notebook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"overlap/pkg/lab"
	"overlap/pkg/sched"
)

var testControls = []Control{Slider("workers", 1, 16, 2), Select("scheduler", "pool", "goroutines"), Button("run again")}

// A display is what a notebook shows: the newest block of each id.
type display struct {
	mu     sync.Mutex
	order  []string
	blocks map[string]block
	n      int
}

func (d *display) show(b block) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.blocks == nil {
		d.blocks = map[string]block{}
	}
	if b.id == "" {
		d.n++
		b.id = fmt.Sprint("own-", d.n)
	}
	if _, ok := d.blocks[b.id]; !ok {
		d.order = append(d.order, b.id)
	}
	d.blocks[b.id] = b
	return nil
}

func (d *display) texts() (all []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range d.order {
		if t := d.blocks[id].text; t != "" {
			all = append(all, t)
		}
	}
	return all
}

// liveTest is a Live with a page of the test's own.
func liveTest(draw func(context.Context, Values) []any) (*live, *display) {
	d := &display{}
	l := newLive(d, draw, testControls)
	l.connect = func(string, *events) {}
	return l, d
}

func said(ctx context.Context, v Values) []any { return []any{"drawn with " + v.String()} }

func TestLiveWithoutAPage(t *testing.T) {
	for where, want := range map[place]string{
		nowhere:     "Set to workers 2, scheduler pool.",
		unknownPage: "Set to workers 2, scheduler pool." + unconnected,
	} {
		l, d := liveTest(said)
		if err := l.once(t.Context(), where); err != nil {
			t.Error(err)
		}
		if got := d.texts(); !slices.Equal(got, []string{want, "drawn with workers 2, scheduler pool"}) {
			t.Errorf("showed %q", got)
		}
	}
}

func TestLiveFollowsThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, d := liveTest(said)
		ended := make(chan error)
		go func() { ended <- l.run(t.Context()) }()
		for i, e := range []event{
			{Seq: 1, At: []int{2, 0, 0}}, {Seq: 2, At: []int{5, 0, 0}}, {Seq: 4, At: []int{7, 1, 0}},
			{Seq: 3, At: []int{6, 1, 0}}, // late
			{Seq: 5, At: []int{99, 7, 1}}, {Seq: 6, At: nil}, {Seq: 7, At: []int{-3}},
		} {
			l.events.put(e)
			synctest.Wait()
			want := []string{"workers 2, scheduler pool", "workers 5, scheduler pool", "workers 7, scheduler goroutines", "workers 7, scheduler goroutines",
				"workers 16, scheduler goroutines", "workers 2, scheduler pool", "workers 1, scheduler pool"}[i]
			if got := d.texts(); got[len(got)-1] != "drawn with "+want {
				t.Errorf("event %d: showed %q, want %s", i, got, want)
			}
		}
		l.events.put(event{Seq: 8, At: []int{4, 1, 0}, Done: true})
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if got := d.texts(); !slices.Equal(got, []string{"Set to workers 4, scheduler goroutines.", "Drawn in 0.0 s.", "drawn with workers 4, scheduler goroutines"}) {
			t.Errorf("left %q", got)
		}
		for _, b := range d.blocks {
			if strings.Contains(b.html, "<input") || strings.Contains(b.html, "<script") {
				t.Errorf("left %s", b.html)
			}
		}
	})
}

// In whatever order events come, and however long a draw takes, draws do not
// overlap and the position that was last is the one that stays.
func TestLastPositionWins(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(rt, "events")
		seed := rapid.Uint64().Draw(rt, "seed")
		slowest := rapid.IntRange(0, 50).Draw(rt, "milliseconds a draw takes")
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 2))
			running, cancelled := 0, 0
			l, d := liveTest(func(ctx context.Context, v Values) []any {
				running++
				if running > 1 {
					t.Error("two draws at once")
				}
				defer func() { running-- }()
				select {
				case <-ctx.Done():
					cancelled++
					return []any{ctx.Err(), "given up"}
				case <-time.After(time.Duration(slowest) * time.Millisecond):
				}
				return []any{"drawn with " + v.String()}
			})
			ended := make(chan error)
			go func() { ended <- l.run(t.Context()) }()
			events := make([]event, n)
			for i := range events {
				events[i] = event{Seq: int64(i + 1), At: []int{1 + r.IntN(16), r.IntN(2), i}}
			}
			last := events[n-1]
			r.Shuffle(n, func(i, j int) { events[i], events[j] = events[j], events[i] })
			for _, e := range events {
				text, _ := json.Marshal(e)
				go l.events.deliver(string(text)) // as gonbui does
				time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
			}
			synctest.Wait()
			last.Seq, last.Done = int64(n+1), true
			l.events.put(last)
			if err := <-ended; err != nil {
				t.Error(err)
			}
			want := l.values.moved(last.At).String()
			got := d.texts()
			if got[0] != "Set to "+want+"." || got[len(got)-1] != "drawn with "+want || slices.Contains(got, "given up") {
				t.Errorf("left %q, want %s (%d given up)", got, want, cancelled)
			}
		})
	})
}

// A position that is only passed is no interrupted experiment.
func TestPassedPositionsLeaveNoFiles(t *testing.T) {
	dir := t.TempDir()
	began := make(chan bool, 1)
	l, _ := liveTest(func(ctx context.Context, v Values) []any {
		e := lab.Experiment{
			Name: fmt.Sprintf("Naps with %d", v.Int("workers")),
			Workload: lab.Each("naps", func(ctx context.Context, _ int) error {
				time.Sleep(time.Millisecond)
				return nil
			}),
			Schedulers: []sched.Scheduler{sched.Sequential()}, Sizes: []int{1}, Repeats: 1, Dir: dir,
		}
		if v.Int("workers") == 5 { // goes on until it is given up
			e.Repeats = 1000
		}
		r, err := e.Run(ctx, lab.Observe(func(p lab.Progress) {
			if p.Repeats == 1000 && p.Round == 2 {
				select {
				case began <- true:
				default:
				}
			}
		}))
		return []any{r, err}
	})
	l.answer = time.Minute
	go func() {
		l.events.put(event{Seq: 1, At: []int{5, 0, 0}})
		<-began
		l.events.put(event{Seq: 2, At: []int{3, 0, 0}, Done: true})
	}()
	if err := l.run(t.Context()); err != nil {
		t.Error(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 2 || slices.ContainsFunc(files, func(f string) bool { return strings.Contains(f, "with-5") }) {
		t.Errorf("left %q, %v; want those of 2 and 3", files, err)
	}
}

func TestLiveEndsByItself(t *testing.T) {
	for name, test := range map[string]struct {
		answers bool
		moved   time.Duration // when it is, 0 for never
		after   time.Duration
		line    string
	}{
		"no page answers":   {false, 0, 4 * time.Second, "Set to workers 2, scheduler pool." + unconnected},
		"nobody moves it":   {true, 0, 10 * time.Minute, "Set to workers 2, scheduler pool."},
		"nobody moves more": {true, 7 * time.Minute, 17 * time.Minute, "Set to workers 9, scheduler pool."},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, d := liveTest(said)
				if test.answers {
					l.events.put(event{Seq: 1, At: []int{2, 0, 0}})
				}
				if test.moved > 0 {
					time.AfterFunc(test.moved, func() { l.events.put(event{Seq: 2, At: []int{9, 0, 0}}) })
				}
				begin := time.Now()
				if err := l.run(t.Context()); err != nil {
					t.Error(err)
				}
				if took := time.Since(begin); took != test.after {
					t.Errorf("ended after %v, want %v", took, test.after)
				}
				if got := d.texts(); got[0] != test.line {
					t.Errorf("left %q", got)
				}
			})
		})
	}
}

func TestLiveTellsErrors(t *testing.T) {
	bad := errors.New("a bad position")
	for name, test := range map[string]struct {
		draw func(context.Context, Values) []any
		end  []int
		want string // in the error at the end, "" for none
	}{
		"in the end": {func(_ context.Context, v Values) []any { return []any{"drawn", bad} }, []int{2}, "a bad position"},
		"only meanwhile": {func(_ context.Context, v Values) []any {
			if v.Int("workers") == 2 {
				return []any{bad}
			}
			return []any{"drawn"}
		}, []int{3}, ""},
		"no such control": {func(_ context.Context, v Values) []any { return []any{v.Int("worker"), v.Text("x")} }, []int{2}, `no control has the name "worker"; these are there: "workers", "scheduler", "run again"`},
		"no number":       {func(_ context.Context, v Values) []any { return []any{v.Int("scheduler")} }, []int{2}, `"scheduler" at "pool" is not a whole number`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, _ := liveTest(test.draw)
				l.events.put(event{Seq: 1, At: test.end, Done: true})
				err := l.run(t.Context())
				if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want %q", err, test.want)
				}
			})
		})
	}
}

func TestProgressOfADrawHasOnePlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l *live
		l, d := liveTest(func(_ context.Context, v Values) []any {
			observe := l.observer()
			observe(lab.Progress{Done: 1, Total: 2, Elapsed: 2 * time.Second})
			observe(lab.Progress{Done: 2, Total: 2, Elapsed: 3 * time.Second, Finished: true})
			return []any{"drawn"}
		})
		for i := range 5 {
			go func() {
				time.Sleep(time.Duration(i) * time.Second)
				l.events.put(event{Seq: int64(i + 1), At: []int{3 + i}, Done: i == 4})
			}()
		}
		if err := l.run(t.Context()); err != nil {
			t.Error(err)
		}
		if got := d.texts(); !slices.Equal(got, []string{"Set to workers 7, scheduler pool.", "2 trials in 3.0 s.", "drawn"}) {
			t.Errorf("left %q", got)
		}
	})
}

func TestCheckControls(t *testing.T) {
	for name, test := range map[string]struct {
		controls []Control
		want     string
	}{
		"fine":           {testControls, ""},
		"none":           {nil, ""},
		"no name":        {[]Control{Button("")}, "has no name"},
		"same name":      {[]Control{Button("a"), Slider("a", 0, 1, 0)}, `the name "a"`},
		"no options":     {[]Control{Select("s")}, "no options"},
		"begins outside": {[]Control{Slider("n", 1, 4, 5)}, "from 1 to 4"},
		"upside down":    {[]Control{Slider("n", 4, 1, 4)}, "from 4 to 1"},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkControls(test.controls)
			if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestControlsAreEscaped(t *testing.T) {
	bad := `"><script>alert(1)</script>&`
	l := newLive(&display{}, said, []Control{Slider(bad, 0, 3, 1), Select(bad+"s", bad), Button(bad + "b")})
	for name, page := range map[string]string{"controls": l.controls(), "opening": l.opening()} {
		if strings.Contains(page, bad) || strings.Contains(page, "<script>alert") || !strings.Contains(page, "&lt;script&gt;alert(1)") {
			t.Errorf("%s: %s", name, page)
		}
	}
	if strings.Count(l.controls(), "<label for=") != 2 {
		t.Error("a slider or a select has no label")
	}
}

func FuzzDeliver(f *testing.F) {
	f.Add(`{"seq":3,"at":[1,2],"done":true}`)
	f.Add(`{"seq":1e99}`)
	f.Add(`[`)
	f.Fuzz(func(t *testing.T, message string) {
		sent := &events{newest: make(chan event, 1)}
		sent.deliver(message)
		var newest event
		select {
		case newest = <-sent.newest:
		default:
		}
		v := startValues(testControls).moved(newest.At)
		for i, c := range testControls {
			if v.at[i] < c.min || v.at[i] > c.max {
				t.Errorf("%s at %d", c.name, v.at[i])
			}
		}
		_ = v.String()
	})
}

func TestFront(t *testing.T) {
	// Outside of a notebook there is nobody, whatever else is set.
	t.Setenv("JPY_PARENT_PID", fmt.Sprint(os.Getpid()))
	if got := front(); got != nowhere {
		t.Errorf("got %v", got)
	}
	dir := t.TempDir()
	for _, test := range []struct {
		name, runtime, data, want string
	}{
		{"runtime", dir, "/elsewhere", dir},
		{"data", "", dir, filepath.Join(dir, "runtime")},
	} {
		t.Setenv("JUPYTER_RUNTIME_DIR", test.runtime)
		t.Setenv("JUPYTER_DATA_DIR", test.data)
		if got := runtimeDirs(); !slices.Equal(got, []string{test.want}) {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

// A cell that GoNB takes up at once after one that was stopped was waiting.
func TestWasWaiting(t *testing.T) {
	stopped := time.Now()
	for _, test := range []struct {
		name string
		code time.Duration // after the mark
		want bool
	}{
		{"the stopped cell itself", -3 * time.Second, false},
		{"at once", 200 * time.Millisecond, true},
		{"by somebody", 3 * time.Second, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if wasQueued(dir) {
				t.Error("without a mark")
			}
			for name, at := range map[string]time.Time{queueMark: stopped, "main.go": stopped.Add(test.code)} {
				file := filepath.Join(dir, name)
				if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Chtimes(file, at, at)); err != nil {
					t.Fatal(err)
				}
			}
			if got := wasQueued(dir); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
