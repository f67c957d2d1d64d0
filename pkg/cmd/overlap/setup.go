package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// setup brings everything that a notebook needs, from a machine with only Go. A second run finds it
// all there. With all, it fails where anything is missing; else what only cells that read rasters
// need may be.
func (l *lab) setup(all bool) error {
	from := time.Now()
	unlock := func() {}
	defer func() { unlock() }()
	err := l.prepare(
		func() error { unlock = l.lock(); return nil }, l.findGo, func() error { return l.installPackages(all) },
		l.buildTools, l.findCellFlags, l.warmCache, l.makeKernel)
	if err != nil {
		return err
	}
	if l.withoutGDAL != "" {
		l.say("setup", "ready but for cells that read rasters (%s)", since(from))
	} else {
		l.say("setup", "ready (%s)", since(from))
	}
	return nil
}

// checkSetup says what is missing and what would mend it, and installs nothing.
func (l *lab) checkSetup() error {
	if err := l.prepare(l.findGo, l.look); err != nil {
		return err
	}
	lacking := 0
	lacks := func(step, what, remedy string) {
		lacking++
		fmt.Fprintf(l.out, "%-9s MISSING: %s\n          to mend it: %s\n", step, what, remedy)
	}
	later := l.script() + " setup"
	l.checkPackages(lacks)
	if err := l.findCellFlags(); err != nil {
		return err
	}
	if lack := l.toolsLack(); lack != "" {
		lacks("tools", lack, later+"   (needs the network, once)")
	} else {
		l.say("tools", "built")
	}
	if _, warm := l.warm(); !warm {
		lacks("cache", "what cells import is not compiled: the first cells would be slow", later)
	} else {
		l.say("cache", "warm")
	}
	changed, err := l.writeKernels(false)
	switch {
	case len(l.needs) > 0:
		lacks("kernel", "not tried, as packages are missing", later)
	case changed || err != nil:
		lacks("kernel", `Jupyter knows no kernel "Go (overlap)" of now`, later)
	case l.tryKernel() != nil:
		lacks("kernel", "a cell does not run in it; what it said stands above", later)
	default:
		l.say("kernel", `"Go (overlap)" is there, and a cell runs in it`)
	}
	if lacking > 0 {
		l.say("check", "%d step(s) of the set-up are missing", lacking)
		return exit(1)
	}
	l.say("check", "all is there")
	return nil
}

func (l *lab) checkPackages(lacks func(step, what, remedy string)) {
	if len(l.missing()) == 0 {
		l.say("packages", "nothing is missing")
		return
	}
	what, remedy := named(l.missing()), "install these with the system's package manager"
	if hasApt() {
		if len(l.needs) == 0 {
			what += "; all but the cells that read rasters works"
		}
		if remedy = asRoot(l.aptWords()); os.Getuid() != 0 {
			remedy = "run as root: " + remedy
		}
	}
	if len(l.wants) > 0 {
		l.withoutGDAL = named(l.wants)
	}
	lacks("packages", what, remedy)
}

// handingOver is a command that is a program of its own.
func handingOver(pkg string, first ...string) func(*lab, []string) error {
	return func(l *lab, args []string) error {
		if err := l.prepare(l.findOut, l.findGo); err != nil {
			return err
		}
		return l.become(pkg, false, append(first, args...))
	}
}

// become builds a command and replaces this one by it where the user stands, so that paths are as
// given; it finds the repository by OVERLAP_ROOT.
func (l *lab) become(pkg string, asCells bool, args []string) error {
	path, err := l.buildCommand(pkg, asCells)
	if err != nil {
		return err
	}
	l.tellPlaces()
	return replace(path, args...)
}

// buildCommand builds one of the lab's commands, as cells are built where it needs GDAL.
func (l *lab) buildCommand(pkg string, asCells bool) (path string, err error) {
	name := filepath.Base(pkg)
	path = filepath.Join(l.tools, "bin", name)
	build := l.goCommand("build", "-o", path, pkg)
	if asCells {
		build = l.asCells(build)
	}
	if l.quietly(name, build) != nil {
		return "", fail("build", name+" does not build", l.byHand("build "+pkg))
	}
	return path, nil
}
