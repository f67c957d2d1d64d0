package trace

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/exp/trace"
)

// stack makes frames of functions, innermost first.
func stack(functions ...string) []trace.StackFrame {
	frames := make([]trace.StackFrame, len(functions))
	for i, f := range functions {
		frames[i] = trace.StackFrame{Func: f, File: "/src/" + packageOf(f) + "/file.go", Line: uint64(i + 1)}
	}
	return frames
}

func TestWaitState(t *testing.T) {
	tests := []struct {
		name   string
		reason string
		stack  []trace.StackFrame
		want   stateIndex
		what   string
		line   int
	}{
		{"sleep", "sleep", stack("time.Sleep", "main.f"), inSleep, "time.Sleep", 2},
		{"mutex", "sync", stack("internal/sync.(*Mutex).lockSlow", "internal/sync.(*Mutex).Lock", "sync.(*Mutex).Lock", "main.f"), inLock, "sync.(*Mutex).Lock", 4},
		{"read lock", "sync", stack("sync.(*RWMutex).RLock", "main.f"), inLock, "sync.(*RWMutex).RLock", 2},
		{"once", "sync", stack("sync.(*Mutex).Lock", "sync.(*Once).doSlow", "sync.(*Once).Do", "main.f"), inLock, "sync.(*Once).Do", 4},
		{"writers of a file", "sync", stack("internal/poll.(*fdMutex).rwlock", "internal/poll.(*FD).Write", "os.(*File).Write", "fmt.Fprintln", "main.f"), inLock, "fmt.Fprintln", 5},
		{"wait group", "sync", stack("sync.(*WaitGroup).Wait", "main.f"), inJoin, "sync.(*WaitGroup).Wait", 2},
		{"condition", "sync.(*Cond).Wait", stack("sync.(*Cond).Wait", "main.f"), inCond, "sync.(*Cond).Wait", 2},
		{"collection", "sync", stack("runtime.GC", "main.f"), inGarbage, "sync", 2},
		{"help with a collection", "GC mark assist wait for work", stack("runtime.gcAssistAlloc", "main.f"), inGarbage, "GC mark assist wait for work", 2},
		{"channel", "chan receive", stack("main.f"), inChannel, "chan receive", 1},
		{"nil channel", "forever", stack("main.f"), inChannel, "forever", 1},
		{"pipe of the program", "select", stack("io.(*pipe).read", "io.(*PipeReader).Read", "main.f"), inChannel, "io.(*PipeReader).Read", 3},
		{"connection of a pool", "select", stack("database/sql.(*DB).conn", "database/sql.(*DB).QueryContext", "main.f"), inChannel, "database/sql.(*DB).QueryContext", 3},
		{"connection", "network", stack("internal/poll.(*FD).Read", "net.(*conn).Read", "main.f"), inNetwork, "net.(*conn).Read", 3},
		{"answer", "select", stack("net/http.(*persistConn).roundTrip", "net/http.(*Client).Do", "main.f"), inNetwork, "net/http.(*Client).Do", 3},
		{"connection to ask on", "select", stack("net/http.(*Transport).getConn", "net/http.(*Transport).roundTrip", "net/http.(*Client).Do", "main.f"), inNetwork, "net/http.(*Transport).getConn", 4},
		{"answer, by HTTP/2", "sync.(*Cond).Wait", stack("sync.(*Cond).Wait", "net/http.(*http2pipe).Read", "io.ReadAll", "main.f"), inNetwork, "io.ReadAll", 4},
		{"remote call", "chan receive", stack("net/rpc.(*Client).Call", "main.f"), inNetwork, "net/rpc.(*Client).Call", 2},
		{"server", "network", stack("internal/poll.(*FD).Accept", "net.(*netFD).accept", "net.(*TCPListener).Accept", "main.f"), inOther, "net.(*TCPListener).Accept", 4},
		{"coroutine", "", nil, inNone, "", 0},
		{"unheard of", "a new reason", stack("main.f"), inOther, "a new reason", 1},
		{"C", "system call", stack("runtime.cgocall", "main._Cfunc_usleep", "main.f"), inOther, "C.usleep", 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := waitState(test.reason, test.stack); got != test.want {
				t.Errorf("state %d, want %d", got, test.want)
			}
			if p, _ := place(test.reason, test.stack); p.What != test.what || p.Line != test.line {
				t.Errorf("%s at %d, want %s at %d", p.What, p.Line, test.what, test.line)
			}
		})
	}
}

func TestPlace(t *testing.T) {
	library := func(frames []trace.StackFrame, i int) []trace.StackFrame {
		frames[i].File = "/root/go/pkg/mod/example.com/lib@v1.2.3/lib.go"
		return frames
	}
	tests := []struct {
		name           string
		stack          []trace.StackFrame
		function, via_ string
	}{
		{"the user's", stack("main.f", "main.g"), "main.f", ""},
		{"behind a library", library(stack("sync.(*WaitGroup).Wait", "example.com/lib.(*Group).Wait", "main.f"), 1), "main.f", "example.com/lib.(*Group).Wait"},
		{"in a library's goroutine", library(stack("time.Sleep", "example.com/lib.loop"), 1), "example.com/lib.loop", ""},
		{"behind a scheduler", stack("sync.(*WaitGroup).Wait", "overlap/pkg/sched.(*pool).Exec", "overlap/pkg/sched/internal/engine.Execute",
			"overlap/pkg/sched.(*pool).Run", "main.f"), "main.f", "overlap/pkg/sched.(*pool).Run"},
		{"in a scheduler's goroutine", stack("overlap/pkg/sched.(*pool).take", "overlap/pkg/sched/internal/engine.(*Run).Do"), "overlap/pkg/sched.(*pool).take", ""},
		{"in the standard library", stack("runtime.netpollblock", "internal/poll.(*FD).Read", "net.(*conn).Read"), "internal/poll.(*FD).Read", ""},
		{"in the runtime", stack("runtime.gopark", "runtime.bgsweep"), "runtime.gopark", ""},
		{"nowhere", nil, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if p, _ := place("x", test.stack); p.Func != test.function || p.Via != test.via_ {
				t.Errorf("%q by %q, want %q by %q", p.Func, p.Via, test.function, test.via_)
			}
		})
	}
}

// Who calls other people's functions is known by name: a package that moves has to move here, too.
func TestCallersAreThere(t *testing.T) {
	for path := range callers {
		if files, err := filepath.Glob(filepath.Join("..", "..", strings.TrimPrefix(path, "overlap/pkg/"), "*.go")); len(files) == 0 {
			t.Errorf("there is no package %s: %v", path, err)
		}
	}
}

func TestKindOf(t *testing.T) {
	tests := map[string]kind{
		"":                                     kindUnknown,
		"main.main.func1":                      kindUser,
		"runtime.main":                         kindUser,
		"sync.(*WaitGroup).Go.func1":           kindUser,
		"context.(*afterFuncCtx).cancel.func1": kindUser,
		"testing.tRunner":                      kindUser,
		"overlap/pkg/probe/trace.TestKindOf.func1":            kindUser,
		"example.com/x/net/http.serve":                        kindUser,
		"net/http.(*persistConn).readLoop":                    kindService,
		"net/http.(*Transport).startDialConnForLocked.func1":  kindService,
		"database/sql.(*DB).connectionOpener":                 kindService,
		"golang.org/x/net/http2.(*ClientConn).readLoop":       kindService,
		"runtime.gcBgMarkWorker":                              kindSystem,
		"runtime/trace.(*traceMultiplexer).startLocked.func1": kindSystem,
		"os/signal.loop":                                      kindSystem,
		"overlap/pkg/probe/trace.(*sampler).run":              kindSystem,
		"overlap/pkg/probe/trace.(*Tracer).watchLimit":        kindSystem,
	}
	for function, want := range tests {
		if got := kindOf(function); got != want {
			t.Errorf("%q: kind %d, want %d", function, got, want)
		}
	}
}

// The list of the standard library's packages is this version's.
func TestStandard(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Skip("no go command: ", err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if !isStandard(path + ".F") {
			t.Errorf("%s is not known as the standard library's", path)
		}
	}
	for _, function := range []string{"main.main", "overlap/pkg/probe/trace.F", "github.com/a/b.F", "example/net.F", "main.f[net/http.Client]"} {
		if isStandard(function) {
			t.Errorf("%s is taken for the standard library's", function)
		}
	}
}
