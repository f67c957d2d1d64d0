//go:build !linux

package trace

import "overlap/pkg/probe"

type threadClocks struct{}

func (threadClocks) open() []string                         { return []string{probe.RunDelay, ThreadClocks} }
func (threadClocks) ok() bool                               { return false }
func (threadClocks) close()                                 {}
func (threadClocks) each(func(thread int64, use threadUse)) {}
