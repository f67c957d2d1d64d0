//go:build unix && !linux

package sieve

// unread is not known here.
func unread(int) int { return 0 }
