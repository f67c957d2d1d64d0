package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// goEnv returns Go's own settings.
func (l *lab) goEnv(names ...string) ([]string, error) {
	text, err := l.goCommand(append([]string{"env"}, names...)...).Output()
	if err != nil {
		return nil, fail("go", "go env does not work: "+lastWords(err), "start it by scripts/lab, which finds a Go")
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) != len(names) {
		return nil, fail("go", fmt.Sprintf("go env %q answers %q", names, text))
	}
	return lines, nil
}

// lastWords is what a command said that failed, in one line.
func lastWords(err error) string {
	if e, ok := err.(*exec.ExitError); ok && len(e.Stderr) > 0 {
		return strings.Join(strings.Fields(string(e.Stderr)), " ")
	}
	return err.Error()
}

// findGo asks the go command that start.sh found, and sees to it that Go has caches that it can
// write.
func (l *lab) findGo() error {
	env, err := l.goEnv("GOVERSION", "GOROOT", "GOCACHE", "GOMODCACHE")
	if err != nil {
		return err
	}
	l.goVersion, _, _ = strings.Cut(strings.TrimPrefix(env[0], "go"), " ")
	l.goRoot = env[1]
	l.ours = []string{"GOOS", "GOARCH"}
	os.Setenv("GOOS", runtime.GOOS)
	os.Setenv("GOARCH", runtime.GOARCH)
	ownServers()
	l.say("go", "go%s, ready", l.goVersion)
	for i, name := range []string{"GOCACHE", "GOMODCACHE"} {
		dir := env[2+i]
		if filepath.IsAbs(dir) && writable(dir) || name == "GOMODCACHE" && l.allModules() {
			continue
		}
		said, own := cmp.Or(dir, "not set"), filepath.Join(l.tools, "cache", name)
		if !writable(own) {
			return fail("go", fmt.Sprintf("its cache cannot be written: %s is %s", name, said),
				"set "+name+" to a folder that can be written")
		}
		l.say("go", "%s is %s, which cannot be written: %s is used", name, said, own)
		os.Setenv(name, own)
		l.ours = append(l.ours, name)
	}
	return nil
}

// ownServers keeps a proxy from standing between the lab and its servers, which are on this machine:
// GDAL would ask it for them.
func ownServers() {
	not := cmp.Or(os.Getenv("no_proxy"), os.Getenv("NO_PROXY"))
	if not != "*" && !strings.Contains(not, "127.0.0.1") {
		not = strings.TrimPrefix(not+",localhost,127.0.0.1", ",")
	}
	os.Setenv("no_proxy", not)
	os.Setenv("NO_PROXY", not)
}

// allModules tells whether Go's module cache has all that is needed.
func (l *lab) allModules() bool {
	for _, dir := range []string{l.root, filepath.Join(l.root, "scripts", "gopls")} {
		cmd := exec.Command("go", "-C", dir, "list", "-deps", "./...", "tool")
		cmd.Env = append(os.Environ(), "GOPROXY=off")
		if cmd.Run() != nil {
			return false
		}
	}
	return true
}

// hasCommand tells whether a command is on PATH.
func hasCommand(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// runsJupyter tells whether a Python, with its options, really loads what runs a notebook.
func runsJupyter(python string, options ...string) bool {
	return exec.Command(python, append(options, "-c",
		"import sys; assert sys.version_info >= (3, 10); import jupyter_client, nbclient, nbconvert, nbformat")...).
		Run() == nil
}

// hasModule tells whether the Python that runs Jupyter here has a module.
func (l *lab) hasModule(name string) bool {
	return exec.Command(l.python, "-c", "import sys, importlib.util as u; sys.exit(u.find_spec(sys.argv[1]) is None)",
		name).Run() == nil
}

// findPython finds the Python that has Jupyter. Debian's comes first, whichever python3 is first on
// PATH.
func (l *lab) findPython() bool {
	os.Setenv("PYTHONUTF8", "1") // names and texts are in UTF-8, whatever the locale says
	for _, p := range []string{"/usr/bin/python3", "python3", "python"} {
		path, err := exec.LookPath(p)
		if err != nil {
			continue
		}
		l.python = path
		if runsJupyter(path) {
			return true
		}
		// What the user set for another Python may be what hides Jupyter from this.
		if runsJupyter(path, "-E", "-s") {
			os.Unsetenv("PYTHONPATH")
			os.Unsetenv("PYTHONHOME")
			os.Setenv("PYTHONNOUSERSITE", "1")
			l.say("python", "%s runs Jupyter only without PYTHONPATH, PYTHONHOME and modules in the home "+
				"folder: they are left out",
				path)
			return true
		}
	}
	l.python = "/usr/bin/python3"
	return false
}

// findCompilers finds the commands that Go calls, or others where those are not there.
func (l *lab) findCompilers() error {
	env, err := l.goEnv("CC", "CXX")
	if err != nil {
		return err
	}
	for i, others := range [][]string{{"gcc", "clang", "cc"}, {"g++", "clang++", "c++"}} {
		name := []string{"CC", "CXX"}[i]
		command, _, _ := strings.Cut(env[i], " ")
		at := slices.IndexFunc(others, hasCommand)
		if !hasCommand(command) && at >= 0 {
			l.say("packages", "%s is %s, which is not there: %s is used", name, env[i], others[at])
			env[i] = others[at]
			os.Setenv(name, env[i])
			l.ours = append(l.ours, name)
		}
	}
	l.cc, l.cxx = env[0], env[1]
	return nil
}

// builds tells whether a program compiles and links, and what the compiler said.
func (l *lab) builds(language, compiler, program string, flags ...string) (bool, string) {
	words := strings.Fields(compiler)
	if len(words) == 0 {
		return false, "there is no compiler"
	}
	args := append(words[1:], "-x", language, "-", "-x", "none", "-o", l.tryFile())
	cmd := exec.Command(words[0], append(args, flags...)...)
	cmd.Stdin = strings.NewReader(program)
	said, err := cmd.CombinedOutput()
	return err == nil, string(said)
}

// tryFile is the program that builds leaves.
func (l *lab) tryFile() string { return filepath.Join(l.tools, "log", "try") }

// A thing that is missing: the Debian packages that bring it, and what it is.
type thing struct{ packages, what string }

// look finds out what is missing. Only what does not work counts: a GDAL or a Jupyter of the user's
// own is fine.
func (l *lab) look() error {
	l.needs, l.wants, l.gdalVersion, l.silent = nil, nil, "", []string{"PKG_CONFIG"}
	need := func(packages, what string) { l.needs = append(l.needs, thing{packages, what}) }
	want := func(packages, what string) { l.wants = append(l.wants, thing{packages, what}) }
	if !l.findPython() {
		need("python3-nbclient jupyter-nbconvert", "the Python packages nbclient and nbconvert")
	}
	if !l.hasModule("notebook") && !hasCommand("jupyter-lab") {
		need("jupyter-notebook", "Jupyter Notebook or JupyterLab")
	}
	if !isFile("/etc/ssl/certs/ca-certificates.crt") && os.Getenv("SSL_CERT_FILE") == "" && isFile("/etc/debian_version") {
		need("ca-certificates", "certificates for downloads")
	}
	if err := l.findCompilers(); err != nil {
		return err
	}
	if ok, _ := l.builds("c", l.cc, "#include <stdlib.h>\nint main(void) { return 0; }\n"); !ok {
		want("gcc libc6-dev", "a C compiler")
		l.silent = append(l.silent, "CC", "CXX")
	}
	if ok, _ := l.builds("c++", l.cxx, "#include <new>\nint main() { delete new int; }\n"); !ok {
		want("g++", "a C++ compiler")
	}
	l.lookForGDAL(want)
	if len(l.wants) == 0 {
		os.Setenv("CGO_ENABLED", "1") // also where the user builds everything else without a C compiler
	}
	return nil
}

var compilerError = regexp.MustCompile(`(?im)^.*(error|undefined|cannot).*$`)

func (l *lab) lookForGDAL(want func(packages, what string)) {
	config := cmp.Or(os.Getenv("PKG_CONFIG"), "pkg-config")
	with := func(format, name string) string {
		if v := os.Getenv(name); v != "" {
			return fmt.Sprintf(format, name, v)
		}
		return ""
	}
	if exec.Command(config, "--version").Run() != nil {
		want("pkg-config", "pkg-config"+with(" (%s is %s)", "PKG_CONFIG"))
		if !isFile("/usr/include/gdal/gdal.h") {
			want("libgdal-dev", "the headers of GDAL")
		}
		return
	}
	version, err := exec.Command(config, "--modversion", "gdal").Output()
	if err != nil {
		want("libgdal-dev", "the headers of GDAL (pkg-config does not find gdal.pc"+
			with(" with %s=%s", "PKG_CONFIG_LIBDIR")+with(" with %s=%s", "PKG_CONFIG_PATH")+")")
		return
	}
	l.gdalVersion = string(bytes.TrimSpace(version))
	if len(l.wants) > 0 {
		return // without a compiler nothing is built with it
	}
	flags, _ := exec.Command(config, "--cflags", "--libs", "gdal").Output() // it does not build without
	ok, said := l.builds("c++", l.cxx, "#include <gdal.h>\n#if GDAL_VERSION_MAJOR < 3\n#error GDAL 3 is needed\n#endif\n"+
		"int main() { return GDALGetDriverCount() != 0; }\n", strings.Fields(string(flags))...)
	if !ok {
		why := compilerError.FindString(said)
		want("libgdal-dev", fmt.Sprintf("a GDAL 3 that programs can be built with (of %s: %s)",
			l.gdalVersion, why[:min(len(why), 120)]))
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
