package raster_test

import (
	"os"
	"os/exec"
	"testing"
)

// The environment's wish for threads of GDAL's own is not heard, in which GDAL before 3.7 crashes: not for
// masks, overviews and sources of a VRT either, which it opens later than the file. GDAL may
// end the whole process, so all kinds are read in another one.
func TestKindsWithThreadsInEnvironment(t *testing.T) {
	if os.Getenv("GDAL_NUM_THREADS") == "ALL_CPUS" {
		t.Skip("the environment has it anyway")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestKinds(|EveryWay|Reduced|Pixels)$")
	cmd.Env = append(os.Environ(), "GDAL_NUM_THREADS=ALL_CPUS")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out[max(0, len(out)-4000):])
	}
}

// Damage is an error although the environment asks GDAL to pass over it.
func TestDamageWithErrorsIgnoredInEnvironment(t *testing.T) {
	if os.Getenv("GTIFF_IGNORE_READ_ERRORS") == "YES" {
		t.Skip("the environment has it anyway")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^Test(DamageIsNoticed|ReadManyKeepsTheOthers|PartialAnswerIsMarked|RemoteCutShort)$")
	cmd.Env = append(os.Environ(), "GTIFF_IGNORE_READ_ERRORS=YES")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out[max(0, len(out)-4000):])
	}
}
