package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// named says what things are, in words.
func named(things []thing) string {
	var words []string
	for _, t := range things {
		words = append(words, t.what)
	}
	return strings.Join(words, ", ")
}

// packagesOf are the Debian packages that bring things.
func packagesOf(things []thing) []string {
	var words []string
	for _, t := range things {
		words = append(words, strings.Fields(t.packages)...)
	}
	return words
}

func (l *lab) missing() []thing { return slices.Concat(l.needs, l.wants) }

// hasApt tells whether packages come by apt-get here.
func hasApt() bool { return isFile("/etc/debian_version") && hasCommand("apt-get") }

const aptInstall = "install -y --no-install-recommends "

// aptWords are the words after apt-get install that bring what is missing. What is installed and
// does not work is installed again.
func (l *lab) aptWords() []string {
	words := packagesOf(l.missing())
	installed := func(name string) bool {
		text, err := exec.Command("dpkg-query", "-W", "-f", "${db:Status-Status}", name).Output()
		return err == nil && string(text) == "installed"
	}
	again := slices.ContainsFunc(words, installed)
	// A faster linker, where Debian keeps it in a package of its own.
	if !hasCommand("ld.gold") && exec.Command("apt-cache", "show", "binutils-gold").Run() == nil {
		words = append(words, "binutils-gold")
	}
	if again {
		words = append([]string{"--reinstall"}, words...)
	}
	return words
}

// asRoot says how a person brings packages.
func asRoot(words []string) string {
	return "apt-get update && apt-get " + aptInstall + strings.Join(words, " ")
}

var (
	errNoRoot  = errors.New("there is no root here")
	errRefused = errors.New("sudo was refused")
	errApt     = errors.New("did not work")
)

// install has apt-get install packages, as root or by sudo, which may ask for a password where there
// is a terminal. It says what it does, and its error why it could not.
func (l *lab) install(step, about string, words []string) error {
	var as []string
	if os.Getuid() != 0 {
		if !hasCommand("sudo") || !isTerminal(os.Stdin) && exec.Command("sudo", "-n", "true").Run() != nil {
			return errNoRoot
		}
		as = []string{"sudo"}
		l.say(step, "needs root for: apt-get install %s", strings.Join(words, " "))
		sudo := exec.Command("sudo", "-v")
		sudo.Stdin, sudo.Stdout, sudo.Stderr = os.Stdin, os.Stdout, os.Stderr
		if sudo.Run() != nil {
			return errRefused
		}
	}
	names := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "--") })
	l.say(step, "installing %s%s", strings.Join(names, " "), about)
	as = append(as, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-o", "DPkg::Lock::Timeout=300")
	for _, does := range [][]string{{"update"}, append(strings.Fields(aptInstall), words...)} {
		args := slices.Concat(as, does)
		if l.quietly(step, exec.Command(args[0], args[1:]...)) != nil {
			return fmt.Errorf("apt-get %s %w", does[0], errApt)
		}
	}
	return nil
}

// isTerminal asks as a shell does.
func isTerminal(file *os.File) bool {
	test := exec.Command("test", "-t", "0")
	test.Stdin = file
	return test.Run() == nil
}

// installPackages brings what is missing, or says exactly how. What only cells that read rasters need
// may be missing afterwards, except with all; then withoutGDAL tells what to do about it.
func (l *lab) installPackages(all bool) error {
	from := time.Now()
	l.withoutGDAL = ""
	if err := l.look(); err != nil {
		return err
	}
	if len(l.missing()) == 0 {
		l.say("packages", "nothing is missing")
		return nil
	}
	what := "missing: " + named(l.missing())
	if !hasApt() {
		return l.goWithout(all, what, "install these with the system's package manager")
	}
	words := l.aptWords()
	byHand := "run as root: " + asRoot(words)
	switch err := l.install("packages", " (some minutes the first time)", words); {
	case errors.Is(err, errNoRoot):
		return l.goWithout(all, what, byHand)
	case errors.Is(err, errApt):
		log, _ := os.ReadFile(filepath.Join(l.tools, "log", "packages.log"))
		if strings.Contains(string(log), "dpkg --configure -a") {
			byHand = "run as root: dpkg --configure -a && " + asRoot(words)
		}
		return l.goWithout(all, err.Error()+"; "+what, byHand)
	case err != nil:
		return l.goWithout(all, err.Error()+"; "+what, byHand)
	}
	if err := l.look(); err != nil {
		return err
	}
	if len(l.missing()) > 0 {
		return l.goWithout(all, "still missing: "+named(l.missing()), "run as root: "+asRoot(l.aptWords()))
	}
	l.say("packages", "installed (%s)", since(from))
	return nil
}

// goWithout says what is missing, and is an error unless everything but the reading of rasters works
// without, and that is enough.
func (l *lab) goWithout(all bool, what, remedy string) error {
	if all || len(l.needs) > 0 {
		return fail("packages", what, remedy)
	}
	l.withoutGDAL = what + ". To mend it: " + remedy + ", then scripts/lab setup"
	l.say("packages", "%s; all but the cells that read rasters works\n          to mend it: %s", what, remedy)
	return nil
}

// bring installs those of the things that are missing, and says what could not be had.
func (l *lab) bring(step string, things []thing, has func(thing) bool) {
	lacking := func() []thing { return slices.DeleteFunc(slices.Clone(things), has) }
	missing := lacking()
	if len(missing) == 0 {
		return
	}
	words := packagesOf(missing)
	if !hasApt() {
		l.say(step, "missing: %s (Debian's names: %s)", named(missing), strings.Join(words, " "))
		return
	}
	err := l.install(step, " (some minutes the first time)", words)
	if missing = lacking(); len(missing) == 0 {
		l.say(step, "installed")
		return
	}
	why := ""
	if err != nil && !errors.Is(err, errNoRoot) {
		why = err.Error() + "; "
	}
	l.say(step, "%smissing: %s; run as root: %s", why, named(missing), asRoot(packagesOf(missing)))
}
