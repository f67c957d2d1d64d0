package notebook

import (
	"context"
	"encoding/gob"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"overlap/pkg/chart"
	"overlap/pkg/lab"
	"overlap/pkg/sched"
)

// programs are what the tests run in a process of its own, by name.
var programs = map[string]func(){
	"order": func() {
		Show("one", fakeFigure{png: []byte("p1"), alt: "two"}, lab.Table{Head: []string{"a"}, Rows: [][]string{{"three"}}})
		Text("four %d", 4)
		Show(nil, (*lab.Result)(nil), error(nil))
		Show("five")
	},
	"large": func() { Show(fakeFigure{png: make([]byte, 3<<20), alt: "large"}) },
	"error": func() {
		Show(errors.New("the cause"), "shown all the same")
		Show("never reached")
	},
	"unsaved": func() { Show(fakeFigure{png: []byte("p"), alt: "seen", saveErr: errors.New("disk full")}, "after") },
	"unknown": func() { Show(42, []int{1, 2}) },
	"progress": func() {
		b := newBar(out(), "bar")
		b.observe(lab.Progress{Done: 1, Total: 4, Elapsed: 2 * time.Second, Repeats: 2})
		b.observe(lab.Progress{Done: 4, Total: 4, Elapsed: 3 * time.Second, Repeats: 2, Finished: true})
	},
	"interrupt": func() {
		ctx := Context()
		syscall.Kill(os.Getpid(), syscall.SIGINT)
		<-ctx.Done()
		Show(errors.Join(ctx.Err(), nil), "partial")
		Show("never reached")
	},
	"interrupt and failure": func() {
		ctx := Context()
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
		<-ctx.Done()
		Show(errors.Join(ctx.Err(), errors.New("not saved")))
	},
	"interrupted run": func() {
		ctx := Context()
		r, err := lab.Experiment{
			Name: "Naps",
			Workload: lab.Each("naps", func(context.Context, int) error { // that hear of no interrupt
				time.Sleep(10 * time.Millisecond)
				return nil
			}),
			Schedulers: []sched.Scheduler{sched.Sequential(), sched.Goroutines()},
			Sizes:      []int{20}, Repeats: 500,
		}.Run(ctx, lab.Traced(), lab.Observe(func(p lab.Progress) {
			if p.Round == 2 && ctx.Err() == nil {
				syscall.Kill(os.Getpid(), syscall.SIGINT)
			}
		}))
		Show(r.Table(), chart.Trials(r), err)
	},
	"second interrupt": func() {
		ctx := Context()
		syscall.Kill(os.Getpid(), syscall.SIGINT)
		<-ctx.Done()
		for range 100 { // the usual effect comes back a moment later
			syscall.Kill(os.Getpid(), syscall.SIGINT)
			time.Sleep(50 * time.Millisecond)
		}
		Show("survived")
	},
}

func TestMain(m *testing.M) {
	if name, ok := os.LookupEnv("NOTEBOOK_TEST_PROGRAM"); ok {
		programs[name]()
		os.Exit(0)
	}
	programContext() // outside of any test with a clock of its own
	os.Exit(m.Run())
}

type fakeFigure struct {
	png     []byte
	alt     string
	err     error
	saveErr error
}

func (f fakeFigure) PNG() ([]byte, int, int, error) { return f.png, 640, 400, f.err }
func (f fakeFigure) Alt() string                    { return f.alt }
func (f fakeFigure) Slug() string                   { return "fake" }
func (f fakeFigure) Save(dir string) ([]string, error) {
	if f.saveErr != nil {
		return nil, f.saveErr
	}
	return []string{filepath.Join(dir, "fake.png")}, nil
}

func command(t *testing.T, program string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "NOTEBOOK_TEST_PROGRAM="+program, "OVERLAP_OUT="+t.TempDir(),
		"GORACE=atexit_sleep_ms=0") // a second for each program, with the race detector
	return cmd
}

// inCell runs a program as a kernel does, with a pipe in each direction, and
// returns what it sent.
func inCell(t *testing.T, program string) (sent []protocol.DisplayData, stdout, stderr string, err error) {
	t.Helper()
	dir := t.TempDir()
	there, back := filepath.Join(dir, "there"), filepath.Join(dir, "back")
	for _, p := range []string{there, back} {
		if err := syscall.Mkfifo(p, 0o600); err != nil {
			t.Skipf("no named pipes here: %v", err)
		}
	}
	cmd := command(t, program)
	cmd.Env = append(cmd.Env, protocol.GONB_PIPE_ENV+"="+there, protocol.GONB_PIPE_BACK_ENV+"="+back)
	var outText, errText strings.Builder
	cmd.Stdout, cmd.Stderr = &outText, &errText

	// Open both ends of both, so that neither side waits for the other to open.
	open := func(path string) *os.File {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	in, ack := open(there), open(back)
	defer ack.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		dec, enc := gob.NewDecoder(in), gob.NewEncoder(ack)
		for {
			var m protocol.DisplayData
			if dec.Decode(&m) != nil {
				return
			}
			if v, ok := m.Data[protocol.MIMECommValue].(protocol.CommValue); ok {
				if v.Address == protocol.GonbuiSyncAddress {
					enc.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: v.Value})
				}
				continue
			}
			sent = append(sent, m)
		}
	}()
	err = cmd.Run()
	// Each call waited for its answer, so nothing is on its way any more.
	in.Close()
	<-done
	return sent, outText.String(), errText.String(), err
}

func texts(sent []protocol.DisplayData) []string {
	var all []string
	for _, m := range sent {
		all = append(all, strings.TrimSpace(m.Data[protocol.MIMETextPlain].(string)))
	}
	return all
}

func TestCellShowsInOrder(t *testing.T) {
	sent, stdout, stderr, err := inCell(t, "order")
	if err != nil || stdout != "" || stderr != "" {
		t.Fatalf("ended with %v, stdout %q, stderr %q", err, stdout, stderr)
	}
	want := []string{"one", "two", "a\nthree", "four 4", "five"}
	if got := texts(sent); !slices.Equal(got, want) {
		t.Fatalf("showed %q, want %q", got, want)
	}
	picture := sent[1]
	if string(picture.Data[protocol.MIMEImagePNG].([]byte)) != "p1" {
		t.Errorf("the picture came as %v", picture.Data)
	}
	size, _ := picture.Metadata["image/png"].(map[string]int)
	if size["width"] != 640 || size["height"] != 400 {
		t.Errorf("the picture's size came as %v", picture.Metadata)
	}
	if html, _ := sent[2].Data[protocol.MIMETextHTML].(string); !strings.Contains(html, "<table>") {
		t.Errorf("the table came as %q", html)
	}
}

func TestCellLosesNothing(t *testing.T) {
	for range 5 {
		sent, _, _, err := inCell(t, "large")
		if err != nil || len(sent) != 1 || len(sent[0].Data[protocol.MIMEImagePNG].([]byte)) != 3<<20 {
			t.Fatalf("%d displays arrived, %v", len(sent), err)
		}
	}
}

func TestCellEnds(t *testing.T) {
	for _, test := range []struct {
		program string
		shown   []string
		stderr  string
		fails   bool
	}{
		{"error", []string{"shown all the same"}, "the cause\n", true},
		{"unsaved", []string{"seen", "after"}, "disk full\n", true},
		{"unknown", []string{"42", "[1 2]"}, "", false},
		{"interrupt", []string{"partial", "Stopped on request. What is shown is what was measured until then."}, "", true},
		{"interrupt and failure", []string{"Stopped on request. What is shown is what was measured until then."}, "not saved\n", true},
		{"second interrupt", nil, "", true},
	} {
		t.Run(test.program, func(t *testing.T) {
			sent, stdout, stderr, err := inCell(t, test.program)
			if got := texts(sent); !slices.Equal(got, test.shown) {
				t.Errorf("showed %q, want %q", got, test.shown)
			}
			if stdout != "" || stderr != test.stderr {
				t.Errorf("stdout %q, stderr %q, want none and %q", stdout, stderr, test.stderr)
			}
			if (err != nil) != test.fails {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

// A kernel kills a cell five seconds after an interrupt. The bound is a generous
// one: the run ends with the trial under way, long before its 500 rounds.
func TestInterruptedCellShowsInTime(t *testing.T) {
	begin := time.Now()
	sent, _, stderr, err := inCell(t, "interrupted run")
	took := time.Since(begin)
	got := texts(sent)
	if err == nil || len(got) != 3 || !strings.HasPrefix(got[0], "Naps, 20 tasks") || !strings.HasPrefix(got[2], "Stopped on request.") {
		t.Errorf("ended with %v, showed %q, stderr %q", err, got, stderr)
	}
	if took > 30*time.Second {
		t.Errorf("shown after %v", took)
	}
}

func TestCellProgressStaysInOnePlace(t *testing.T) {
	sent, _, _, err := inCell(t, "progress")
	if err != nil || len(sent) != 2 {
		t.Fatalf("%d displays, %v", len(sent), err)
	}
	for _, m := range sent {
		if m.DisplayID != "bar" {
			t.Errorf("display id %q", m.DisplayID)
		}
	}
	if first := sent[0].Data[protocol.MIMETextHTML].(string); !strings.Contains(first, `<progress max="4" value="1">`) {
		t.Errorf("first %q", first)
	}
	if last := sent[1].Data[protocol.MIMETextHTML].(string); last != "4 trials in 3.0 s." {
		t.Errorf("last %q", last)
	}
}

func TestTerminalShowsTheSame(t *testing.T) {
	cmd := command(t, "order")
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	at := -1
	for _, want := range []string{"one", "two", "three", "four 4", "five"} {
		i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, want) })
		if i <= at {
			t.Errorf("%q is not there in its order in %q", want, lines)
		}
		at = i
	}
	cmd = command(t, "error")
	text, err = cmd.Output()
	var exit *exec.ExitError
	if string(text) != "shown all the same\n" || !errors.As(err, &exit) || exit.ExitCode() != 1 || string(exit.Stderr) != "the cause\n" {
		t.Errorf("showed %q, ended with %v", text, err)
	}
}

func TestTerminalReportsWhatItCannotWrite(t *testing.T) {
	full := terminal{failing{}}
	if err := show(full, "text"); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("got %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
