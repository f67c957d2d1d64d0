// Command overlap-site serves the lab's web site on loopback, for crawlers in
// other programs and languages.
//
//	go run ./pkg/cmd/overlap-site [--pages N] [--latency D] [--tail S --longest D] ...
//	go run ./pkg/cmd/overlap-site --files FOLDER [--latency D] [--trouble]
//
// With --files it serves the files of a folder instead, with ranges of bytes, for
// readers of remote files.
//
// It prints the address as the first line on standard output and serves until it
// is interrupted or --life is over.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"overlap/pkg/workload/crawl"
	"overlap/pkg/workload/reads/fileserver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// A server is what either package serves with.
type server interface {
	URL() string
	Done() <-chan struct{}
	Close() error
}

func run(ctx context.Context, args []string, out, log io.Writer) int {
	flags := flag.NewFlagSet("overlap-site", flag.ContinueOnError)
	flags.SetOutput(log)
	site := crawl.Site{}
	flags.IntVar(&site.Pages, "pages", 30, "how many `pages` it has")
	flags.IntVar(&site.PageSize, "page-size", 8192, "mean `bytes` of a page")
	flags.IntVar(&site.Links, "links", 4, "`links` on each page")
	flags.Uint64Var(&site.Seed, "seed", 1, "the `number` that everything random comes from")
	latency := flags.Duration("latency", 100*time.Millisecond, "how long a page waits before it answers, the median if there is a tail")
	tail := flags.Float64("tail", 0, "0 for the same latency everywhere, else the `sigma` of a log-normal distribution")
	longest := flags.Duration("longest", 2*time.Second, "the longest latency where there is a tail")
	flags.Float64Var(&site.Failures.Status500, "status-500", 0, "`share` of the pages that answer 500, from 0 to 1")
	flags.Float64Var(&site.Failures.Disconnect, "disconnect", 0, "`share` of the pages that close the connection")
	flags.Float64Var(&site.Failures.Silent, "silent", 0, "`share` of the pages that never answer")
	flags.Float64Var(&site.Failures.Endless, "endless", 0, "`share` of the pages that do not end")
	files := flags.String("files", "", "serve the files of this `folder` instead of the site")
	trouble := flags.Bool("trouble", false, "with --files, serve what goes wrong too, such as /status/404/x.tif, /flaky/2/x.tif, /html/x.tif and /hang/x.tif")
	life := flags.Duration("life", crawl.MaxLife, "how long it serves")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(log, "overlap-site: %q is not a flag; see overlap-site --help\n", flags.Arg(0))
		return 2
	}
	if *life <= 0 {
		fmt.Fprintf(log, "overlap-site: --life %v: it must be above 0\n", *life)
		return 2
	}
	if *files == "" && *trouble {
		fmt.Fprintln(log, "overlap-site: --trouble is for --files; the site has --status-500 and the like")
		return 2
	}
	var serve func(context.Context) (server, error)
	if *files != "" {
		var bad []string
		flags.Visit(func(f *flag.Flag) {
			if !slices.Contains([]string{"files", "latency", "trouble", "life"}, f.Name) {
				bad = append(bad, "--"+f.Name)
			}
		})
		if bad != nil {
			fmt.Fprintf(log, "overlap-site: %s: not with --files, which has --latency, --trouble and --life\n", strings.Join(bad, " "))
			return 2
		}
		f := fileserver.Files{Dir: *files, Latency: *latency, Trouble: *trouble}
		if err := f.Check(); err != nil {
			fmt.Fprintln(log, err)
			return 2
		}
		serve = func(ctx context.Context) (server, error) { return fileserver.Serve(ctx, f) }
	} else {
		site.Latency = crawl.Fixed(*latency)
		if *tail != 0 {
			site.Latency = crawl.LogNormal(*latency, *tail, *longest)
		}
		if err := site.Check(); err != nil {
			fmt.Fprintln(log, err)
			return 2
		}
		serve = func(ctx context.Context) (server, error) { return crawl.Serve(ctx, site) }
	}
	ctx, cancel := context.WithTimeout(ctx, *life)
	defer cancel()
	server, err := serve(ctx)
	if err != nil {
		fmt.Fprintln(log, err)
		return 1
	}
	if _, err := fmt.Fprintln(out, server.URL()+"/"); err == nil {
		select {
		case <-ctx.Done():
		case <-server.Done():
		}
	}
	if err := server.Close(); err != nil {
		fmt.Fprintln(log, err)
		return 1
	}
	return 0
}
