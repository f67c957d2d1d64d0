package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// fingerprint is a hash of files' contents and of texts, from which a step is made.
func fingerprint(filesAndTexts ...string) string {
	hash := fnv.New128a()
	for _, it := range filesAndTexts {
		if text, err := os.ReadFile(it); err == nil {
			it = string(text)
		}
		fmt.Fprintln(hash, it)
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

// fresh tells whether a step was last done for this fingerprint.
func fresh(tools, name, hash string) bool {
	have, err := os.ReadFile(filepath.Join(tools, "stamp", name))
	return err == nil && strings.TrimSpace(string(have)) == hash
}

// stamp remembers that a step is done.
func (l *lab) stamp(name, hash string) {
	os.WriteFile(filepath.Join(l.tools, "stamp", name), []byte(hash+"\n"), 0o666) // else the step is done again
}

// toolNames are the tools that go.mod pins. The language server stands apart: only a kernel that a
// person types into needs it; beside a measurement it would be load.
var toolNames = []string{"bin/gonb", "bin/goimports", "bin/staticcheck", "bin/benchstat", "lsp/gopls"}

func (l *lab) toolsHash() string {
	files := within(l.root, "go.mod", "go.sum", "scripts/gopls/go.mod", "scripts/gopls/go.sum")
	return fingerprint(append(files, l.goVersion)...)
}

// toolsMade tells whether a folder has the tools of now.
func (l *lab) toolsMade(tools string) bool {
	missing := func(name string) bool {
		info, err := os.Stat(filepath.Join(tools, name))
		return err != nil || info.Mode()&0o111 == 0
	}
	return !slices.ContainsFunc(toolNames, missing) && fresh(tools, "tools", l.toolsHash())
}

// toolsLack says what of tools and modules is not there, "" for nothing.
func (l *lab) toolsLack() string {
	cache, err := l.goEnv("GOMODCACHE")
	if err != nil {
		return err.Error()
	}
	for _, module := range []string{"janpfeifer/gonb", "airbusgeo/godal"} {
		if _, err := os.Stat(filepath.Join(cache[0], "cache", "download", "github.com", module)); err != nil {
			return "the modules are not in " + cache[0]
		}
	}
	if !l.toolsMade(l.tools) {
		return "not built, or not those of now"
	}
	return ""
}

// buildTools downloads the modules and builds the tools, where go.mod, go.sum or Go have changed.
func (l *lab) buildTools() error {
	from := time.Now()
	if l.toolsLack() == "" {
		l.say("tools", "built already")
		return nil
	}
	l.say("tools", "downloading modules, building gonb, goimports, gopls, staticcheck, benchstat (minutes the first time)")
	if l.quietly("modules", l.goCommand("mod", "download")) != nil && !l.allModules() {
		cache, _ := l.goEnv("GOMODCACHE") // it answered above
		return fail("tools", fmt.Sprintf("the modules are not in %s and could not be downloaded", strings.Join(cache, "")),
			l.byHand("mod download")+"   (needs the network, once)")
	}
	// Links to another's tools would be written through.
	for _, name := range toolNames {
		path := filepath.Join(l.tools, name)
		if info, err := os.Lstat(path); err == nil && info.Mode().Type() == os.ModeSymlink {
			os.Remove(path) // else the build fails, and says so
		}
	}
	// In a shared repository that another user has set up, its tools are there.
	if theirs := filepath.Join(l.root, ".tools"); l.tools != theirs && l.toolsMade(theirs) {
		for _, name := range toolNames {
			os.Remove(filepath.Join(l.tools, name))
			if err := os.Symlink(filepath.Join(theirs, name), filepath.Join(l.tools, name)); err != nil {
				return fail("tools", err.Error(), "remove what stands there in the way")
			}
		}
		l.stamp("tools", l.toolsHash())
		l.say("tools", "those in %s", theirs)
		return nil
	}
	text, err := l.goCommand("list", "tool").Output()
	if err != nil {
		return fail("tools", "go.mod's tool lines cannot be read", l.byHand("list tool"))
	}
	paths := strings.Fields(string(text))
	install := l.goCommand(append([]string{"install"}, paths...)...)
	install.Env = append(os.Environ(), "GOBIN="+filepath.Join(l.tools, "bin"))
	if l.quietly("tools", install) != nil {
		return fail("tools", "they do not build", l.byHand("install "+strings.Join(paths, " ")))
	}
	server := filepath.Join(l.root, "scripts", "gopls")
	install = exec.Command("go", "-C", server, "install", "tool")
	install.Env = append(os.Environ(), "GOBIN="+filepath.Join(l.tools, "lsp"))
	if l.quietly("gopls", install) != nil {
		return fail("tools", "gopls does not build", "go -C "+quoted(server)+" install tool")
	}
	l.stamp("tools", l.toolsHash())
	l.say("tools", "built (%s)", since(from))
	return nil
}

// findCellFlags finds the GOFLAGS that cells are built with. Without debug information, and with
// gold where it works, a cell with GDAL links in half the time. Without GDAL nothing in a cell needs
// a C compiler.
func (l *lab) findCellFlags() error {
	l.cellFlags = "-buildvcs=false '-ldflags=-s -w'"
	if l.withoutGDAL != "" {
		l.cellFlags += " -tags=netgo,osusergo"
		return nil
	}
	gold, err := exec.LookPath("ld.gold")
	if err != nil {
		return nil
	}
	if hash := fingerprint(gold, l.cc); !fresh(l.tools, "gold", hash) {
		ok, _ := l.builds("c", l.cc, "int main(void) { return 0; }\n", "-fuse-ld=gold")
		if !ok || exec.Command(l.tryFile()).Run() != nil {
			return nil
		}
		l.stamp("gold", hash)
	}
	l.cellFlags = "-buildvcs=false '-ldflags=-s -w -extldflags=-fuse-ld=gold'"
	return nil
}

// asCells has a go command build as cells are built.
func (l *lab) asCells(cmd *exec.Cmd) *exec.Cmd {
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOFLAGS="+l.cellFlags)
	return cmd
}

// warm tells whether what cells import is compiled, and the fingerprint of that.
func (l *lab) warm() (hash string, is bool) {
	cache, err := l.goEnv("GOCACHE")
	if err != nil {
		return "", false
	}
	hash = fingerprint(append(within(l.root, "go.mod", "go.sum"),
		l.root, l.goVersion, l.cellFlags, cache[0], l.gdalVersion, l.cc+" "+l.cxx)...)
	_, err = os.Stat(filepath.Join(cache[0], "00"))
	return hash, err == nil && fresh(l.tools, "warm", hash)
}

// warmCache compiles once what cells import, so that the first cell is fast.
func (l *lab) warmCache() error {
	from := time.Now()
	hash, is := l.warm()
	if is {
		l.say("cache", "warm already")
		return nil
	}
	l.say("cache", "compiling what cells import (a minute or two the first time)")
	// Those that are more than tests.
	format := `{{if and (ne .Name "main") (or .GoFiles .CgoFiles)}}{{.ImportPath}}{{range .Deps}} {{.}}{{end}}{{end}}`
	// with -e it fails where nothing builds
	text, _ := l.asCells(l.goCommand("list", "-e", "-f", format, "./...")).Output()
	args := []string{"build"}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) > 0 && (l.withoutGDAL == "" || !slices.Contains(words, "runtime/cgo")) {
			args = append(args, words[0])
		}
	}
	// A package that does not compile is no reason to stop: somebody may be in the middle of changing
	// it, and the cell that imports it will say so.
	compiled := l.quietly("cache", l.asCells(l.goCommand(args...))) == nil
	// The servers that cells start are built without C.
	servers := l.asCells(l.goCommand("build", "-o", os.DevNull, "./pkg/cmd/overlap-site"))
	servers.Env = append(servers.Env, "CGO_ENABLED=0")
	if compiled && l.quietly("cache", servers) == nil {
		l.stamp("warm", hash)
		l.say("cache", "warm (%s)", since(from))
	} else {
		l.say("cache", "not warm: a package does not compile (%s says why)", l.byHand("build ./..."))
	}
	return nil
}
