// Command overlap-verdicts runs the programs of package corpus, has each
// judged by verdict.Watch, and prints how the verdicts compare with those that
// are right.
//
//	go run ./pkg/verdict/corpus/overlap-verdicts [-runs 5] [-hogs 0] [-holdout] [-only NAME] [-record DIR] [-quiet] [-json]
//
// Each run takes all programs once, in an order of its own. With -hogs, that
// many processes use a CPU each meanwhile. Programs that need a CPU quota run
// in a child process in a cgroup; where none may be made they are left out, and
// a line says so. With -quiet, a run during which still other processes used a
// CPU is thrown away and made again, whatever its verdict, and left out where
// that does not help. The exit status is 1 where a confident verdict is wrong
// or a program failed, 2 for wrong usage, and 130 when interrupted.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"overlap/pkg/verdict"
	"overlap/pkg/verdict/corpus"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var status int
	switch {
	case len(os.Args) == 2 && os.Args[1] == hogFlag:
		hog(os.Stdin)
	case len(os.Args) == 4 && os.Args[1] == childFlag:
		status = child(ctx, os.Args[2], os.Args[3], os.Stdout, os.Stderr)
	default:
		status = run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	}
	stop()
	os.Exit(status)
}

// limit is how long a program may take to the end. The longest take a second,
// where the machine is busy with other things.
const limit = time.Minute

// options are what the command line asks for.
type options struct {
	runs, hogs int
	only       []string
	record     string
	quiet      bool
	json       bool
	holdOut    bool
	seed       uint64
}

func parse(args []string, log io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("overlap-verdicts", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.IntVar(&o.runs, "runs", 5, "how often each program runs")
	flags.IntVar(&o.hogs, "hogs", 0, "how many `processes` use a CPU each meanwhile")
	flags.BoolVar(&o.holdOut, "holdout", false, "run the programs that are kept for the end, by which no threshold may be chosen")
	only := flags.String("only", "", "run only the programs of these `names`, with commas between them")
	flags.StringVar(&o.record, "record", "", "write the evidence of each run to this `folder`")
	flags.BoolVar(&o.quiet, "quiet", false, "make a run again where processes other than the hogs used the CPU, at most 30 times")
	flags.BoolVar(&o.json, "json", false, "write a line of JSON for each run instead of tables")
	flags.Uint64Var(&o.seed, "seed", 1, "what the order of the programs is drawn from")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	var err error
	switch {
	case flags.NArg() > 0:
		err = fmt.Errorf("%q is not a flag; see -help", flags.Arg(0))
	case o.runs < 1:
		err = fmt.Errorf("-runs %d: at least 1 is needed", o.runs)
	case o.hogs < 0:
		err = fmt.Errorf("-hogs %d: at least 0 is needed", o.hogs)
	}
	if err != nil {
		fmt.Fprintln(log, "overlap-verdicts:", err)
	}
	return o, err
}

func run(ctx context.Context, args []string, out, log io.Writer) int {
	o, err := parse(args, log)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	programs := corpus.Programs()
	if o.holdOut {
		programs = corpus.HoldOut()
	}
	if len(o.only) > 0 {
		var chosen []corpus.Program
		for _, name := range o.only {
			p, err := corpus.ByName(programs, name)
			if err != nil {
				fmt.Fprintln(log, err)
				return 2
			}
			chosen = append(chosen, p)
		}
		programs = chosen
	}
	if o.record != "" {
		if err := os.MkdirAll(o.record, 0o777); err != nil {
			fmt.Fprintf(log, "overlap-verdicts: make folder %q: %v\n", o.record, err)
			return 1
		}
	}
	hogs, err := startHogs(o.hogs)
	if err != nil {
		fmt.Fprintln(log, "overlap-verdicts:", err)
		return 1
	}
	defer hogs.stop()
	corpus.Calibrate()

	t := &table{options: o, out: out, log: log, programs: programs, load: hogs}
	for n := range o.runs {
		order := slices.Clone(programs)
		random := rand.New(rand.NewPCG(o.seed, uint64(n)))
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, p := range order {
			v, err := t.judge(ctx, p)
			if ctx.Err() != nil {
				fmt.Fprintln(log, "interrupted")
				if !o.json {
					t.print()
				}
				return 130
			}
			t.add(p, n+1, v, err)
		}
		if !o.json {
			fmt.Fprintf(log, "run %d of %d done\n", n+1, o.runs)
		}
	}
	if !o.json {
		t.print()
	}
	if t.confusion.Count(corpus.Wrong) > 0 || t.failed {
		return 1
	}
	return 0
}

// tries bounds how often -quiet makes a run again.
const tries = 30

// errBusy is that no run was quiet.
var errBusy = errors.New("other processes used the CPU during every run")

// judge runs a program, again where -quiet asks for it, and returns its
// verdict.
func (t *table) judge(ctx context.Context, p corpus.Program) (verdict.Verdict, error) {
	for n := 0; ; n++ {
		before := t.load.used()
		v, err := once(ctx, p)
		if !t.quiet || err != nil || ctx.Err() != nil {
			return v, err
		}
		// The system counts in steps of 10 ms for each CPU.
		u := v.Evidence.Usage
		if foreign := u.Outside() - (t.load.used() - before); foreign <= u.Wall/10+20*time.Millisecond {
			return v, err
		}
		if n == tries {
			return v, errBusy
		}
		t.again++
		time.Sleep(200 * time.Millisecond) // what disturbed it may go on for a while
	}
}

// once runs a program and returns its verdict, errNoGroup where it needs a
// quota that cannot be set here.
func once(ctx context.Context, p corpus.Program) (verdict.Verdict, error) {
	if p.Quota > 0 {
		return underQuota(ctx, p)
	}
	return watch(ctx, p)
}

func watch(ctx context.Context, p corpus.Program) (verdict.Verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if p.Before != nil {
		after, err := p.Before()
		if err != nil {
			return verdict.Verdict{}, err
		}
		defer after()
	}
	var opts []verdict.Option
	if p.Again {
		opts = append(opts, verdict.Again())
	}
	runtime.GC() // what the program before it left
	return verdict.Watch(ctx, p.Run, opts...)
}

// A line is what -json writes of a run.
type line struct {
	Program string         `json:"program"`
	Run     int            `json:"run"`
	Hogs    int            `json:"hogs"`
	Right   []verdict.Kind `json:"right"`
	Given   verdict.Kind   `json:"given"`
	By      string         `json:"by,omitempty"`
	Outcome corpus.Outcome `json:"outcome"`
	Text    string         `json:"text"`
	Error   string         `json:"error,omitempty"`
}

func (t *table) writeLine(l line) {
	if err := json.NewEncoder(t.out).Encode(l); err != nil {
		fmt.Fprintln(t.log, "overlap-verdicts:", err)
		t.failed = true
	}
}
