// Package fault makes errors that say what to do, and still are what caused them for errors.Is.
package fault

import (
	"errors"
	"io/fs"
	"os"
)

// Because returns an error that reads as text and is cause for errors.Is and errors.As.
func Because(cause error, text string) error { return &because{cause, text} }

type because struct {
	cause error
	text  string
}

func (b *because) Error() string { return b.text }
func (b *because) Unwrap() error { return b.cause }

// Bare takes the operation and the path off an error of package os, for one that has both already.
func Bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
