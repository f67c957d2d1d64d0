//go:build unix && !linux

package notebook

// notRead is not known here.
func notRead(int) int { return 0 }
