// Command overlap-peers reads the same rasters in many ways, package raster's and others', and
// compares them.
//
//	scripts/peers [--size N] [--files N] [--rounds N] [--full] [--predictor P] [--only WORDS]
//
// The ways are Python with rasterio, as the published experiment reads and tuned; the command
// gdal_translate; godal; package raster; and ceilings, which inflate the same tiles by libdeflate
// with no GDAL and do no more, but for the same fold where statistics are compared. Each trial is a
// new process, which reads the files twice and says what that took: time, CPU time and memory are
// its own. The trials of a round run in a shuffled order, and every answer is checked.
//
// It prints a table of medians and ratios, and leaves every trial as CSV and charts in the folder
// peers of the lab's output.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"overlap/pkg/chart"
	"overlap/pkg/internal/home"
	"overlap/pkg/lab"
	"overlap/pkg/raster"
	"overlap/pkg/sched"
	"overlap/pkg/workload/terrain"
)

// serveWord is the first argument of the process of a way.
const serveWord = "serve-a-way"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := 0
	if len(os.Args) > 2 && os.Args[1] == serveWord {
		status = serve(ctx, os.Args[2], os.Args[3:], os.Stdin, os.Stdout)
	} else {
		status = run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	}
	stop()
	os.Exit(status)
}

func run(ctx context.Context, args []string, out, log io.Writer) int {
	flags := flag.NewFlagSet("overlap-peers", flag.ContinueOnError)
	flags.SetOutput(log)
	var c choice
	flags.IntVar(&c.size, "size", 8192, "`pixels` a side of each file")
	flags.BoolVar(&c.full, "full", false, "files of the published size, 21396 x 20324, instead")
	flags.IntVar(&c.files, "files", 2, "how many `files`")
	flags.IntVar(&c.predictor, "predictor", 1, "the files' TIFF `predictor`: 1, 2 or 3")
	rounds := flags.Int("rounds", 7, "how many `rounds`; 6 or more for intervals")
	words := flags.String("only", "", "only ways with one of these `words`, separated by commas, in their names")
	flags.StringVar(&c.dir, "dir", "", "the `folder` of the files (default data/rasters below the module's root)")
	python := flags.String("python", "", "the Python `command` (default /usr/bin/python3, which has Debian's "+
		"rasterio, or else python3)")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() > 0 || c.files < 1 || c.size < 1 || *rounds < 1 || c.predictor < 1 || c.predictor > 3 {
		fmt.Fprintln(log, "overlap-peers: numbers must be at least 1, the predictor 1 to 3, and nothing follows the "+
			"flags; see overlap-peers --help")
		return 2
	}
	if home.Quick() {
		c.size, c.full = min(c.size, 512), false
	}
	if err := compare(ctx, c, *rounds, *words, *python, out, log); err != nil {
		fmt.Fprintln(log, err)
		if ctx.Err() != nil {
			return 130
		}
		return 1
	}
	return 0
}

// compare measures and tells.
func compare(ctx context.Context, c choice, rounds int, words, python string, out, log io.Writer) error {
	b := &bench{python: python, reports: map[string][]report{}, versions: map[string]string{"GDAL": raster.Version()}}
	list, err := only(ways(), words)
	if err != nil {
		return err
	}
	root, err := home.Root()
	if err != nil {
		return err
	}
	b.script = filepath.Join(root, "scripts", "lib", "peers.py")
	if b.self, err = os.Executable(); err != nil {
		return fmt.Errorf("overlap-peers: %w", err)
	}
	if b.python == "" {
		b.python = findPython()
	}
	if c.dir == "" {
		if c.dir, err = terrain.Dir(); err != nil {
			return err
		}
	}
	output, err := home.Out()
	if err != nil {
		return err
	}
	output = filepath.Join(output, "peers")
	partial, err := os.MkdirTemp("", "overlap-peers-*") // where Run puts results with figures of this process
	if err != nil {
		return fmt.Errorf("overlap-peers: %w", err)
	}
	defer os.RemoveAll(partial)

	files, bytes, err := c.prepare(ctx, log)
	if err != nil {
		return err
	}
	b.files = files
	if list, err = b.runnable(ctx, list); err != nil {
		return err
	}
	if len(list) == 0 {
		return fmt.Errorf("overlap-peers: none of the ways can run here: %v", b.notMeasured)
	}
	experiment := lab.Experiment{
		Name:     "Raster reads beside peers, " + c.String(),
		Sizes:    []int{len(files)},
		Repeats:  rounds,
		Versions: b.versions,
		Dir:      partial,
	}
	for _, w := range list {
		experiment.Variants = append(experiment.Variants, lab.Variant{Name: w.name, Workload: reading{b, ctx, w},
			Scheduler: sched.Sequential()})
	}
	if slices.ContainsFunc(list, func(w way) bool { return w.name == published }) {
		experiment.Baseline = published
	}
	r, runErr := experiment.Run(ctx, lab.Observe(progress(log)))
	if r == nil {
		return runErr
	}
	first, second := b.results(r)
	fmt.Fprintln(out, b.table(first, second, list, bytes))
	results := []*lab.Result{first, second}
	if goals := comparisons(results, c.predictor, list, len(files)); len(goals.Rows) > 0 && !home.Quick() {
		fmt.Fprintln(out, goals)
	}
	return errors.Join(runErr, save(results, output, out))
}

// save writes the results and their figures, and tells where tables and figures are.
func save(results []*lab.Result, output string, out io.Writer) error {
	var errs []error
	for _, r := range results {
		paths, err := r.Save(output)
		errs = append(errs, err)
		figures, err := chart.Trials(r).Save(output)
		errs = append(errs, err)
		for _, path := range append(paths, figures...) {
			if ext := filepath.Ext(path); ext == ".csv" || ext == ".png" {
				fmt.Fprintln(out, path)
			}
		}
	}
	return errors.Join(errs...)
}

// progress tells what runs, a line a round.
func progress(log io.Writer) func(lab.Progress) {
	round := -1
	return func(p lab.Progress) {
		if p.Round == round || p.Finished {
			return
		}
		round = p.Round
		what := fmt.Sprintf("round %d of %d", p.Round, p.Repeats)
		if p.Round == 0 {
			what = "warm-up"
		}
		fmt.Fprintf(log, "%s …\n", what)
	}
}

func findPython() string {
	for _, p := range []string{"/usr/bin/python3", "python3", "python"} {
		if path, err := exec.LookPath(p); err == nil {
			return path
		}
	}
	return "python3"
}
