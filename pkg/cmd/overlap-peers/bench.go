package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"overlap/pkg/lab"
	"overlap/pkg/probe"
	"overlap/pkg/sched"
)

// A bench is one comparison.
type bench struct {
	files       []string
	self        string // this command
	python      string
	script      string // peers.py
	mu          sync.Mutex
	reports     map[string][]report // by the way's name, in the order of its trials
	versions    map[string]string
	notMeasured []string // sentences: ways that cannot run here
}

// A report is what the process of one trial said.
type report struct{ first, second probe.Usage }

// A reading is the workload of a way: a trial is a new process, which reads the files twice.
type reading struct {
	*bench
	ctx context.Context
	way way
}

func (r reading) Spec() (string, map[string]string) {
	return "raster-peers", map[string]string{
		"program":    r.way.program,
		"settings":   strings.Join(r.way.env, " "),
		"result":     string(r.way.result),
		"files":      strings.Join(baseNames(r.files), ","),
		"page_cache": "warm",
	}
}

func (r reading) Unit() string { return "rasters" }

// Tasks starts the process. The one task has it read; finish has it answer, and read and answer
// once more.
func (r reading) Tasks(size int) ([]sched.Task, func() (string, error), error) {
	c, err := r.start(r.ctx, r.way)
	if err != nil {
		return nil, nil, err
	}
	var rep report
	done := false
	read := func(ctx context.Context) error {
		m, err := c.ask("read")
		if err != nil {
			return err
		}
		if m.Usage == nil {
			return errors.New("its process does not say what reading took")
		}
		rep.first, done = *m.Usage, true
		return nil
	}
	finish := func() (string, error) {
		defer c.end()
		if !done {
			return "", nil // the task's error says why
		}
		first, err := c.ask("answer")
		if err != nil {
			return "", err
		}
		again, err := c.ask("read")
		if err != nil {
			return "", err
		}
		second, err := c.ask("answer")
		if err != nil {
			return "", err
		}
		if first.Answer == nil || second.Answer == nil || again.Usage == nil || *first.Answer != *second.Answer {
			return "", fmt.Errorf("two reads give %v and %v", first.Answer, second.Answer)
		}
		rep.second = *again.Usage
		r.mu.Lock()
		defer r.mu.Unlock()
		r.reports[r.way.name] = append(r.reports[r.way.name], rep)
		return first.Answer.String(), nil
	}
	return []sched.Task{read}, finish, nil
}

// runnable returns the ways that can run here. The others are noted.
func (b *bench) runnable(ctx context.Context, list []way) ([]way, error) {
	var can []way
	missing := map[string][]string{}
	var order []string
	for _, w := range list {
		c, err := b.start(ctx, w)
		var m *missingError
		if errors.As(err, &m) {
			if len(missing[m.text]) == 0 {
				order = append(order, m.text)
			}
			missing[m.text] = append(missing[m.text], w.name)
			continue
		}
		if err != nil {
			return nil, err
		}
		maps.Copy(b.versions, c.versions)
		c.end()
		can = append(can, w)
	}
	for _, text := range order {
		b.notMeasured = append(b.notMeasured, fmt.Sprintf("Not measured: %s (%s).", strings.Join(missing[text], "; "), text))
	}
	return can, nil
}

// results returns the measured result twice: with the figures of the first read in each process,
// and with those of the second. The figures are the processes' own.
func (b *bench) results(r *lab.Result) (first, second *lab.Result) {
	pick := func(name string, of func(report) probe.Usage) *lab.Result {
		other := *r
		other.Name += ": " + name
		other.Trials = append([]lab.Trial(nil), r.Trials...)
		seen := map[string]int{}
		for i := range other.Trials {
			t := &other.Trials[i]
			u := of(b.reports[t.Variant][seen[t.Variant]])
			seen[t.Variant]++
			u.CPUs = t.CPUs
			t.Usage, t.Spans = u, nil
			t.InFlightMax, t.InFlightMean, t.Workers = 0, 0, 0 // nothing is known of what the process did
		}
		return &other
	}
	return pick("first read", func(r report) probe.Usage { return r.first }),
		pick("second read", func(r report) probe.Usage { return r.second })
}
