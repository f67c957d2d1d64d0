package notebook_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overlap/pkg/lab"
	"overlap/pkg/notebook"
	"overlap/pkg/verdict"
)

var update = flag.Bool("update", false, "write what is shown to testdata/pinned, instead of comparing")

// A pinned gathers the texts of one notebook.
type pinned struct {
	t    *testing.T
	name string
	text strings.Builder
}

func newPinned(t *testing.T, name string) *pinned { return &pinned{t: t, name: name} }

// stored returns a file of testdata/stored.
func (p *pinned) stored(name string) []byte {
	p.t.Helper()
	packed, err := os.ReadFile(filepath.Join("testdata", "stored", p.name, name+".json.gz"))
	if err != nil {
		p.t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		p.t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}

// result loads a stored result as another cell does.
func (p *pinned) result(name string) *lab.Result {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), name+".json")
	if err := os.WriteFile(path, p.stored(name), 0o600); err != nil {
		p.t.Fatal(err)
	}
	r, err := lab.LoadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// evidence returns what was recorded of a watched program.
func (p *pinned) evidence(subject string) verdict.Evidence {
	p.t.Helper()
	name := strings.NewReplacer(" ", "-", "=", "-").Replace(strings.ToLower(subject))
	if name == "" {
		name = "yours"
	}
	var recorded struct {
		Subject  string
		Evidence verdict.Evidence
	}
	if err := json.Unmarshal(p.stored(name), &recorded); err != nil {
		p.t.Fatal(err)
	}
	if recorded.Subject != subject {
		p.t.Fatalf("%s is of %q, not of %q", name, recorded.Subject, subject)
	}
	return recorded.Evidence
}

// show adds a section with what notebook.Show prints in a terminal.
func (p *pinned) show(section string, things ...any) {
	p.t.Helper()
	file, err := os.Create(filepath.Join(p.t.TempDir(), "stdout"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer file.Close()
	func() {
		terminal := os.Stdout
		defer func() { os.Stdout = terminal }()
		os.Stdout = file
		notebook.Show(things...)
	}()
	text, err := os.ReadFile(file.Name())
	if err != nil {
		p.t.Fatal(err)
	}
	fmt.Fprintf(&p.text, "%s%s\n\n%s\n", sectionMark, section, text)
}

// export adds the first lines of a file for other programs, and a sum of all of it.
func (p *pinned) export(section string, encode func() ([]byte, error)) {
	p.t.Helper()
	data, err := encode()
	if err != nil {
		p.t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	p.show(section, strings.Join(lines[:min(len(lines), 12)], ""),
		fmt.Sprintf("%d lines, SHA-256 %x", len(lines), sha256.Sum256(data)))
}

const sectionMark = "######## "

// same compares all texts with those in testdata/pinned.
func (p *pinned) same() {
	p.t.Helper()
	path := filepath.Join("testdata", "pinned", p.name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(p.text.String()), 0o644); err != nil {
			p.t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	got, want := p.text.String(), string(data)
	if got == want {
		return
	}
	gots, wants := strings.Split(got, sectionMark), strings.Split(want, sectionMark)
	if len(gots) != len(wants) {
		p.t.Errorf("%s: %d sections, want %d", path, len(gots)-1, len(wants)-1)
	}
	told := 0
	for i := range min(len(gots), len(wants)) {
		if gots[i] == wants[i] {
			continue
		}
		if told++; told > 10 {
			p.t.Errorf("%s: more sections differ; -update writes all, and git diff shows them", path)
			return
		}
		title, _, _ := strings.Cut(wants[i], "\n")
		p.t.Errorf("%s: %s\n%s", path, title, difference(strings.Split(gots[i], "\n"), strings.Split(wants[i], "\n")))
	}
}

// difference returns what differs between lines, with one line before and after.
func difference(got, want []string) string {
	start, end := 0, 0
	for start < min(len(got), len(want)) && got[start] == want[start] {
		start++
	}
	for end < min(len(got), len(want))-start && got[len(got)-1-end] == want[len(want)-1-end] {
		end++
	}
	var b strings.Builder
	write := func(mark string, lines []string) {
		const most = 30
		for i, line := range lines {
			if i == most {
				fmt.Fprintf(&b, "%s... %d lines more\n", mark, len(lines)-most)
				break
			}
			b.WriteString(mark + line + "\n")
		}
	}
	write("  ", want[max(start-1, 0):start])
	write("- ", want[start:len(want)-end])
	write("+ ", got[start:len(got)-end])
	write("  ", want[len(want)-end:min(len(want)-end+1, len(want))])
	return b.String()
}
