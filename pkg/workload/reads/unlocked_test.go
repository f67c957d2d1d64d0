package reads

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overlap/pkg/workload/terrain"
)

// What comes of the mistake cannot be said beforehand, but that this process
// survives it.
func TestReadUnlocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.tif")
	if err := (terrain.Terrain{Width: 2000, Height: 2000, Seed: 1, Level: 1}).Write(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	u, err := ReadUnlocked(t.Context(), path, 8)
	if err != nil || u.Took <= 0 {
		t.Fatalf("%v, %v", u, err)
	}
	t.Log(u, u.Took)
	if _, err := ReadUnlocked(t.Context(), "none.tif", 8); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("got %v", err)
	}
	for _, c := range []struct {
		u    Unlocked
		want string
	}{
		{Unlocked{Crashed: "SIGSEGV"}, "crashed: SIGSEGV"},
		{Unlocked{Hung: true}, "hung"},
		{Unlocked{Errors: 3, Said: "x"}, "3 reads failed: x"},
		{Unlocked{Wrong: true}, "wrong pixels, and no error"},
		{Unlocked{}, "nothing happened this time, which proves nothing"},
	} {
		if c.u.String() != c.want {
			t.Error(c.u)
		}
	}
}

// A dataset in disorder may have GDAL go round for ever: the limit runs from the first word of the process, while
// the rest of what it says is still awaited.
func TestUnlockedLimitBegins(t *testing.T) {
	r, w, err := os.Pipe() // as package exec reads from the process
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	begun := make(chan bool, 8)
	out := &answerOf{begun: func() *time.Timer { begun <- true; return time.NewTimer(time.Hour) }}
	defer out.stop()
	done := make(chan bool)
	go func() {
		defer close(done)
		io.Copy(out, r)
	}()
	io.WriteString(w, unlockedBegins)
	select {
	case <-begun:
	case <-time.After(time.Minute):
		t.Error("the process has said its first word, and its time does not run")
	}
	io.WriteString(w, "{}")
	w.Close()
	<-done
	r.Close()
	if len(begun) != 0 || out.said.String() != unlockedBegins+"{}" {
		t.Errorf("begun %d times more; %q", len(begun), out.said.String())
	}
}
