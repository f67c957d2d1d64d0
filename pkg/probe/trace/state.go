package trace

import (
	"reflect"
	"strings"

	"golang.org/x/exp/trace"
)

// states are the states as small numbers, for tables.
var states = [...]State{Running, Native, Queued, Runnable, Sleep, Network, Syscall, Lock, Join, Cond, Channel,
	Garbage, Other}

type stateIndex uint8

const (
	inRunning stateIndex = iota
	inNative
	inQueued
	inRunnable
	inSleep
	inNetwork
	inSyscall
	inLock
	inJoin
	inCond
	inChannel
	inGarbage
	inOther
	inNone // not counted: switched away by iter.Pull, or not yet of the work
)

// onCPU reports what counts as busy.
func (s stateIndex) onCPU() bool { return s == inRunning || s == inNative }

func (s stateIndex) outside() bool { return s == inSleep || s == inNetwork || s == inSyscall }

// waits reports whether the goroutine waits for something other than a turn.
func (s stateIndex) waits() bool { return s >= inSleep && s < inNone }

// network are the packages in which a wait for a channel is one for an answer:
// their connections have goroutines of their own.
var network = []string{"net", "net/http", "net/rpc", "net/textproto", "crypto/tls", "golang.org/x/net/http2",
	"google.golang.org/grpc"}

// waitState returns what a goroutine waits for, from the reason that the
// runtime gives and the stack.
func waitState(reason string, frames []trace.StackFrame) stateIndex {
	switch reason {
	case "sleep":
		return inSleep
	case "network":
		return networkState(frames)
	case "sync.(*Cond).Wait":
		if inPackages(frames, network) {
			return networkState(frames)
		}
		return inCond
	case "sync":
		return syncState(frames)
	case "chan send", "chan receive", "select", "forever":
		if inPackages(frames, network) {
			return networkState(frames)
		}
		return inChannel
	case "GC mark assist wait for work", "wait until GC ends", "GC weak to strong wait", "preempted":
		return inGarbage // a goroutine is preempted to this state for its stack to be scanned
	case "":
		if len(frames) == 0 { // iter.Pull: the other side runs
			return inNone
		}
	}
	return inOther
}

// networkState tells a request that is waited for from a server that waits for
// one.
func networkState(frames []trace.StackFrame) stateIndex {
	for _, f := range frames {
		if !isStandard(f.Func) {
			break
		}
		switch f.Func {
		case "net.(*netFD).accept", "net/http.(*Server).Serve", "net/http.(*Server).Shutdown":
			return inOther
		}
	}
	return inNetwork
}

// syncState tells what a semaphore of the runtime stands for.
func syncState(frames []trace.StackFrame) stateIndex {
	for _, f := range frames {
		switch {
		case f.Func == "sync.(*WaitGroup).Wait":
			return inJoin
		case f.Func == "runtime.GC", strings.HasPrefix(f.Func, "runtime.gc"), f.Func == "runtime.mallocgc":
			return inGarbage
		case packageOf(f.Func) == "runtime":
		case isStandard(f.Func):
			// Mutex and RWMutex, and what holds a lock for somebody: Once, and
			// the descriptors of files and connections.
			if p := packageOf(f.Func); p == "sync" || p == "internal/sync" || p == "internal/poll" {
				return inLock
			}
		default:
			return inOther
		}
	}
	return inOther
}

// inPackages reports whether the innermost function that is not the runtime's
// or sync's is of one of the packages or below them.
func inPackages(frames []trace.StackFrame, paths []string) bool {
	for _, f := range frames {
		p := packageOf(f.Func)
		if p == "runtime" || p == "sync" || p == "internal/sync" || p == "context" || p == "io" || p == "bufio" {
			continue
		}
		for _, path := range paths {
			if p == path || strings.HasPrefix(p, path+"/") {
				return true
			}
		}
		return false
	}
	return false
}

// A kind says whose a goroutine is, by the function that it started with.
type kind uint8

const (
	kindUnknown kind = iota
	kindUser
	kindService // the standard library's
	kindSystem  // the runtime's, or of this package
)

// userStarters are functions of the standard library that start goroutines to
// run the user's code.
var userStarters = []string{"sync.", "testing.", "testing/", "internal/synctest.", "context.(*afterFuncCtx)", "iter.",
	"runtime.main"}

// services are libraries whose goroutines tend connections, like the standard
// library's.
var services = []string{"golang.org/x/net/http2.", "google.golang.org/grpc/internal/"}

// starters are the functions of this package that start goroutines of its own.
var starters = func() []string {
	here := reflect.TypeFor[Tracer]().PkgPath()
	return []string{here + ".(*sampler).", here + ".(*Tracer).watchLimit", here + ".startSampler", here + ".Start"}
}()

func kindOf(function string) kind {
	switch {
	case function == "":
		return kindUnknown
	case hasPrefix(function, userStarters):
		return kindUser
	case function == "runtime.corostart":
		return kindUser
	case strings.HasPrefix(function, "runtime."), strings.HasPrefix(function, "runtime/"),
		strings.HasPrefix(function, "os/signal."),
		hasPrefix(function, starters):
		return kindSystem
	case isStandard(function), hasPrefix(function, services):
		return kindService
	}
	return kindUser
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
