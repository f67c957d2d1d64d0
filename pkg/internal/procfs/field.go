package procfs

import (
	"os"
	"strconv"
	"strings"
)

// Field returns the value of the first line "key: value" of a file, such as "Threads" of
// /proc/self/status.
func Field(file, key string) (value string, ok bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	return Value(string(text), key, ":")
}

// Bytes returns a [Field] that the kernel gives in kB, such as "MemAvailable" of /proc/meminfo, in
// bytes.
func Bytes(file, key string) (n int64, ok bool) {
	value, _ := Field(file, key)
	kb, err := strconv.ParseInt(strings.TrimSuffix(value, " kB"), 10, 64)
	return kb << 10, err == nil
}

// Value returns the value of a key in a text of lines of both with sep between. Blanks and quotes
// around it are no part of it.
func Value(text, key, sep string) (value string, ok bool) {
	for line := range strings.Lines(text) {
		if k, v, found := strings.Cut(line, sep); found && strings.TrimSpace(k) == key {
			return strings.Trim(strings.TrimSpace(v), `"`), true
		}
	}
	return "", false
}

// Int returns the number that is all of a file, such as /proc/sys/kernel/pid_max. It is not ok for
// "max", as a cgroup's file says for no limit.
func Int(file string) (n int, ok bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err = strconv.Atoi(strings.TrimSpace(string(text)))
	return n, err == nil
}

// Threads returns the ids of this process's threads, in no order.
func Threads() ([]int, error) {
	dir, err := os.Open("/proc/self/task")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	threads := make([]int, 0, len(names))
	for _, name := range names {
		if thread, err := strconv.Atoi(name); err == nil {
			threads = append(threads, thread)
		}
	}
	return threads, err
}
