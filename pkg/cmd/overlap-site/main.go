// Command overlap-site serves the lab's web site on loopback, for crawlers in other programs and
// languages.
//
//	go run ./pkg/cmd/overlap-site [--pages N] [--latency D] [--tail S --longest D] ...
//	go run ./pkg/cmd/overlap-site --files FOLDER [--latency D] [--trouble]
//
// With --files it serves the files of a folder instead, with ranges of bytes, for readers of remote
// files.
//
// It prints the address as the first line on standard output and serves until it is interrupted or
// --life is over. With --child and nothing else it is the process of crawl.Start and fileserver.Start:
// see overlap/pkg/internal/proc.
package main

import (
	"bufio"
	"context"
	"encoding/json"
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

	"overlap/pkg/internal/proc"
	"overlap/pkg/workload/crawl"
	"overlap/pkg/workload/reads/fileserver"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "--child" {
		// An interrupt at a terminal reaches all processes of a group. The parent decides what it means:
		// it may still want to finish what it fetches.
		signal.Ignore(os.Interrupt)
		os.Exit(child(os.Args[2], os.Stdin, os.Stdout, os.Stderr))
	}
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

// A start begins to serve.
type start func(context.Context) (server, error)

func site(s crawl.Site) start {
	return func(ctx context.Context) (server, error) { return crawl.Serve(ctx, s) }
}

func folder(f fileserver.Files) start {
	return func(ctx context.Context) (server, error) { return fileserver.Serve(ctx, f) }
}

// child serves what a line of JSON says, until its input ends.
func child(kind string, in io.Reader, out, log io.Writer) int {
	input := bufio.NewReader(in)
	spec, err := input.ReadBytes('\n')
	if err != nil {
		return 0 // the parent has ended
	}
	var serve start
	switch kind {
	case "crawl":
		var s crawl.Site
		if err = json.Unmarshal(spec, &s); err != nil {
			err = fmt.Errorf("crawl: read the site: %w", err)
		}
		serve = site(s)
	case "fileserver":
		var f fileserver.Files
		if err = json.Unmarshal(spec, &f); err != nil {
			err = fmt.Errorf("fileserver: read what to serve: %w", err)
		}
		serve = folder(f)
	default:
		err = fmt.Errorf("overlap-site: --child %q: there is no such server", kind)
	}
	if err != nil {
		fmt.Fprintln(log, err)
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), proc.MaxLife)
	defer cancel()
	return serveUntil(ctx, serve, out, log, func() {
		io.Copy(io.Discard, input)
		cancel()
	})
}

// serveUntil serves until ctx is done. Once it serves it calls begun.
func serveUntil(ctx context.Context, serve start, out, log io.Writer, begun func()) int {
	server, err := serve(ctx)
	if err != nil {
		fmt.Fprintln(log, err)
		return 1
	}
	if _, err := fmt.Fprintln(out, server.URL()+"/"); err == nil {
		go begun()
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

func run(ctx context.Context, args []string, out, log io.Writer) int {
	serve, life, err := parse(args, log)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2 // parse has said why
	}
	ctx, cancel := context.WithTimeout(ctx, life)
	defer cancel()
	return serveUntil(ctx, serve, out, log, func() {})
}

// parse reads the flags, and tells what is wrong with them.
func parse(args []string, log io.Writer) (start, time.Duration, error) {
	flags := flag.NewFlagSet("overlap-site", flag.ContinueOnError)
	flags.SetOutput(log)
	s := crawl.Site{}
	flags.IntVar(&s.Pages, "pages", 30, "how many `pages` it has")
	flags.IntVar(&s.PageSize, "page-size", 8192, "mean `bytes` of a page")
	flags.IntVar(&s.Links, "links", 4, "`links` on each page")
	flags.Uint64Var(&s.Seed, "seed", 1, "the `number` that everything random comes from")
	latency := flags.Duration("latency", 100*time.Millisecond,
		"how long a page waits before it answers, the median if there is a tail")
	tail := flags.Float64("tail", 0, "0 for the same latency everywhere, else the `sigma` of a log-normal distribution")
	longest := flags.Duration("longest", 2*time.Second, "the longest latency where there is a tail")
	flags.Float64Var(&s.Failures.Status500, "status-500", 0, "`share` of the pages that answer 500, from 0 to 1")
	flags.Float64Var(&s.Failures.Disconnect, "disconnect", 0, "`share` of the pages that close the connection")
	flags.Float64Var(&s.Failures.Silent, "silent", 0, "`share` of the pages that never answer")
	flags.Float64Var(&s.Failures.Endless, "endless", 0, "`share` of the pages that do not end")
	files := flags.String("files", "", "serve the files of this `folder` instead of the site")
	trouble := flags.Bool("trouble", false, "with --files, serve what goes wrong too, "+
		"such as /status/404/x.tif, /flaky/2/x.tif, /html/x.tif and /hang/x.tif")
	life := flags.Duration("life", proc.MaxLife, "how long it serves")
	if err := flags.Parse(args); err != nil {
		return nil, 0, err // it has said why itself
	}
	var siteOnly []string // flags that were given and do not go with --files
	flags.Visit(func(f *flag.Flag) {
		if !slices.Contains([]string{"files", "latency", "trouble", "life"}, f.Name) {
			siteOnly = append(siteOnly, "--"+f.Name)
		}
	})
	var serve start
	var err error
	switch {
	case flags.NArg() > 0:
		err = fmt.Errorf("overlap-site: %q is not a flag; see overlap-site --help", flags.Arg(0))
	case *life <= 0:
		err = fmt.Errorf("overlap-site: --life %v: it must be above 0", *life)
	case *files == "" && *trouble:
		err = errors.New("overlap-site: --trouble is for --files; the site has --status-500 and the like")
	case *files != "" && siteOnly != nil:
		err = fmt.Errorf("overlap-site: %s: not with --files, which has --latency, --trouble and --life",
			strings.Join(siteOnly, " "))
	case *files != "":
		f := fileserver.Files{Dir: *files, Latency: *latency, Trouble: *trouble}
		serve, err = folder(f), f.Check()
	default:
		s.Latency = crawl.Fixed(*latency)
		if *tail != 0 {
			s.Latency = crawl.LogNormal(*latency, *tail, *longest)
		}
		serve, err = site(s), s.Check()
	}
	if err != nil {
		fmt.Fprintln(log, err)
	}
	return serve, *life, err
}
