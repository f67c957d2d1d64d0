package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// This file hands over to comparisons with others' programs.

// forPeers are the other readers of rasters. What is missing is no failure: its rows say so.
var forPeers = []thing{{"python3-rasterio", "rasterio"}, {"gdal-bin", "gdal_translate"}}

// peers reads rasters beside other readers.
func (l *lab) peers(args []string) error {
	l.out = l.log // what it prints is its table
	if err := l.prepare(l.findOut, l.findGo, func() error { return l.installPackages(true) }); err != nil {
		return err
	}
	l.bring("peers", forPeers, hasThing)
	l.findCellFlags()
	return l.become("./pkg/cmd/overlap-peers", true, args)
}

// strangers runs others' concurrent code under verdict.Watch.
func (l *lab) strangers(args []string) error {
	l.out = l.log
	if err := l.prepare(l.findOut, l.findGo); err != nil {
		return err
	}
	args = append([]string{"--copies", filepath.Join(l.tools, "strangers")}, args...)
	return l.become("./pkg/verdict/corpus/overlap-strangers", false, args)
}

const jars = "/usr/share/java/"

var ofTheTest = regexp.MustCompile(`(?m)^ *\w*kotlin\w*_test\.go:\d+: (.*\n)`)

// kotlin is the real thing beside ours: tasks on Kotlin's dispatchers, on Kotlin from Debian's
// packages, and then the same on the lab's. Without Kotlin it says so and succeeds.
func (l *lab) kotlin() error {
	coroutines := jars + "kotlinx-coroutines-core.jar"
	atomics := jars + "atomicfu.jar"
	if !hasCommand("kotlinc") || !hasCommand("java") || !isFile(coroutines) || !isFile(atomics) {
		fmt.Fprintln(l.out, "kotlin: skipped: Kotlin is not installed; on Debian: "+
			"apt-get install kotlin libkotlinx-coroutines-java libkotlinx-atomicfu-java")
		return nil
	}
	out := l.out
	l.out = l.log
	if err := l.prepare(l.findGo); err != nil {
		return err
	}
	// The classes are kept: the compiler takes a while.
	classes, source := filepath.Join(l.tools, "kotlin"), filepath.Join(l.root, "scripts", "kotlin.kt")
	if hash := fingerprint(source); !isFile(classes+"/MainKt.class") || !fresh(l.tools, "kotlin", hash) {
		fmt.Fprintln(l.log, "kotlin: compiling …")
		if err := os.MkdirAll(classes, 0o777); err != nil {
			return err
		}
		compile := exec.Command("kotlinc", "-nowarn", "-cp", coroutines+":"+atomics, "-d", classes, source)
		if said, err := compile.CombinedOutput(); err != nil {
			return fmt.Errorf("kotlin: %w\n%s", err, said)
		}
		l.stamp("kotlin", hash)
	}
	java := exec.Command("java", "-cp", classes+":"+coroutines+":"+atomics+":"+jars+"kotlin-stdlib.jar", "MainKt")
	java.Stdout, java.Stderr = out, l.log
	if err := java.Run(); err != nil {
		return exitOf(err)
	}
	said, err := l.goCommand("test", "-count=1", "-run", "^TestLikeKotlin$", "-v", "./pkg/sched/...").CombinedOutput()
	if err != nil {
		return fmt.Errorf("kotlin: %w\n%s", err, said)
	}
	fmt.Fprintln(out)
	for _, line := range ofTheTest.FindAllSubmatch(said, -1) {
		fmt.Fprintf(out, "%s", line[1])
	}
	return nil
}
