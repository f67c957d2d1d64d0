// Package home finds the lab's folders, from a notebook's cell as from a test
// or a command.
package home

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// Root returns the module's root: $OVERLAP_ROOT, or the nearest folder upwards
// from the working directory whose go.mod is the lab's own.
func Root() (string, error) {
	if dir := os.Getenv("OVERLAP_ROOT"); dir != "" {
		if !isRoot(dir) {
			return "", fmt.Errorf("home: OVERLAP_ROOT is %q, where no go.mod of module overlap is; unset it or set it to "+
				"the repository's folder", dir)
		}
		return filepath.Abs(dir)
	}
	wd, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("home: find the working directory: %w", err)
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		if isRoot(dir) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("home: no go.mod of module overlap in the working directory or above it; change into the " +
				"repository or set OVERLAP_ROOT to its folder")
		}
	}
}

func isRoot(dir string) bool {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && moduleLine.Match(mod)
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?overlap"?\s*(//.*)?$`)

// Data returns the folder of input data: $OVERLAP_DATA, or data below [Root].
func Data() (string, error) {
	if dir := os.Getenv("OVERLAP_DATA"); dir != "" {
		return filepath.Abs(dir)
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	return filepath.Join(root, "data"), nil
}

// Out returns the folder that runs write to: $OVERLAP_OUT, or data/out below
// [Root], or, in a program that runs outside of this repository, overlap-out in
// the working directory. It need not exist yet.
func Out() (string, error) {
	if dir := os.Getenv("OVERLAP_OUT"); dir != "" {
		return filepath.Abs(dir)
	}
	root, err := Root()
	if err != nil {
		return filepath.Abs("overlap-out")
	}
	return filepath.Join(root, "data", "out"), nil
}

// Quick reports whether $OVERLAP_QUICK asks for small sizes and few repeats,
// as tests of the notebooks do. Results made that way show nothing about
// speed.
func Quick() bool { v := os.Getenv("OVERLAP_QUICK"); return v != "" && v != "0" }
