package corpus

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"overlap/pkg/verdict"
)

// A Recording is the evidence of one run of a program, to be judged again.
// Those in testdata were made on a machine of two CPUs by
//
//	go run ./pkg/verdict/corpus/overlap-verdicts -runs 3 -quiet -record pkg/verdict/corpus/testdata
//
// and the same with -runs 2 -hogs 1 and with -runs 2 -hogs 2. Programs under a quota were watched in a child
// process in a cgroup with that quota; nothing in any recording is edited.
type Recording struct {
	Program  string           `json:"program"`
	CPUs     int              `json:"cpus"` // of the machine, on which the right verdict can depend
	Hogs     int              `json:"hogs"` // processes that used a CPU each meanwhile
	Run      int              `json:"run"`  // which run it was, from 1
	Evidence verdict.Evidence `json:"evidence"`
}

// Record returns the recording of a verdict. It leaves out what goroutines did
// one by one and step by step, unless the verdict depends on it.
func Record(p Program, hogs, run int, v verdict.Verdict) Recording {
	r := Recording{Program: p.Name, CPUs: width(), Hogs: hogs, Run: run, Evidence: v.Evidence}
	if r.Evidence.Trace == nil {
		return r
	}
	full := *r.Evidence.Trace
	less := full
	less.Lives, less.Steps = nil, nil
	r.Evidence.Trace = &less
	if same := verdict.Judge(r.Evidence); same.Kind != v.Kind || same.By != v.By {
		less.Steps = full.Steps
	}
	if same := verdict.Judge(r.Evidence); same.Kind != v.Kind || same.By != v.By {
		less.Lives = full.Lives
	}
	return r
}

// Save writes the recording to a file of its own in dir.
func (r Recording) Save(dir string) error {
	name := filepath.Join(dir, fmt.Sprintf("%s.hogs%d.run%d.json.gz", r.Program, r.Hogs, r.Run))
	file, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("corpus: save recording: %w", err)
	}
	defer file.Close()
	z, _ := gzip.NewWriterLevel(file, gzip.BestCompression)
	if err := json.NewEncoder(z).Encode(r); err != nil {
		return fmt.Errorf("corpus: save recording %q: %w", name, err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("corpus: save recording %q: %w", name, err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("corpus: save recording: %w", err)
	}
	return nil
}

// Recordings reads all recordings in a folder.
func Recordings(fsys fs.FS, dir string) ([]Recording, error) {
	names, err := fs.Glob(fsys, path.Join(dir, "*.json.gz"))
	if err != nil {
		return nil, fmt.Errorf("corpus: recordings in %q: %w", dir, err)
	}
	all := make([]Recording, len(names))
	for i, name := range names {
		if all[i], err = load(fsys, name); err != nil {
			return nil, fmt.Errorf("corpus: recording %q: %w", name, err)
		}
	}
	return all, nil
}

func load(fsys fs.FS, name string) (r Recording, err error) {
	file, err := fsys.Open(name)
	if err != nil {
		return r, err
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		return r, err
	}
	err = json.NewDecoder(z).Decode(&r)
	return r, err
}
