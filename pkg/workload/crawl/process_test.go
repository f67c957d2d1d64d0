package crawl

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestStart(t *testing.T) {
	s := Site{Pages: 5, Seed: 3, Failures: Failures{Pages: map[int]Failure{3: Status500}}}
	p, err := Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if p.PID() == os.Getpid() {
		t.Error("it is this process")
	}
	there, err := testClient(t, limits{}).fetch(t.Context(), p.URL()+"/page/4")
	if err != nil {
		t.Fatal(err)
	}
	here, err := testClient(t, limits{}).fetch(t.Context(), serve(t, s).URL()+"/page/4")
	if err != nil {
		t.Fatal(err)
	}
	if there.sum != here.sum || there.words != here.words {
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
	p, err := Start(ctx, Site{Pages: 1})
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("no more")
	cancel(why)
	<-p.Done()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Start(ctx, Site{Pages: 1}); !errors.Is(err, why) {
		t.Errorf("with a context that is done: %v", err)
	}
}

func TestStartCancelledMeanwhile(t *testing.T) {
	why := errors.New("no more")
	built, err := Start(t.Context(), Site{Pages: 1}) // what is cancelled is not only the build
	if err != nil {
		t.Fatal(err)
	}
	if err := built.Close(); err != nil {
		t.Error(err)
	}
	for i := range 20 {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Duration(i)*300*time.Microsecond, func() { cancel(why) })
		p, err := Start(ctx, Site{Pages: 1})
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
	p, err := Start(t.Context(), Site{Pages: 1})
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
	var p *Process
	var err error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		p, err = Start(t.Context(), Site{Pages: 1})
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
