//go:build !darwin

package main

const maxrssUnit = 1024 // bytes
