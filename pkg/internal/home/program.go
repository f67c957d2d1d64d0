package home

import (
	"fmt"
	"os"
	"runtime"
)

// Program names the file of the program that runs, to start it once more. On
// Linux it is a link that leads to what runs, also where a notebook's kernel has
// replaced the file on disk by now.
func Program() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("home: find this program's file: %w", err)
	}
	return path, nil
}
