package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestServes(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		path string
		says string
	}{
		{"default", nil, "", "<title>Page 0</title>"},
		{"files", []string{"--files", ".", "--latency", "1ms"}, "main.go", "package main"},
		{"trouble", []string{"--files", ".", "--latency", "0s", "--trouble"}, "html/x.tif", "Please sign in"},
		{"tail", []string{"--pages", "3", "--latency", "1ms", "--tail", "0.5", "--longest", "5ms", "--page-size", "100", "--links", "2", "--seed", "7", "--status-500", "0.5"}, "", "<title>Page 0</title>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r, w := io.Pipe()
			var log strings.Builder
			status := make(chan int)
			go func() {
				s := run(ctx, c.args, w, &log)
				w.Close()
				status <- s
			}()
			address, err := bufio.NewReader(r).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			response, err := client.Get(strings.TrimSpace(address) + c.path)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(response.Body)
			response.Body.Close()
			if !strings.Contains(string(text), c.says) {
				t.Errorf("page %q", text)
			}
			cancel()
			if s := <-status; s != 0 || log.Len() > 0 {
				t.Errorf("status %d, %q", s, log.String())
			}
		})
	}
}

func TestEndsByItself(t *testing.T) {
	var out, log strings.Builder
	if s := run(t.Context(), []string{"--life", "20ms"}, &out, &log); s != 0 || !strings.HasPrefix(out.String(), "http://127.0.0.1:") || log.Len() > 0 {
		t.Errorf("status %d, %q, %q", s, out.String(), log.String())
	}
}

func TestBadFlags(t *testing.T) {
	for _, c := range []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"zero pages", []string{"--pages", "0"}, 2, "0 pages"},
		{"negative latency", []string{"--latency", "-1s"}, 2, "latency -1s"},
		{"negative tail", []string{"--tail", "-1"}, 2, "tail -1"},
		{"share", []string{"--silent", "2"}, 2, "share 2"},
		{"life", []string{"--life", "0s"}, 2, "--life 0s"},
		{"argument", []string{"30"}, 2, `"30" is not a flag`},
		{"unknown flag", []string{"--fast"}, 2, "not defined: -fast"},
		{"no folder", []string{"--files", "none"}, 2, "no such file"},
		{"files and pages", []string{"--files", ".", "--pages", "3", "--tail", "1"}, 2, "--pages --tail: not with --files"},
		{"trouble alone", []string{"--trouble"}, 2, "--trouble is for --files"},
		{"help", []string{"--help"}, 0, "the median if there is a tail"},
	} {
		var out, log strings.Builder
		if s := run(t.Context(), c.args, &out, &log); s != c.status || out.Len() > 0 || !strings.Contains(log.String(), c.says) {
			t.Errorf("%s: status %d, %q", c.name, s, log.String())
		}
	}
}

func TestChildWithoutASite(t *testing.T) {
	for _, c := range []struct {
		name, kind, input string
		status            int
		says              string
	}{
		{"nothing", "crawl", "", 0, ""},
		{"half a site", "crawl", `{"pages"`, 0, ""},
		{"no site", "crawl", "pages\n", 1, "crawl: read the site"},
		{"bad site", "crawl", "{\"pages\": -1}\n", 1, "-1 pages"},
		{"site and end", "crawl", "{\"pages\": 1}\n", 0, "http://127.0.0.1:"},
		{"no files", "fileserver", "files\n", 1, "fileserver: read what to serve"},
		{"files and end", "fileserver", "{\"dir\": \".\"}\n", 0, "http://127.0.0.1:"},
		{"unknown", "crawler", "{}\n", 1, `--child "crawler"`},
	} {
		var out strings.Builder
		if status := child(c.kind, strings.NewReader(c.input), &out, &out); status != c.status || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: status %d and %q, want %d and %q", c.name, status, out.String(), c.status, c.says)
		}
	}
}
