package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A missingError says what is not installed here.
type missingError struct{ text string }

func (e *missingError) Error() string { return e.text }

// A child is the process of a way.
type child struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Scanner
	errors   bytes.Buffer
	versions map[string]string
}

// start starts the process of a way and waits until it has loaded what it needs.
func (b *bench) start(ctx context.Context, w way) (*child, error) {
	var cmd *exec.Cmd
	if w.program == "python" {
		cmd = exec.CommandContext(ctx, b.python, append([]string{"-B", b.script, w.run, strconv.Itoa(cpus())}, b.files...)...)
	} else {
		cmd = exec.CommandContext(ctx, b.self, append([]string{serveWord, w.run}, b.files...)...)
	}
	cmd.Env = append(plain(os.Environ()), w.env...)
	cmd.WaitDelay = 10 * time.Second
	c := &child{cmd: cmd}
	cmd.Stderr = &c.errors
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	c.in, c.out = in, bufio.NewScanner(out)
	if err := cmd.Start(); err != nil && w.program == "python" {
		return nil, &missingError{err.Error() + "; on Debian: apt-get install python3-rasterio"}
	} else if err != nil {
		return nil, fmt.Errorf("overlap-peers: start the process of %q: %w", w.name, err)
	}
	m, err := c.hear()
	if err == nil && !m.Ready {
		err = errors.New("it does not begin with ready")
	}
	if err != nil {
		c.end()
		return nil, fmt.Errorf("overlap-peers: %s: %w", w.name, err)
	}
	c.versions = m.Versions
	return c, nil
}

// plain is an environment without settings of GDAL: they are the way's.
func plain(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(s string) bool {
		for _, prefix := range []string{"GDAL_", "GTIFF_", "VSI_", "CPL_"} {
			if strings.HasPrefix(s, prefix) && !strings.HasPrefix(s, "GDAL_DATA=") {
				return true
			}
		}
		return false
	})
}

// ask says a word and waits for what comes back.
func (c *child) ask(word string) (message, error) {
	if _, err := io.WriteString(c.in, word+"\n"); err != nil {
		c.end()
		return message{}, fmt.Errorf("its process ended: %w %s", err, c.said())
	}
	return c.hear()
}

func (c *child) hear() (message, error) {
	var m message
	if !c.out.Scan() {
		c.end()
		return m, fmt.Errorf("its process ended without a word (%v) %s", c.cmd.ProcessState, c.said())
	}
	if err := json.Unmarshal(c.out.Bytes(), &m); err != nil {
		return m, fmt.Errorf("its process says %q: %w", c.out.Text(), err)
	}
	switch {
	case m.Missing != "":
		return m, &missingError{m.Missing}
	case m.Error != "":
		return m, errors.New(m.Error)
	}
	return m, nil
}

// said is the beginning of what the process, which has ended, wrote to its standard error.
func (c *child) said() string {
	text := strings.TrimSpace(c.errors.String())
	return text[:min(len(text), 1000)]
}

// end has the process end: it sees the end of its input.
func (c *child) end() {
	c.in.Close()
	if c.cmd.ProcessState == nil {
		c.cmd.Wait()
	}
}
