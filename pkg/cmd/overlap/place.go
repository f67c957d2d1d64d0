package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// writable makes the folders where they are missing, and tells whether all can be written.
func writable(dirs ...string) bool {
	for _, dir := range dirs {
		if os.MkdirAll(dir, 0o777) != nil || syscall.Access(dir, 2|1) != nil { // W_OK, X_OK
			return false
		}
	}
	return true
}

// runsIn tells whether a program can be written there, and run: not so on a full disk, or one that
// is mounted noexec.
func runsIn(dir string) bool {
	if !filepath.IsAbs(dir) {
		return false
	}
	file, err := os.CreateTemp(dir, "overlap.*")
	if err != nil {
		return false
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString("#!/bin/sh\nexit 0\n")
	return err == nil && file.Chmod(0o700) == nil && file.Close() == nil && exec.Command(file.Name()).Run() == nil
}

// within returns paths below a folder.
func within(dir string, names ...string) []string {
	var out []string
	for _, name := range names {
		out = append(out, filepath.Join(dir, name))
	}
	return out
}

// findPlaces finds out where set-up puts what it makes, and work, the folder with the notebooks,
// data and outputs that are used: the repository. Where that cannot be written, work is a folder of
// the user's own, with copies of the notebooks, as people change them, and links to the data.
func (l *lab) findPlaces() error {
	if l.work != "" {
		return nil
	}
	work := l.root
	l.tools, l.jupyter = filepath.Join(work, ".tools"), filepath.Join(work, ".jupyter")
	places := within(work, ".tools", ".tools/bin", ".tools/log", ".tools/lsp", ".tools/stamp", ".jupyter",
		".jupyter/headless", ".jupyter/kernels", ".jupyter/own", "data/out", "data/rasters", "notebooks")
	switch {
	case !writable(places...):
		return l.workElsewhere("cannot be written")
	case !runsIn(l.tools):
		return l.workElsewhere("is full, or mounted noexec")
	}
	l.work = work
	return l.findTemp()
}

// workElsewhere finds a folder of the user's own and brings there what is needed.
func (l *lab) workElsewhere(why string) error {
	home, temp := os.Getenv("HOME"), cmp.Or(os.Getenv("TMPDIR"), "/tmp")
	name := fmt.Sprintf("%s-%d", filepath.Base(l.root), cksum([]byte(l.root+"\n")))
	work := ""
	for _, dir := range []string{
		filepath.Join(cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local/share")), "overlap"),
		filepath.Join(temp, fmt.Sprintf("overlap-%d", os.Getuid())),
	} {
		if filepath.IsAbs(dir) && ownFolder(dir) && runsIn(dir) {
			work = filepath.Join(dir, name)
			break
		}
	}
	l.tools, l.jupyter = filepath.Join(work, ".tools"), filepath.Join(work, ".jupyter")
	places := within(work, ".tools/bin", ".tools/log", ".tools/lsp", ".tools/stamp", ".jupyter",
		"notebooks", "data/out", "data/rasters", ".original")
	if work == "" || !writable(places...) {
		return fail("folder", fmt.Sprintf("%s %s, and neither %s nor %s can hold what is made", l.root, why, home, temp),
			"make one of them writable, or set XDG_DATA_HOME to a folder that can be written")
	}
	l.say("folder", "%s %s: everything goes to %s", l.root, why, work)
	l.work = work
	if err := l.bringWork(); err != nil {
		return fail("folder", err.Error(), "remove what stands there in the way")
	}
	return l.findTemp()
}

// ownFolder makes a folder that nobody else reads, and tells whether it is the user's own: anybody
// can make one in /tmp.
func ownFolder(dir string) bool {
	mask := syscall.Umask(0o077)
	made := writable(dir)
	syscall.Umask(mask)
	info, err := os.Stat(dir)
	if !made || err != nil {
		return false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == os.Geteuid()
}

// cksum is the checksum of POSIX's command of that name, by which start.sh names the folder too.
func cksum(data []byte) uint32 {
	sum := uint32(0)
	add := func(b byte) {
		sum ^= uint32(b) << 24
		for range 8 {
			carry := sum >> 31
			sum = sum<<1 ^ carry*0x04C11DB7
		}
	}
	for _, b := range data {
		add(b)
	}
	for n := len(data); n > 0; n >>= 8 {
		add(byte(n))
	}
	return ^sum
}

// bringWork brings notebooks and data to work. A notebook that was changed there stays as it is.
func (l *lab) bringWork() error {
	data := filepath.Join(l.root, "data")
	for _, from := range append(filesIn(data, ""), filesIn(filepath.Join(data, "rasters"), ".tif")...) {
		name, _ := filepath.Rel(l.root, from) // it is below
		to := filepath.Join(l.work, name)
		target, err := os.Readlink(to)
		if target == from || err != nil && !errors.Is(err, fs.ErrNotExist) {
			continue // it is there, or something of the user's own
		}
		os.Remove(to) // a link that leads elsewhere
		if err := os.Symlink(from, to); err != nil {
			return err
		}
	}
	for _, from := range filesIn(filepath.Join(l.root, "notebooks"), ".ipynb") {
		course, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		to := filepath.Join(l.work, "notebooks", filepath.Base(from))
		original := filepath.Join(l.work, ".original", filepath.Base(from))
		own, err := os.ReadFile(to)
		brought, _ := os.ReadFile(original) // none is not what the user has
		if err == nil && !bytes.Equal(own, brought) {
			continue
		}
		for _, path := range []string{original, to} {
			if err := os.WriteFile(path, course, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// filesIn are what a folder has with this ending, by name; one that is not there has none.
func filesIn(dir, ext string) []string {
	entries, _ := os.ReadDir(dir)
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ext) && !strings.HasPrefix(e.Name(), ".") {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}

// findTemp sees to it that programs can be built and run in the folder for temporary files, as each
// cell is one.
func (l *lab) findTemp() error {
	if dir := os.Getenv("GOTMPDIR"); dir != "" && !runsIn(dir) {
		os.Unsetenv("GOTMPDIR")
	}
	temp, own := cmp.Or(os.Getenv("TMPDIR"), "/tmp"), filepath.Join(l.tools, "tmp")
	// What killed kernels left.
	for _, path := range filesIn(own, "") {
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > 48*time.Hour {
			os.RemoveAll(path) // what stays harms nothing
		}
	}
	if runsIn(temp) {
		return nil
	}
	if !writable(own) || !runsIn(own) {
		return fail("temp", fmt.Sprintf(
			"no program can be run in %s, nor in %s: full, not writable, or mounted noexec", temp, own),
			"set TMPDIR to a folder where programs can be run")
	}
	l.say("temp", "no program can be run in %s (full, not writable, or mounted noexec): %s is used", temp, own)
	os.Setenv("TMPDIR", own)
	return nil
}

// findOut finds the folder that runs write to.
func (l *lab) findOut() error {
	out := cmp.Or(os.Getenv("OVERLAP_OUT"), filepath.Join(l.work, "data", "out"))
	if !writable(out) {
		return fail("out", "cannot write to "+out, "free it, or set OVERLAP_OUT to a folder that can be written")
	}
	out, err := filepath.Abs(out)
	if err == nil {
		l.made, err = filepath.EvalSymlinks(out)
	}
	return err
}

// dataFolder is where notebooks read.
func (l *lab) dataFolder() string {
	return cmp.Or(os.Getenv("OVERLAP_DATA"), filepath.Join(l.work, "data"))
}

// tellPlaces tells the programs of the lab where to read and write, where that is not the usual place.
func (l *lab) tellPlaces() {
	if l.made != filepath.Join(l.root, "data", "out") {
		os.Setenv("OVERLAP_OUT", l.made)
	}
	if l.work != l.root {
		os.Setenv("OVERLAP_DATA", l.dataFolder())
	}
}

// ownJupyter returns the settings that keep Jupyter's own files out of the home folder.
func (l *lab) ownJupyter() []string {
	own := filepath.Join(l.jupyter, "own")
	os.MkdirAll(filepath.Join(own, "ipython"), 0o777) // else Jupyter says what it cannot write
	return []string{"JUPYTER_CONFIG_DIR=" + own + "/config", "JUPYTER_DATA_DIR=" + own + "/data",
		"JUPYTER_RUNTIME_DIR=" + own + "/runtime", "IPYTHONDIR=" + own + "/ipython"}
}

// lock waits for another set-up of the same folder. Its end lets the next one go on.
func (l *lab) lock() (unlock func()) {
	file, err := os.OpenFile(filepath.Join(l.tools, "lock"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return func() {}
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		l.say("setup", "another one is at work in this folder; waiting for it")
		syscall.Flock(int(file.Fd()), syscall.LOCK_EX) // where the system has none there is no waiting
	}
	return func() { file.Close() }
}
