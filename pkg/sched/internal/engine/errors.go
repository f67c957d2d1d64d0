package engine

import (
	"errors"
	"fmt"
)

// A TaskError is sched.TaskError.
type TaskError struct {
	Task int   // its index in the slice given to Run, from 0
	Err  error // what it returned, a [*guard.PanicError], or [guard.ErrGoexit]
}

// Error returns the index and the failure: "task 13: no such file".
func (e *TaskError) Error() string { return fmt.Sprintf("task %d: %v", e.Task, e.Err) }

// Unwrap returns e.Err.
func (e *TaskError) Unwrap() error { return e.Err }

// A StoppedError is sched.StoppedError.
type StoppedError struct {
	Left, Of int    // tasks that were not started, and all
	Held     string // what had kept them from starting

	err, cause error // the context's
	failure    error // of a task that failed after that, or nil
}

// Error returns such as "sched: 80 of 90 tasks not started: context deadline exceeded", with Held and
// the failure after it.
func (e *StoppedError) Error() string {
	s := fmt.Sprintf("sched: %d of %d tasks not started: %v", e.Left, e.Of, e.cause)
	if e.Of == 0 {
		s = fmt.Sprintf("sched: no tasks, and %v", e.cause)
	}
	if e.Held != "" {
		s += "; " + e.Held
	}
	// Tasks that only pass the context's error on tell nothing new.
	if e.failure != nil && !errors.Is(e.failure, e.err) && !errors.Is(e.failure, e.cause) {
		s += "; then " + e.failure.Error()
	}
	return s
}

// Unwrap returns the context's cause, its error, and the failure if there is one.
func (e *StoppedError) Unwrap() []error {
	errs := []error{e.cause, e.err}
	if e.failure != nil {
		errs = append(errs, e.failure)
	}
	return errs
}
