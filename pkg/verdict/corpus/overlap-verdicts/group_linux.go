package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"overlap/pkg/internal/procfs"
)

// makeGroup makes a cgroup below this process's own with a quota in CPUs, of
// version 1 or 2, whichever rules the CPU here.
func makeGroup(quota float64) (dir string, remove func(), err error) {
	const period = 100_000 // µs, the kernel's default
	used := strconv.Itoa(int(quota * period))
	name := fmt.Sprintf("overlap-verdicts-%d", os.Getpid())
	err = errors.New("no controller of CPUs is mounted")
	for _, own := range procfs.Groups("cpu") {
		if _, e := os.Stat(filepath.Join(own.Dir, "cgroup.procs")); e != nil {
			continue
		}
		settings := [][2]string{{"cpu.cfs_period_us", strconv.Itoa(period)}, {"cpu.cfs_quota_us", used}}
		if own.V2 {
			settings = [][2]string{{"cpu.max", used + " " + strconv.Itoa(period)}}
		}
		dir := filepath.Join(own.Dir, name)
		if err = setGroup(dir, settings); err == nil {
			return dir, func() { removeGroup(dir) }, nil
		}
	}
	return "", nil, err
}

func setGroup(dir string, settings [][2]string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for _, s := range settings {
		// Never creates a file: without the controller there is none to write.
		file, err := os.OpenFile(filepath.Join(dir, s[0]), os.O_WRONLY, 0)
		if err == nil {
			_, err = file.WriteString(s[1])
			err = errors.Join(err, file.Close())
		}
		if err != nil {
			removeGroup(dir)
			return err
		}
	}
	return nil
}

// removeGroup removes a group; the kernel needs a moment to see that its last
// process has ended.
func removeGroup(dir string) {
	for range 50 {
		if os.Remove(dir) == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// joinGroup puts this process into a group and starts its program again there
// with other arguments. It returns only where that failed.
func joinGroup(dir string, args []string) error {
	if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte("0"), 0); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return fmt.Errorf("start %q again: %w", self, syscall.Exec(self, append([]string{self}, args...), os.Environ()))
}
