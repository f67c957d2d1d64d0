package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"

	"overlap/pkg/verdict"
	"overlap/pkg/verdict/corpus"
)

const (
	childFlag = "-be-a-child" // for this command's own use, with a group's folder and a program's name
	inGroup   = "-"           // the folder, once the process is in the group
)

// errNoGroup is that no cgroup with a CPU quota can be made here.
var errNoGroup = errors.New("no cgroup with a CPU quota can be made here")

// underQuota runs a program in a child process in a cgroup of its own with the
// quota that the program asks for. The child is in the group from before the
// Go runtime starts, which reads the quota then.
func underQuota(ctx context.Context, p corpus.Program) (verdict.Verdict, error) {
	dir, remove, err := makeGroup(p.Quota)
	if err != nil {
		return verdict.Verdict{}, fmt.Errorf("%w: %w", errNoGroup, err)
	}
	defer remove()
	self, err := os.Executable()
	if err != nil {
		return verdict.Verdict{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*limit)
	defer cancel()
	var out, log bytes.Buffer
	cmd := exec.CommandContext(ctx, self, childFlag, dir, p.Name)
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		return verdict.Verdict{}, fmt.Errorf("in a child process: %w: %s", err, bytes.TrimSpace(log.Bytes()))
	}
	var v verdict.Verdict
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		return verdict.Verdict{}, fmt.Errorf("verdict of a child process: %w", err)
	}
	return v, nil
}

// child watches a program and writes its verdict as JSON. With the folder of a
// group it first joins it and starts itself again there.
func child(ctx context.Context, dir, name string, out, log io.Writer) int {
	fail := func(err error) int {
		fmt.Fprintln(log, err)
		return 1
	}
	if dir != inGroup {
		return fail(joinGroup(dir, []string{childFlag, inGroup, name})) // returns only on failure
	}
	p, err := corpus.ByName(slices.Concat(corpus.Programs(), corpus.HoldOut()), name)
	if err != nil {
		return fail(err)
	}
	corpus.Calibrate()
	v, err := watch(ctx, p)
	if err != nil {
		return fail(err)
	}
	if err := json.NewEncoder(out).Encode(v); err != nil {
		return fail(err)
	}
	return 0
}
