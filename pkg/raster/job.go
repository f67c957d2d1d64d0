package raster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"overlap/pkg/internal/fault"
	"overlap/pkg/raster/internal/where"
)

// A Way is how a [Job] reads. The zero value is the way of [Read]; the others are what programs do,
// and there to be measured beside it.
type Way struct {
	Pieces    Pieces
	Handles   Handles
	HugePages bool // of Whole: arrays in huge pages
	ByGDAL    bool // all blocks by GDAL, whose libtiff misses some damage, and none by package tiff
	Threads   int  // GDAL's own for each read, at most 1024; AllCPUs for one a CPU, 0 for none
}

// AllCPUs are as many of GDAL's own threads as there are CPUs.
const AllCPUs = -1

// Pieces are what each task of a [Job] reads.
type Pieces int

const (
	ByBlocks Pieces = iota // a run of blocks, which are folded
	ByArrays               // a run of blocks, into an array of the whole raster that is freed by Finish
	Whole                  // a raster into an array, by GDAL's RasterIO, as godal's Read does
	ByRows                 // a raster, by windows of whole rows of about 16 MiB
)

// Handles are the datasets that tasks read from.
type Handles int

const (
	PerTask     Handles = iota // one for each task that runs, handed on from task to task
	OneLocked                  // one a file with a mutex around each read
	OnePerBlock                // one for each block
	OneSafe                    // one a file that GDAL makes safe for threads (RFC 101), since GDAL 3.10
	OneUnlocked                // one a file without a lock, which crashes
)

// ErrUnsupported is, by errors.Is, the error of a way to read that the GDAL in use lacks.
var ErrUnsupported = errors.ErrUnsupported

const firstThreadSafe = 3_10_00_00

// A Job is the reading of some files in tasks that any scheduler can run, at once or not. All ways
// give the same answer for the same files.
type Job struct {
	*handles
	infos  []Info
	plan   plan
	arrays []mosaic
	way    Way
}

// NewJob opens each file once to see its blocks, one file after another, and waits for the servers
// of remote ones. The error is [ErrUnsupported] where this GDAL has no thread-safe datasets, or its
// threads crash on one of the files.
//
// A handle of a file is opened by the first task that needs one. Above [MaxHandles] open ones, a
// task takes the place of an idle handle of another file, or waits.
func NewJob(files []string, way Way, opts ...ReadOption) (*Job, error) {
	if len(files) == 0 {
		return nil, ErrNoFiles
	}
	if way.Handles == OneSafe && version() < firstThreadSafe {
		return nil, fault.Because(ErrUnsupported, fmt.Sprintf("raster: GDAL %s has no thread-safe datasets; 3.10 and "+
			"later have", Version()))
	}
	rd := readingOf(opts)
	rd.byGDAL = way.ByGDAL
	forget(files...) // each job fetches what it reads
	layouts, infos, err := inspect(files, rd)
	if err != nil {
		return nil, err
	}
	j := &Job{handles: newHandles(files, MaxHandles(), rd), infos: infos, way: way, arrays: make([]mosaic, len(files))}
	if way.Pieces == ByBlocks || way.Pieces == ByArrays {
		j.plan = newPlan(layouts, rd.bytes)
		if err := j.plan.feasible(files); err != nil {
			return nil, err
		}
	}
	j.expect(layouts, infos)
	// Finish frees the arrays, which a call that was left to itself would write to.
	j.leaves = way.Pieces != ByArrays
	j.ranges = way.Pieces == Whole || way.Pieces == ByRows
	j.how = way.Handles
	j.access.safe = way.Handles == OneSafe
	if way.Threads != 0 {
		if err := threadsAllowed(files, infos, rd); err != nil {
			return nil, err
		}
		// Without direct, GDAL 3.6 says nothing where one of its threads cannot read a block.
		j.access.threads, j.access.direct = way.ThreadsOption(), true
	}
	return j, nil
}

// ThreadsOption is GDAL's option for the threads of a read.
func (w Way) ThreadsOption() string {
	if w.Threads < 0 {
		return "ALL_CPUS"
	}
	return strconv.Itoa(min(w.Threads, maxThreads))
}

// maxThreads is how many threads GDAL takes for one read at most (3.6).
const maxThreads = 1024

// Tasks returns how many tasks there are.
func (j *Job) Tasks() int {
	if j.plan.layouts == nil {
		return len(j.files)
	}
	return j.plan.tasks()
}

// Do does a task, the first of which is 0. It may be called from any goroutine, and once for each
// task. Remote files aside, ctx is looked at every few megabytes. With ByArrays a task waits for a
// server that does not answer also where ctx is done, until GDAL_HTTP_TIMEOUT. After Finish it is
// an error.
func (j *Job) Do(ctx context.Context, task int) (err error) {
	switch {
	case j.way.Pieces == Whole:
		err = j.with(ctx, task, func(h *handle) error { return h.foldWhole(ctx, j.files[task], j.way.HugePages) })
		j.mu.Lock()
		j.drop(task)
		j.mu.Unlock()
	case j.way.Pieces == ByRows:
		err = j.with(ctx, task, func(h *handle) error { return h.foldRows(ctx, j.files[task]) })
	default:
		file, from, to := j.plan.task(task)
		if j.way.Pieces == ByArrays {
			err = j.arrays[file].read(ctx, j.handles, file, from, to)
		} else {
			err = j.foldBlocks(ctx, file, from, to)
		}
	}
	if err == nil {
		j.done.Add(1)
	}
	return err
}

// Finish ends the job, closes its files, and returns the answer: a line that is the same for the
// same pixels, however they were read. Planned is how many tasks were to be done: where fewer ended
// well, it says so. It is an error where a file was changed meanwhile.
func (j *Job) Finish(planned int) (answer string, err error) {
	j.end()
	defer func() {
		for i := range j.arrays {
			j.arrays[i].release()
		}
	}()
	totals := make([]Stats, len(j.files))
	for i := range totals {
		totals[i] = j.bands(i).Total()
	}
	answer = combine(totals).String()
	if n := int(j.done.Load()); n < planned {
		return fmt.Sprintf("incomplete, %d of %d tasks: %s", n, planned, answer), j.unchanged(j.infos, false)
	}
	onOwnThread(j.files, func() { err = j.unchanged(j.infos, true) })
	return answer, err
}

// inspect opens files to see their blocks.
func inspect(files []string, rd reading) ([]layout, []Info, error) {
	layouts, infos := make([]layout, len(files)), make([]Info, len(files))
	var err error
	onOwnThread(files, func() {
		for i := range infos {
			var h *handle
			if h, err = openFor(files[i], rd, access{}); err != nil {
				return
			}
			layouts[i], infos[i] = h.layout, h.Info
			h.close()
		}
	})
	return layouts, infos, err
}

// unchanged makes sure that the files are what they were. Where not all of them was read, no server
// is asked: one that hangs may be why.
func (hs *handles) unchanged(infos []Info, complete bool) error {
	for i, info := range infos {
		if !complete && info.id.info == nil {
			continue
		}
		if err := info.id.still(hs.files[i], hs.mustAsk(i)); err != nil {
			return failed("read", hs.files[i], err)
		}
	}
	return nil
}

// Describe returns what tells a reading apart from others, as the parameters of a result: the
// files' names without folders and without logins, their lengths, and what the options and GDAL's
// settings say.
func Describe(files []string, opts ...ReadOption) map[string]string {
	rd := readingOf(opts)
	names := make([]string, len(files))
	var bytes int64
	remote := 0
	for i, f := range files {
		names[i] = where.BaseName(f)
		if info, err := os.Stat(f); err == nil {
			bytes += info.Size()
		}
		if where.IsRemote(f) {
			remote++
		}
	}
	params := map[string]string{
		"files":         strings.Join(names, ","),
		"gdal_threads":  "1", // of a read, whatever the environment says
		"gdal_cachemax": gdalCache(),
	}
	if remote == 0 || remote < len(files) {
		params["file_bytes"] = strconv.FormatInt(bytes, 10) // of remote ones nobody knows without asking
		// After the lab's round of warm-up; what does not fit in memory never is.
		params["page_cache"] = "warm"
	}
	if remote > 0 {
		params["remote"] = strconv.Itoa(remote)
		if n := remoteOption("GDAL_HTTP_MAX_RETRY"); n != "0" {
			params["retries"] = n // which take time that is not the workers'
		}
	}
	if rd.bands != nil {
		params["bands"] = strings.Trim(strings.ReplaceAll(fmt.Sprint(rd.bands), " ", ","), "[]")
	}
	if rd.overview > 0 {
		params["overview"] = strconv.Itoa(rd.overview)
	}
	params["task_bytes"] = strconv.Itoa(cmp.Or(rd.bytes, defaultTaskBytes))
	return params
}
