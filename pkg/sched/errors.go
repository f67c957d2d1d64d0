package sched

import (
	"errors"
	"fmt"
)

// ErrGoexit is the failure of a task that ended its goroutine with
// runtime.Goexit, as testing's FailNow does, instead of returning.
var ErrGoexit = errors.New("task called runtime.Goexit instead of returning")

// A TaskError is the failure of one task.
type TaskError struct {
	Task int   // its index in the slice given to Run, from 0
	Err  error // what it returned, a [*PanicError], or [ErrGoexit]
}

// Error returns the index and the failure: "task 13: no such file".
func (e *TaskError) Error() string { return fmt.Sprintf("task %d: %v", e.Task, e.Err) }

// Unwrap returns e.Err.
func (e *TaskError) Unwrap() error { return e.Err }

// A PanicError is a panic that a task did not recover from.
type PanicError struct {
	Value any    // what was given to panic
	Stack []byte // the stack of the task's goroutine, as debug.Stack formats it
}

// Error returns the panic's value, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value where that is an error, else nil.
func (e *PanicError) Unwrap() error { err, _ := e.Value.(error); return err }
