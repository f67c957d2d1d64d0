package raster_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The script that makes the fixtures deletes no folder of others.
func TestFixturesLeaveOthersAlone(t *testing.T) {
	script, err := filepath.Abs("../../../scripts/fixtures")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"notes.txt": "mine", "truth.json": `{"mine": 1}`} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "maps")
			path := filepath.Join(dir, name)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), script, dir)
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState == nil {
				t.Skipf("the script does not start here: %v", err)
			}
			if cmd.ProcessState.ExitCode() == 77 {
				t.Skipf("%s", out)
			}
			if err == nil {
				t.Errorf("no error: %s", out)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != text {
				t.Errorf("the file is %q, %v\n%s", got, err, out)
			}
		})
	}
}
