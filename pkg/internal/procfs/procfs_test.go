package procfs

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
	"time"
)

// tree is a file system of these texts.
func tree(texts map[string]string) fstest.MapFS {
	fs := fstest.MapFS{}
	for name, text := range texts {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}

func TestCPUQuota(t *testing.T) {
	for _, c := range []struct {
		name string
		fs   map[string]string
		want float64
	}{
		{"nothing mounted", nil, 0},
		{"version 2, none", map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "max 100000\n"}, 0},
		{"version 2, half", map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "50000 100000\n"}, .5},
		{"the group above is tighter", map[string]string{
			"proc/self/cgroup":          "0::/a/b\n",
			"sys/fs/cgroup/a/b/cpu.max": "400000 100000\n",
			"sys/fs/cgroup/a/cpu.max":   "150000 100000\n",
		}, 1.5},
		{"in a container", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2},
		{"the path is the host's", map[string]string{"proc/self/cgroup": "0::/docker/123\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2},
		{"hybrid", map[string]string{"proc/self/cgroup": "1:name=systemd:/x\n0::/a\n", "sys/fs/cgroup/unified/a/cpu.max": "50000 100000\n"}, .5},
		{"version 1", map[string]string{
			"proc/self/cgroup": "4:memory:/m\n3:cpu,cpuacct:/c\n0::/\n",
			"sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us":  "50000\n",
			"sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us": "100000\n",
		}, .5},
		{"version 1, none", map[string]string{
			"proc/self/cgroup":                    "1:cpu:/\n",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us":  "-1\n",
			"sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
		}, 0},
		{"garbage", map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "x 0\n"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := cpuQuota(tree(c.fs)); got != c.want {
				t.Errorf("%v CPUs, want %v", got, c.want)
			}
		})
	}
}

func TestThrottled(t *testing.T) {
	for _, c := range []struct {
		name string
		fs   map[string]string
		want map[string]time.Duration
	}{
		{"version 2", map[string]string{
			"proc/self/cgroup":           "0::/a/b\n",
			"sys/fs/cgroup/a/b/cpu.stat": "usage_usec 5\nnr_throttled 3\nthrottled_usec 1500\n",
			"sys/fs/cgroup/a/cpu.stat":   "throttled_usec 2000\n",
		}, map[string]time.Duration{"/sys/fs/cgroup/a/b": 1500 * time.Microsecond, "/sys/fs/cgroup/a": 2 * time.Millisecond}},
		{"version 1", map[string]string{
			"proc/self/cgroup":             "3:cpuacct,cpu:/c\n",
			"sys/fs/cgroup/cpu/c/cpu.stat": "nr_throttled 3\nthrottled_time 1500\n",
		}, map[string]time.Duration{"/sys/fs/cgroup/cpu/c": 1500}},
		{"garbage", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.stat": "throttled_usec x\n"}, nil},
	} {
		if got := throttled(tree(c.fs)); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestPidsLimits(t *testing.T) {
	for _, c := range []struct {
		name string
		fs   map[string]string
		want []Pids
	}{
		{"nothing mounted", nil, nil},
		{"version 2", map[string]string{
			"proc/self/cgroup":               "0::/a/b\n",
			"sys/fs/cgroup/a/b/pids.max":     "100\n",
			"sys/fs/cgroup/a/b/pids.current": "7\n",
			"sys/fs/cgroup/a/pids.max":       "max\n",
			"sys/fs/cgroup/a/pids.current":   "9\n",
			"sys/fs/cgroup/pids.max":         "300\n",
			"sys/fs/cgroup/pids.current":     "20\n",
		}, []Pids{{100, 7}, {300, 20}}},
		{"version 1", map[string]string{
			"proc/self/cgroup":                  "3:cpu:/c\n2:pids:/p\n",
			"sys/fs/cgroup/pids/p/pids.max":     "50\n",
			"sys/fs/cgroup/pids/p/pids.current": "2\n",
		}, []Pids{{50, 2}}},
	} {
		if got := pidsLimits(tree(c.fs)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestFields(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	status := file("status", "Name:\toverlap\nUid:\t0\t1\t2\t3\nVmHWM:\t    2048 kB\nThreads:\t12\nmodel name\t: Fast: CPU\n")
	for key, want := range map[string]string{"Name": "overlap", "Uid": "0\t1\t2\t3", "Threads": "12", "model name": "Fast: CPU"} {
		if got, ok := Field(status, key); got != want || !ok {
			t.Errorf("%s: %q, %v, want %q", key, got, ok, want)
		}
	}
	if got, ok := Field(status, "Thread"); ok {
		t.Errorf("a key that is not there: %q", got)
	}
	if got, ok := Field(filepath.Join(dir, "none"), "Name"); ok {
		t.Errorf("a file that is not there: %q", got)
	}
	if n, ok := Bytes(status, "VmHWM"); n != 2<<20 || !ok {
		t.Errorf("%d bytes, %v", n, ok)
	}
	for _, key := range []string{"Name", "Size"} {
		if n, ok := Bytes(status, key); ok {
			t.Errorf("%s: %d bytes", key, n)
		}
	}
	if got, ok := Value("ID=debian\nPRETTY_NAME=\"Debian 12\"\n", "PRETTY_NAME", "="); got != "Debian 12" || !ok {
		t.Errorf("%q, %v", got, ok)
	}
	if n, ok := Int(file("max", "32768\n")); n != 32768 || !ok {
		t.Errorf("%d, %v", n, ok)
	}
	if n, ok := Int(file("none", "max\n")); ok {
		t.Errorf("max: %d", n)
	}
}

func FuzzValue(f *testing.F) {
	f.Add("model name\t: X", "model name")
	f.Fuzz(func(t *testing.T, text, key string) { Value(text, key, ":") })
}
