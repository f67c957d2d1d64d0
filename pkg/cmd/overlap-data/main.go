// Command overlap-data makes the rasters that the lab reads, and keeps those
// that are there already.
//
//	go run ./pkg/cmd/overlap-data [--full] [--files N] [--dir D]
//
// It says on standard error what it makes and what is left, and on standard
// output, at the end, where the files are. Interrupted, it leaves no part of a
// file behind and exits with status 130.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"overlap/pkg/workload/reads"
	"overlap/pkg/workload/terrain"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == reads.UnlockedFlag { // the process of reads.ReadUnlocked
		if err := reads.MakeMistake(os.Args[2], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

func run(ctx context.Context, args []string, out, log io.Writer) int {
	flags := flag.NewFlagSet("overlap-data", flag.ContinueOnError)
	flags.SetOutput(log)
	full := flags.Bool("full", false, "make rasters of the published size, 21396 x 20324: about 300 MB on disk and a "+
		"minute or more each")
	files := flags.Int("files", 5, "how many `rasters`")
	dir := flags.String("dir", "", "the `folder` they go to (default data/rasters below the module's root)")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(log, "overlap-data: %q is not a flag; see overlap-data --help\n", flags.Arg(0))
		return 2
	}
	if *files < 1 {
		fmt.Fprintf(log, "overlap-data: --files %d: at least 1 is needed\n", *files)
		return 2
	}
	if *dir == "" {
		d, err := terrain.Dir()
		if err != nil {
			fmt.Fprintln(log, err)
			return 1
		}
		*dir = d
	}
	there := ", all there already"
	paths, err := terrain.Files(ctx, *dir, *files, *full, func(line string) {
		there = ""
		fmt.Fprintln(log, line)
	})
	switch {
	case err != nil && ctx.Err() != nil:
		fmt.Fprintln(log, "interrupted; files that were whole stay, run it again to make the rest")
		return 130
	case err != nil:
		fmt.Fprintln(log, err)
		return 1
	}
	fmt.Fprintf(out, "rasters in %s: %d%s\n", *dir, len(paths), there)
	return 0
}
