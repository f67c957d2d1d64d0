package home_test

import (
	"os"
	"testing"

	"overlap/pkg/internal/home"
)

func TestProgramIsThisOne(t *testing.T) {
	path, err := home.Program()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Skip("the system does not tell which program runs:", err)
	}
	got, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := os.Stat(self); err != nil || !os.SameFile(got, want) {
		t.Errorf("%s is not %s (%v)", path, self, err)
	}
}
