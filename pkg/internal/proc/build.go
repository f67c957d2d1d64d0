package proc

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"overlap/pkg/internal/home"
)

// Command returns a command of the lab with these arguments, such as "overlap-data", after it has
// built that from the lab's sources. The error says what to do where it cannot be built.
func Command(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	file, err := build(ctx, name)
	if err != nil {
		return nil, err
	}
	return exec.CommandContext(ctx, file, args...), nil
}

var (
	building = make(chan struct{}, 1) // held by who builds; a channel, since a context may be done meanwhile
	built    = map[string]string{}    // by name, the files of commands that this process has built
)

// build builds a command with settings, NAME=VALUE, beside those of the environment, and returns its
// file. A process builds a command once: later calls take no time.
func build(ctx context.Context, name string, settings ...string) (file string, err error) {
	select {
	case building <- struct{}{}:
		defer func() { <-building }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if _, err := os.Stat(built[name]); err == nil {
		return built[name], nil
	}
	compiler, err := findGo()
	if err != nil {
		return "", fmt.Errorf("build %s: %w", name, err)
	}
	root, err := findSources(ctx, compiler)
	if err != nil {
		return "", fmt.Errorf("build %s: %w", name, err)
	}
	// Go's cache is a place where programs can be written and run: Go does so itself. There is a file
	// for each copy of the sources, so that none starts what another has built.
	cache, err := runGo(ctx, compiler, nil, "env", "GOCACHE")
	if err != nil {
		return "", fmt.Errorf("build %s: %w", name, err)
	}
	hash := fnv.New32a()
	hash.Write([]byte(root))
	file = filepath.Join(cache, "overlap", fmt.Sprintf("%s-%08x", name, hash.Sum32()))
	// The user's GOFLAGS hold, but for what would slow a server down or need a C compiler or git.
	settings = append(settings, "GOWORK=off", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	_, err = runGo(ctx, compiler, settings,
		"build", "-C", root, "-race=false", "-buildvcs=false", "-o", file, "./pkg/cmd/"+name)
	if err != nil {
		return "", fmt.Errorf("build %s in %s: %w", name, root, err)
	}
	built[name] = file
	removeOld(filepath.Dir(file))
	return file, nil
}

// removeOld removes the commands that nobody has built for as long as Go keeps what it has built:
// those of folders that are gone.
func removeOld(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 5*24*time.Hour {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

func findGo() (string, error) {
	if compiler, err := exec.LookPath("go"); err == nil {
		return compiler, nil
	}
	if root := os.Getenv("GOROOT"); root != "" {
		if compiler, err := exec.LookPath(filepath.Join(root, "bin", "go")); err == nil {
			return compiler, nil
		}
	}
	return "", errors.New("there is no go command in PATH or $GOROOT/bin; install Go (https://go.dev/dl) or add its " +
		"bin folder to PATH")
}

// findSources returns the folder of the lab's sources: the repository, or where the module is that
// the program in the working directory requires.
func findSources(ctx context.Context, compiler string) (string, error) {
	root, err := home.Root()
	if err == nil || os.Getenv("OVERLAP_ROOT") != "" {
		return root, err
	}
	dir, listErr := runGo(ctx, compiler, nil, "list", "-m", "-f", "{{.Dir}}", "overlap")
	if listErr != nil {
		return "", fmt.Errorf("%w; nor does a module here require it: %w", err, listErr)
	}
	if dir == "" {
		return "", fmt.Errorf("%w; its module has no folder here: go mod download overlap", err)
	}
	return dir, nil
}

// runGo runs the go command and returns what it prints.
func runGo(ctx context.Context, compiler string, settings []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, compiler, args...)
	cmd.Env = append(os.Environ(), settings...)
	cmd.SysProcAttr = inOwnGroup()
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // killed, it leaves its temporary files
	cmd.WaitDelay = endTime
	var complaint complaint
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("go %s: %w%s", args[0], err, complaint.text())
	}
	return strings.TrimSpace(string(out)), nil
}
