package crawl_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"overlap/pkg/workload/crawl"
)

func TestStart(t *testing.T) {
	s := crawl.Site{Pages: 5, Seed: 3, Failures: crawl.Failures{Pages: map[int]crawl.Failure{3: crawl.Status500}}}
	p, err := crawl.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if p.PID() == os.Getpid() {
		t.Error("it is this process")
	}
	there, err := newClient(t, crawl.Limits{}).Fetch(t.Context(), p.URL()+"/page/4")
	if err != nil {
		t.Fatal(err)
	}
	here, err := newClient(t, crawl.Limits{}).Fetch(t.Context(), serve(t, s).URL()+"/page/4")
	if err != nil {
		t.Fatal(err)
	}
	if there.Sum != here.Sum || there.Words != here.Words {
		t.Errorf("the site is another one in another process: %+v, %+v", there, here)
	}
	if p.CPU() != 0 {
		t.Errorf("%v of CPU time while it lives", p.CPU())
	}
	// An interrupt from the terminal is for the parent to handle.
	if process, err := os.FindProcess(p.PID()); err != nil {
		t.Error(err)
	} else if err := process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	if !answers(p.URL()) {
		t.Error("an interrupt ended it")
	}
	for range 2 {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	<-p.Done()
	if p.CPU() <= 0 {
		t.Errorf("%v of CPU time", p.CPU())
	}
	if answers(p.URL()) {
		t.Error("it still answers")
	}
}

func TestStartEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	p, err := crawl.Start(ctx, crawl.Site{Pages: 1})
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("no more")
	cancel(why)
	<-p.Done()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := crawl.Start(ctx, crawl.Site{Pages: 1}); !errors.Is(err, why) {
		t.Errorf("with a context that is done: %v", err)
	}
}

func TestStartCancelledMeanwhile(t *testing.T) {
	why := errors.New("no more")
	for i := range 20 {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Duration(i)*300*time.Microsecond, func() { cancel(why) })
		p, err := crawl.Start(ctx, crawl.Site{Pages: 1})
		if err != nil {
			if !errors.Is(err, why) {
				t.Errorf("error %v, want %v", err, why)
			}
			continue
		}
		<-p.Done()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestStartEndsEarly(t *testing.T) {
	p, err := crawl.Start(t.Context(), crawl.Site{Pages: 1})
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.FindProcess(p.PID())
	if err != nil {
		t.Fatal(err)
	}
	process.Kill()
	<-p.Done()
	for range 2 {
		if err := p.Close(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Errorf("error %v, want one that says that it was killed", err)
		}
	}
}

// The kernel's signal at a parent's end is in truth one at the end of the
// thread that started the child.
func TestStartOutlivesItsThread(t *testing.T) {
	var p *crawl.Process
	var err error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		p, err = crawl.Start(t.Context(), crawl.Site{Pages: 1})
	}()
	<-ended
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	select {
	case <-p.Done():
		t.Error("the site ended with the thread")
	case <-time.After(200 * time.Millisecond):
	}
	if !answers(p.URL()) {
		t.Error("no answer")
	}
}

func TestStartEndsWithItsParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentVariable+"=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	defer parent.Wait()
	defer parent.Process.Kill()
	lines := bufio.NewScanner(out)
	lines.Scan()
	url := lines.Text()
	if !answers(url) {
		t.Fatalf("no answer from %q", url)
	}
	parent.Process.Kill()
	for end := time.Now().Add(10 * time.Second); answers(url); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the site outlived its parent by 10 s")
		}
	}
}

// A program that finds the variable in its environment by mistake must neither
// wait nor run as if nothing were.
func TestStrayVariable(t *testing.T) {
	for _, value := range []string{"", "1", strconv.Itoa(os.Getpid() + 1)} {
		stray := exec.Command(os.Args[0], "-test.run=^$")
		stray.Env = append(os.Environ(), "OVERLAP_SITE_OF="+value)
		out, err := stray.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "unset it") {
			t.Errorf("with %q: %v, %s", value, err, out)
		}
	}
}

func TestChildWithoutASite(t *testing.T) {
	for _, c := range []struct {
		name, input string
		status      int
		says        string
	}{
		{"nothing", "", 0, ""},
		{"half a site", `{"pages"`, 0, ""},
		{"no site", "pages\n", 1, "read the site"},
		{"bad site", "{\"pages\": -1}\n", 1, "-1 pages"},
		{"site and end", "{\"pages\": 1}\n", 0, "overlap-site http://127.0.0.1:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), "OVERLAP_SITE_OF="+strconv.Itoa(os.Getpid()))
			child.Stdin = strings.NewReader(c.input)
			out, _ := child.CombinedOutput()
			if status := child.ProcessState.ExitCode(); status != c.status || !strings.Contains(string(out), c.says) {
				t.Errorf("status %d and %q, want %d and %q", status, out, c.status, c.says)
			}
		})
	}
}
