//go:build !linux

package main

import "errors"

func makeGroup(float64) (string, func(), error) {
	return "", nil, errors.New("only Linux has cgroups")
}

func joinGroup(string, []string) error { return errors.New("only Linux has cgroups") }
