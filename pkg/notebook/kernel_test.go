package notebook

import (
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"overlap/pkg/chart"
	"overlap/pkg/internal/sieve"
	"overlap/pkg/lab"
	"overlap/pkg/sched"
	"overlap/pkg/verdict"
	"overlap/pkg/workload/primes"
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
		b := newBar(out(), "bar", true)
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
	// As a kernel's and its group's at once: one request.
	"interrupt that comes twice": func() {
		ctx := Context()
		syscall.Kill(os.Getpid(), syscall.SIGINT)
		<-ctx.Done()
		syscall.Kill(os.Getpid(), syscall.SIGINT)
		Show(ctx.Err(), "partial")
	},
	// The error says nothing of the interrupt that it came from.
	"interrupt of a child": func() {
		child := exec.CommandContext(Context(), "sleep", "600")
		if err := child.Start(); err != nil {
			Show(err)
		}
		syscall.Kill(os.Getpid(), syscall.SIGINT)
		Show(child.Wait())
	},
	"interrupt of what does not hear": func() {
		Context()
		Show("begun")
		syscall.Kill(os.Getpid(), syscall.SIGINT)
		for {
			work()
		}
	},
	"ending": func() {
		Show(fmt.Sprint("on its own: ", stopsUnderWay()))
		Show(stringer(func() string { return fmt.Sprint("shown: ", stopsUnderWay()) }))
		_, err := lab.Experiment{
			Name: "Ending", Workload: lab.Each("nothing", func(context.Context, int) error { return nil }),
			Schedulers: []sched.Scheduler{sched.Sequential()}, Sizes: []int{1}, Repeats: 1,
		}.Run(Context(), lab.Observe(func(p lab.Progress) {
			if p.Finished {
				Show(fmt.Sprint("measured: ", stopsUnderWay()))
			}
		}))
		_, watchErr := verdict.Watch(Context(), func(context.Context) error {
			Show(fmt.Sprint("watched: ", stopsUnderWay()))
			return nil
		})
		Show(err, watchErr)
	},
	"left alone": func() {
		ctx := Context()
		fmt.Println("ready")
		<-ctx.Done()
		Show("for nobody")
	},
	"prints": func() {
		Show("shown 0")
		for i := 1; i <= 3; i++ {
			fmt.Println("printed", i)
			Show(fmt.Sprint("shown ", i))
		}
	},
	"calls nothing": func() {
		is, err := os.Stdout.Stat()
		fmt.Println(is.Mode().IsRegular(), err, os.Getenv(sieve.Variable) != "")
	},
	"prints before": func() {
		fmt.Println("printed before")
		Show("shown")
		fmt.Println("printed after")
		Show("shown again")
	},
	"floods": func() {
		Context() // from here on what is printed is bounded
		for i := range 100_000 {
			fmt.Println("line", i)
			fmt.Fprintln(os.Stderr, "line", i)
			log.Print("logged ", i)
		}
		for i := range 600 {
			Show(lab.Table{Head: []string{"n"}, Rows: [][]string{{fmt.Sprint(i)}}})
		}
		Text("%s", strings.Repeat("line\n", 100_000)+"the sum is 42")
		fmt.Println("the end")
		panic("on purpose")
	},
	"ends at once": func() {
		fmt.Print("no end of line")
		log.Fatal("said last")
	},
	"leaves a child": func() {
		child := exec.Command("sleep", "600")
		if err := child.Start(); err != nil {
			Show(err)
		}
		Text("%d", child.Process.Pid)
	},
	"from goroutines": func() {
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() { Show(fmt.Sprint("first of ", i), fmt.Sprint("second of ", i)) })
		}
		wg.Wait()
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

// work keeps a CPU busy for some milliseconds.
func work() { primes.Count(70_000) }

// A stringer is shown as what it returns.
type stringer func() string

func (s stringer) String() string { return s() }

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sieve.Argument {
		os.Exit(sieve.Main())
	}
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
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // for what never ends
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), "NOTEBOOK_TEST_PROGRAM="+program, "OVERLAP_OUT="+t.TempDir(),
		sieve.Variable+"="+strings.TrimPrefix(cmp.Or(os.Getenv("NOTEBOOK_TEST_SIEVE"), self), "none"),
		"GORACE=atexit_sleep_ms=0") // a second for each program, with the race detector
	return cmd
}

// inCell runs a program as a kernel does, with a pipe in each direction, and
// returns what it sent.
func inCell(t *testing.T, program string) (sent []protocol.DisplayData, stdout, stderr string, err error) {
	t.Helper()
	var outText, errText strings.Builder
	sent, err = inCellTo(t, program, &outText, &errText, func(protocol.DisplayData) {})
	return sent, outText.String(), errText.String(), err
}

// inCellTo is inCell with its stdout and stderr written somewhere else, and a call
// for each thing shown before the program goes on.
func inCellTo(t *testing.T, program string, stdout, stderr io.Writer, shown func(protocol.DisplayData)) (sent []protocol.DisplayData, err error) {
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
	cmd.Stdout, cmd.Stderr = stdout, stderr

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
			shown(m)
		}
	}()
	err = cmd.Run()
	// Each call waited for its answer, so nothing is on its way any more.
	in.Close()
	<-done
	return sent, err
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
	const stopped = "Stopped on request. What is shown is what was measured until then."
	for _, test := range []struct {
		program string
		shown   []string
		stderr  string
		end     string // "" for well
	}{
		{"error", []string{"shown all the same"}, "the cause\n", "exit status 1"},
		{"unsaved", []string{"seen", "after"}, "disk full\n", "exit status 1"},
		{"unknown", []string{"42", "[1 2]"}, "", ""},
		{"ends at once", nil, "said last\n", "exit status 1"},
		{"interrupt", []string{"partial", stopped}, "", "signal: interrupt"},
		{"interrupt and failure", []string{stopped}, "not saved\n", "signal: interrupt"},
		{"interrupt that comes twice", []string{"partial", stopped}, "", "signal: interrupt"},
		{"interrupt of a child", []string{stopped}, "signal: killed\n", "signal: interrupt"},
		{"interrupt of what does not hear", []string{"begun", "Stopped on request. The program went on, so it was ended; what it had shown and saved is kept."},
			"", "signal: interrupt"},
		{"second interrupt", nil, "", "signal: interrupt"},
	} {
		t.Run(test.program, func(t *testing.T) {
			kernel := t.TempDir()
			t.Setenv(protocol.GONB_TMP_DIR_ENV, kernel)
			t.Setenv(headlessVariable, "")
			sent, stdout, stderr, err := inCell(t, test.program)
			// Cells that wait for one that was stopped must not run.
			if _, unmarked := os.Stat(filepath.Join(kernel, queueMark)); (unmarked == nil) != strings.HasPrefix(test.end, "signal") {
				t.Errorf("a mark for what waits: %v", unmarked)
			}
			if got := texts(sent); !slices.Equal(got, test.shown) {
				t.Errorf("showed %q, want %q", got, test.shown)
			}
			if test.program == "ends at once" {
				if stdout != "no end of line" || !strings.HasSuffix(stderr, test.stderr) {
					t.Errorf("stdout %q, stderr %q", stdout, stderr)
				}
			} else if stdout != "" || stderr != test.stderr {
				t.Errorf("stdout %q, stderr %q, want none and %q", stdout, stderr, test.stderr)
			}
			if end := fmt.Sprint(err); end != test.end && (err != nil || test.end != "") {
				t.Errorf("ended with %v, want %q", err, test.end)
			}
		})
	}
}

// What a program that was asked to stop is given more time for.
func TestWhatEndsByItself(t *testing.T) {
	sent, _, stderr, err := inCell(t, "ending")
	want := []string{"on its own: false", "shown: true", "measured: true", "watched: true"}
	if got := texts(sent); err != nil || !slices.Equal(got, want) {
		t.Errorf("showed %q, want %q; %v, stderr %q", got, want, err, stderr)
	}
}

// A program whose kernel ends, which then takes nothing any more, ends, too.
func TestProgramEndsWithItsKernel(t *testing.T) {
	dir := t.TempDir()
	pipes := []string{filepath.Join(dir, "there"), filepath.Join(dir, "back")}
	for _, p := range pipes {
		if err := syscall.Mkfifo(p, 0o600); err != nil {
			t.Skipf("no named pipes here: %v", err)
		}
	}
	program := command(t, "left alone")
	kernel := exec.Command("sh", "-c", `"$0" & read end`, program.Path)
	kernel.Env = append(program.Env, protocol.GONB_PIPE_ENV+"="+pipes[0], protocol.GONB_PIPE_BACK_ENV+"="+pipes[1])
	var errText strings.Builder
	kernel.Stderr = &errText
	in, err := kernel.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := kernel.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := kernel.Start(); err != nil {
		t.Fatal(err)
	}
	if n, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
		t.Errorf("%d bytes came: %v", n, err)
	}
	in.Close()                 // it ends, and the program is alone
	rest, _ := io.ReadAll(out) // until the program has ended, too
	if err := kernel.Wait(); len(rest) != 0 || !strings.HasPrefix(errText.String(), "notebook: the kernel has ended") {
		t.Errorf("then came %q and on stderr %q, %v", rest, errText.String(), err)
	}
}

// What the fmt package prints comes before what is shown after it, and after what
// was shown before it.
func TestPrintedStaysInOrder(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	sent, err := inCellTo(t, "prints", file, io.Discard, func(protocol.DisplayData) {
		var want strings.Builder
		for i := 1; i <= n; i++ {
			fmt.Fprintln(&want, "printed", i)
		}
		if got, err := os.ReadFile(file.Name()); err != nil || string(got) != want.String() {
			t.Errorf("when %d were shown %q was printed, %v", n, got, err)
		}
		n++
	})
	if err != nil || len(sent) != 4 {
		t.Errorf("showed %q, %v", texts(sent), err)
	}
}

// Importing the package does nothing: the first call of one of its functions begins it all.
func TestImportChangesNothing(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := inCellTo(t, "calls nothing", file, io.Discard, func(protocol.DisplayData) {}); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(file.Name()); string(got) != "true <nil> true\n" || err != nil {
		t.Errorf("printed %q, %v", got, err)
	}
}

// What was printed before the first call is in its place, too. Without a sieve all is printed as it
// comes, and all of it is shown.
func TestPrintedBeforeTheFirstCall(t *testing.T) {
	for name, program := range map[string]string{"a sieve": "", "none": "none", "not there": "/there/is/none", "no sieve": "true"} {
		t.Run(name, func(t *testing.T) {
			if program != "" {
				t.Setenv("NOTEBOOK_TEST_SIEVE", program)
			}
			file, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			want := "printed before\n"
			sent, err := inCellTo(t, "prints before", file, io.Discard, func(protocol.DisplayData) {
				if got, err := os.ReadFile(file.Name()); err != nil || string(got) != want {
					t.Errorf("printed was %q, want %q, %v", got, want, err)
				}
				want += "printed after\n"
			})
			if err != nil || len(sent) != 2 {
				t.Errorf("showed %q, %v", texts(sent), err)
			}
		})
	}
}

// A flood leaves little, with what came last in it, and where it panicked.
func TestFloodInACellIsBounded(t *testing.T) {
	sent, stdout, stderr, err := inCell(t, "floods")
	if err == nil {
		t.Error("it did not panic")
	}
	size := len(stdout) + len(stderr)
	for _, m := range sent {
		for _, data := range m.Data {
			size += len(data.(string))
		}
	}
	if len(sent) > 2+mostOutputs || size > 1<<17 {
		t.Errorf("%d things were shown; all that it left is %d bytes", len(sent), size)
	}
	for name, text := range map[string]string{"stdout": stdout, "stderr": stderr} {
		if n := strings.Count(text, "\n"); n > sieve.MostLines+2*50+3 || !strings.HasPrefix(text, "line 0\n") || !strings.Contains(text, " more lines on "+name) {
			t.Errorf("%d lines on %s", n, name)
		}
	}
	for text, in := range map[string]string{
		"\nline 99999\n": stdout, "\nthe end\n": stdout, "\nthe sum is 42\n": stdout, " more lines of text": stdout, // of what is shown the end comes there
		" logged 99999\n": stderr, "\npanic: on purpose\n": stderr, "kernel_test.go": stderr, // where it panicked
	} {
		if !strings.Contains(in, text) {
			t.Errorf("%q is not in %q", text, in[max(0, len(in)-3000):])
		}
	}
}

// A process that a program leaves behind does not keep the cell from its end.
func TestChildLeftBehindHoldsNothing(t *testing.T) {
	sent, _, _, err := inCell(t, "leaves a child")
	if err != nil || len(sent) != 1 {
		t.Fatalf("showed %q, %v", texts(sent), err)
	}
	pid, err := strconv.Atoi(texts(sent)[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the child had ended: %v", err)
	}
}

func TestCallsFromGoroutinesStayTogether(t *testing.T) {
	sent, _, _, err := inCell(t, "from goroutines")
	got := texts(sent)
	if err != nil || len(got) != 100 {
		t.Fatalf("%d were shown, %v", len(got), err)
	}
	for i := 0; i < len(got); i += 2 {
		if of, ok := strings.CutPrefix(got[i], "first"); !ok || got[i+1] != "second"+of {
			t.Errorf("%q came before %q", got[i], got[i+1])
		}
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
