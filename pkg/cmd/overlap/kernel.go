package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"overlap/pkg/internal/home"
	"overlap/pkg/internal/sieve"
)

// A kernelSpec is what Jupyter knows of a kernel.
type kernelSpec struct {
	Argv        []string          `json:"argv"`
	DisplayName string            `json:"display_name"`
	Language    string            `json:"language"`
	Interrupt   string            `json:"interrupt_mode"`
	Env         map[string]string `json:"env"`
	Metadata    map[string]bool   `json:"metadata"`
}

// kernelText is the file of a kernel with folders first on its PATH.
func (l *lab) kernelText(path ...string) ([]byte, error) {
	spec := kernelSpec{
		Argv: []string{
			filepath.Join(l.tools, "bin", "gonb"), "--kernel", "{connection_file}",
			"-raw_error=true",    // errors as plain text: the same in a notebook, a log and a file
			"-go_work=" + l.root, // cells import this module
			"-extra_log=" + l.kernelLog(),
		},
		DisplayName: "Go (overlap)",
		Language:    "go",
		// To all processes of the kernel: a message would reach neither the compiler nor what a cell
		// has started.
		Interrupt: "signal",
		Env: map[string]string{
			// Jupyter fills in ${PATH} when it starts the kernel.
			"PATH":         strings.Join(append(path, "${PATH}"), string(os.PathListSeparator)),
			"GOFLAGS":      l.cellFlags,
			"GOTOOLCHAIN":  "local",
			"GOWORK":       "auto",
			"GO111MODULE":  "on",
			"GOROOT":       l.goRoot,
			"CGO_ENABLED":  "1",
			"OVERLAP_ROOT": l.root,
			sieve.Variable: l.self, // what cells print goes through it
		},
		Metadata: map[string]bool{"debugger": false},
	}
	for _, name := range l.ours {
		spec.Env[name] = os.Getenv(name)
	}
	if l.withoutGDAL != "" {
		// Go asks it about a package that needs GDAL: it says what to do.
		for _, name := range l.silent {
			spec.Env[name] = `"` + l.refusal() + `"`
		}
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(spec)
	return text.Bytes(), err
}

func (l *lab) kernelLog() string { return filepath.Join(l.jupyter, "kernel.log") }

// refusal is the program that says, in GDAL's place, what is missing.
func (l *lab) refusal() string { return filepath.Join(l.tools, "without-gdal") }

// writeKernels writes the kernel for people, with the language server, and the one for headless runs,
// without it, into the project's own Jupyter path: kernels that the user has elsewhere are not
// touched. It tells whether one changed; without write it only compares.
func (l *lab) writeKernels(write bool) (changed bool, err error) {
	bin, lsp, gobin := filepath.Join(l.tools, "bin"), filepath.Join(l.tools, "lsp"), filepath.Join(l.goRoot, "bin")
	for base, path := range map[string][]string{
		l.jupyter: {bin, lsp, gobin}, filepath.Join(l.jupyter, "headless"): {bin, gobin},
	} {
		text, err := l.kernelText(path...)
		if err != nil {
			return false, err
		}
		dir := filepath.Join(base, "kernels", "overlap")
		file := filepath.Join(dir, "kernel.json")
		if is, err := os.ReadFile(file); err == nil && bytes.Equal(is, text) {
			continue
		}
		changed = true
		if !write {
			continue
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return false, err
		}
		if err := home.WriteFile(file, text); err != nil {
			return false, err
		}
	}
	return changed, nil
}

// makeKernel writes the kernels, and tries a cell in a new one.
func (l *lab) makeKernel() error {
	from := time.Now()
	os.WriteFile(l.kernelLog(), nil, 0o666) // the log of before is of no use; it may be another's
	if l.withoutGDAL != "" {
		text := "#!/bin/sh\ncat >&2 <<'TEXT'\nGDAL cannot be used here, and only cells that read rasters need it.\n" +
			strings.ToUpper(l.withoutGDAL[:1]) + l.withoutGDAL[1:] + ", and restart the kernel.\nTEXT\nexit 1\n"
		if err := os.WriteFile(l.refusal(), []byte(text), 0o777); err != nil {
			return fail("kernel", err.Error(), "make "+l.tools+" writable")
		}
	}
	changed, err := l.writeKernels(true)
	if err != nil {
		return fail("kernel", "its specification cannot be written to "+l.jupyter, "make that folder writable")
	}
	os.Setenv("JUPYTER_PATH", strings.TrimSuffix(l.jupyter+":"+os.Getenv("JUPYTER_PATH"), ":"))
	if !changed {
		l.say("kernel", `"Go (overlap)" is there`)
		return nil
	}
	if l.tryKernel() != nil {
		return fail("kernel", "a cell does not run in it; what it said stands above, its log is "+l.kernelLog(),
			l.script()+" setup   (once what it says is mended)")
	}
	l.say("kernel", `"Go (overlap)" written to %s, a cell runs in it (%s)`, l.jupyter, since(from))
	return nil
}

// tryKernel runs one cell in a kernel, as Jupyter would.
func (l *lab) tryKernel() error { return l.quietly("kernel", l.headless("kernel_try.py")) }

// headless is one of the scripts that speak to Jupyter. Jupyter's own files stay out of the home
// folder, and its settings out of the run.
func (l *lab) headless(script string, args ...string) *exec.Cmd {
	cmd := exec.Command(l.python, append([]string{"-B", filepath.Join(l.root, "scripts", "lib", script)}, args...)...)
	cmd.Env = append(os.Environ(), l.ownJupyter()...)
	cmd.Env = append(cmd.Env, "JUPYTER_PATH="+filepath.Join(l.jupyter, "headless")+":"+os.Getenv("JUPYTER_PATH"),
		"OVERLAP_DATA="+l.dataFolder())
	return cmd
}
